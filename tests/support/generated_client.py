"""A client of the API that openapi-python-client generates from the OpenAPI document."""

import importlib
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from masthead.api.openapi.document import document_bytes
from masthead.api.routes import ROUTES
from tests.support.waiting import PATIENCE

PACKAGE = "publisher_client"


@contextmanager
def generated_client(folder: Path, operations: Collection[str] = ()) -> Iterator[Path]:
    """The generated package, importable during the block. operations: all by default."""
    source, config = folder / "openapi.json", folder / "config.yaml"
    source.write_bytes(msgspec.json.encode(_document_of(operations)))
    config.write_text("post_hooks: []\n")
    words = ["generate", "--meta", "none", "--fail-on-warning", "--path", str(source)]
    words += ["--config", str(config), "--output-path", str(folder / PACKAGE)]
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder / PACKAGE
        for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
            del sys.modules[name]


def _document_of(operations: Collection[str]) -> dict[str, Any]:
    """The document with these operations, and with the schemas that they use."""
    whole: dict[str, Any] = msgspec.json.decode(document_bytes())
    if not operations:
        return whole
    whole["paths"] = {
        path: {method: each for method, each in of.items() if each["operationId"] in operations}
        for path, of in whole["paths"].items()
    }
    schemas, used = whole["components"].pop("schemas"), dict[str, Any]()
    waiting = _schemas_in(whole)
    while waiting:
        name = waiting.pop()
        used[name] = schemas[name]
        waiting |= _schemas_in(schemas[name]) - used.keys()
    whole["components"]["schemas"] = used
    return whole


def _schemas_in(part: object) -> set[str]:
    """The names of the schemas that a part of the document refers to."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', msgspec.json.encode(part).decode()))


def ask(operation: str) -> Any:
    """The generated module of an operation."""
    path = next(route.path for route in ROUTES if route.name == operation)
    resource = path.split("/")[2].replace("-", "_")
    return importlib.import_module(f"{PACKAGE}.api.{resource}.{operation}")
