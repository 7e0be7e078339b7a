"""What the page of a subscription says about its copies, besides the copies themselves."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.pagination import PageRequest
from masthead.model.resources import Copy, Issue, Subscription
from masthead.model.subscriptions.lifecycle import is_released
from masthead.model.timeline.facts import WhyClaim
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.model.types.fields import MAX_NUMBER
from masthead.services.timeline import find_claims
from masthead.store.claims.why_facts import find_returned
from masthead.store.issues import records as issues
from masthead.web.kit.context import PageContext


class CopyTable(Struct, frozen=True):
    """Facts about listed copies.

    claims: the newest claim of each copy, None if it has none. returned: the day on which each copy
    that came back was reported. markable: the ids of the copies that
    can be marked as sent. not_created: the numbers of the issues of the subscription after the
    newest one.
    """

    claims: Mapping[int, WhyClaim | None]
    returned: Mapping[int, date]
    markable: set[int]
    not_created: Sequence[int]


async def load_copy_table(
    context: PageContext, subscription: Subscription, listed: Sequence[Copy]
) -> CopyTable:
    """The facts about listed copies of a subscription. Queries: six at most."""
    today, account_id = context.membership.daily_date, context.account_id
    numbers = [copy.issue.number for copy in listed]
    async with context.db.read(aside=True) as db:
        ids = [copy.id for copy in listed]
        claims = await find_claims(db, account_id, ids)
        returned = await find_returned(db, account_id, ids)
        current = await issues.find_current(db, account_id, today)
        newest = await issues.list_issues(db, account_id, PageRequest(1, None, b""))
        named = await issues.find_issues(
            db, account_id, min(numbers, default=0), max(numbers, default=0)
        )
    # without a current issue, issues without a release date may be out
    last = current.number if current else MAX_NUMBER
    coming = {
        each.number
        for each in named
        if not is_released(each.date, number=each.number, day=today, current=last)
    }
    return CopyTable(
        claims={copy.id: claims.get(copy.id) for copy in listed},
        returned=returned,
        markable={
            copy.id
            for copy in listed
            if copy.status == CopyStatus.NOT_SENT and copy.issue.number not in coming
        },
        not_created=_list_not_created(subscription, newest.items),
    )


def _list_not_created(subscription: Subscription, newest: Sequence[Issue]) -> list[int]:
    """The numbers of its issues after the newest one, unless it gets no copies any more."""
    if subscription.status in (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE):
        return []
    last = newest[0].number if newest else 0
    return [number for number in subscription.issue_list if number > last]
