"""Freeze a dispatch run, mark its copies as sent, take that back, or discard the run.

Each is one transaction: after a crash it has happened as a whole, or not at all.
"""

from collections.abc import Mapping, Sequence
from datetime import date

import msgspec

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.dispatch.address_layout import build_layout, home_country
from masthead.model.dispatch.runs import UNDO_PERIOD, Dispatch, DispatchSelection, DispatchStatus
from masthead.model.errors import Invalid, excerpt
from masthead.model.events.types import PublicEventType
from masthead.model.ids import new_id
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.plausible_days import sent_day
from masthead.services.dispatch.nothing_to_send import explain_nothing
from masthead.services.subscriptions.status_updates import (
    cancel_copies,
    complete_periods,
    reopen_subscriptions,
)
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts, sources
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.dispatch import grace_copies, line_states, lines, run_copies, runs
from masthead.store.dispatch.fingerprints import compute_fingerprint
from masthead.store.engine.interface import Connection, Ids, Transaction
from masthead.store.events.sent_copies import OF_RUN, find_to_send
from masthead.store.events.write import NewEvent, add_events
from masthead.store.issues import records as issues
from masthead.store.subscriptions import records as subscriptions

_encoder = msgspec.json.Encoder()


async def require_sources(db: Connection, account_id: int, selection: DispatchSelection) -> None:
    """Raises: Invalid `invalid_source` if a source does not exist. Queries: one per source.

    A run for an unknown source next to a known one would leave out copies without a message.
    """
    for id in selection.sources:
        if await sources.find_source(db, account_id, id) is None:
            raise Invalid(
                f"There is no source `{excerpt(id)}` in this account. Use the id of a source from "
                "the list of sources.",
                code="invalid_source",
                field="sources",
                value=id,
            )


@in_long_transaction
async def freeze_dispatch(
    tx: Transaction, account_id: int, issue_id: str, selection: DispatchSelection, *, by: Actor
) -> Dispatch:
    """Create a run of the copies that are free, at the addresses of this moment.

    It leaves out those whose address is on hold or whose subscription is held. Open claims of the
    issue become replacements in the run, and grace copies that are due go with it.
    Queries: about 18 and one per 5,000 copies. Raises: NotFound, Invalid `nothing_to_send`.
    """
    account = await accounts.lock_account(tx, account_id)
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
    claims = await run_copies.take_claims(tx, account_id, id, issue.number, selection)
    grace = await grace_copies.take_grace(tx, account_id, id, issue.number, selection)
    replacements = len(claims)
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
            "layout": await _encode_layout(tx, account, id),
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
    await _record(tx, account_id, EntryType.DISPATCH_FREEZE, id, None, after, claims, by)
    return run


@in_long_transaction
async def mark_dispatch(
    tx: Transaction, account_id: int, id: str, sent_on: date | None, *, by: Actor
) -> tuple[Dispatch, int, int]:
    """Mark the copies and replacements of a frozen run as sent.

    Returns the run, how many were marked, and how many subscriptions are Complete now; several
    copies for one address are one subscription.
    Copies that have left the run since it was frozen do not change.
    sent_on: the date on which they were sent, None for no date.
    Queries: about 20. Raises: NotFound, Invalid.
    """
    if sent_on is not None:
        sent_day("date", sent_on)
    account = await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    _require_frozen(run, _CANNOT_MARK)
    to_send = await find_to_send(tx, account_id, OF_RUN, {"id": id}, sent_on=sent_on)
    await add_events(tx, account_id, by, to_send.events)
    await run_copies.mark_copies(tx, account_id, id, sent_on)
    claims = await run_copies.mark_claims(tx, account_id, id, sent_on)
    await grace_copies.mark_grace(tx, account_id, id, sent_on)
    marked = await line_states.mark_lines(tx, account_id, id)
    if not marked and not await line_states.has_shipped(tx, account_id, id):
        raise Invalid(
            _("No copy is left to mark as sent. Discard this if none of its copies was shipped."),
            code="nothing_to_send",
        )
    changes = {"status": DispatchStatus.MARKED.value, "date_sent": sent_on, "marked_at": now()}
    await runs.update_dispatch(tx, account_id, id, changes)
    completed = 0
    if to_send.subscriptions:
        completed = await complete_periods(tx, account, to_send.subscriptions, by=by)
    after = {"status": DispatchStatus.MARKED, "date_sent": sent_on, "marked": marked}
    before = {"status": run.status}
    await _record(tx, account_id, EntryType.DISPATCH_MARK, id, before, after, claims, by)
    return await runs.get_dispatch(tx, account_id, id), marked, completed


