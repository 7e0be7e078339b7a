"""`masthead restore`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypedDict

from cyclopts import Parameter
from msgspec import structs

from masthead import __version__
from masthead.cli.command import CommandError, Json, command_actor, format_examples
from masthead.cli.moving.progress import migrate, run, shown_progress
from masthead.cli.output import print_message, print_record
from masthead.model.actors import Actor
from masthead.services.moving.backups import find_backup
from masthead.services.moving.digests import Progress
from masthead.services.moving.moments import restore_moment
from masthead.services.moving.restores import restore_backup
from masthead.settings import from_env
from masthead.store.engine.moving.targets import Migrate

_UNREAD = (
    "Erasures could not be read and were not repeated: {unread}. Who was erased there since the "
    "newest `erasures.json` beside the backup is back. When that database answers again, back it "
    "up, and run `masthead subscriber reapply` with `erasures.json` of that backup. If it is lost, "
    "erase these people again."
)


def restore(
    backup: str,
    /,
    *,
    at: str | None = None,
    to: str | None = None,
    yes: Annotated[bool, Parameter(name=("--yes", "--replace"), negative="")] = False,
    json: Json = False,
) -> int:
    """Restore a backup: the folder of one, the newest in a folder of backups, or any moment.

    Stop masthead first. Subscribers who were erased since the backup are erased again. Emails
    that waited in the backup are not sent: they are among the failed emails in the settings.

    Parameters
    ----------
    at
        the moment to restore, such as 2026-11-22T09:30:00Z; BACKUP is then the archive of
        `masthead base-backup`, or a folder or URL of Litestream
    to
        address of the database, as in MASTHEAD_DATABASE_URL; by default that one
    yes
        replace the database, if it has data; the old SQLite file is kept beside it
    """
    settings = from_env()
    url, live_url = to or settings.database_url, settings.database_url
    moment = None if at is None else _parse_moment(at)
    with shown_progress() as on_progress:
        options = _Options(
            may_replace=yes,
            migrate=migrate,
            placeholder_domain=settings.placeholder_domain,
            by=command_actor("restore"),
            live_url=live_url,
            on_progress=on_progress,
        )
        if moment is None:
            restored = run(restore_backup(find_backup(Path(backup)), url, **options))
        else:
            restored = run(restore_moment(backup, moment, url, version=__version__, **options))
    asked = {} if moment is None else {"asked": moment}
    print_record({**structs.asdict(restored), **asked}, json=json)
    if moment and moment != restored.moment:
        print_message(
            f"You asked for {_shown(moment)}. The database of the archive may have changes up to "
            f"{_shown(restored.moment)}."
        )
    if restored.unread_erasures:
        print_message(_UNREAD.format(unread=restored.unread_erasures))
    if held := restored.held_emails:
        print_message(
            f"Emails that waited in the backup, and may have been sent since then: {held}. They "
            "are among the failed emails in the settings, where staff can send them."
        )
    if restored.kept:
        print_message(f"The old database is `{restored.kept}`. Delete it when you are done.")
    if restored.broken_rule:
        print_message(f"The backup is restored, but breaks a rule: {restored.broken_rule}.")
        return 1
    what = f"The database of {_shown(restored.moment)}" if at else "The backup"
    print_message(f"{what} is restored: its rows, digests and rules were compared.")
    return 0


class _Options(TypedDict):
    """What both kinds of restore need."""

    may_replace: bool
    migrate: Migrate
    placeholder_domain: str
    by: Actor
    live_url: str
    on_progress: Progress


def _parse_moment(text: str) -> datetime:
    """The moment given in an option, in UTC. Raises: CommandError if it is none."""
    try:
        moment = datetime.fromisoformat(text)
        utc = moment.astimezone(UTC)
    except (ValueError, OverflowError):  # in UTC, it may be before the year 1
        raise CommandError(
            f"`--at` is `{text}`; expected a moment such as 2026-11-22T09:30:00Z."
        ) from None
    if moment.tzinfo is None:
        raise CommandError(
            f"`--at {text}` has no time zone: add `Z` for UTC, or a difference such as `+01:00`."
        )
    return utc


def _shown(moment: datetime) -> str:
    """A moment in a message, with the fraction of its second."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None)} UTC"


COMMANDS = {"restore": restore}
EXAMPLES = {
    "restore": format_examples(
        "masthead restore /var/backups/masthead",
        "masthead restore /var/backups/masthead/2026-11-22T031500.000000Z --yes",
        "masthead restore /var/backups/masthead --to sqlite:////tmp/restored.db",
        "masthead restore /var/backups/masthead-archive --at 2026-11-22T09:30:00Z --yes",
        "masthead restore s3://acme-backups/masthead --at 2026-11-22T10:30:00+01:00 --yes",
    ),
}
