"""Unsaved subscriptions and periods, and the rows to write for them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import Any

from msgspec import Struct, structs

from masthead.model.orders.context import ExistingSubscription
from masthead.model.orders.order import Order
from masthead.model.orders.order_plan import NewCopy, NewPeriod
from masthead.model.orders.period_coverage import DatedIssue, PeriodCoverage
from masthead.model.subscriptions.lifecycle import (
    derive_status,
    is_period_complete,
    status_after_renewal,
)
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType

Row = Mapping[str, Any]

_ORDER_COLUMNS = "order_id order_date price discount_amount refunded currency".split()
_ORDER_COLUMNS += ["promo_code", "transaction_id", "payment_method"]
_order_values = attrgetter(*_ORDER_COLUMNS)


class PeriodDraft(Struct, frozen=True):
    """A period that an order adds. issues: its existing issues, lowest number first.

    source_id: the source of the order, which may differ from that of the subscription.
    out: see `NewPeriod`.
    """

    order: Order
    source_id: str
    coverage: PeriodCoverage
    issues: Sequence[DatedIssue]
    out: Sequence[int] = ()

    @property
    def taken_as_sent(self) -> list[int]:
        """The issues that are out whose copies count as sent, lowest number first."""
        return [number for number in self.out if number <= (self.order.sent_through or 0)]

    @property
    def sent(self) -> Mapping[int, date | None]:
        """The date (None: not known) on which each copy was sent, by issue number."""
        if not self.out:
            return self.order.sent
        return {**dict.fromkeys(self.taken_as_sent), **self.order.sent}


class SubscriptionDraft(Struct, frozen=True, kw_only=True):
    """A subscription with the periods that orders add to it.

    columns: its row, with outdated `status`, `last_issue` and `total_length`. id, type: as in its
    row. coverage: that of its last period. first_day, periods_complete, issues: see
    `ExistingSubscription`; empty if the subscription is new. added: the new periods, oldest first.
    added_complete: whether each of them is complete.
    """

    id: str
    type: SubscriptionType
    columns: Row
    status: SubscriptionStatus = SubscriptionStatus.ACTIVE
    last_issue: int | None = None
    total_length: int = 0
    coverage: PeriodCoverage
    first_day: date | None
    periods_complete: Sequence[bool] = ()
    issues: Collection[int] = ()
    added: tuple[PeriodDraft, ...] = ()
    added_complete: Sequence[bool] = ()


def draft_of(found: ExistingSubscription) -> SubscriptionDraft:
    """An existing subscription before any order."""
    return SubscriptionDraft(
        id=found.columns["id"],
        type=SubscriptionType(found.columns["type"]),
        columns=found.columns,
        status=SubscriptionStatus(found.columns["status"]),
        last_issue=found.columns["last_issue"],
        total_length=found.columns["total_length"],
        coverage=found.coverage,
        first_day=found.first_day,
        periods_complete=found.periods_complete,
        issues=found.issues,
    )


def with_period(draft: SubscriptionDraft, period: PeriodDraft, *, day: date) -> SubscriptionDraft:
    """The subscription with one more period, and with its new status.

    day: the date of the account's last daily pass.
    """
    coverage, added = period.coverage, (*draft.added, period)
    is_cancelled = period.order.status is SubscriptionStatus.CANCELLED
    complete = [_is_complete(each, day, is_cancelled=is_cancelled) for each in added]
    return SubscriptionDraft(
        id=draft.id,
        type=draft.type,
        columns=draft.columns,
        status=derive_status(
            period.order.status or status_after_renewal(draft.status),
            type=draft.type,
            is_recurring=draft.columns["is_recurring"],
            periods_complete=[*draft.periods_complete, *complete],
        ),
        last_issue=draft.last_issue if coverage.last_issue is None else coverage.last_issue,
        total_length=draft.total_length + (coverage.length or len(period.issues)),
        coverage=coverage,
        first_day=draft.first_day,
        periods_complete=draft.periods_complete,
        issues=draft.issues,
        added=added,
        added_complete=complete,
    )


def _is_complete(period: PeriodDraft, day: date, *, is_cancelled: bool) -> bool:
    """Whether a period is complete. is_cancelled: whether its unsent copies are cancelled."""
    coverage, sent, granted = period.coverage, period.sent, len(period.issues)
    unsent = len([each for each in period.issues if each.number not in sent]) if sent else granted
    return is_period_complete(
        period_end=coverage.period_end,
        day=day,
        missing_issues=0 if coverage.length is None else coverage.length - granted,
        unsent_copies=0 if is_cancelled else unsent,
    )


def subscription_row(draft: SubscriptionDraft) -> Row:
    """The row of a subscription."""
    return {
        **draft.columns,
        "status": draft.status,
        "last_issue": draft.last_issue,
        "total_length": draft.total_length,
    }


def new_period(draft: SubscriptionDraft, place: int, moment: datetime) -> NewPeriod:
    """A new period with its copies, after all orders are placed. place: its index in `added`."""
    period = draft.added[place]
    order, sent = period.order, period.sent
    is_cancelled = draft.status is SubscriptionStatus.CANCELLED
    unsent = CopyStatus.CANCELLED if is_cancelled else CopyStatus.NOT_SENT
    return NewPeriod(
        columns={
            "subscription_id": draft.id,
            "source_id": period.source_id,
            "product_id": draft.columns["product_id"],
            **dict(zip(_ORDER_COLUMNS, _order_values(order), strict=True)),
            **structs.asdict(period.coverage),
            "is_complete": draft.added_complete[place],
            "created_at": moment,
        },
        subscriber_id=draft.columns["subscriber_id"],
        country=draft.columns["country"],
        copies=[
            NewCopy(issue, CopyStatus.SENT, sent[issue.number])
            if issue.number in sent
            else NewCopy(issue, unsent, None)
            for issue in period.issues
        ],
        out=period.out,
    )
