"""Place the orders of a few rows in one transaction, and tell what became of each row.

Runs and rehearsals of imports do the same here; a rehearsal is rolled back afterwards.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.imports.batches import ImportRow, MadeByRow, RowOutcome
from masthead.model.imports.known_orders import (
    KnownOrder,
    describe_conflict,
    describe_known,
    differences,
    said_digest,
)
from masthead.model.imports.made_order_ids import is_made
from masthead.model.imports.plan import Problem
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import Order
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.services.billing.imported import ImportedBilling
from masthead.services.debits.imported import list_refused
from masthead.services.imports.work.missing_issues import create_missing, insert_again, named_issues
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.payers import bill_rows, keep_mandates_of, keep_numbers_of
from masthead.services.imports.work.placed import PlacedRow, PlacedRows
from masthead.services.orders.place import place_with_plan
from masthead.services.privacy.known import find_erased_refused, split_erased
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.imports import batch_rows
from masthead.store.imports.kept_orders import KeptOrder
from masthead.store.orders.known_orders import find_known_orders
from masthead.store.subscribers import records as subscriber_store


async def place_rows(
    tx: Transaction,
    rows: Sequence[PreparedRow],
    how: Import,
    *,
    earlier: Sequence[KeptOrder] = (),
    earlier_issues: Collection[int] = (),
) -> PlacedRows:
    """Place the orders of rows; returns what became of each, and the issues that were created.

    earlier: orders of the same file to place first; the result leaves them out, and earlier
    issues, which are created first. Raises: Invalid for all rows.
    """
    account = await accounts.lock_account(tx, how.account_id)
    orders = {place: order_of(row, how) for place, row in enumerate(rows) if row.order is not None}
    orders, erased = await split_erased(tx, account.id, orders)
    erased |= await find_erased_refused(tx, account.id, rows)
    billing = ImportedBilling(
        tx, account, product_id=how.product_id, domain=how.defaults.placeholder_domain
    )
    before = [each.order for each in earlier]
    orders, unbillable = await billing.price(orders, before)
    asked = {place: each.mandate for place, each in orders.items() if each.mandate is not None}
    unbillable |= await list_refused(tx, account, asked)
    orders = {place: each for place, each in orders.items() if place not in unbillable}
    created = list[int]()
    if how.create_issues:
        await insert_again(tx, account.id, earlier_issues)
        named = named_issues(orders.values())
        created = await create_missing(tx, account, named, how.number, how.by)
    plan, last_period = await place_with_plan(
        tx,
        account,
        how.source_id,
        [*before, *orders.values()],
        defaults=how.defaults,
        product_id=how.product_id,
        by=how.by,
        import_number=how.number,
    )
    made = _Made(plan, last_period)
    for outcome in plan.outcomes[: len(earlier)]:
        made.skip(outcome)
    conflicts = dict[int, Order]()
    placed = {place: _left_out_as_erased(rows[place], day) for place, day in erased.items()}
    for place, refusal in unbillable.items():
        placed[place] = _refused(rows[place], [rows[place].problem_of(refusal)])
    for (place, order), outcome in zip(orders.items(), plan.outcomes[len(earlier) :], strict=True):
        row = rows[place]
        if not isinstance(outcome, Invalid):
            placed[place] = made.next(row, order)
        elif outcome.code == "duplicate_order_id":
            conflicts[place] = order
        else:
            placed[place] = _refused(row, [row.problem_of(outcome)])
    await bill_rows(placed, billing, how)
    await keep_numbers_of(tx, account, placed, rows)
    await keep_mandates_of(tx, account, placed, rows, how)
    if conflicts:
        just_placed = {
            each.order.order_id: (each.line, said_digest(each.order)) for each in earlier
        }
        for each in placed.values():
            if each.order:
                just_placed[each.order.order_id] = each.stored.line, each.stored.said
        placed |= await _compare_known(tx, account, rows, conflicts, how, just_placed)
    results = [placed.get(place) or _without_order(row) for place, row in enumerate(rows)]
    return PlacedRows(results, created)


def order_of(row: PreparedRow, how: Import) -> Order:
    """The order of a row, with the issues whose copies count as sent.

    Its product and its source are its own if they are not those of the import.
    """
    assert row.order is not None
    own: dict[str, object] = {"sent_through": how.sent_through}
    if row.product_id is not None and row.product_id != how.product_id:
        own["product_id"] = row.product_id
    if row.source_id is not None and row.source_id != how.source_id:
        own["source_id"] = row.source_id
    return structs.replace(row.order, **own)


class _Made:
    """What the accepted orders of a plan made, one after the other."""

    def __init__(self, plan: OrderPlan, last_period: int) -> None:
        self._plan, self._last_period, self._next = plan, last_period, 0
        self._givers = {row["id"]: row["gifter_id"] for row in plan.subscriptions}
        self._subscribers = {row["id"] for row in plan.subscribers}

    def skip(self, outcome: str | Invalid) -> None:
        """Pass the next order, if it was accepted."""
        if not isinstance(outcome, Invalid):
            self._take()

    def _take(self) -> tuple[int, MadeByRow]:
        """The place of the next accepted order, and what it made."""
        place = self._next
        self._next += 1
        period, event = self._plan.periods[place], self._plan.audit_entries[place]
        giver = None
        if event.before is None and (id := self._givers[event.subject_id]) in self._subscribers:
            self._subscribers.remove(id)
            giver = id
        is_new = period.subscriber_id in self._subscribers
        self._subscribers.discard(period.subscriber_id)
        after = event.after or {}
        return place, MadeByRow(
            subscriber=is_new,
            subscription=event.before is None,
            giver=giver,
            sent=sum(copy.status is CopyStatus.SENT for copy in period.copies),
            status=str(event.before["status"]) if event.before else "",
            cancelled=after.get("status") is SubscriptionStatus.CANCELLED,
        )

    def next(self, row: PreparedRow, order: Order) -> PlacedRow:
        """What the next accepted order, that of a row, made."""
        place, made = self._take()
        period = self._plan.periods[place]
        stored = ImportRow(
            line=row.lines[0].number,
            part=row.part,
            outcome=RowOutcome.IMPORTED,
            order_id=order.order_id,
            subscription_id=period.columns["subscription_id"],
            subscriber_id=period.subscriber_id,
            period_id=self._last_period + place + 1,
            made=made,
            said=said_digest(order),
            reasons=[Problem("", "", text) for text in row.warnings],
        )
        return PlacedRow(stored=stored, order=order, copies=len(period.copies), out=period.out)


def _refused(row: PreparedRow, reasons: list[Problem]) -> PlacedRow:
    """A row that is refused, with its cells."""
    return PlacedRow(
        stored=ImportRow(
            line=row.lines[0].number,
            part=row.part,
            outcome=RowOutcome.REFUSED,
            order_id=row.order.order_id if row.order else row.fields.get("order_id"),
            reasons=reasons,
            cells=[list(line.cells) for line in row.lines],
        )
    )


def _without_order(row: PreparedRow) -> PlacedRow:
    """A row that is refused or left out before its order is placed."""
    if not row.left_out:
        return _refused(row, row.reasons)
    reason = Problem("", row.left_out_value, row.left_out)
    line = row.lines[0].number
    stored = ImportRow(line=line, part=row.part, outcome=RowOutcome.LEFT_OUT, reasons=[reason])
    return PlacedRow(stored=stored)


def _left_out_as_erased(row: PreparedRow, day: date) -> PlacedRow:
    """A row about somebody who was erased; nothing of it is stored."""
    text = _("The subscriber was erased on {day}.").format(day=day.isoformat())
    stored = ImportRow(
        line=row.lines[0].number,
        part=row.part,
        outcome=RowOutcome.LEFT_OUT,
        reasons=[Problem("", "", text)],
    )
    return PlacedRow(stored=stored)


async def _compare_known(
    db: Connection,
    account: Account,
    rows: Sequence[PreparedRow],
    conflicts: Mapping[int, Order],
    how: Import,
    just_placed: Mapping[str, tuple[int, str | None]],
) -> dict[int, PlacedRow]:
    """What becomes of rows whose order id exists: the same orders are skipped. Queries: four.

    just_placed: the lines of the orders that this transaction has placed, and what these lines
    said about their subscribers, by order id.
    """
    ids = {order.order_id for order in conflicts.values()}
    known = await find_known_orders(db, account.id, ids, batch_id=how.batch_id)
    owners = await _find_owners(db, account.id, conflicts.values())
    lines = {rows[place].lines[0].number for place in conflicts}
    same = await batch_rows.find_same_rows(db, account.id, how.same_file, lines)
    placed = {}
    for place, order in conflicts.items():
        row, found = rows[place], known[order.order_id]
        if found.order_id in just_placed:
            line, digest = just_placed[found.order_id]
            found = structs.replace(found, line=line, said=digest)
        owner = owners.get(order.renews or order.email_key or "")
        different = differences(order, found, source_id=how.source_id, owner_id=owner)
        key = (row.lines[0].number, row.part, order.order_id, found.subscription_id)
        placed[place] = _compared(row, found, [] if key in same else different)
    return placed


def _compared(row: PreparedRow, known: KnownOrder, different: list[str]) -> PlacedRow:
    """A row whose order id exists: skipped if nothing is different, refused otherwise."""
    text = describe_conflict(known, different) if different else describe_known(known)
    if is_made(known.order_id):
        reason = Problem(row.names.get("last_name", "last_name"), known.name, text)
    else:
        reason = Problem(row.names.get("order_id", "order_id"), known.order_id, text)
    if different:
        return _refused(row, [reason])
    return PlacedRow(
        stored=ImportRow(
            line=row.lines[0].number,
            part=row.part,
            outcome=RowOutcome.SKIPPED,
            order_id=known.order_id,
            subscription_id=known.subscription_id,
            subscriber_id=known.subscriber_id,
            reasons=[reason],
        )
    )


async def _find_owners(db: Connection, account_id: int, orders: Iterable[Order]) -> dict[str, str]:
    """The subscribers by email key, and by the order id that an order renews. Queries: two."""
    keys = {key for order in orders if not order.renews and (key := order.email_key)}
    renewed = {order.renews for order in orders if order.renews}
    found = await subscriber_store.find_by_email(db, account_id, keys) if keys else {}
    known = await find_known_orders(db, account_id, renewed) if renewed else {}
    return found | {id: order.subscriber_id for id, order in known.items()}
