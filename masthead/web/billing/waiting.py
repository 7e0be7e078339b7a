"""Orders that wait for an invoice, as pages list them."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.billing.lists import WaitingPayer
from masthead.model.errors import Invalid
from masthead.model.translations import counted
from masthead.services.billing.waiting import find_problems
from masthead.store import accounts
from masthead.store.billing import balances as store
from masthead.store.engine.interface import Connection
from masthead.web.kit.context import PageContext

CHECKED = 20  # waiting payers whose problem is found, in the order of the list
ROWS = 200  # waiting payers that are shown


class Waiting(Struct, frozen=True):
    """A payer with orders that wait. problem: why they have no invoice yet; empty if unknown."""

    who: WaitingPayer
    problem: str
    lacks_address: bool


async def list_waiting(
    context: PageContext, db: Connection, *, payer_id: str = "", has_settings: bool
) -> Sequence[Waiting]:
    """The payers with orders that wait, one for each currency. payer_id: of one; empty for all.

    has_settings: whether the account writes invoices. Queries: one, six more if orders wait, and
    two at most for each of the first payers.
    """
    listed = await store.list_waiting(db, context.account_id, payer_id=payer_id, limit=ROWS)
    problems = dict[str, Invalid]()
    if has_settings and listed:
        account = await accounts.get_account(db, context.account_id)
        checked = dict.fromkeys(each.payer_id for each in listed[:CHECKED])
        problems = await find_problems(db, account, checked)
    waiting = list[Waiting]()
    for each in listed:
        reason = problems.get(each.payer_id)
        lacks = reason is not None and reason.code == "no_address"
        waiting.append(Waiting(each, str(reason or "").replace("`", ""), lacks))
    return waiting


def issued_message(count: int) -> str:
    """What a page says after invoices were issued."""
    return counted("{count} invoice is issued.", "{count} invoices are issued.", count)
