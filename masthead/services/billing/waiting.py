"""Issue the invoices of orders that wait for one."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.billing.orders import BillableOrder, convert_vat, lines_of, together
from masthead.model.errors import Invalid
from masthead.services.billing.issue import issue
from masthead.services.billing.payers import make_payer, write_payer
from masthead.services.billing.pricing import find_taxation
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.billing import balances, orders, payers as payer_store
from masthead.store.billing.exchange_rates import list_exchange_rates
from masthead.store.engine.interface import Connection, Database, Transaction

PAYERS_OF_A_WRITE = 20  # so that other writes wait for some milliseconds only


async def find_problems(
    db: Connection, account: Account, payer_ids: Collection[str]
) -> dict[str, Invalid]:
    """Why the invoices of waiting orders cannot be issued, by payer; those that can are left out.

    Queries: five, and two at most for each payer.
    """
    taxation = await find_taxation(db, account)
    rates = await list_exchange_rates(db, account.id)
    stored = await payer_store.find_payers(db, account.id, payer_ids)
    pending = defaultdict[str, list[BillableOrder]](list)
    for order in await orders.list_pending(db, account.id, payer_ids):
        pending[order.payer_id].append(order)
    found = {}
    for id in payer_ids:
        try:
            payer = await write_payer(db, account.id, stored[id], taxation.settings.country)
            for group in together(pending[id]):
                lines = lines_of(group, payer, taxation, account.locale)
                convert_vat(group, lines, taxation, rates)
        except Invalid as reason:
            found[id] = reason
    return found


@with_locked_account
async def issue_for_payer(
    tx: Transaction, account: Account, payer_id: str, *, by: Actor
) -> list[str]:
    """Issue the invoices of all orders of a payer that wait for one; returns their ids.

    Raises: NotFound, Erased, Invalid.
    """
    payer = await make_payer(tx, account.id, payer_id)
    return await issue(tx, account, payer.subscriber_id, by=by)


class Issued(Struct, frozen=True):
    """What was issued for all payers. problems: why a payer has no invoice yet, by id of them."""

    count: int
    problems: Mapping[str, str]


async def issue_waiting(db: Database, account_id: int, *, by: Actor) -> Issued:
    """Issue the invoices of all orders that wait for one.

    In transactions of some payers each: what was issued before an interruption stays, and the rest
    waits for the next call. A payer without an address keeps nobody else waiting.
    """
    count, problems, after = 0, dict[str, str](), ""

    async def work(tx: Transaction) -> tuple[list[str], int, dict[str, str]]:
        account = await accounts.lock_account(tx, account_id)
        waiting = await balances.list_payers_waiting(
            tx, account_id, after=after, limit=PAYERS_OF_A_WRITE
        )
        made, refused = 0, {}
        for id in waiting:
            try:
                made += len(await issue(tx, account, id, by=by))
            except Invalid as refusal:  # before anything was written for this invoice
                refused[id] = str(refusal)
        return waiting, made, refused

    await db.analyze_grown()  # else PostgreSQL may plan for empty tables, and read all orders often
    while True:
        payers, made, refused = await db.write(work, account_id=account_id)
        count, problems = count + made, problems | refused
        if len(payers) < PAYERS_OF_A_WRITE:
            return Issued(count, problems)
        after = payers[-1]
