"""What placed rows say about who pays: their invoices, customer numbers and mandates."""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.imports.plan import Problem
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.services.billing.customer_numbers import keep_numbers
from masthead.services.billing.imported import BilledRow, ImportedBilling
from masthead.services.debits.imported import keep_mandates
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.placed import PlacedRow
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction


async def bill_rows(placed: dict[int, PlacedRow], billing: ImportedBilling, how: Import) -> None:
    """Let the orders that are billed wait for their invoice, and note the payers that are new."""
    billed = {
        place: BilledRow(each.order, each.stored.subscription_id or "", each.stored.period_id or 0)
        for place, each in placed.items()
        if each.order is not None and each.order.billing is not None
    }
    made = await billing.bill([*billed.values()], import_number=how.number, by=how.by)
    for place, order in billed.items():
        _note_made(placed, place, billed=True, payer=made.get(order.period_id))


async def keep_numbers_of(
    tx: Transaction, account: Account, placed: dict[int, PlacedRow], rows: Sequence[PreparedRow]
) -> None:
    """Store the customer numbers of who paid, and say where one cannot be stored."""
    numbers = {
        place: (each.stored.subscription_id, each.order.payer_number)
        for place, each in placed.items()
        if each.order and each.order.payer_number is not None and each.stored.subscription_id
    }
    for place, refusal in (await keep_numbers(tx, account, numbers)).items():
        _note_reason(placed, place, rows[place].problem_of(refusal))


async def keep_mandates_of(
    tx: Transaction,
    account: Account,
    placed: dict[int, PlacedRow],
    rows: Sequence[PreparedRow],
    how: Import,
) -> None:
    """Add the mandates of who pays, and say where one cannot be added."""
    asked = {
        place: (each.stored.subscription_id, each.order.mandate)
        for place, each in placed.items()
        if each.order and each.order.mandate is not None and each.stored.subscription_id
    }
    kept = await keep_mandates(tx, account, asked, import_number=how.number, by=how.by)
    for place, id in kept.made.items():
        _note_made(placed, place, mandate=id)
    for place, refusal in kept.refused.items():
        _note_reason(placed, place, rows[place].problem_of(refusal))


def _note_made(placed: dict[int, PlacedRow], place: int, **made: object) -> None:
    """Note what else a row has made."""
    stored = placed[place].stored
    assert stored.made is not None
    more = structs.replace(stored.made, **made)
    placed[place] = structs.replace(placed[place], stored=structs.replace(stored, made=more))


def _note_reason(placed: dict[int, PlacedRow], place: int, reason: Problem) -> None:
    """Add a reason to those of a row."""
    stored = placed[place].stored
    more = structs.replace(stored, reasons=[*stored.reasons, reason])
    placed[place] = structs.replace(placed[place], stored=more)
