"""`masthead dispatch export`."""

import asyncio
import os
from pathlib import Path

from masthead.cli.command import CommandError, Json, command_actor, on_account
from masthead.cli.output import print_json, print_message, print_record, rows_counted
from masthead.model.dispatch.files import DispatchFile, FileStatus
from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.file_builds import FileTaken, OnProgress, prepare_file
from masthead.services.dispatch.files import read_file, record_download, request_file
from masthead.store.accounts import Account
from masthead.store.dispatch import files as store
from masthead.store.engine.interface import Database
from masthead.store.engine.private_files import create_private

POLL_SECONDS = 0.2  # while another process builds the file


@on_account
async def export_file(
    db: Database,
    account: Account,
    run: str,
    /,
    *,
    format: FileFormat,
    output: Path,
    profile: str | None = None,
    first_label: int | None = None,
    json: Json = False,
) -> None:
    """Write the addresses of a run to a file that only you can read.

    The same run, format and profile always give the same bytes. An existing file is replaced when
    the new one is complete.

    Parameters
    ----------
    run
        id of the run, as `dispatch list` prints it
    format
        csv, xlsx, pdf (labels), or zip (one file for each country group)
    output
        the file to write
    profile
        id or name of an export profile; by default the usual one for the format
    first_label
        the first label to print on, if the first sheet is partly used; for pdf
    """
    if first_label is not None and format is not FileFormat.PDF:
        raise CommandError("`--first-label` is for `--format pdf`; omit it for other formats.")
    path = _checked(output)
    by = command_actor("dispatch export")
    file = await request_file(db, account.id, run, format, profile, first_label=first_label, by=by)
    with rows_counted(file.lines) as count:
        file = await _wait_until_ready(db, account.id, file, lambda done, lines: count(done))
    await record_download(db, account.id, file, by=by)
    await _save(db, account.id, file, path)
    _print(file, output, json=json)


def _checked(output: Path) -> Path:
    """The full path of the file to write. Raises: CommandError."""
    path = output.resolve()
    if path.exists() and not path.is_file():
        raise CommandError(f"`{output}` is not a file; name a file to write.")
    if not path.parent.is_dir():
        raise CommandError(f"There is no folder `{output.parent}`.")
    return path


async def _wait_until_ready(
    db: Database, account_id: int, file: DispatchFile, on_progress: OnProgress
) -> DispatchFile:
    """Build the file, or wait for the process that builds it."""
    while file.status is not FileStatus.READY:
        if file.status is FileStatus.FAILED:
            raise CommandError(str(file.error))
        try:
            return await prepare_file(db, account_id, file.id, on_progress)
        except FileTaken:
            await asyncio.sleep(POLL_SECONDS)
        file = await store.get_file(db, account_id, file.id)
        on_progress(file.progress, file.lines)
    return file


async def _save(db: Database, account_id: int, file: DispatchFile, path: Path) -> None:
    """Write the file, which replaces an existing one at the end."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with os.fdopen(create_private(part), "wb") as stream:
            async for content in read_file(db, account_id, file.id):
                stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _print(file: DispatchFile, output: Path, *, json: bool) -> None:
    totals = file.totals
    assert totals is not None
    record = {
        "id": file.id,
        "dispatch": file.dispatch_id,
        "format": file.format.value,
        "profile": file.profile_name,
        "output": str(output),
        "lines": totals.lines,
        "addresses": totals.addresses,
        "digital": totals.digital,
        "bytes": file.bytes,
        "sha256": file.sha256,
    }
    sections = totals.by_section()
    if json:
        print_json(
            {
                **record,
                "shortened": totals.shortened,
                "too_long": totals.too_long,
                "notes": totals.notes,
                "totals": sections,
            }
        )
    else:
        named = {
            name: ", ".join(f"{each} {count}" for each, count in section.items())
            for name, section in sections.items()
        }
        print_record({**record, **named}, json=False)
    for text in [*totals.warnings(), *totals.notes]:
        print_message(text)
    if totals.more_notes:
        print_message(f"… and {totals.more_notes} more.")
    if totals.digital:
        digital = "Digital copy" if totals.digital == 1 else "Digital copies"
        are = "is" if totals.digital == 1 else "are"
        print_message(f"{totals.digital} {digital} of the run {are} not in the file.")
