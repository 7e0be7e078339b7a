"""Compare each invoice with its document, which never changes."""

from collections.abc import AsyncIterator

from masthead.store.billing.invoices import list_after
from masthead.store.engine.interface import Connection

PAGE = 500
DOCUMENT = "an invoice has the number and the amounts of its document"


async def check_documents(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of an invoice."""
    after = ""
    while found := await list_after(db, account_id, after=after, limit=PAGE):
        after = found[-1].id
        for each in found:
            document = each.document
            if (document.number, document.net, document.vat) != (each.number, each.net, each.vat):
                yield DOCUMENT, each.id
