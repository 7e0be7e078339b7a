"""`masthead import` of a whole export."""

from pathlib import Path

from masthead.cli.command import CommandError, command_actor, run_on_account
from masthead.cli.output import print_message, print_record, rows_counted
from masthead.services.exports.load import Loaded, load_export
from masthead.services.privacy.finish import finish_erasures
from masthead.settings import from_env
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database


def import_export(
    folder: Path, *, account: str, erasures: Path | None, is_dry: bool, json: bool
) -> int:
    """Import the folder of an export into an empty account; returns the exit code.

    is_dry: do it and take it back.
    """
    content = None
    if erasures is not None:
        if not erasures.is_file():
            raise CommandError(f"There is no file `{erasures}`.")
        content = erasures.read_bytes()

    async def work(db: Database, found: Account) -> Loaded:
        with rows_counted() as on_progress:
            loaded = await load_export(
                db,
                found.id,
                folder,
                erasures=content,
                placeholder_domain=from_env().placeholder_domain,
                by=command_actor("import"),
                is_rehearsal=is_dry,
                on_progress=on_progress,
            )
        if loaded.erased and not is_dry:
            await finish_erasures(db)
        return loaded

    loaded = run_on_account(account, work)
    print_record({"imported": loaded.rows, "erased": loaded.erased}, json=json)
    if loaded.erased:
        print_message(
            f"Subscribers of the export who were erased since, and are erased again: "
            f"{loaded.erased}."
        )
    for fault in loaded.faults:
        print_message(f"{fault.invariant}: {fault.id}")
    if loaded.faults:
        print_message(
            "The records above break a rule of the data, as they did when they were exported, or "
            "since somebody changed the folder. `masthead check` names them again."
        )
    if is_dry:
        print_message("Nothing was changed: this was a dry run.")
        return 0
    print_message(
        "The account is as it was when it was exported. Add its users and make new API keys; they "
        "are in no export."
    )
    return 0
