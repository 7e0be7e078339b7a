"""Freeze what is left to send of several issues, as runs that go out together with one file.

The runs of a group are frozen, marked, undone and discarded in one transaction each (`runs`).
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import Invalid
from masthead.model.translations import format_number, gettext as _
from masthead.services.dispatch import run_steps
from masthead.services.dispatch.nothing_to_send import explain_nothing
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.dispatch import due, runs
from masthead.store.dispatch.open_claims import list_by_issue
from masthead.store.engine.interface import Transaction
from masthead.store.issues import records as issues

MAX_ISSUES = 100
MAX_LINES = 5_000  # which the file has in memory
EVERYTHING = DispatchSelection()
REPLACEMENTS = DispatchSelection(only_replacements=True)


@in_long_transaction
async def freeze_several(
    tx: Transaction, account_id: int, issue_ids: Sequence[str], *, by: Actor
) -> Dispatch:
    """Create a run for each of some issues, of all that is left to send; returns the first one.

    Issues of which nothing is left get none. Queries: about 20 for each issue.
    Raises: NotFound, Invalid `too_many`, `nothing_to_send`.
    """
    account = await accounts.lock_account(tx, account_id)
    ids = list(dict.fromkeys(issue_ids))
    if not ids:
        raise Invalid(_("Tick at least one issue."), field="issue")
    if len(ids) > MAX_ISSUES:
        raise _too_many(_("One mailing takes at most {limit} issues. Tick fewer."), MAX_ISSUES)
    found = [await issues.get_issue(tx, account_id, id) for id in ids]
    found.sort(key=lambda issue: issue.number)
    counts = await due.count_due(tx, account_id, [issue.number for issue in found])
    if sum(each.lines for each in counts.values()) > MAX_LINES:
        raise _too_many(
            _("One mailing of several issues takes at most {limit} copies. Tick fewer issues."),
            MAX_LINES,
        )
    left = [issue for issue in found if counts[issue.number].lines]
    if not left:
        raise await explain_nothing(tx, account_id, found[0].number, EVERYTHING)
    frozen = [
        await run_steps.freeze_run(tx, account, issue.id, EVERYTHING, by=by) for issue in left
    ]
    return await _join(tx, account, frozen)


@in_long_transaction
async def freeze_replacements(
    tx: Transaction, account_id: int, claim_ids: Sequence[str], *, by: Actor
) -> Dispatch:
    """Create a run of the replacements for some open claims, or one for each of their issues.

    Returns the first one. Queries: about 20 for each issue.
    Raises: Invalid `too_many`, or `nothing_to_send` unless all of them can be sent now.
    """
    account = await accounts.lock_account(tx, account_id)
    if len(claim_ids) > MAX_ISSUES:
        text = _("At most {limit} replacements can be prepared at once. Prepare a mailing of them.")
        raise _too_many(text, MAX_ISSUES)
    by_issue = await list_by_issue(tx, account_id, claim_ids)
    frozen = [
        await run_steps.freeze_run(tx, account, issue_id, REPLACEMENTS, by=by, claims=claims)
        for issue_id, claims in by_issue.items()
    ]
    if not frozen or sum(run.replacements for run in frozen) < len(set(claim_ids)):
        raise Invalid(
            _(
                "A replacement cannot be sent now: it is in a mailing, withdrawn, or on hold "
                "because of its address or its subscription."
            ),
            code="nothing_to_send",
        )
    return await _join(tx, account, frozen)


async def _join(tx: Transaction, account: Account, frozen: Sequence[Dispatch]) -> Dispatch:
    """The first of some new runs; several are a group."""
    if len(frozen) > 1:
        await run_steps.join_runs(tx, account, frozen)
    return await runs.get_dispatch(tx, account.id, frozen[0].id)


def _too_many(text: str, limit: int) -> Invalid:
    """The error of a choice that would be too much work. text: with the limit to fill in."""
    return Invalid(text.format(limit=format_number(limit)), code="too_many", field="issue")
