"""`masthead export`."""

from pathlib import Path

from masthead.cli.command import Json, command_actor, format_examples, on_account
from masthead.cli.output import print_message, print_record, rows_counted
from masthead.services.exports.write import export_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.engine.moving.errors import full_error, is_disk_full


@on_account
async def export(db: Database, account: Account, folder: Path, /, *, json: Json = False) -> None:
    """Export everything of an account as files.

    CSV for machines and for spreadsheets, and JSON as the API returns it; README.txt in the folder
    explains them. The service can go on meanwhile: all files show the same moment.

    Parameters
    ----------
    folder
        where to write the files; it must not exist yet, or be empty
    """
    by = command_actor("export")
    try:
        with rows_counted() as on_progress:
            manifest = await export_account(db, account, folder, by=by, on_progress=on_progress)
    except OSError as reason:
        if is_disk_full(reason):
            raise full_error(folder) from reason
        raise
    tables = [file for file in manifest.files if file.name.startswith("csv/")]
    outcome = {
        "folder": str(folder),
        "files": len(manifest.files),
        "rows": sum(file.rows for file in tables),
        "bytes": sum(file.bytes for file in manifest.files),
    }
    print_record(outcome, json=json)
    print_message("The files have personal data. Only you can read them; keep it so.")


COMMANDS = {"export": export}
EXAMPLES = {"export": format_examples("masthead export --account acme acme-2026-11-22")}
