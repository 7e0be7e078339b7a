"""Renew the recurring subscriptions that are collected by direct debit, on their charge date."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from itertools import groupby

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Erased, Invalid, NotFound
from masthead.model.orders.order import OrderDefaults
from masthead.model.subscriptions.renewals import Renewal, orders_of_renewal, require_renewable
from masthead.model.translations import gettext as _
from masthead.services.background.guard import Guard
from masthead.services.billing.issue import bill_orders
from masthead.services.billing.pricing import price_further
from masthead.services.debits.mandates import find_usable
from masthead.services.orders.place import place_all
from masthead.services.subscriptions.renew import list_ends
from masthead.services.subscriptions.renewal_prices import price_copies
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing import orders, payers
from masthead.store.debits import settings as settings_store
from masthead.store.debits.renewals import DueRenewal, list_due
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.privacy.erasures import list_erased
from masthead.store.subscriptions import periods, records as subscriptions


class RenewedByDebit(Struct, frozen=True):
    """What a pass has renewed. refused: why a subscription was not, by its id."""

    count: int
    refused: dict[str, str]


async def list_groups(
    db: Connection, account: Account, ids: Collection[str] = ()
) -> list[list[str]]:
    """The subscriptions to renew by debit now; those of a bundle together. Queries: one or two.

    ids: only these; empty for all.
    """
    if await settings_store.find_settings(db, account.id) is None:
        return []

    def key(due: DueRenewal) -> str:
        return due.bundle_id or due.id

    due = sorted(await list_due(db, account.id, account.daily_date, ids=ids), key=key)
    return [[each.id for each in together] for _, together in groupby(due, key)]


async def renew_due(
    db: Database, account_id: int, *, by: Actor, guard: Guard = nullcontext
) -> RenewedByDebit:
    """Renew what is due on the day of the account, with an invoice that is marked for debit.

    One transaction for each subscription, or bundle: one that cannot be renewed, such as without a
    mandate, changes nothing, keeps no other waiting, and is tried again on the next day. Repeating
    it changes nothing: a renewed subscription is not due. guard: the context of each of them.
    """
    async with db.read() as connection:
        account = await accounts.get_account(connection, account_id)
        groups = await list_groups(connection, account)
    count, refused = 0, dict[str, str]()
    for ids in groups:

        async def work(tx: Transaction, ids: list[str] = ids) -> int:
            account = await accounts.lock_account(tx, account_id)
            if await list_groups(tx, account, ids) != [ids]:
                return 0  # renewed, or no longer due, in the meantime
            await _renew(tx, account, ids, by=by)
            return len(ids)

        with guard(account_id):
            try:
                count += await db.write(work, account_id=account_id)
            except (Invalid, NotFound, Erased) as refusal:
                refused |= dict.fromkeys(ids, str(refusal))
    return RenewedByDebit(count, refused)


async def find_problem(db: Connection, account: Account, id: str) -> str:
    """Why a subscription was not renewed by debit, most likely. Queries: about five."""
    payer_id = await orders.find_last_payer(db, account.id, id)
    assert payer_id is not None
    if await list_erased(db, account.id, [payer_id]):
        return _("The payer was erased. Renew it by hand with another payer, or let it end.")
    if await find_usable(db, account.id, payer_id, account.daily_date) is None:
        return _("The payer has no mandate that can be used.")
    if await payers.find_address(db, account.id, payer_id) is None:
        return _("The payer has no postal address, and an invoice must have one.")
    return _("It is tried again with the next daily pass. Renew it by hand to see what is missing.")


async def _renew(tx: Transaction, account: Account, ids: Sequence[str], *, by: Actor) -> None:
    """Renew subscriptions for as long as before. The account is locked. Raises: Invalid."""
    listed = await periods.list_periods(tx, account.id, ids)
    last = [listed[id][-1] for id in ids]
    terms = BillingTerms(is_debited=True)
    row = (await subscriptions.find_rows(tx, account.id, [ids[0]]))[ids[0]]
    found = await price_copies(tx, account, row, last)
    renewal = Renewal(
        order_id=f"DEBIT-{last[0].id}",  # of the period before, which is renewed once
        order_date=account.daily_date,
        price=found.amount,
        currency=last[0].currency,
        length=last[0].length,
        interval_months=last[0].interval_months,
    )
    if found.is_of_product:
        total = await price_further(tx, account, found.amount, terms, ids[0], renewal=renewal)
        renewal = structs.replace(renewal, price=total)
    ends = await list_ends(tx, account.id, ids)
    for end in ends:
        require_renewable(end, renewal, seen=None)
    placing = orders_of_renewal(renewal, ends)
    source_id = last[0].source_id or row.source_id
    defaults = OrderDefaults(account.currency, "")  # a renewal makes no subscriber
    await place_all(tx, account, source_id, placing, defaults=defaults, by=by)
    await bill_orders(tx, account, terms, ids, by=by)
