"""Links for emails to subscribers.

The token is made when the email is sent. A sandbox keeps its emails: there, it is made at once, and
the kept email has it.
"""

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.model.self_service.sign_in import LinkPurpose, digest_of_email
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.self_service import links
from masthead.store.self_service.links import SubscriberLink
from masthead.store.subscribers.corrections import StoredSubscriber

TOKEN = "{token}"  # noqa: S105 - the placeholder that is replaced when an email is sent


class EmailedLink(Struct, frozen=True):
    """A new link. token: what the text of its email has; a placeholder outside sandboxes."""

    digest: str
    token: str


async def insert_emailed_link(
    tx: Transaction,
    account: Account,
    to: StoredSubscriber,
    purpose: LinkPurpose,
    *,
    new_email: str | None = None,
) -> EmailedLink:
    """Add a link for an email to a subscriber. Queries: one."""
    token = new_token()
    digest = token_digest(token)
    link = SubscriberLink(digest, to.id, purpose, digest_of_email(to.email_key), new_email)
    lasts = purpose.valid if account.is_sandbox else purpose.waits
    await links.insert_link(tx, account.id, link, now() + lasts)
    return EmailedLink(digest, token if account.is_sandbox else TOKEN)
