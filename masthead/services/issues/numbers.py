"""Delete an issue, or give it another number, while nothing of it has been sent."""

import hashlib

import msgspec
from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.resources import Issue
from masthead.model.translations import counted, gettext as _
from masthead.model.types.issue_names import shown_name
from masthead.services.addresses.apply import apply_due_changes
from masthead.services.subscriptions.status_updates import update_statuses
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.issues import (
    missing_copies as issue_copies,
    numbers as store,
    records as issues,
)
from masthead.store.issues.numbers import Effects, Obstacles
from masthead.store.read_model import subscription_json

ISSUE_IN_USE = "issue_in_use"  # a code that only pages show


class NumberPreview(Struct, frozen=True, kw_only=True):
    """The effects of deleting or renumbering an issue, or the reasons why it is impossible.

    taken: the issue that has the new number. digest: of all that the user sees.
    """

    issue: Issue
    obstacles: Obstacles
    effects: Effects
    taken: Issue | None
    digest: str


async def preview_number(
    db: Connection, account_id: int, id: str, new: int | None
) -> NumberPreview:
    """The effects of deleting or renumbering an issue. new: None to delete it.

    Queries: three or four, read aside. Raises: NotFound.
    """
    issue = await issues.get_issue(db, account_id, id)
    obstacles = await store.count_obstacles(db, account_id, issue.number)
    effects = await store.count_effects(db, account_id, issue.number, new=new)
    taken = await issues.find_by_number(db, account_id, new) if new is not None else None
    seen = msgspec.json.encode([issue, obstacles, effects, taken, new])
    return NumberPreview(
        issue=issue,
        obstacles=obstacles,
        effects=effects,
        taken=taken,
        digest=hashlib.sha256(seen).hexdigest()[:32],
    )


@in_long_transaction
async def delete_issue(
    tx: Transaction, account_id: int, id: str, *, seen: str | None = None, by: Actor
) -> Issue:
    """Delete an issue with its copies, of which none was sent; returns it.

    Subscriptions keep their list of issues; they get the issue if it is created again.
    seen: the digest of the preview that the user saw; if it is different by now, nothing changes.
    Queries: about 20. Raises: NotFound, Invalid (`issue_in_use`, `changed_meanwhile`).
    """
    account = await accounts.lock_account(tx, account_id)
    preview = await _check(tx, account_id, id, None, seen)
    issue = preview.issue
    affected = await store.find_affected(tx, account_id, issue.number, new=None)
    members = await issue_copies.find_memberships_with_issue(tx, account_id, id)
    await store.delete_discarded_runs(tx, account_id, issue.number)
    deleted = await store.delete_copies(tx, account_id, issue.number)
    await store.delete_issue(tx, account_id, id)
    await issue_copies.update_membership_lengths(tx, account_id, members)
    await _update(tx, account, affected, issue, by=by)
    before = structs.asdict(issue)
    entry = NewEntry(EntryType.ISSUE_DELETE, id, before, {"deleted_copies": deleted})
    await trail.record(tx, account_id, by, [entry])
    await apply_due_changes(tx, account, by=by)
    return issue


@in_long_transaction
async def renumber_issue(
    tx: Transaction, account_id: int, id: str, number: int, *, seen: str | None = None, by: Actor
) -> Issue:
    """Give an issue another number; copies are added, deleted and kept as the subscriptions say.

    seen: as in `delete_issue`. Queries: about 25.
    Raises: NotFound, Invalid (`issue_in_use`, `duplicate_issue_number`, `changed_meanwhile`).
    """
    account = await accounts.lock_account(tx, account_id)
    preview = await _check(tx, account_id, id, number, seen)
    issue = preview.issue
    affected = await store.find_affected(tx, account_id, issue.number, new=number)
    await store.delete_discarded_runs(tx, account_id, issue.number)
    await issues.update_issue(tx, account_id, id, {"number": number})
    await store.renumber_copies(tx, account_id, issue.number, new=number)
    deleted = await store.delete_copies(tx, account_id, issue.number)
    added = await issue_copies.insert_missing_copies(tx, account_id, id)
    renumbered = await issues.get_issue(tx, account_id, id)
    await _update(tx, account, affected, renumbered, by=by)
    await _update(tx, account, None, issue, by=by)
    after = {"number": number, "added_copies": added, "deleted_copies": deleted}
    entry = NewEntry(EntryType.ISSUE_RENUMBER, id, {"number": issue.number}, after)
    await trail.record(tx, account_id, by, [entry])
    await apply_due_changes(tx, account, by=by)
    return renumbered


async def _check(
    tx: Transaction, account_id: int, id: str, new: int | None, seen: str | None
) -> NumberPreview:
    """The preview. Raises: NotFound, Invalid if the change is not possible."""
    preview = await preview_number(tx, account_id, id, new)
    if preview.obstacles:
        raise Invalid(explain_obstacles(preview.obstacles), code=ISSUE_IN_USE)
    if new == preview.issue.number:
        raise Invalid(_("The issue has this number already."), field="number", value=new)
    if preview.taken is not None:
        raise taken_error(preview.taken)
    if seen is not None and seen != preview.digest:
        raise Invalid(
            _("Something has changed since the preview. Check it again."), code=CHANGED_MEANWHILE
        )
    return preview


def taken_error(issue: Issue) -> Invalid:
    """The error for a number that another issue has."""
    return Invalid(
        _("The number {number} is taken by “{name}”. Choose another number.").format(
            number=issue.number, name=shown_name(issue.name, issue.number)
        ),
        code="duplicate_issue_number",
        field="number",
        value=issue.number,
        id=issue.id,
    )


def is_only_started(found: Obstacles) -> bool:
    """Whether only subscriptions that start with the issue keep it as it is."""
    return bool(found.starting) and not (found.sent or found.runs or found.reported)


def explain_obstacles(found: Obstacles) -> str:
    """Why the issue must stay as it is, and what to do."""
    if found.sent:
        return counted(
            "{count} copy of this issue is sent or being sent, so the issue must stay as it is.",
            "{count} copies of this issue are sent or being sent, so the issue must stay as it is.",
            found.sent,
        )
    if found.runs:
        return _("This issue has a mailing. Discard it first, if nothing was sent.")
    if found.reported:
        return _(
            "A subscriber or the carrier reported a problem with a copy of this issue, so the "
            "issue must stay as it is."
        )
    return counted(
        "{count} subscription starts with this issue. Change its start issue first.",
        "{count} subscriptions start with this issue. Change their start issue first.",
        found.starting,
    )


async def _update(
    tx: Transaction, account: Account, affected: str | None, issue: Issue, *, by: Actor
) -> None:
    """Update what depends on an issue. affected: subscriptions, as JSON."""
    if issue.recurring_charge_date is not None:
        await subscription_json.mark_outdated_by_charge(tx, account.id, issue.number)
    if affected is not None:
        await subscription_json.mark_outdated(tx, account.id, affected)
        await update_statuses(tx, account, affected, by=by)
