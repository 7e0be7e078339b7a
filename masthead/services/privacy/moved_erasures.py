"""Take the erasures out of a database, and apply them to one that was restored from a backup."""

from collections.abc import AsyncIterator, Mapping

import msgspec

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.digests import address_digest, known_email_digests
from masthead.model.privacy.erasures import AccountErasures, ErasuresFile, MovedErasure
from masthead.model.translations import gettext as _
from masthead.model.types.json_texts import decode_json
from masthead.services.privacy.erase import erase_locked
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.privacy import erasures as store, reapply
from masthead.store.privacy.reapply import KnownPerson

PAGE = 1_000  # subscribers that are compared at a time


async def export_erasures(db: Database) -> bytes:
    """All erasures of all accounts as JSON, without names. Queries: four for each account."""
    async with db.read(is_long=True) as connection:
        known = await accounts.list_accounts(connection)
        found = [await get_account_erasures(connection, account) for account in known]
    return msgspec.json.encode(ErasuresFile(accounts=[each for each in found if each]))


async def get_account_erasures(db: Connection, account: Account) -> AccountErasures | None:
    """The erasures of an account; None if it never had any. Queries: three at most."""
    secret = await store.find_secret(db, account.id)
    if secret is None:
        return None
    digests = await store.list_digests(db, account.id)
    erasures = [
        MovedErasure(
            id=each.id,
            subscriber_id=each.subscriber_id,
            created_at=each.created_at,
            actor_kind=each.actor_kind,
            actor_id=each.actor_id,
            digests=digests.get(each.id, []),
        )
        for each in await store.list_erasures(db, account.id)
    ]
    return AccountErasures(
        account=account.subdomain, account_id=account.id, secret=secret, erasures=erasures
    )


def decode_erasures(content: bytes) -> list[AccountErasures]:
    """The erasures of the accounts in a file of erasures. Raises: Invalid."""
    try:
        return decode_json(content, ErasuresFile).accounts
    except msgspec.DecodeError as reason:
        raise Invalid(
            _("This is not a file of erasures: {reason}.").format(reason=str(reason).rstrip("."))
        ) from None


async def reapply_erasures(
    db: Database, content: bytes, *, placeholder_domain: str, by: Actor
) -> int:
    """Erase again who was erased before; returns how many subscribers that were.

    Subscribers who came after the erasure stay: they ordered again. Accounts that the database
    does not have are left out. Afterwards call `finish_erasures`.
    Raises: Invalid if the content is not that of a file of erasures.
    """
    count = 0
    for moved in decode_erasures(content):
        account = await accounts.find_account(db, moved.account)
        if account is None or account.id != moved.account_id:
            continue
        for erasure, ids in await _find_back(db, moved):
            await _erase_again(
                db, moved, erasure, ids, placeholder_domain=placeholder_domain, by=by
            )
            count += len(ids)
    return count


async def _find_back(
    db: Connection, moved: AccountErasures
) -> list[tuple[MovedErasure, list[str]]]:
    """The erasures, each with the subscribers from before it that are not erased any more."""
    found: dict[str, set[str]] = {each.id: set() for each in moved.erasures}
    async for person, erasure in list_matches(db, moved):
        if person.created_at <= erasure.created_at:
            found[erasure.id].add(person.merged_into or person.id)
    return [(each, sorted(found[each.id])) for each in moved.erasures]


async def erase_found(
    tx: Transaction, moved: AccountErasures, *, placeholder_domain: str, by: Actor
) -> int:
    """Erase the subscribers of an account that erasures name; returns how many.

    The erasures are remembered here. The account is locked.
    """
    count = 0
    await store.insert_secret(tx, moved.account_id, moved.secret)
    for erasure, ids in await _find_back(tx, moved):
        await _erase_locked(tx, moved, erasure, ids, placeholder_domain=placeholder_domain, by=by)
        count += len(ids)
    return count


async def list_matches(
    db: Connection, moved: AccountErasures
) -> AsyncIterator[tuple[KnownPerson, MovedErasure]]:
    """The subscribers with the id, email or address of an erasure who are not erased now.

    Also those who came after the erasure. Queries: one for 1,000 subscribers.
    """
    by_digest = {digest: each for each in moved.erasures for digest in each.digests}
    by_id = {each.subscriber_id: each for each in moved.erasures}
    after = ""
    while people := await reapply.list_people(db, moved.account_id, after=after, limit=PAGE):
        after = people[-1].id
        for person in people:
            if person.is_placeholder and person.own_name == ERASED_NAME:
                continue
            erasure = by_id.get(person.id) or _erasure_of(person, moved.secret, by_digest)
            if erasure is not None:
                yield person, erasure


def _erasure_of(
    person: KnownPerson, secret: str, by_digest: Mapping[str, MovedErasure]
) -> MovedErasure | None:
    if person.is_placeholder:
        digest = address_digest(secret, person)
        return by_digest.get(digest) if digest else None
    digests = known_email_digests(secret, person.email)
    return next((by_digest[each] for each in digests if each in by_digest), None)


async def _erase_again(
    db: Database,
    moved: AccountErasures,
    erasure: MovedErasure,
    ids: list[str],
    *,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Erase subscribers, and remember the erasure as it was."""

    async def work(tx: Transaction) -> None:
        await _erase_locked(tx, moved, erasure, ids, placeholder_domain=placeholder_domain, by=by)

    await db.write(work, account_id=moved.account_id, is_long=True)


async def _erase_locked(
    tx: Transaction,
    moved: AccountErasures,
    erasure: MovedErasure,
    ids: list[str],
    *,
    placeholder_domain: str,
    by: Actor,
) -> None:
    account = await accounts.lock_account(tx, moved.account_id)
    await store.insert_secret(tx, account.id, moved.secret)
    await reapply.insert_erasure(tx, account.id, erasure)
    is_same = await store.find_secret(tx, account.id) == moved.secret
    if is_same:
        await store.insert_digests(tx, account.id, erasure.id, erasure.digests)
    for id in ids:
        await erase_locked(
            tx, account, id, is_cancelling=True, placeholder_domain=placeholder_domain, by=by
        )
