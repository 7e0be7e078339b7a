"""Delete personal data that is older than an account keeps it."""

import asyncio
import time as clock
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime, time

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.ids import new_id
from masthead.model.privacy.redaction import redact_json
from masthead.model.privacy.retention import (
    DEFAULT_MONTHS,
    DuePreview,
    DueRecord,
    RetentionKind,
    RetentionRule,
    last_day,
    require_months,
)
from masthead.services.privacy.erase import erase_locked
from masthead.services.privacy.old_invoices import take_people_off
from masthead.services.search_index import rewrite_search
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch.fingerprints import MARK
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.privacy import due, erase as erase_store, retention as store
from masthead.store.read_model import subscription_json

SHOWN = 50  # records of a preview
BATCH = 500  # records that are changed together
# Of these kinds, a record takes seconds: other writes get as much time between two of them
SLOW = (RetentionKind.ENDED_SUBSCRIBERS, RetentionKind.DISPATCH_LINES)
MOST_SLOW = 1_000  # that are changed in a night; the rest waits for the next ones
FILE_EXPIRED = "The file was deleted because it is older than the account keeps uploads."
LINES_EXPIRED = "The addresses of this run are older than the account keeps them."


async def list_rules(db: Connection, account_id: int) -> list[RetentionRule]:
    """The rules of all kinds; those that were never saved are off. Queries: one."""
    saved = await store.list_rules(db, account_id)
    return [
        saved.get(kind) or RetentionRule(kind=kind, months=months, is_automatic=False)
        for kind, months in DEFAULT_MONTHS.items()
    ]


@with_locked_account
async def save_rules(
    tx: Transaction, account: Account, rules: Sequence[RetentionRule], *, by: Actor
) -> None:
    """Save rules, and record those that changed. Raises: Invalid."""
    for rule in rules:
        require_months(rule.months)
    before = {rule.kind: rule for rule in await list_rules(tx, account.id)}
    changed = [rule for rule in rules if rule != before[rule.kind]]
    for rule in changed:
        await store.upsert_rule(tx, account.id, rule)
    entries = [
        NewEntry(
            EntryType.ACCOUNT_CHANGE_RETENTION,
            account.id,
            _fields(before[rule.kind]),
            _fields(rule),
        )
        for rule in changed
    ]
    if entries:
        await trail.record(tx, account.id, by, entries)


def _fields(rule: RetentionRule) -> dict[str, object]:
    return {"kind": rule.kind, "months": rule.months, "is_active": rule.is_automatic}


async def preview_rule(
    db: Connection, account_id: int, rule: RetentionRule, *, day: date
) -> DuePreview:
    """The effects of a rule on a day, even if it is not saved. Queries: three. Raises: Invalid.

    Counting reads whole tables, so read aside.
    """
    require_months(rule.months)
    last = last_day(rule, day)
    how = {
        "invoiced": await _first_kept(db, account_id, rule, day),
        "day": last,
        "moment": datetime.combine(last, time(), UTC),
        "position": await store.get_position(db, account_id, rule.kind),
    }
    rows = await due.list_due(db, account_id, rule.kind, limit=SHOWN, **how)  # type: ignore[arg-type]
    return DuePreview(
        count=await due.count_due(db, account_id, rule.kind, **how),  # type: ignore[arg-type]
        examples=[
            DueRecord(id, label or id, _page_of(rule.kind, id)) for id, label in rows.items()
        ],
    )


async def _first_kept(db: Connection, account_id: int, rule: RetentionRule, day: date) -> date:
    """The first day whose invoices must be kept on a day. rule: counts if it is that of invoices.

    Queries: one.
    """
    rules = {each.kind: each for each in [*await list_rules(db, account_id), rule]}
    return last_day(rules[RetentionKind.INVOICES], day)


def _page_of(kind: RetentionKind, id: str) -> tuple[str, ...]:
    """The parts of the address of the page of a record; empty if it has none."""
    pages: dict[RetentionKind, tuple[str, ...]] = {
        RetentionKind.ENDED_SUBSCRIBERS: ("subscribers",),
        RetentionKind.DISPATCH_LINES: ("dispatches",),
        RetentionKind.INVOICES: ("money", "invoices"),
    }
    return (*pages[kind], id) if kind in pages else ()


async def run_retention(
    db: Database, account_id: int, day: date, *, placeholder_domain: str, by: Actor
) -> dict[RetentionKind, int]:
    """Apply the rules that are switched on; returns how many records of each kind changed.

    In batches, each in its own transaction. What is left after an interruption is done next time.
    A rule that is changed or switched off meanwhile stops before its next batch.
    """
    done = dict[RetentionKind, int]()
    for rule in await list_rules(db, account_id):
        if rule.is_automatic:
            run = _RuleRun(db, account_id, rule, day, placeholder_domain, by)
            count = await run.apply()
            if count:
                done[rule.kind] = count
    return done


