"""`masthead backup`."""

from collections.abc import Awaitable
from pathlib import Path
from typing import Annotated, TypeVar

from cyclopts import Parameter

from masthead import __version__
from masthead.cli.command import CommandError, Json, format_examples
from masthead.cli.moving.progress import migrate, run, shown_progress
from masthead.cli.output import print_message, print_record
from masthead.services.moving.backups import (
    Backup,
    find_backup,
    find_backups,
    find_damage,
    list_folders,
    list_removable,
    make_backup,
    name_sound_backup,
    read_backup,
    remove_backups,
    remove_leftovers,
)
from masthead.services.moving.digests import Progress
from masthead.services.moving.verify import note_failed_backup, note_verification, verify_backup
from masthead.settings import from_env
from masthead.store.engine.interface import DatabaseError

T = TypeVar("T")


def backup(
    folder: Path,
    /,
    *,
    verify: Annotated[bool, Parameter(negative="")] = False,
    newest: Annotated[bool, Parameter(negative="")] = False,
    keep: int | None = None,
    json: Json = False,
) -> int:
    """Back up the database into a new folder in FOLDER, while masthead runs.

    Parameters
    ----------
    verify
        restore the backup beside, compare and check it; also check the hashes of older backups
    newest
        with --verify: verify the newest backup, and make none
    keep
        with --verify: remove older backups, so that this many remain; never the last verified one
    """
    if (newest or keep is not None) and not verify:
        raise CommandError("`--newest` and `--keep` need `--verify`.")
    if keep is not None and keep < 1:
        raise CommandError(f"`--keep` is {keep}; at least 1 backup is kept.")
    url = from_env().database_url
    with shown_progress() as on_progress:
        work = _run(url, folder, verify=verify, newest=newest, keep=keep, on_progress=on_progress)
        made, removed = run(_noting_failure(url, work))
    found = made.verification
    record = {
        "backup": str(made.path),
        "engine": made.manifest.engine,
        "bytes": made.manifest.bytes,
        "rows": made.manifest.rows,
        "digest": made.manifest.digest,
        "is_verified": found.is_verified if found else None,
        "problem": found.problem if found else "",
        "removed": len(removed),
    }
    print_record(record, json=json)
    if found and found.problem:
        sound = name_sound_backup(made.path)
        print_message(f"`{made.path}` is not usable: {found.problem} {sound}")
        return 1
    damaged = _list_damaged(folder, made) if verify else []
    for problem in damaged:
        print_message(problem)
    if damaged:
        run(note_failed_backup(url))
        print_message(f"The newest sound backup is `{made.path}`.")
    if not verify:
        print_message("It counts once it was restored beside: `masthead backup --verify`.")
    return 1 if damaged else 0


async def _noting_failure(url: str, work: Awaitable[T]) -> T:
    """The result of the work; if it fails, the database notes that, for `masthead status`."""
    try:
        return await work
    except Exception:
        await note_failed_backup(url)
        raise


async def _run(
    url: str, folder: Path, *, verify: bool, newest: bool, keep: int | None, on_progress: Progress
) -> tuple[Backup, list[Backup]]:
    """Make, verify and remove backups; the backup, and those that were removed."""
    if newest:
        made = find_backup(folder)
    else:
        made = await make_backup(url, folder, version=__version__, on_progress=on_progress)
    if verify:
        await verify_backup(
            made, url, migrate=migrate, version=__version__, on_progress=on_progress
        )
        made = read_backup(made.path)
        if not await note_verification(made, url) and made.is_verified:
            print_message("The database cannot note this; `masthead status` tells an older backup.")
    removed = list[Backup]()
    if keep is not None and made.is_verified:
        remove_leftovers(folder)
        removed = list_removable(find_backups(folder), keep)
        remove_backups(removed)
    return made, removed


def _list_damaged(folder: Path, known: Backup) -> list[str]:
    """What is wrong with the manifests and the bytes of the other backups."""
    problems = []
    for path in list_folders(folder):
        if path != known.path:
            try:
                problems.append(find_damage(read_backup(path)))
            except DatabaseError as reason:
                problems.append(str(reason))
    return list(filter(None, problems))


COMMANDS = {"backup": backup}
EXAMPLES = {
    "backup": format_examples(
        "masthead backup /var/backups/masthead",
        "masthead backup /var/backups/masthead --verify --keep 14",
        "masthead backup /var/backups/masthead --verify --newest",
    ),
}
