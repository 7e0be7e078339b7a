"""Links in emails that lead straight to the page of a subscriber, for reading and nothing else."""

from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.self_service.reading import (
    READING_VALID,
    read_reading_token,
    write_reading_token,
)
from masthead.model.self_service.settings import Action
from masthead.model.self_service.sign_in import digest_of_email
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import stored_keys
from masthead.services.identity.server_secrets import find_secret
from masthead.store.audit.link_ends import has_new_address, list_switched
from masthead.store.engine.interface import Connection
from masthead.store.self_service.settings import find_page_url, get_settings
from masthead.store.subscribers.corrections import StoredSubscriber, get_subscriber


class PageLinks(Struct, frozen=True):
    """The address of the page, and the links to it.

    url: empty if the page is closed. secret: None if links in emails do not open it.
    """

    account_id: int
    url: str
    secret: bytes | None
    moment: datetime

    def of(self, subscriber_id: str, email_key: str) -> str:
        """The link for an email to a subscriber; the address of the page if links do not open it.

        email_key: of the address that the email goes to, which must be that of the subscriber.
        """
        if self.secret is None or not self.url:
            return self.url
        digest = digest_of_email(email_key)
        token = write_reading_token(
            self.secret, self.account_id, subscriber_id, self.moment, digest
        )
        return f"{self.url}read/{token}/"

    def line(self, subscriber_id: str, email_key: str) -> str:
        """The end of an email, in the current language; empty unless links open the page."""
        if self.secret is None or not self.url:
            return ""
        text = _("This link shows your page. You can read there what you get:")
        return f"\n{text}\n{self.of(subscriber_id, email_key)}\n"


async def find_links(db: Connection, account_id: int) -> PageLinks:
    """The links of an account, written now. Queries: three at most."""
    url, secret = await find_page_url(db, account_id), None
    if url and (await get_settings(db, account_id)).allows(Action.READING):
        secret = await find_secret(db)
    return PageLinks(account_id, url, secret, now())


async def _was_off(db: Connection, account_id: int, *, since: datetime) -> bool:
    """Whether the links were switched off since a moment, or the account was deactivated."""
    for each in await list_switched(db, account_id, since=since):
        after = msgspec.json.decode(each.after)
        actions = str(after.get("actions", Action.READING.value)).split()
        is_off = after.get("is_open") is False or Action.READING not in actions
        if each.action == EntryType.ACCOUNT_DEACTIVATE or is_off:
            return True
    return False


async def find_linked(
    db: Connection, account_id: int, token: str, secret: bytes
) -> StoredSubscriber | None:
    """The subscriber whose page a link shows; None if it does not work any more.

    It ends after 60 days, with a correction of the subscriber, a new address, a merge or an
    erasure, and for good if an owner switches these links off. Queries: five at most.
    """
    read = read_reading_token(token)
    moment = now()
    if read is None or not moment - READING_VALID < read.written_at <= moment:
        return None
    try:
        found = await get_subscriber(db, account_id, read.subscriber_id)
    except NotFound:
        return None
    is_signed = any(
        read.is_signed(secret, account_id, digest_of_email(key)) for key in stored_keys(found.email)
    )
    if not is_signed or found.is_placeholder or found.merged_into is not None:
        return None
    if await has_new_address(db, account_id, found.id, since=read.written_at):
        return None
    if await _was_off(db, account_id, since=read.written_at):
        return None
    return found