class _RuleRun:
    """One rule on one day."""

    def __init__(
        self,
        db: Database,
        account_id: int,
        rule: RetentionRule,
        day: date,
        placeholder_domain: str,
        by: Actor,
    ) -> None:
        self._db, self._account_id, self._rule = db, account_id, rule
        self._day, self._last = day, last_day(rule, day)
        self._domain, self._by = placeholder_domain, by
        self._skipped = set[str]()

    async def apply(self) -> int:
        """Change the old records in batches; returns how many."""
        is_slow, total = self._rule.kind in SLOW, 0
        size = 1 if is_slow else BATCH
        while not is_slow or total < MOST_SLOW:
            begun = clock.monotonic()
            count = await self._db.write(
                lambda tx: self._change_batch(tx, size), account_id=self._account_id, is_long=True
            )
            total += count
            if count < size:
                break
            if is_slow:
                await asyncio.sleep(clock.monotonic() - begun)
        total -= len(self._skipped)
        if total:
            await self._db.write(lambda tx: self._record(tx, total), account_id=self._account_id)
        return total

    async def _change_batch(self, tx: Transaction, size: int) -> int:
        account = await accounts.lock_account(tx, self._account_id)
        kind = self._rule.kind
        if (await store.list_rules(tx, account.id)).get(kind) != self._rule:
            return 0  # changed or switched off meanwhile: the next pass applies what it is now
        rows = await due.list_due(
            tx,
            account.id,
            kind,
            day=self._last,
            moment=datetime.combine(self._last, time(), UTC),
            position=await store.get_position(tx, account.id, kind),
            invoiced=await _first_kept(tx, account.id, self._rule, self._day),
            limit=size + len(self._skipped),
        )
        ids = [id for id in rows if id not in self._skipped]
        if ids:
            await _CHANGES[kind](self, tx, account, ids)
        return len(ids)

    async def _record(self, tx: Transaction, total: int) -> None:
        after = {"kind": self._rule.kind, "months": self._rule.months, "number": total}
        entry = NewEntry(EntryType.ACCOUNT_DELETE_OLD_DATA, self._account_id, None, after)
        await trail.record(tx, self._account_id, self._by, [entry])

    async def delete_uploads(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Delete uploaded files."""
        await store.delete_uploads(tx, account.id, ids, FILE_EXPIRED)

    async def delete_cells(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Delete the cells of refused rows."""
        await store.delete_cells(tx, account.id, ids)

    async def delete_emails(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Delete the texts of emails and letters."""
        await store.delete_emails(tx, account.id, ids)

    async def delete_lines(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Delete the addresses and files of runs."""
        files = await store.list_files_of_runs(tx, account.id, ids)
        await erase_store.withdraw_files(tx, account.id, files, error=LINES_EXPIRED)
        await store.delete_lines(tx, account.id, ids, f"{MARK}{new_id(account.id)}")

    async def redact_entries(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Remove names and texts from entries of the audit trail."""
        numbers = [int(id) for id in ids]
        rows = await store.list_entries(tx, account.id, numbers)
        redacted = [
            {
                "id": row.id,
                "before": redact_json(row.before),
                "after": redact_json(row.after),
            }
            for row in rows
        ]
        await erase_store.update_audit(tx, account.id, redacted)
        await store.update_position(tx, account.id, self._rule.kind, max(numbers))

    async def erase_former(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Erase former subscribers; one that cannot be erased now waits until the next pass."""
        for id in ids:
            try:
                await erase_locked(
                    tx,
                    account,
                    id,
                    is_cancelling=False,
                    placeholder_domain=self._domain,
                    by=self._by,
                )
            except Invalid:
                self._skipped.add(id)

    async def delete_references(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Delete the payment references of orders."""
        numbers = [int(id) for id in ids]
        await store.delete_references(tx, account.id, numbers)
        owners = await store.list_subscriptions_of(tx, account.id, numbers)
        await rewrite_search(tx, account.id, set(owners.values()))
        await subscription_json.mark_outdated(tx, account.id, list(owners))

    async def take_people_off(self, tx: Transaction, account: Account, ids: list[str]) -> None:
        """Take the names and addresses off invoices."""
        await take_people_off(tx, account.id, ids)


_Change = Callable[[_RuleRun, Transaction, Account, list[str]], Awaitable[None]]
_CHANGES: dict[RetentionKind, _Change] = {
    RetentionKind.UPLOADS: _RuleRun.delete_uploads,
    RetentionKind.IMPORT_ROWS: _RuleRun.delete_cells,
    RetentionKind.EMAILS: _RuleRun.delete_emails,
    RetentionKind.DISPATCH_LINES: _RuleRun.delete_lines,
    RetentionKind.AUDIT_DETAILS: _RuleRun.redact_entries,
    RetentionKind.ENDED_SUBSCRIBERS: _RuleRun.erase_former,
    RetentionKind.ORDER_RECORDS: _RuleRun.delete_references,
    RetentionKind.INVOICES: _RuleRun.take_people_off,
}
