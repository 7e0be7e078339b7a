"""`masthead restore`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from msgspec import structs

from masthead.cli.command import Json, command_actor, format_examples
from masthead.cli.moving.progress import migrate, run, shown_progress
from masthead.cli.output import print_message, print_record
from masthead.services.moving.backups import find_backup
from masthead.services.moving.restores import restore_backup
from masthead.settings import from_env


def restore(
    backup: Path,
    /,
    *,
    to: str | None = None,
    yes: Annotated[bool, Parameter(name=("--yes", "--replace"), negative="")] = False,
    json: Json = False,
) -> int:
    """Restore a backup: the folder of one, or the newest in a folder of backups.

    Stop masthead first. Subscribers who were erased since the backup are erased again. Emails
    that waited in the backup are not sent: they are among the failed emails in the settings.

    Parameters
    ----------
    to
        address of the database, as in MASTHEAD_DATABASE_URL; by default that one
    yes
        replace the database, if it has data; the old SQLite file is kept beside it
    """
    settings = from_env()
    with shown_progress() as on_progress:
        restored = run(
            restore_backup(
                find_backup(backup),
                to or settings.database_url,
                may_replace=yes,
                migrate=migrate,
                placeholder_domain=settings.placeholder_domain,
                by=command_actor("restore"),
                live_url=settings.database_url,
                on_progress=on_progress,
            )
        )
    print_record(structs.asdict(restored), json=json)
    if restored.held_emails:
        print_message(
            f"{restored.held_emails} emails waited in the backup and may have been sent since "
            "then. They are among the failed emails in the settings, where staff can send them."
        )
    if restored.kept:
        print_message(f"The old database is `{restored.kept}`. Delete it when you are done.")
    if restored.broken_rule:
        print_message(f"The backup is restored, but breaks a rule: {restored.broken_rule}.")
        return 1
    print_message("The backup is restored: its rows, digests and rules were compared.")
    return 0


COMMANDS = {"restore": restore}
EXAMPLES = {
    "restore": format_examples(
        "masthead restore /var/backups/masthead",
        "masthead restore /var/backups/masthead/2026-11-22T031500.000000Z --yes",
        "masthead restore /var/backups/masthead --to sqlite:////tmp/restored.db",
    ),
}
