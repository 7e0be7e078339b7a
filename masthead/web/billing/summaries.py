"""What the pages of subscribers and subscriptions say about invoices."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from masthead.model.billing.lists import BilledOrder, OpenSums
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.translations import gettext as _
from masthead.services.orders.subscribers import find_subscriber
from masthead.store.billing import balances, open_sums, payers, settings as settings_store
from masthead.store.billing.credit_notes import find_fully_credited
from masthead.store.billing.payers import StoredPayer
from masthead.store.engine.interface import Connection
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale


class BillingSummary(Struct, frozen=True):
    """A subscriber as a payer. payer: None if they were never billed. sums: by currency."""

    payer: StoredPayer | None
    sums: Sequence[OpenSums]


async def load_summary(context: PageContext, db: Connection, id: str) -> BillingSummary | None:
    """A subscriber as a payer; None if the account bills nothing, or the user sees no money.

    Queries: one to three.
    """
    if not context.membership.may(Right.SEE_MONEY):
        return None
    found = await payers.find_payers(db, context.account_id, [id])
    if not found and await settings_store.find_settings(db, context.account_id) is None:
        return None
    if not found:
        return BillingSummary(None, [])
    sums = await open_sums.sum_of_payer(
        db, context.account_id, id, today=context.membership.daily_date
    )
    return BillingSummary(found[id], sums)


class BilledInWords(Struct, frozen=True):
    """Whether an order that is billed is paid. address: of its invoice, or of the payer."""

    payer_id: str
    text: str
    address: str
    is_settled: bool


async def load_billed(
    context: PageContext, db: Connection, period_ids: Sequence[int]
) -> Mapping[int, BilledInWords]:
    """Whether orders that are billed are paid, by period; none if the user sees no money.

    Queries: two at most.
    """
    if not context.membership.may(Right.SEE_MONEY):
        return {}
    found = await balances.list_of_orders(db, context.account_id, period_ids)
    settled = [it.invoice_id for it in found.values() if it.invoice_id and not it.open_amount]
    credited = await find_fully_credited(db, context.account_id, settled) if settled else set[str]()
    return {id: _in_words(context, each, credited) for id, each in found.items()}


async def load_other_payer(
    context: PageContext, db: Connection, billed: Mapping[int, BilledInWords], subscriber_id: str
) -> KnownSubscriber | None:
    """Who got the newest invoice, or gets the next one; None if it is the subscriber.

    billed: as of `load_billed`. Queries: two at most.
    """
    payer_id = billed[max(billed)].payer_id if billed else subscriber_id
    if payer_id == subscriber_id:
        return None
    return await find_subscriber(db, context.account_id, payer_id)


def _in_words(context: PageContext, order: BilledOrder, credited: Collection[str]) -> BilledInWords:
    if order.invoice_id is None or order.due_date is None:
        address = context.url("subscribers", order.payer_id, "account")
        text = _("The order waits for its invoice")
        return BilledInWords(order.payer_id, text, address, is_settled=False)
    address = context.url("money", "invoices", order.invoice_id)
    day = day_in(order.due_date, get_locale(context.locale))
    if order.invoice_id in credited:
        text = _("Invoice {number} is credited")
    elif not order.open_amount:
        text = _("Invoice {number} is settled")
    elif order.due_date < context.membership.daily_date:
        text = _("Invoice {number} is not paid, and was due on {day}")
    else:
        text = _("Invoice {number} is not paid yet, and is due on {day}")
    shown = text.format(number=order.number, day=day)
    return BilledInWords(order.payer_id, shown, address, is_settled=not order.open_amount)
