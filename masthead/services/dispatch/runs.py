"""Freeze a dispatch run, mark its copies as sent, take that back, or discard the run.

Each is one transaction: after a crash it has happened as a whole, or not at all. The runs of a
group are marked, undone and discarded together, whichever of them is named.
"""

from collections.abc import Sequence
from datetime import date

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.dispatch.runs import UNDO_PERIOD, Dispatch, DispatchSelection, DispatchStatus
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.plausible_days import sent_day
from masthead.services.dispatch import run_steps
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts, sources
from masthead.store.dispatch import groups, line_states, runs
from masthead.store.engine.interface import Connection, Transaction


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
    return await run_steps.freeze_run(tx, account, issue_id, selection, by=by)


@in_long_transaction
async def mark_dispatch(
    tx: Transaction, account_id: int, id: str, sent_on: date | None, *, by: Actor
) -> tuple[Dispatch, int, int]:
    """Mark the copies and replacements of a frozen run, and of its group, as sent.

    Returns the run, how many were marked, and how many subscriptions are Complete now; several
    copies for one address are one subscription.
    Copies that have left the run since it was frozen do not change.
    sent_on: the date on which they were sent, None for no date.
    Queries: about 20 for each run. Raises: NotFound, Invalid.
    """
    if sent_on is not None:
        sent_day("date", sent_on)
    account = await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    frozen = await _list_frozen(tx, account_id, run, _CANNOT_MARK)
    marked = completed = 0
    for each in frozen:
        count, ended = await run_steps.mark_run(tx, account, each, sent_on, by=by)
        marked, completed = marked + count, completed + ended
    if not marked and not await _has_shipped(tx, account_id, frozen):
        raise Invalid(
            _("No copy is left to mark as sent. Discard this if none of its copies was shipped."),
            code="nothing_to_send",
        )
    return await runs.get_dispatch(tx, account_id, id), marked, completed


@in_long_transaction
async def undo_dispatch(
    tx: Transaction, account_id: int, id: str, *, by: Actor
) -> tuple[Dispatch, int]:
    """Take back the marking of a run and its group; they are frozen again.

    Returns the run, and how many lines were marked. This is possible within a day, and later until
    another run of the issue is marked. Copies stay Sent if they were changed outside the run; if
    they were reported as shipped, on the date of that report. A copy whose subscription was
    cancelled meanwhile becomes Cancelled, and leaves the run.
    Queries: about 20 for each run. Raises: NotFound, Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    members = await groups.list_members(tx, account_id, run)
    marked = [each for each in members if each.status is DispatchStatus.MARKED]
    for each in marked or [run]:
        await require_undoable(tx, account_id, each)
    undone = 0
    for each in marked:
        undone += await run_steps.undo_run(tx, account, each, by=by)
    if not undone:
        raise Invalid(
            _(
                "No copy can be taken back: the carrier reported them as shipped, "
                "or they were changed separately."
            ),
            code="already_shipped",
        )
    return await runs.get_dispatch(tx, account_id, id), undone


@in_long_transaction
async def discard_dispatch(tx: Transaction, account_id: int, id: str, *, by: Actor) -> Dispatch:
    """Discard a frozen run and its group: their copies and claims are free for the next one.

    Queries: about ten for each run. Raises: NotFound, Invalid.
    """
    await accounts.lock_account(tx, account_id)
    run = await runs.get_dispatch(tx, account_id, id)
    frozen = await _list_frozen(tx, account_id, run, _CANNOT_DISCARD)
    if await _has_shipped(tx, account_id, frozen):
        raise Invalid(
            _(
                "This cannot be discarded: the carrier has reported copies of it as "
                "shipped. Mark the rest of it as sent."
            ),
            code="already_shipped",
        )
    for each in frozen:
        await run_steps.discard_run(tx, account_id, each, by=by)
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


_CANNOT_MARK = gettext_noop("This cannot be marked as sent.")
_CANNOT_DISCARD = gettext_noop("This cannot be discarded.")


async def _list_frozen(
    db: Connection, account_id: int, run: Dispatch, refusal: str
) -> list[Dispatch]:
    """The frozen runs of the group of a run, or the run itself. Raises: Invalid if none is."""
    members = await groups.list_members(db, account_id, run)
    frozen = [each for each in members if each.status is DispatchStatus.FROZEN]
    if not frozen:
        _require_frozen(run, refusal)
    return frozen


async def _has_shipped(db: Connection, account_id: int, members: Sequence[Dispatch]) -> bool:
    """Whether a carrier has reported copies of one of some runs. Queries: one for each run."""
    return any([await line_states.has_shipped(db, account_id, run.id) for run in members])


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