@in_long_transaction
async def undo_dispatch(
    tx: Transaction, account_id: int, id: str, *, by: Actor
) -> tuple[Dispatch, int]:
    """Take back the marking of a run; it is frozen again. Returns the run, and how many lines.

    This is possible within a day, and later until another run of the issue is marked. Copies stay
    Sent if they were changed outside the run; if they were reported as shipped, on the date of that
    report. A copy whose subscription was cancelled meanwhile becomes Cancelled, and leaves the run.
    Queries: about 20. Raises: NotFound, Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    await require_undoable(tx, account_id, run)
    affected = await run_copies.find_subscriptions(tx, account_id, id)
    shipped = await line_states.list_shipped_copies(tx, account_id, id)
    await run_copies.unmark_copies(tx, account_id, id, shipped=shipped)
    await run_copies.date_shipped_copies(tx, account_id, id, shipped=shipped)
    claims = await run_copies.unmark_claims(tx, account_id, id)
    await grace_copies.unmark_grace(tx, account_id, id)
    undone = await line_states.unmark_lines(tx, account_id, id)
    if not undone:
        raise Invalid(
            _(
                "No copy can be taken back: the carrier reported them as shipped, "
                "or they were changed separately."
            ),
            code="already_shipped",
        )
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
    return await runs.get_dispatch(tx, account_id, id), undone


async def _cancel_again(tx: Transaction, account_id: int, affected: Ids) -> None:
    """Cancel the unsent copies of those subscriptions that were cancelled while they were Sent."""
    ended = await subscriptions.list_cancelled(tx, account_id, affected)
    if ended:
        await cancel_copies(tx, account_id, ended)


@in_long_transaction
async def discard_dispatch(tx: Transaction, account_id: int, id: str, *, by: Actor) -> Dispatch:
    """Discard a frozen run: its copies and claims are free for the next one.

    Queries: about ten. Raises: NotFound, Invalid.
    """
    await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    _require_frozen(run, _CANNOT_DISCARD)
    if await line_states.has_shipped(tx, account_id, id):
        raise Invalid(
            _(
                "This cannot be discarded: the carrier has reported copies of it as "
                "shipped. Mark the rest of it as sent."
            ),
            code="already_shipped",
        )
    await run_copies.release_copies(tx, account_id, id)
    claims = await run_copies.release_claims(tx, account_id, id)
    await grace_copies.release_grace(tx, account_id, id)
    await line_states.leave_discarded(tx, account_id, id)
    changes = {"status": DispatchStatus.DISCARDED.value, "discarded_at": now()}
    await runs.update_dispatch(tx, account_id, id, changes)
    states = {"status": run.status}, {"status": DispatchStatus.DISCARDED}
    await _record(tx, account_id, EntryType.DISPATCH_DISCARD, id, *states, claims, by)
    return await runs.get_dispatch(tx, account_id, id)


async def require_undoable(db: Connection, account_id: int, run: Dispatch) -> None:
    """Raises: Invalid unless the marking of the run can be taken back now. Queries: none or one."""
    if run.marked_at is None:
        raise Invalid(
            _("This is not marked as sent, so there is nothing to undo."), code="not_marked"
        )
    if now() - run.marked_at <= UNDO_PERIOD:
        return
    if await runs.is_marked_after(db, account_id, run):
        raise Invalid(
            _(
                "This was marked as sent more than a day ago, and another dispatch of the issue "
                "was marked since, so it cannot be undone."
            ),
            code="undo_expired",
        )


async def _encode_layout(tx: Transaction, account: Account, id: str) -> str:
    """The address formats of the countries in a run, as JSON."""
    countries = await lines.count_by_country(tx, account.id, id)
    home = home_country(account.country, countries)
    return _encoder.encode(build_layout(countries, home)).decode()


_CANNOT_MARK = gettext_noop("This cannot be marked as sent.")
_CANNOT_DISCARD = gettext_noop("This cannot be discarded.")


def _require_frozen(run: Dispatch, refusal: str) -> None:
    """Raises: Invalid unless the run is frozen. refusal: what cannot be done."""
    if run.status is DispatchStatus.MARKED:
        why = _("It is already marked as sent. Undo that first.")
        if run.date_sent:
            why = _("It is already marked as sent with the date {date}. Undo that first.")
            why = why.format(date=run.date_sent)
        raise Invalid(f"{_(refusal)} {why}", code="already_marked")
    if run.status is DispatchStatus.DISCARDED:
        why = _("It was discarded. Prepare a new one.")
        raise Invalid(f"{_(refusal)} {why}", code="already_discarded")


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
