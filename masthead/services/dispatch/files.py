"""Request and read the files of dispatch runs; `file_builds` builds them.

A file is built once and its bytes are stored, so that every download gets the same bytes.
"""

from collections.abc import AsyncIterator

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.dispatch.files import DispatchFile, FileStatus, no_failures, run_file_name
from masthead.model.dispatch.profiles import FileFormat, start_at_label
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _, in_language
from masthead.services.dispatch.profiles import find_profile
from masthead.services.transactions import in_transaction, with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch import files as store, groups, runs
from masthead.store.engine.interface import Database, Transaction


@with_locked_account
async def request_file(
    tx: Transaction,
    account: Account,
    dispatch_id: str,
    format: FileFormat,
    profile: str | None,
    *,
    first_label: int | None = None,
    by: Actor,
) -> DispatchFile:
    """The file of a run or its group in a format, by a profile; it may have to be built first.

    Returns the existing file, if the profile has not changed since. A failed file waits again.
    profile: its id or name, None for the default of the format.
    first_label: of a used sheet of labels, from 1; None for the one of the profile.
    Queries: about ten.
    Raises: NotFound, Invalid.
    """
    dispatch = await runs.get_dispatch(tx, account.id, dispatch_id)
    members = await groups.list_members(tx, account.id, dispatch)
    if dispatch.group_id:  # one file for all of them
        dispatch = groups.leader_of(members)
        dispatch_id = dispatch.id
    home = dispatch.layout.home
    chosen = await find_profile(tx, account.id, profile, format, home=home)
    if first_label is not None:
        settings = start_at_label(chosen.settings, first_label)
        chosen = structs.replace(chosen, settings=settings)
    for file in reversed(await store.list_files(tx, account.id, dispatch_id)):
        wanted = format, chosen.id, chosen.settings
        if (file.format, file.profile_id, file.settings) == wanted:
            if file.status is FileStatus.FAILED:
                again = {
                    "status": FileStatus.WAITING.value,
                    "attempts": no_failures(file.attempts),
                    "error": None,
                }
                await store.update_file(tx, account.id, file.id, again)
            return await store.get_file(tx, account.id, file.id)
    if not any(run.is_live for run in members):
        raise Invalid(
            _(
                "This is discarded, so no new files can be made from it. Its copies are "
                "free for the next dispatch of the issue."
            ),
            code="already_discarded",
        )
    with in_language(account.locale):
        name = run_file_name(dispatch, chosen.name, format.value, zone=account.zone)
    id = await store.insert_file(
        tx,
        account.id,
        dispatch_id=dispatch_id,
        format=format,
        profile=chosen,
        name=name,
        lines=sum(run.lines for run in members),
        by=by,
    )
    return await store.get_file(tx, account.id, id)


async def read_file(db: Database, account_id: int, file_id: str) -> AsyncIterator[bytes]:
    """The bytes of a ready file, in parts of 1 MiB. Queries: one each. Raises: NotFound."""
    file = await store.get_file(db, account_id, file_id)
    if file.status is not FileStatus.READY:
        raise NotFound("file", file_id)
    part = 0
    while (content := await _read_part(db, account_id, file_id, part)) is not None:
        yield content
        part += 1


async def _read_part(db: Database, account_id: int, file_id: str, part: int) -> bytes | None:
    async with db.read(aside=True) as connection:  # a megabyte takes about a millisecond
        return await store.find_part(connection, account_id, file_id, part)


@in_transaction
async def record_download(
    tx: Transaction, account_id: int, file: DispatchFile, *, by: Actor
) -> None:
    """Record in the audit trail that a file with addresses is downloaded."""
    after = {"file": file.name, "profile": file.profile_name, "sha256": file.sha256}
    entry = NewEntry(EntryType.DISPATCH_DOWNLOAD, file.dispatch_id, None, after)
    await trail.record(tx, account_id, by, [entry])
