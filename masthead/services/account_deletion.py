"""Delete an account after its export, which has to have all of its records.

Everything is deleted in one transaction: a deletion that is interrupted leaves the account as it
was.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import structlog
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.sandboxes import NotSandbox
from masthead.services.exports.folder import require_unchanged
from masthead.services.exports.load import MANY, SERVER, SERVER_LASTS
from masthead.services.exports.write import ExportManifest, export_account
from masthead.services.identity.memberships import remove_member
from masthead.store import account_deletion as store, accounts, users
from masthead.store.accounts import Account
from masthead.store.background import leases
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people
from masthead.store.identity.second_factors import delete_second_factors
from masthead.store.identity.sessions import delete_sessions

log = structlog.get_logger()

_CHANGED = (
    "The account was changed while it was exported. Nothing was deleted. Try again, and export it "
    "into another folder."
)


class DeletedAccount(Struct, frozen=True):
    """The records that were deleted. users: the people who were in no other account."""

    rows: int
    users: int


async def delete_account(
    db: Database,
    account: Account,
    folder: Path,
    *,
    by: Actor,
    on_progress: Callable[[int], None] = lambda rows: None,
) -> DeletedAccount:
    """Export an inactive account into a folder, compare the export, and delete the account.

    Other writes wait until it ends, as for `load_export`. Its id is not used again.
    Raises: Invalid, and then nothing is deleted, if the account is active, the folder is not
    empty, or the export lacks a row; OSError.
    """
    _require_inactive(account)
    await _require_time(db, account.id)
    writes = await accounts.get_write_count(db, account.id)
    manifest = await export_account(db, account, folder, by=by, on_progress=on_progress)
    require_unchanged(folder, manifest)
    ids, named = await _list_people(db, account.id)

    async def work(tx: Transaction) -> DeletedAccount:
        _require_inactive(await accounts.lock_account(tx, account.id))
        exported, own = 1, 1  # the writes of the export and of this transaction
        if await accounts.get_write_count(tx, account.id) != writes + exported + own:
            raise Invalid(_CHANGED)
        deleted = await _delete(tx, account.id)
        _require_exported(deleted, manifest)
        return await _remove(tx, account.id, deleted, ids, named)

    done = await db.write(work, account_id=account.id, is_long=True)
    log.info(
        "account deleted",
        account=account.subdomain,
        id=account.id,
        rows=done.rows,
        users=done.users,
        folder=str(folder),
        command=by.id,
    )
    await db.clean()
    return done


async def delete_sandbox(db: Database, account_id: int, *, by: Actor) -> DeletedAccount:
    """Delete a sandbox at once, without an export. Raises: NotSandbox, and deletes nothing."""
    ids, named = await _list_people(db, account_id)

    async def work(tx: Transaction) -> DeletedAccount:
        if not (await accounts.lock_account(tx, account_id)).is_sandbox:
            raise NotSandbox
        deleted = await _delete(tx, account_id)
        return await _remove(tx, account_id, deleted, ids, named)

    done = await db.write(work, account_id=account_id, is_long=True)
    log.info("sandbox deleted", id=account_id, rows=done.rows, by=by.id)
    return done


async def _list_people(db: Database, account_id: int) -> tuple[list[str], set[str]]:
    """The people whom an account names, and those of them whom other accounts name too."""
    ids, named = await store.list_people(db, account_id), set[str]()
    for other in await accounts.list_accounts(db):
        if other.id != account_id:
            named |= await store.list_named(db, other.id, ids)
    return ids, named


async def _delete(tx: Transaction, account_id: int) -> dict[str, int]:
    """Delete the rows and the users of an account; returns how many rows, by table."""
    for user in await users.list_users(tx, account_id):
        await people.lock_person(tx, user.id)
        await remove_member(tx, account_id, user)
    return await store.delete_rows(tx, account_id)


async def _remove(
    tx: Transaction,
    account_id: int,
    deleted: Mapping[str, int],
    ids: Collection[str],
    named: Collection[str],
) -> DeletedAccount:
    """Delete the account itself, and the people whom only that account needed."""
    removed = [id for id in ids if await _remove_person(tx, id, named)]
    await accounts.delete_account(tx, account_id)
    return DeletedAccount(sum(deleted.values()), len(removed))


def _require_inactive(account: Account) -> None:
    if account.is_active:
        raise Invalid(
            f"`{account.subdomain}` is active. First run `masthead account deactivate "
            f"{account.subdomain}`. Its API then stops working, and you can activate it again."
        )


async def _require_time(db: Database, account_id: int) -> None:
    """Raises: Invalid if the writes of a server would have to wait for many rows."""
    if db.dialect != "sqlite" or await store.estimate_rows(db, account_id) <= MANY:
        return
    if await leases.is_held(db, name=SERVER, duration=SERVER_LASTS):
        raise Invalid(
            "`masthead serve` uses this database, and could write nothing while so many rows are "
            "deleted. Stop it, delete the account, and start it again."
        )


def _require_exported(deleted: dict[str, int], manifest: ExportManifest) -> None:
    """Raises: Invalid if a table had other rows than its file."""
    rows = {file.name: file.rows for file in manifest.files}
    for exported in EXPORT_FILES:
        if exported.table in deleted and deleted[exported.table] != rows[exported.path]:
            raise Invalid(_CHANGED)


async def _remove_person(tx: Transaction, id: str, named: Collection[str]) -> bool:
    """Delete a person who is in no account; returns whether that was so.

    named: people whom other accounts name in their history. They are kept, and cannot sign in.
    """
    await people.lock_person(tx, id)
    if await store.is_member(tx, id):
        return False
    if id not in named:
        await store.delete_person(tx, id)
        return True
    await people.update_password(tx, id, None)
    await delete_second_factors(tx, id)
    await delete_sessions(tx, id)
    return False
