"""Record a batch of undeliverable and moved copies, in one transaction."""

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec
from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Erased
from masthead.model.ids import new_id
from masthead.model.returns.copy_references import Reference
from masthead.model.returns.delivery_reports import (
    PostalAddress,
    ReportKind,
    ReportStatus,
    is_same_address,
)
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.services.returns.carrier_files import FirstLines
from masthead.services.returns.row_problems import no_copy, no_key, repeated
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.privacy import erasures
from masthead.store.returns import delivery_reports as store, shipped


class ReturnedRow(Struct, frozen=True):
    """A carrier's report on a copy. number: of its line in the file.

    new_address: its parts by name, None if there is none; without a country, that of the old one.
    """

    number: int
    reference: Reference
    kind: ReportKind
    reason: str | None
    day: date | None
    new_address: Mapping[str, str | None] | None


class ReturnedOutcome(Struct, frozen=True):
    """The outcome of a row. report_id: of the report that was added for its subscription.

    seen: a number for the copy, 0 if it is unknown. reason: why nothing was changed.
    """

    report_id: str | None = None
    kind: ReportKind | None = None
    status: ReportStatus | None = None
    seen: int = 0
    reason: str = ""


class _Reported(Struct, frozen=True):
    """The copy that a row is about, with the address that it was sent to."""

    line_id: int | None
    copy_id: int
    subscription_id: str
    issue_number: int
    address: PostalAddress


async def record_returned(
    db: Database, account_id: int, rows: Sequence[ReturnedRow], *, seen: FirstLines, by: Actor
) -> list[ReturnedOutcome]:
    """Record a batch of rows, in one transaction; returns what became of each.

    seen: the rows before, to which these are added. Queries: about ten.
    """
    if not rows:
        return []

    async def work(tx: Transaction) -> list[ReturnedOutcome]:
        await accounts.lock_account(tx, account_id)
        return await _record_batch(tx, account_id, rows, seen, by)

    outcomes = await db.write(work, account_id=account_id, is_long=True)
    for row, outcome in zip(rows, outcomes, strict=True):
        if not outcome.reason:
            seen.add(outcome.seen, row.number)
    return outcomes


async def _record_batch(
    tx: Transaction, account_id: int, rows: Sequence[ReturnedRow], seen: FirstLines, by: Actor
) -> list[ReturnedOutcome]:
    reported = await _find_reported(tx, account_id, [row.reference for row in rows])
    copy_ids = {each.copy_id for each in reported.values()}
    known: set[tuple[object, ...]] = {*await store.list_of_copies(tx, account_id, copy_ids)}
    subscriptions = {each.subscription_id for each in reported.values()}
    subscribers = await store.find_sibling_subscriptions(tx, account_id, subscriptions)
    erased = await erasures.list_with_erased_owner(tx, account_id, subscriptions)
    batch = _Batch(account_id, by, subscribers, known)
    first_lines: dict[int, int] = {}
    outcomes = []
    for row in rows:
        copy = reported.get(row.reference)
        number = 0 if copy is None else copy.line_id or -copy.copy_id
        before = first_lines.get(number) or seen.find(number)
        if copy is None:
            outcome = ReturnedOutcome(reason=_not_found(row.reference))
        elif before:
            outcome = ReturnedOutcome(reason=repeated(before))
        elif copy.subscription_id in erased:
            outcome = ReturnedOutcome(reason=str(Erased(erased[copy.subscription_id])))
        else:
            first_lines[number] = row.number
            outcome = batch.add(row, copy, number)
        outcomes.append(outcome)
    if batch.added:
        await store.insert_reports(tx, account_id, batch.added)
        await trail.record(tx, account_id, by, batch.entries)
    return outcomes


def _not_found(reference: Reference) -> str:
    if reference.copy:
        return no_copy(reference.copy)
    return no_key()


