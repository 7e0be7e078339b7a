"""`masthead base-backup`."""

from pathlib import Path

from masthead.cli.command import CommandError, Json, format_examples
from masthead.cli.moving.progress import run
from masthead.cli.output import print_message, print_record
from masthead.services.moving.moments import make_base_backup
from masthead.settings import from_env
from masthead.store.engine.moving.base_backups import remove_base_backups


def base_backup(archive: Path, /, *, keep: int | None = None, json: Json = False) -> None:
    """Copy all files of the PostgreSQL server into ARCHIVE, where it archives its log.

    `masthead restore ARCHIVE --at` then restores any moment since the end of the copy. The server
    and masthead may run.

    Parameters
    ----------
    keep
        remove older base backups, so that this many remain, and the log that only they need
    """
    if keep is not None and keep < 1:
        raise CommandError(f"`--keep` is {keep}; at least 1 base backup is kept.")
    path, made = run(make_base_backup(from_env().database_url, archive))
    removed, files = (0, 0) if keep is None else remove_base_backups(archive, keep)
    record = {
        "base_backup": str(path),
        "bytes": made.bytes,
        "restores_from": made.finished_at,
        "removed": removed,
        "removed_log_files": files,
    }
    print_record(record, json=json)
    print_message("It counts once a moment was restored: `masthead restore --at … --to …`.")


COMMANDS = {"base-backup": base_backup}
EXAMPLES = {
    "base-backup": format_examples(
        "masthead base-backup /var/backups/masthead-archive",
        "masthead base-backup /var/backups/masthead-archive --keep 2",
    ),
}
