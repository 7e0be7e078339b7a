"""Open invoices that still have an old address of their payer."""

from masthead.model.billing.documents import DocumentKind
from masthead.model.errors import Invalid
from masthead.services.billing.payers import write_payer
from masthead.store.billing import invoices, payers, settings as settings_store
from masthead.store.billing.lists import list_open_ids
from masthead.store.engine.interface import Connection


async def list_with_old_address(db: Connection, account_id: int, payer_id: str) -> list[str]:
    """The open invoices of a subscriber with another name or address than a new one would have.

    Returns: their ids, oldest first. Queries: six at most.
    """
    settings = await settings_store.find_settings(db, account_id)
    payer = (await payers.find_payers(db, account_id, [payer_id])).get(payer_id)
    if settings is None or payer is None:
        return []
    ids = await list_open_ids(db, account_id, payer_id)
    if not ids:
        return []
    try:
        now = await write_payer(db, account_id, payer, settings.country)
    except Invalid:  # there is no address, so that they cannot be replaced
        return []
    return [
        each.id
        for each in await invoices.list_invoices(db, account_id, ids)
        if each.kind is DocumentKind.INVOICE and each.document.payer.address != now.address
    ]