async def _find_reported(
    tx: Transaction, account_id: int, references: Sequence[Reference]
) -> dict[Reference, _Reported]:
    """The copies that rows are about. A copy without a label was sent to its present address."""
    copy_ids = {each.copy for each in references if each.copy}
    copies = await shipped.find_copies(tx, account_id, copy_ids) if copy_ids else {}
    line_ids = {each.line for each in references if each.line}
    line_ids |= {copy.line_id for copy in copies.values() if copy.line_id}
    lines = await shipped.find_lines(tx, account_id, line_ids) if line_ids else {}
    addresses = await store.find_reported_addresses(tx, account_id, line_ids) if lines else {}
    loose = {copy.subscription_id for copy in copies.values() if copy.line_id is None}
    rows = await store.find_sibling_subscriptions(tx, account_id, loose) if loose else []
    present = {row.id: PostalAddress.from_row(structs.asdict(row)) for row in rows}
    found: dict[Reference, _Reported] = {}
    for each in references:
        copy = copies.get(each.copy)
        line = lines.get(each.line or (copy.line_id or 0 if copy else 0))
        if line is not None:
            found[each] = _Reported(
                line.id, line.copy_id, line.subscription_id, line.issue_number, addresses[line.id]
            )
        elif copy is not None:
            address = present[copy.subscription_id]
            found[each] = _Reported(None, copy.id, copy.subscription_id, copy.issue_number, address)
    return found


class _Batch:
    """Decides which reports are added for rows.

    subscribers: the subscriptions of the subscribers, with their present addresses. known: what is
    recorded already.
    """

    def __init__(
        self,
        account_id: int,
        by: Actor,
        subscribers: Sequence[StoredSubscription],
        known: set[tuple[object, ...]],
    ) -> None:
        self._account_id, self._by, self._known = account_id, by, known
        self._present = {row.id: PostalAddress.from_row(structs.asdict(row)) for row in subscribers}
        self._subscriber_of = {row.id: row.subscriber_id for row in subscribers}
        self._of_subscriber: dict[str, list[str]] = {}
        for row in subscribers:
            self._of_subscriber.setdefault(row.subscriber_id, []).append(row.id)
        self.added: list[dict[str, object]] = []
        self.entries: list[NewEntry] = []

    def add(self, row: ReturnedRow, copy: _Reported, number: int) -> ReturnedOutcome:
        """Add the reports of a row: one, or one for each address on hold. Returns the outcome."""
        kind, new = row.kind, None
        if row.new_address is not None:
            parts = {"country": copy.address.country}
            parts |= {name: text for name, text in row.new_address.items() if text}
            new = PostalAddress.from_row(parts)
            if is_same_address(new, copy.address):  # the file repeats the old address
                kind, new = ReportKind.UNDELIVERABLE, None
        encoded = msgspec.json.encode(new).decode() if new else None
        if (copy.copy_id, copy.line_id, kind.value, encoded) in self._known:
            return ReturnedOutcome(kind=kind, seen=number)
        is_current = is_same_address(self._present[copy.subscription_id], copy.address)
        status = ReportStatus.OPEN if is_current else ReportStatus.OUTDATED
        if new and is_same_address(self._present[copy.subscription_id], new):
            status = ReportStatus.ACCEPTED
        id = self._insert(row, copy, copy.subscription_id, kind, status, encoded)
        if kind is ReportKind.UNDELIVERABLE and status is ReportStatus.OPEN:
            for other in self._others_at(copy):
                self._insert(row, copy, other, kind, status, encoded)
        after = {"kind": kind, "status": status, "copy": copy.copy_id, "reason": row.reason}
        self.entries.append(NewEntry(EntryType.DELIVERY_REPORT_CREATE, id, None, after))
        return ReturnedOutcome(id, kind, status, number)

    def _others_at(self, copy: _Reported) -> list[str]:
        """The other subscriptions of the subscriber with the address of a copy."""
        ids = self._of_subscriber[self._subscriber_of[copy.subscription_id]]
        return [
            id
            for id in ids
            if id != copy.subscription_id and is_same_address(self._present[id], copy.address)
        ]

    def _insert(
        self,
        row: ReturnedRow,
        copy: _Reported,
        subscription_id: str,
        kind: ReportKind,
        status: ReportStatus,
        new_address: str | None,
    ) -> str:
        id, moment = new_id(self._account_id), now()
        self.added.append(
            {
                "id": id,
                "kind": kind.value,
                "status": status.value,
                "line_id": copy.line_id,
                "copy_id": copy.copy_id,
                "subscription_id": subscription_id,
                "subscriber_id": self._subscriber_of[subscription_id],
                "issue_number": copy.issue_number,
                "reason": row.reason,
                "report_date": row.day,
                "old_address": msgspec.json.encode(copy.address).decode(),
                "new_address": new_address,
                "created_at": moment,
                "actor_kind": self._by.kind,
                "actor_id": self._by.id,
                "resolved_at": None if status is ReportStatus.OPEN else moment,
            }
        )
        return id
