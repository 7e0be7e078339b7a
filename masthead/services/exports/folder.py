"""The folder of an export: what it says about itself, and whether it is unchanged."""

import csv
import hashlib
from pathlib import Path

import msgspec
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.exports.export_files import ExportFile
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
    """Raises: Invalid if a file of `csv/` is not as it was written.

    An older masthead did not write all files.
    """
    written = {file.name: file for file in manifest.files}
    for exported in EXPORT_FILES:
        name = exported.path
        if name not in written and manifest.schema < SCHEMA_VERSION:
            continue
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


def require_real(folder: Path) -> None:
    """Raises: Invalid if the export is one of a sandbox, whose subscribers do not exist."""
    with (folder / "csv" / "account.csv").open(encoding="utf-8", newline="") as file:
        [settings] = csv.DictReader(file)
    if settings.get("is_sandbox") == "true":
        raise Invalid(
            "The export is one of a sandbox: its subscribers may be made up, and its days are not "
            "real. To have its orders in this account all the same, import its `csv/orders.csv`."
        )


def with_columns(exported: ExportFile, names: list[str]) -> ExportFile:
    """The file, with the columns that it has here. Raises: Invalid if it has others."""
    if [name for name in exported.columns if name in names] != names:
        raise Invalid(
            f"`{exported.path}` has other columns than those of an export. Nothing was "
            "imported. Use the export as masthead has made it."
        )
    return structs.replace(exported, columns=tuple(names))
