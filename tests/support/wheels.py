"""Wheels made by tests: small packages, and releases that nothing should install."""

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path


def write_wheel(
    folder: Path, name: str, version: str, *, files: Mapping[str, str] | None = None
) -> Path:
    """Write a wheel for any Python; returns its path. files: texts, by their path in the wheel."""
    distribution = name.replace("-", "_")
    info = f"{distribution}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    tags = ["Wheel-Version: 1.0", "Generator: tests", "Root-Is-Purelib: true", "Tag: py3-none-any"]
    texts = {
        **(files or {}),
        f"{info}/METADATA": "\n".join(metadata) + "\n",
        f"{info}/WHEEL": "\n".join(tags) + "\n",
    }
    record = "".join(f"{path},,\n" for path in (*texts, f"{info}/RECORD"))
    path = folder / f"{distribution}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for inside, text in {**texts, f"{info}/RECORD": record}.items():
            wheel.writestr(inside, text)
    return path


def write_pin(wheel: Path) -> str:
    """The pin of a wheel, as a lock has it."""
    name, version, *_ = wheel.name.split("-")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{name}=={version} \\\n    --hash=sha256:{digest}\n"
