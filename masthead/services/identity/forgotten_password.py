"""Email users who forgot their password a link to set a new one.

Nothing that a client sees tells whether an email address is that of a user: not the result, and
not the time that it takes.
"""

import asyncio
import time

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import Site
from masthead.model.identity.login_throttling import LINKS_BY_NETWORK, LINKS_BY_PERSON
from masthead.model.identity.sign_ins import Client
from masthead.model.ids import token_digest
from masthead.services.emails import link_emails
from masthead.services.identity.login_throttling import (
    count_link,
    links_by_network,
    links_to,
    require_few,
)
from masthead.services.identity.own_accounts import list_own_accounts, record_by, write_own
from masthead.services.identity.sign_in import RESET_VALID, write_link
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people

SECONDS = 0.3  # from the request to the answer, at least


async def email_link(db: Database, email: str, *, client: Client, site: Site) -> None:
    """Email the user with this address a link, unless they got one a short time ago.

    There may be no such user. The old password works until the link is used.
    Raises: TooManyAttempts if the network of the client asked for too many.
    """
    began = time.monotonic()
    await require_few(db, links_by_network(client.address), LINKS_BY_NETWORK)
    person = None if "\0" in email else await people.find_person(db, email)
    if person and not await count_link(db, links_to(person.id), LINKS_BY_PERSON):
        await _write(db, person.id, site)
    await asyncio.sleep(max(0.0, began + SECONDS - time.monotonic()))


async def _write(db: Database, user_id: str, site: Site) -> None:
    async def work(tx: Transaction) -> None:
        person = await people.lock_person(tx, user_id)
        own = await list_own_accounts(tx, user_id)
        if not own:
            return
        by = Actor(kind="user", id=user_id)
        entry = NewEntry(EntryType.USER_RESET, user_id, None, {"email": person.email})
        await record_by(tx, user_id, by, entry)
        token = await write_link(tx, user_id, RESET_VALID, by=by)
        await link_emails.write_link_email(
            tx,
            await accounts.get_account(tx, own[0].account_id),
            person.email,
            locale=person.locale,
            public_url=site.public_url,
            link_digest=token_digest(token),
            template=link_emails.NEW_PASSWORD,
            domain=site.domain,
        )

    await write_own(db, user_id, work)
