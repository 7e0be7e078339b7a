"""Mark the copies as sent that a carrier or a mailing house reports as shipped."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import date

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.dispatch.runs import DispatchStatus
from masthead.model.errors import Invalid
from masthead.model.imports.tabular_data import Line
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.copy_references import Reference, read_copy_id, read_reference
from masthead.model.returns.dates import read_date
from masthead.model.translations import gettext as _
from masthead.model.types.plausible_days import sent_day
from masthead.services.returns.carrier_files import (
    CarrierFile,
    FirstLines,
    UnmatchedRow,
    cell_of,
    read_batches,
)
from masthead.services.returns.row_problems import (
    cancelled,
    no_copy,
    no_key,
    not_in_run,
    repeated,
    void_label,
)
from masthead.services.subscriptions.status_updates import update_statuses
from masthead.store import accounts, copies
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch import runs
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events.sent_copies import list_shipped
from masthead.store.events.write import add_events
from masthead.store.returns import shipped as store
from masthead.store.returns.shipped import ReportedCopy, ReportedLine


class ShippedSummary(Struct):
    """The numbers of rows by result.

    marked: their copies are Sent now. already_sent: they were Sent before. unmatched: nothing was
    changed for them.
    """

    read: int = 0
    marked: int = 0
    already_sent: int = 0
    unmatched: int = 0


class ShippedRow(Struct, frozen=True):
    """A reported copy. number: of its line in the file."""

    number: int
    reference: Reference
    day: date


class ShippedOutcome(Struct, frozen=True):
    """The outcome of a row. line_id, copy_id: 0 if unknown. reason: why nothing was changed."""

    line_id: int = 0
    copy_id: int = 0
    is_marked: bool = False
    reason: str = ""


async def import_shipped(
    db: Database,
    account_id: int,
    file: CarrierFile,
    *,
    day: date | None,
    by: Actor,
    on_unmatched: Callable[[UnmatchedRow], None] = lambda row: None,
    on_progress: Callable[[ShippedSummary], None] = lambda summary: None,
) -> ShippedSummary:
    """Mark the copies in a file as sent, in transactions of 5,000 rows.

    A file can be imported again: copies that are Sent stay as they are.
    day: the date for all rows; None if the file has a column with dates.
    Queries: about 20 for each batch. Memory: constant, besides 4 to 8 bytes for each line.
    """
    summary, seen = ShippedSummary(), FirstLines()
    for batch in read_batches(file):
        unmatched: dict[int, str] = {}
        rows: list[ShippedRow] = []
        for place, row in enumerate(batch):
            try:
                rows.append(read_shipped_row(account_id, file, row, day))
            except Invalid as reason:
                unmatched[place] = str(reason)
        outcomes = await ship(db, account_id, rows, seen=seen, by=by)
        by_number = {row.number: outcome for row, outcome in zip(rows, outcomes, strict=True)}
        for place, row in enumerate(batch):
            outcome = by_number.get(row.number, ShippedOutcome(reason=unmatched.get(place, "")))
            summary.read += 1
            if outcome.reason:
                summary.unmatched += 1
                on_unmatched(UnmatchedRow(row, outcome.reason))
            elif outcome.is_marked:
                summary.marked += 1
            else:
                summary.already_sent += 1
        on_progress(summary)
    return summary


def read_shipped_row(account_id: int, file: CarrierFile, row: Line, day: date | None) -> ShippedRow:
    """The reported copy in a row. Raises: Invalid."""
    if row.problem:
        raise Invalid(row.problem)
    reference = reference_of(account_id, file, row)
    if day is None:
        reported = read_date(cell_of(file, row, CarrierField.DATE), file.date_order)
        if reported is None:
            raise Invalid(
                _(
                    "The row has no date, so its copy may not be shipped yet. Give a date for all "
                    "rows if it is."
                ),
                field="date",
            )
        day = sent_day("date", reported)
    return ShippedRow(row.number, reference, day)


def reference_of(account_id: int, file: CarrierFile, row: Line) -> Reference:
    """The line or copy that a row is about. Raises: Invalid."""
    key = cell_of(file, row, CarrierField.KEY)
    if key or CarrierField.COPY not in file.layout.columns:
        return read_reference(account_id, key)
    return read_copy_id(account_id, cell_of(file, row, CarrierField.COPY))


async def ship(
    db: Database, account_id: int, rows: Sequence[ShippedRow], *, seen: FirstLines, by: Actor
) -> list[ShippedOutcome]:
    """Mark a batch of copies as sent, in one transaction; returns what became of each row.

    seen: the rows before, to which these are added. Queries: about 20.
    """
    if not rows:
        return []

    async def work(tx: Transaction) -> list[ShippedOutcome]:
        account = await accounts.lock_account(tx, account_id)
        return await _ship_batch(tx, account, rows, seen, by)

    outcomes = await db.write(work, account_id=account_id, is_long=True)
    for row, outcome in zip(rows, outcomes, strict=True):
        if not outcome.reason:
            seen.add(_seen_number(outcome), row.number)
    return outcomes


def _seen_number(outcome: ShippedOutcome) -> int:
    """A number for a line or, if there is none, for a copy: lines are positive."""
    return outcome.line_id or -outcome.copy_id


async def _ship_batch(
    tx: Transaction, account: Account, rows: Sequence[ShippedRow], seen: FirstLines, by: Actor
) -> list[ShippedOutcome]:
    copy_ids = {row.reference.copy for row in rows if row.reference.copy}
    found_copies = await store.find_copies(tx, account.id, copy_ids) if copy_ids else {}
    line_ids = {row.reference.line for row in rows if row.reference.line}
    line_ids |= {copy.line_id for copy in found_copies.values() if copy.line_id}
    found_lines = await store.find_lines(tx, account.id, line_ids) if line_ids else {}
    joined = await store.find_joined(tx, account.id, line_ids) if line_ids else {}
    further = {id for ids in joined.values() for id in ids} - found_lines.keys()
    others = await store.find_lines(tx, account.id, further) if further else {}
    noted = set[int]()  # the lines that are in `shipped`
    outcomes: list[ShippedOutcome] = []
    first_lines: dict[int, int] = {}
    shipped: dict[date, list[ReportedLine]] = defaultdict(list)
    without_run: dict[date, list[ReportedCopy]] = defaultdict(list)
    for row in rows:
        outcome = _decide(row.reference, found_lines, found_copies)
        number = _seen_number(outcome)
        before = first_lines.get(number) or seen.find(number)
        if outcome.reason:
            pass
        elif before:
            outcome = ShippedOutcome(reason=repeated(before))
        else:
            first_lines[number] = row.number
            line = found_lines.get(outcome.line_id)
            if line is None and outcome.is_marked:
                without_run[row.day].append(found_copies[outcome.copy_id])
            elif line is not None:
                label = [line.id, *joined.get(line.id, ())]  # all copies of the label
                for each in (found_lines.get(id) or others[id] for id in label):
                    if each.shipped_date is None and each.id not in noted and _is_there(each):
                        noted.add(each.id)
                        shipped[row.day].append(each)
        outcomes.append(outcome)
    await _write(tx, account, shipped, without_run, by)
    return outcomes


def _decide(
    reference: Reference,
    found_lines: Mapping[int, ReportedLine],
    found_copies: Mapping[int, ReportedCopy],
) -> ShippedOutcome:
    """The action for a reference that is not repeated."""
    line_id = reference.line
    if reference.copy:
        copy = found_copies.get(reference.copy)
        if copy is None:
            return ShippedOutcome(reason=no_copy(reference.copy))
        if copy.status == "Cancelled":
            return ShippedOutcome(reason=cancelled(copy.issue_number))
        if copy.line_id is None:
            return ShippedOutcome(copy_id=copy.id, is_marked=copy.status != "Sent")
        line_id = copy.line_id
    line = found_lines.get(line_id)
    if line is None:
        return ShippedOutcome(reason=no_key())
    if line.left_reason == "discarded":
        reason = void_label(line.dispatch_number, line.issue_number, line.copy_id)
        return ShippedOutcome(reason=reason)
    if line.left_reason == "cancelled" or (not line.claim_id and line.copy_status == "Cancelled"):
        return ShippedOutcome(reason=cancelled(line.issue_number))
    if line.status == "left" and (line.claim_id or line.copy_status != "Sent"):
        return ShippedOutcome(reason=not_in_run(line.issue_number))
    return ShippedOutcome(line.id, line.copy_id, is_marked=line.status == "held")


def _is_there(line: ReportedLine) -> bool:
    """Whether the copy of a line went out with its label: it is held by its run, or sent."""
    return line.status != "left" or line.copy_status == "Sent"


async def _write(
    tx: Transaction,
    account: Account,
    shipped: Mapping[date, Sequence[ReportedLine]],
    without_run: Mapping[date, Sequence[ReportedCopy]],
    by: Actor,
) -> None:
    """Mark the lines and copies of each date, and what follows from that."""
    lines = [line for each in shipped.values() for line in each]
    waiting = [line for line in lines if line.status == "held"]
    loose = [copy for each in without_run.values() for copy in each]
    for day, of_day in shipped.items():
        ids = [line.id for line in of_day]
        await add_events(tx, account.id, by, await list_shipped(tx, account.id, ids, day))
        await store.ship_lines(tx, account.id, ids, day)
    for day, copies_of_day in without_run.items():
        await copies.mark_sent(tx, account.id, [copy.id for copy in copies_of_day], day, by=by)
    marked = {line.subscription_id for line in waiting if not line.claim_id}
    subscriptions = sorted(marked | {copy.subscription_id for copy in loose})
    if subscriptions:
        await update_statuses(tx, account, msgspec.json.encode(subscriptions).decode(), by=by)
    if lines:
        await _record_runs(tx, account.id, lines, waiting, by)


async def _record_runs(
    tx: Transaction,
    account_id: int,
    lines: Sequence[ReportedLine],
    waiting: Sequence[ReportedLine],
    by: Actor,
) -> None:
    """Record what was shipped of each run. A frozen run of which no line waits is marked."""
    counts = Counter(line.dispatch_id for line in lines)
    marked = Counter(line.dispatch_id for line in waiting)
    completed = await store.find_completed(tx, account_id, list(counts))
    entries = []
    for id, count in counts.items():
        after: dict[str, object] = {"shipped": count, "marked": marked[id]}
        if id in completed:
            changes = {"status": DispatchStatus.MARKED.value, "date_sent": completed[id]}
            await runs.update_dispatch(tx, account_id, id, {**changes, "marked_at": now()})
            after |= changes
        entries.append(NewEntry(EntryType.DISPATCH_SHIPPED, id, None, after))
    await trail.record(tx, account_id, by, entries)
