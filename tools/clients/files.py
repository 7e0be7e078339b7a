"""Where the generated files are, and how they are formatted."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from masthead.api.openapi.document import document
from tools.clients import python, typescript

ROOT = Path(__file__).parents[2]
PYTHON = Path("clients/python/src/masthead_client")
TYPESCRIPT = Path("clients/typescript/src")


def write_clients(root: Path, described: Mapping[str, Any] | None = None) -> list[Path]:
    """Write all generated files below a folder, and return their paths in it.

    described: the OpenAPI document; by default that of this version.
    """
    described = described or document()
    files = {PYTHON / path: text for path, text in python.modules(described).items()}
    files |= {TYPESCRIPT / path: text for path, text in typescript.modules(described).items()}
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    _format([root / path for path in files if path.suffix == ".py"])
    return sorted(files)


def _format(files: list[Path]) -> None:
    """Remove unused imports, sort the others, and wrap lines, all as in the whole project."""
    ruff = [sys.executable, "-m", "ruff"]
    config = ["--quiet", "--config", str(ROOT / "pyproject.toml")]
    for command in (["check", "--fix", "--select", "F401,I"], ["format"]):
        subprocess.run([*ruff, *command, *config, *map(str, files)], check=True)  # noqa: S603
