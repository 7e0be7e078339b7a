"""The folder of an export: what it says about itself, and whether it is unchanged."""

import hashlib
from pathlib import Path

import msgspec

from masthead.model.errors import Invalid
from masthead.model.exports.contents import NOUNS
from masthead.model.types.json_texts import decode_json
from masthead.services.exports.write import FORMAT, MANIFEST, ExportManifest
from masthead.store.engine.database import SCHEMA_VERSION


def is_export(folder: Path) -> bool:
    """Whether the folder is a whole export."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> ExportManifest:
    """The manifest of the folder. Raises: Invalid."""
    try:
        manifest = decode_json((folder / MANIFEST).read_bytes(), ExportManifest)
    except (OSError, msgspec.MsgspecError) as reason:
        raise Invalid(
            f"`{folder}` is not a complete export: its `{MANIFEST}` is missing or damaged. Name "
            "the folder that `masthead export` has written."
        ) from reason
    if manifest.format != FORMAT or manifest.schema > SCHEMA_VERSION:
        raise Invalid(
            f"`{folder}` was exported by masthead {manifest.version}, which is newer than this "
            "one. Upgrade masthead, and import it again."
        )
    return manifest


def require_unchanged(folder: Path, manifest: ExportManifest) -> None:
    """Raises: Invalid if a file of `csv/` is not as it was written."""
    written = {file.name: file for file in manifest.files}
    for noun in NOUNS:
        name = f"csv/{noun.name}.csv"
        try:
            with (folder / name).open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            digest = ""
        if name not in written or digest != written[name].sha256:
            raise Invalid(
                f"`{name}` is missing, or was changed after the export. Export again, or import "
                "`csv/orders.csv`, which can be changed."
            )
