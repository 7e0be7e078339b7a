"""Create issues with their copies, and change issues."""

from collections.abc import Iterable, Mapping
from datetime import date

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import IssueCreate, IssueUpdate, changes
from masthead.model.resources import Issue
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.translations import gettext as _
from masthead.services.addresses.apply import apply_due_changes
from masthead.services.subscriptions.status_updates import update_statuses
from masthead.services.transactions import in_long_transaction
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.issues import missing_copies as issue_copies, records as store
from masthead.store.read_model import subscription_json
from masthead.store.subscriptions import periods


@in_long_transaction
async def create_issue(tx: Transaction, account_id: int, body: IssueCreate, *, by: Actor) -> Issue:
    """Create an issue, and a copy for every subscription that includes it.

    Raises: Invalid `duplicate_issue_number`. Spec: Issues, POST /v1/issues/.
    """
    account = await accounts.lock_account(tx, account_id)
    return await add_issue(tx, account, body, by=by)


async def add_issue(
    tx: Transaction,
    account: Account,
    body: IssueCreate,
    *,
    import_number: int | None = None,
    by: Actor,
) -> Issue:
    """Create an issue in a transaction that has locked the account.

    import_number: of the import that needs it, for the audit trail.
    """
    if taken := await store.find_issue_id(tx, account.id, body.number):
        raise Invalid(
            f"`number` {body.number} is taken by issue `{taken}`. Change that issue, or choose "
            "another number.",
            code="duplicate_issue_number",
            field="number",
            value=body.number,
            id=taken,
        )
    issue = await store.insert_issue(tx, account.id, body, moment=account.changed_at)
    created = await _create_copies(tx, account, issue)
    if issue.recurring_charge_date is not None:
        await subscription_json.mark_outdated_by_charge(tx, account.id, issue.number)
    # A cancelled subscription gets no copy, but this issue may complete its period
    ended = await periods.find_cancelled_covering(tx, account.id, issue.number)
    await update_statuses(tx, account, ended, by=by)
    after = structs.asdict(issue)
    after["copies"] = created
    if import_number is not None:
        after["import_number"] = import_number
    entry = NewEntry(EntryType.ISSUE_CREATE, issue.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    await apply_due_changes(tx, account, by=by)
    return issue


@in_long_transaction
async def update_issue(
    tx: Transaction,
    account_id: int,
    id: str,
    body: IssueUpdate,
    *,
    seen: Mapping[str, str] | None = None,
    by: Actor,
) -> Issue:
    """Change the fields of an issue that the body has.

    A new release date may add copies to memberships. Copies stay if it leaves their period.

    seen: fields as text, as the user saw them in the form. If another user has changed one of them
    since then to another value, nothing is saved. Raises: NotFound, Invalid.
    Spec: Issues, PATCH /v1/issues/{id}/.
    """
    account = await accounts.lock_account(tx, account_id)
    before = await store.get_issue(tx, account_id, id)
    sent = changes(body)
    _require_unchanged(before, seen or {}, sent)
    await store.update_issue(tx, account_id, id, sent)
    issue = await store.get_issue(tx, account_id, id)
    changed = [name for name in sent if getattr(before, name) != getattr(issue, name)]
    if not changed:
        return issue
    after = {name: getattr(issue, name) for name in changed}
    if "release_date_actual" in changed:
        after["copies"] = await _create_copies(tx, account, issue)
    if "name" in changed:
        await subscription_json.mark_outdated_by_start(tx, account_id, issue.number)
    if "recurring_charge_date" in changed:
        await subscription_json.mark_outdated_by_charge(tx, account_id, issue.number)
    old = {name: getattr(before, name) for name in changed}
    await trail.record(tx, account_id, by, [NewEntry(EntryType.ISSUE_UPDATE, id, old, after)])
    await apply_due_changes(tx, account, by=by)
    return issue


async def is_issue_released(db: Connection, account_id: int, issue: Issue, *, day: date) -> bool:
    """Whether an issue is out on a day.

    Queries: none if the issue has a release date, else one or two.
    """
    current = None
    if issue.release_date_actual is None:
        current = await store.find_current(db, account_id, day)
    return is_released(
        issue.release_date_actual,
        number=issue.number,
        day=day,
        current=current.number if current else None,
    )


async def list_released(
    db: Connection, account_id: int, numbers: Iterable[int], *, day: date
) -> list[int]:
    """Those of some issues that are out on a day, lowest number first. Queries: two, or none."""
    wanted = set(numbers)
    if not wanted:
        return []
    current = await store.find_current(db, account_id, day)
    found = await store.find_issues(db, account_id, min(wanted), max(wanted))
    return [
        issue.number
        for issue in sorted(found, key=lambda issue: issue.number)
        if issue.number in wanted
        and is_released(
            issue.date, number=issue.number, day=day, current=current.number if current else None
        )
    ]


def _require_unchanged(before: Issue, seen: Mapping[str, str], sent: Mapping[str, object]) -> None:
    """Raises: Invalid `changed_meanwhile` unless fields have the value seen or the value sent."""
    for name, was in seen.items():
        now = str(getattr(before, name) or "")
        if now not in (was, str(sent[name] or "")):
            raise Invalid(
                _(
                    "Another user has changed this to “{value}”. Your text is still in the field. "
                    "To save it anyway, send the form again."
                ).format(value=now),
                code=CHANGED_MEANWHILE,
                field=name,
                value=now,
            )


async def _create_copies(tx: Transaction, account: Account, issue: Issue) -> int:
    """Add the missing copies of an issue, and return how many."""
    created = await issue_copies.insert_missing_copies(tx, account.id, issue.id)
    if created and issue.release_date_actual is not None:
        holders = await issue_copies.find_memberships_with_issue(tx, account.id, issue.id)
        await issue_copies.update_membership_lengths(tx, account.id, holders)
        await subscription_json.mark_outdated(tx, account.id, holders)
    return created
