"""Take the people off invoices that are older than tax law wants them."""

from collections.abc import Collection

from msgspec import structs

from masthead.model.billing.documents import Document, Payer
from masthead.model.privacy.columns import ERASED_NAME
from masthead.store.billing import invoices
from masthead.store.engine.interface import Transaction


async def take_people_off(tx: Transaction, account_id: int, ids: Collection[str]) -> None:
    """Replace who paid, and for whom, on invoices and credit notes. Queries: one, one for each."""
    for each in await invoices.list_invoices(tx, account_id, ids):
        await invoices.update_document(tx, account_id, each.id, without_people(each.document))


def without_people(document: Document) -> Document:
    """A document without people and mandate; its number, amounts, VAT and dates stay."""
    payer = Payer(
        subscriber_id=document.payer.subscriber_id,
        number=document.payer.number,
        name=ERASED_NAME,
        address="",
        country=document.payer.country,
    )
    lines = [structs.replace(line, detail="") for line in document.lines]
    return structs.replace(
        document, payer=payer, lines=lines, order_reference="", reason="", debit=None
    )
