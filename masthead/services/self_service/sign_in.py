"""Sign subscribers in by a link in an email: ask for it, use it, and find their session.

Nothing that a client sees tells whether an address is that of a subscriber: not the answer, and not
the time that it takes.
"""

import asyncio
import time

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.identity.ip_addresses import network_of
from masthead.model.ids import new_token, token_digest
from masthead.model.self_service.sign_in import (
    BAD_LINKS,
    BY_ADDRESS,
    BY_NETWORK,
    BY_PERSON,
    SESSION_VALID,
    LinkPurpose,
    digest_of_email,
)
from masthead.model.types.email_addresses import email_key
from masthead.services.identity.login_throttling import count_link, require_few
from masthead.services.self_service.emailed_links import insert_emailed_link
from masthead.services.self_service.emails import write_sign_in_email
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.privacy.erasures import list_erased
from masthead.store.self_service import links, sessions
from masthead.store.self_service.links import SubscriberLink
from masthead.store.self_service.sessions import SubscriberSession
from masthead.store.subscribers import corrections as subscribers
from masthead.store.subscribers.corrections import StoredSubscriber

SECONDS = 0.3  # from the request to the answer, at least


class MyPage(Struct, frozen=True, kw_only=True):
    """The page that emails link to. url: its address. domain: that of Message-IDs.

    locale: the language and formats that the subscriber reads it in.
    """

    account: Account
    url: str
    domain: str
    locale: str


async def email_link(
    db: Database, page: MyPage, email: str, *, address: str, scanned: str = ""
) -> None:
    """Email the subscriber with an address a link, if there is one. address: of the client.

    There may be no such subscriber, or they got links a short time ago. A sandbox sends no emails,
    so only the requests of a network are counted there: a test signs in often.
    scanned: the key of a label, which the link keeps, to open the page of that copy on any device.
    Raises: TooManyAttempts if the network of the client asked for too many.
    """
    began = time.monotonic()
    account_id, key = page.account.id, email_key(email)
    network = f"my links {network_of(address)}"
    await _require_few(db, network)
    person = f"my links for {account_id} {digest_of_email(key)}"
    counts = not page.account.is_sandbox
    is_refused = counts and bool(await count_link(db, person, BY_ADDRESS))
    found = None if "\0" in email else await subscribers.find_by_key(db, account_id, key)
    if found and not is_refused and await _is_reachable(db, account_id, found):
        kept = found.merged_into or found.id
        if not (counts and await count_link(db, f"my links to {kept}", BY_PERSON)):
            await _write_link(db, page, found, scanned)
    await asyncio.sleep(max(0.0, began + SECONDS - time.monotonic()))


async def _require_few(db: Database, network: str) -> None:
    await require_few(db, network, BY_NETWORK)


async def _is_reachable(db: Connection, account_id: int, found: StoredSubscriber) -> bool:
    """Whether a subscriber has an address, and was not erased."""
    ids = [found.id, found.merged_into or found.id]
    return not found.is_placeholder and not await list_erased(db, account_id, ids)


async def _write_link(db: Database, page: MyPage, found: StoredSubscriber, scanned: str) -> None:
    async def work(tx: Transaction) -> None:
        link = await insert_emailed_link(tx, page.account, found, LinkPurpose.SIGN_IN)
        await write_sign_in_email(
            tx,
            page.account,
            found,
            link=link,
            url=page.url,
            domain=page.domain,
            locale=found.locale_in(page.account) if found.language else page.locale,
            key=scanned,
        )

    await db.write(work, account_id=page.account.id)


async def copy_link(tx: Transaction, account_id: int, original: str) -> str | None:
    """The token of a new link like another one; None if that one is not valid any more.

    Its time begins now, when its email is sent.
    """
    link = await links.find_link(tx, account_id, original)
    if link is None or await find_proven(tx, account_id, link) is None:
        return None
    token = new_token()
    copied = SubscriberLink(
        token_digest(token), link.subscriber_id, link.purpose, link.email_digest, link.new_email
    )
    await links.insert_link(tx, account_id, copied, now() + link.purpose.valid)
    return token


async def find_link(
    db: Database, account_id: int, token: str, *, address: str
) -> SubscriberLink | None:
    """A link that works, or None. Nothing is used up. address: of the client.

    Raises: TooManyAttempts if the network of the client opened many links that do not work.
    """
    link = await _find_valid(db, account_id, token)
    if link is None:
        await count_bad_link(db, address)
    return link


async def count_bad_link(db: Database, address: str) -> None:
    """Count a link that does not work. address: of the client.

    Raises: TooManyAttempts if the network of the client opened many of them.
    """
    await require_few(db, f"my bad links {network_of(address)}", BAD_LINKS)


async def _find_valid(db: Connection, account_id: int, token: str) -> SubscriberLink | None:
    link = await links.find_link(db, account_id, token_digest(token))
    if link is None or await find_proven(db, account_id, link) is None:
        return None
    return link


@in_transaction
async def use_link(tx: Transaction, account_id: int, token: str) -> str | None:
    """Sign in with a link; returns the token of the session, None if the link does not work."""
    link = await _find_valid(tx, account_id, token)
    if (
        link is None
        or link.purpose is not LinkPurpose.SIGN_IN
        or not await links.take_links(tx, account_id, link)
    ):
        return None
    session = new_token()
    await sessions.insert_session(
        tx,
        account_id,
        SubscriberSession(token_digest(session), link.subscriber_id, link.email_digest),
    )
    await links.delete_old_links(tx, account_id)
    await sessions.delete_old_sessions(tx, account_id, now() - SESSION_VALID)
    return session


async def find_subscriber(db: Connection, account_id: int, token: str) -> StoredSubscriber | None:
    """The subscriber of a session; of a merged one, the one that they were merged into.

    None if the session has ended: after 30 days, or when the email address is another one.
    Queries: four at most.
    """
    found = await sessions.find_session(
        db, account_id, token_digest(token), created_after=now() - SESSION_VALID
    )
    return await find_proven(db, account_id, found) if found else None


async def find_proven(
    db: Connection, account_id: int, proof: SubscriberLink | SubscriberSession
) -> StoredSubscriber | None:
    """The subscriber of a link or a session, if they still have the address that it was sent to.

    None also if they were erased, which takes the address of all who were merged with them, or
    deleted with the import that had added them. Queries: two at most.
    """
    try:
        found = await subscribers.get_subscriber(db, account_id, proof.subscriber_id)
    except NotFound:
        return None
    if digest_of_email(found.email_key) != proof.email_digest or found.is_placeholder:
        return None
    if found.merged_into is None:
        return found
    return await subscribers.get_subscriber(db, account_id, found.merged_into)


@in_transaction
async def sign_out(tx: Transaction, account_id: int, token: str) -> None:
    """End a session, if it has not ended."""
    await sessions.delete_session(tx, account_id, token_digest(token))
