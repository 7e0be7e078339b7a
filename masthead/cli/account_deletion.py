"""`masthead account delete`."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import CommandError, Json, command_actor, get_account, run_with_database
from masthead.cli.output import print_done, print_message, rows_counted
from masthead.services.account_deletion import DeletedAccount
from masthead.services.account_deletion import delete_account as delete
from masthead.store.engine.interface import Database


def delete_account(
    subdomain: str,
    /,
    *,
    export: Path,
    yes: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Export everything of an inactive account, and delete the account. This cannot be undone.

    Everything is deleted or nothing. Users who are in no other account are deleted too. Backups
    from before still have the account.

    Parameters
    ----------
    export
        where to write the export; the folder must not exist yet, or be empty
    yes
        delete without asking
    """
    if not yes:
        _confirm(subdomain)

    async def work(db: Database) -> DeletedAccount:
        found = await get_account(db, subdomain)
        with rows_counted() as on_progress:
            return await delete(
                db,
                found,
                export,
                by=command_actor("account delete"),
                on_progress=on_progress,
            )

    done = run_with_database(work)
    print_done(
        {"account": subdomain, "export": str(export), "rows": done.rows, "users": done.users},
        f"Account `{subdomain}` is deleted: {done.rows} rows, and {done.users} users who were in "
        f"no other account. `{export}` has everything that it had. The files have personal data. "
        "Only you can read them; keep it so.",
        json=json,
    )


def _confirm(subdomain: str) -> None:
    """Raises: CommandError unless the subdomain is typed on the terminal."""
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask on. To delete without asking, use `--yes`.")
    print_message(f"This deletes the account for ever. Type `{subdomain}` to delete it:")
    if input("> ").strip() != subdomain:
        raise CommandError("Nothing was changed.")
