"""What an erasure does to mandates: it deletes those by which nothing was collected."""

from collections.abc import Collection

from dateutil.relativedelta import relativedelta

from masthead.model.debits.mandates import MONTHS_OF_RETURNS
from masthead.store.debits import mandates as store
from masthead.store.engine.interface import Transaction
from masthead.store.moments import get_daily_date


async def erase_mandates(tx: Transaction, account_id: int, payer_ids: Collection[str]) -> None:
    """Delete what was not used; revoke the rest, which must be kept. Queries: seven."""
    today = await get_daily_date(tx, account_id)
    await store.delete_unused(tx, account_id, payer_ids)
    await store.end_used(
        tx,
        account_id,
        payer_ids,
        day=today,
        kept_since=today - relativedelta(months=MONTHS_OF_RETURNS),
    )
