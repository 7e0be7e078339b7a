"""The issues of a subscription that can be skipped, and those that are."""

from collections.abc import Iterable, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.subscriptions.skips import SkippedIssue, require_issues
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.subscriptions.terms import ExistingCopy
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.services.issues.records import list_released
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import records as subscriptions, skips, subscription_copies


class SkipChoices(Struct, frozen=True):
    """The issues of a subscription that can be skipped, and those that are, lowest number first.

    refusal: why none can be skipped; empty if one can.
    """

    numbers: Sequence[int]
    skipped: Sequence[SkippedIssue]
    refusal: str = ""


async def list_choices(db: Connection, account: Account, id: str) -> SkipChoices:
    """The issues of a subscription, which must exist, that can be skipped. Queries: seven."""
    row = (await subscriptions.find_rows(db, account.id, [id]))[id]
    skipped = await skips.list_skipped(db, account.id, [id])
    try:
        require_issues(row)
    except Invalid as reason:
        return SkipChoices([], skipped, str(reason))
    copies = await list_existing(db, account.id, id)
    assert row.start_issue is not None
    assert row.last_issue is not None
    gone = {each.issue_number for each in copies if each.is_sent or each.run is not None}
    gone |= {each.issue_number for each in skipped}
    included = [n for n in range(row.start_issue, row.last_issue + 1) if n not in gone]
    out = set(await list_released(db, account.id, included, day=account.daily_date))
    numbers = [number for number in included if number not in out]
    refusal = "" if numbers else _("No issue of this subscription is left that can be skipped.")
    return SkipChoices(numbers, skipped, refusal)


async def find_without_issues(
    db: Connection, account_id: int, rows: Iterable[StoredSubscription], *, day: date
) -> set[str]:
    """The ids of the subscriptions whose last issue is out. Queries: two, or none."""
    last = {each.id: each.last_issue for each in rows if each.last_issue is not None}
    out = set(await list_released(db, account_id, last.values(), day=day))
    return {id for id, number in last.items() if number in out}


async def list_existing(db: Connection, account_id: int, id: str) -> list[ExistingCopy]:
    """The copies of a subscription, by issue. Queries: one."""
    return [
        ExistingCopy(each.id, each.issue_number, each.status is CopyStatus.SENT, each.run)
        for each in await subscription_copies.list_with_runs(db, account_id, [id])
    ]
