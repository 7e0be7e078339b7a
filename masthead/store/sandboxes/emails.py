"""The emails that a sandbox kept instead of sending them."""

from masthead.model.errors import NotFound
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.sandboxes import KeptEmail
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all, fetch_one

# The tokens of links are not shown: an email that is sent gets one when it is sent
_SELECT = """
    SELECT id, recipient, subject, replace(body, '{token}', '…') AS text, created_at, invoice_id
    FROM outbox
    WHERE account_id = :account_id AND status = 'kept'
"""


async def list_kept(db: Connection, account_id: int, page: PageRequest) -> Page[KeptEmail]:
    """The emails, newest first. Queries: one. Index: outbox_by_account."""
    found = await fetch_all(
        db,
        f"{_SELECT} AND id < :after ORDER BY id DESC LIMIT :fetch",
        {"account_id": account_id, "after": page.after_id, "fetch": page.fetch},
        into=KeptEmail,
    )
    return cut_page(found, page)


async def get_kept(db: Connection, account_id: int, id: str) -> KeptEmail:
    """An email. Queries: one. Raises: NotFound."""
    values = {"account_id": account_id, "id": id}
    found = await fetch_one(db, f"{_SELECT} AND id = :id", values, into=KeptEmail)
    if found is None:
        raise NotFound("email", id)
    return found
