"""What is done with one dispatch run, inside a transaction of `runs` or `run_groups`."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import date

import msgspec

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.dispatch.address_layout import build_layout, home_country
from masthead.model.dispatch.runs import Dispatch, DispatchSelection, DispatchStatus
from masthead.model.events.types import PublicEventType
from masthead.model.ids import new_id
from masthead.services.dispatch.nothing_to_send import explain_nothing
from masthead.services.subscriptions.status_updates import (
    cancel_copies,
    complete_periods,
    reopen_subscriptions,
)
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch import grace_copies, line_states, lines, run_copies, runs
from masthead.store.dispatch.fingerprints import compute_fingerprint
from masthead.store.engine.interface import Ids, Transaction
from masthead.store.events.sent_copies import OF_RUN, find_to_send
from masthead.store.events.write import NewEvent, add_events
from masthead.store.issues import records as issues
from masthead.store.subscriptions import records as subscriptions

_encoder = msgspec.json.Encoder()


async def freeze_run(
    tx: Transaction,
    account: Account,
    issue_id: str,
    selection: DispatchSelection,
    *,
    by: Actor,
    claims: Collection[str] | None = None,
) -> Dispatch:
    """Create a run of the copies that are free. claims: the only ones it takes; None for all.

    Queries: about 18 and one per 5,000 copies. Raises: NotFound, Invalid `nothing_to_send`.
    """
    account_id = account.id
    issue = await issues.get_issue(tx, account_id, issue_id)
    id = new_id(account_id)
    await runs.insert_dispatch(
        tx,
        account_id,
        {
            "id": id,
            "issue_id": issue.id,
            "issue_number": issue.number,
            "selection": msgspec.json.encode(selection).decode(),
            "actor_kind": by.kind,
            "actor_id": by.id,
        },
    )
    copies = await run_copies.take_copies(tx, account_id, id, issue.number, selection)
    taken = await run_copies.take_claims(tx, account_id, id, issue.number, selection, only=claims)
    grace = await grace_copies.take_grace(tx, account_id, id, issue.number, selection)
    replacements = len(taken)
    if not copies + replacements + grace:
        raise await explain_nothing(tx, account_id, issue.number, selection)
    first_line, count = await lines.insert_lines(tx, account_id, id)
    assert count == copies + replacements + grace
    await runs.update_dispatch(
        tx,
        account_id,
        id,
        {
            "first_line": first_line,
            "lines": count,
            "copies": copies,
            "replacements": replacements,
            "grace_copies": grace,
            "layout": await _encode_layout(tx, account, [id]),
            "fingerprint": await compute_fingerprint(tx, account_id, id),
        },
    )
    run = await runs.get_dispatch(tx, account_id, id)
    after = {
        "issue": issue.id,
        "number": run.number,
        "copies": copies,
        "replacements": replacements,
        **({"grace_copies": grace} if grace else {}),
    }
    await _record(tx, account_id, EntryType.DISPATCH_FREEZE, id, None, after, taken, by)
    return run


async def mark_run(
    tx: Transaction, account: Account, run: Dispatch, sent_on: date | None, *, by: Actor
) -> tuple[int, int]:
    """Mark the copies and replacements of a frozen run as sent. Queries: about 20.

    Returns how many, and how many subscriptions are Complete now.
    """
    account_id, id = account.id, run.id
    to_send = await find_to_send(tx, account_id, OF_RUN, {"id": id}, sent_on=sent_on)
    await add_events(tx, account_id, by, to_send.events)
    await run_copies.mark_copies(tx, account_id, id, sent_on)
    claims = await run_copies.mark_claims(tx, account_id, id, sent_on)
    await grace_copies.mark_grace(tx, account_id, id, sent_on)
    marked = await line_states.mark_lines(tx, account_id, id)
    changes = {"status": DispatchStatus.MARKED.value, "date_sent": sent_on, "marked_at": now()}
    await runs.update_dispatch(tx, account_id, id, changes)
    completed = 0
    if to_send.subscriptions:
        completed = await complete_periods(tx, account, to_send.subscriptions, by=by)
    after = {"status": DispatchStatus.MARKED, "date_sent": sent_on, "marked": marked}
    before = {"status": run.status}
    await _record(tx, account_id, EntryType.DISPATCH_MARK, id, before, after, claims, by)
    return marked, completed


async def undo_run(tx: Transaction, account: Account, run: Dispatch, *, by: Actor) -> int:
    """Take back the marking of a run; returns how many lines. Queries: about 20."""
    account_id, id = account.id, run.id
    affected = await run_copies.find_subscriptions(tx, account_id, id)
    shipped = await line_states.list_shipped_copies(tx, account_id, id)
    await run_copies.unmark_copies(tx, account_id, id, shipped=shipped)
    await run_copies.date_shipped_copies(tx, account_id, id, shipped=shipped)
    claims = await run_copies.unmark_claims(tx, account_id, id)
    await grace_copies.unmark_grace(tx, account_id, id)
    undone = await line_states.unmark_lines(tx, account_id, id)
    if affected:
        await _cancel_again(tx, account_id, affected)
        await reopen_subscriptions(tx, account, affected, by=by)
    changes = {
        "status": DispatchStatus.FROZEN.value,
        "date_sent": None,
        "marked_at": None,
        "undone_at": now(),
    }
    await runs.update_dispatch(tx, account_id, id, changes)
    before = {"status": run.status, "date_sent": run.date_sent}
    after = {"status": DispatchStatus.FROZEN, "date_sent": None, "undone": undone}
    await _record(tx, account_id, EntryType.DISPATCH_UNDO, id, before, after, claims, by)
    return undone


async def _cancel_again(tx: Transaction, account_id: int, affected: Ids) -> None:
    """Cancel the unsent copies of those subscriptions that were cancelled while they were Sent."""
    ended = await subscriptions.list_cancelled(tx, account_id, affected)
    if ended:
        await cancel_copies(tx, account_id, ended)


async def discard_run(tx: Transaction, account_id: int, run: Dispatch, *, by: Actor) -> None:
    """Discard a frozen run: its copies and claims are free for the next one. Queries: about ten."""
    id = run.id
    await run_copies.release_copies(tx, account_id, id)
    claims = await run_copies.release_claims(tx, account_id, id)
    await grace_copies.release_grace(tx, account_id, id)
    await line_states.leave_discarded(tx, account_id, id)
    changes = {"status": DispatchStatus.DISCARDED.value, "discarded_at": now()}
    await runs.update_dispatch(tx, account_id, id, changes)
    states = {"status": run.status}, {"status": DispatchStatus.DISCARDED}
    await _record(tx, account_id, EntryType.DISPATCH_DISCARD, id, *states, claims, by)


async def join_runs(tx: Transaction, account: Account, joined: Sequence[Dispatch]) -> None:
    """Make a group of some new runs; the first one leads. Queries: two, and one for each run.

    They get one layout, since their addresses go into one file.
    """
    columns = {
        "group_id": joined[0].id,
        "layout": await _encode_layout(tx, account, [run.id for run in joined]),
    }
    for run in joined:
        await runs.update_dispatch(tx, account.id, run.id, columns)


async def _encode_layout(tx: Transaction, account: Account, ids: Sequence[str]) -> str:
    """The address formats of the countries in some runs, as JSON."""
    countries = Counter[str]()
    for id in ids:
        countries.update(await lines.count_by_country(tx, account.id, id))
    home = home_country(account.country, countries)
    return _encoder.encode(build_layout(countries, home)).decode()


async def _record(
    tx: Transaction,
    account_id: int,
    type: EntryType,
    id: str,
    before: Mapping[str, object] | None,
    after: Mapping[str, object],
    claims: Sequence[str],
    by: Actor,
) -> None:
    """Record a change of a run and of claims. Queries: two."""
    changed = [NewEvent(PublicEventType.CLAIM_UPDATED, each) for each in claims]
    await add_events(tx, account_id, by, changed)
    await trail.record(tx, account_id, by, [NewEntry(type, id, before, after)])
