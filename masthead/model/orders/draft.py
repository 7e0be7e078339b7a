"""Subscriptions while orders are decided, and the rows that they become."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import Any

from msgspec import Struct, structs

from masthead.model.lifecycle import is_period_complete, renewed, settled
from masthead.model.orders.context import ExistingSubscription
from masthead.model.orders.order import Order
from masthead.model.orders.period_coverage import PeriodCoverage, ReleasedIssue
from masthead.model.orders.plan import NewPeriod
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType

Row = Mapping[str, Any]

_ORDER_COLUMNS = "order_id order_date price discount_amount refunded currency".split()
_ORDER_COLUMNS += ["promo_code", "transaction_id"]
_order_values = attrgetter(*_ORDER_COLUMNS)


class PeriodDraft(Struct, frozen=True):
    """A period that an order adds. issues: those that it grants, lowest number first."""

    order: Order
    coverage: PeriodCoverage
    issues: Sequence[ReleasedIssue]


class SubscriptionDraft(Struct, frozen=True, kw_only=True):
    """A subscription with the periods that orders add to it.

    columns: of its own row, in which `status`, `last_issue` and `total_length` are out of date.
    coverage: of its last period. periods_complete, issues: see `ExistingSubscription`; empty if
    the subscription is new. added: oldest first.
    """

    columns: Row
    status: SubscriptionStatus = SubscriptionStatus.ACTIVE
    last_issue: int | None = None
    total_length: int = 0
    coverage: PeriodCoverage
    periods_complete: Sequence[bool] = ()
    issues: Collection[int] = ()
    added: tuple[PeriodDraft, ...] = ()

    @property
    def id(self) -> str:
        """Its id."""
        id: str = self.columns["id"]
        return id


def draft_of(found: ExistingSubscription) -> SubscriptionDraft:
    """A subscription as it was found."""
    return SubscriptionDraft(
        columns=found.columns,
        status=SubscriptionStatus(found.columns["status"]),
        last_issue=found.columns["last_issue"],
        total_length=found.columns["total_length"],
        coverage=found.coverage,
        periods_complete=found.periods_complete,
        issues=found.issues,
    )


def with_period(draft: SubscriptionDraft, period: PeriodDraft, *, day: date) -> SubscriptionDraft:
    """The subscription with one more period, and with the status that is due then.

    day: of the account's last daily pass.
    """
    coverage, added = period.coverage, (*draft.added, period)
    is_cancelled = period.order.status is SubscriptionStatus.CANCELLED
    complete = [_is_complete(each, day, is_cancelled=is_cancelled) for each in added]
    return SubscriptionDraft(
        columns=draft.columns,
        status=settled(
            period.order.status or renewed(draft.status),
            type=SubscriptionType(draft.columns["type"]),
            is_recurring=draft.columns["is_recurring"],
            periods_complete=[*draft.periods_complete, *complete],
        ),
        last_issue=draft.last_issue if coverage.last_issue is None else coverage.last_issue,
        total_length=draft.total_length + (coverage.length or len(period.issues)),
        coverage=coverage,
        periods_complete=draft.periods_complete,
        issues=draft.issues,
        added=added,
    )


def _is_complete(period: PeriodDraft, day: date, *, is_cancelled: bool) -> bool:
    """Whether a period has been delivered. is_cancelled: its unsent copies will not be sent."""
    unsent = [issue for issue in period.issues if issue.number not in period.order.sent]
    return is_period_complete(
        period_end=period.coverage.period_end,
        day=day,
        missing_issues=(period.coverage.length or len(period.issues)) - len(period.issues),
        unsent_copies=0 if is_cancelled else len(unsent),
    )


def subscription_row(draft: SubscriptionDraft) -> Row:
    """The row of a subscription."""
    return {
        **draft.columns,
        "status": draft.status,
        "last_issue": draft.last_issue,
        "total_length": draft.total_length,
    }


def period_rows(
    draft: SubscriptionDraft, period: PeriodDraft, *, day: date, moment: datetime
) -> NewPeriod:
    """The rows of a period and its copies."""
    order, columns = period.order, draft.columns
    is_cancelled = draft.status is SubscriptionStatus.CANCELLED
    unsent = CopyStatus.CANCELLED if is_cancelled else CopyStatus.NOT_SENT
    return NewPeriod(
        {
            "subscription_id": draft.id,
            **dict(zip(_ORDER_COLUMNS, _order_values(order), strict=True)),
            **structs.asdict(period.coverage),
            "is_complete": _is_complete(period, day, is_cancelled=is_cancelled),
            "created_at": moment,
        },
        [
            {
                "subscription_id": draft.id,
                "subscriber_id": columns["subscriber_id"],
                "issue_id": issue.id,
                "issue_number": issue.number,
                "status": CopyStatus.SENT if issue.number in order.sent else unsent,
                "date_sent": order.sent.get(issue.number),
                "country": columns["country"],
            }
            for issue in period.issues
        ],
    )
