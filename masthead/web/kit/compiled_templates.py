"""Compiled templates, in a folder that all processes of this user share."""

import hashlib
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from pickle import UnpicklingError

from jinja2.bccache import Bucket, FileSystemBytecodeCache

# What a compiled template depends on, beside its source: Jinja, the options, and the filters
_COMPILER = hashlib.sha256(
    version("jinja2").encode()
    + b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
).hexdigest()


class CompiledTemplates(FileSystemBytecodeCache):
    """What was compiled by the first process; to compile all templates takes seconds.

    A template that cannot be read or written there is compiled.
    """

    def get_source_checksum(self, source: str) -> str:
        """What identifies a template of this version."""
        return super().get_source_checksum(_COMPILER + source)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a template, if it is there and whole."""
        with suppress(OSError, EOFError, UnpicklingError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a template, if it can be written."""
        with suppress(OSError):
            super().dump_bytecode(bucket)
