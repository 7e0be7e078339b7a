"""Makes the order plan from the order context, without a database or a clock.

`services.orders` reads the order context and writes the order plan.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import count
from operator import attrgetter
from typing import Any

from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.orders.context import OrderContext
from masthead.model.orders.draft import (
    PeriodDraft,
    SubscriptionDraft,
    draft_of,
    new_period,
    subscription_row,
    with_period,
)
from masthead.model.orders.new_subscribers import new_subscriber
from masthead.model.orders.order import Giver, Order
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.orders.period_coverage import (
    DatedIssue,
    Issues,
    PeriodCoverage,
    cover,
    issue_ranges,
)
from masthead.model.orders.references import (
    find_renewed,
    require_known,
    require_offered,
    require_open,
)
from masthead.model.orders.released_issues import require_released
from masthead.model.search import searchable_rows
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.postal_fields import PostalFields

Row = Mapping[str, Any]

_ADDRESS = [*PostalFields.__struct_fields__, "phone"]
_COLUMNS = [*_ADDRESS, *"type medium notes is_recurring is_comp is_gift".split()]
_COLUMNS += ["gifter_name", "gifter_email"]
_AUDITED = ["type", *_ADDRESS]
_values, _audited_values = attrgetter(*_COLUMNS), attrgetter(*_AUDITED)


def decide(context: OrderContext, orders: Sequence[Order]) -> OrderPlan:
    """The order plan for a batch of orders, which are placed one after the other.

    An order can renew an earlier order of the same batch. A refused order changes nothing.
    Raises: Invalid for the whole batch: `invalid_source`, or a product that is not offered.
    """
    require_open(context.source, context.source_id)
    require_offered(context.product_id, context.offered_products)
    decision = _Decision(context)
    outcomes: list[str | Invalid] = []
    for order in orders:
        try:
            outcomes.append(decision.place(order))
        except Invalid as refusal:
            outcomes.append(refusal)
    return decision.plan(outcomes)


class _Decision:
    """The state of the account after the orders placed so far."""

    def __init__(self, context: OrderContext) -> None:
        self._context = context
        self._issues = Issues(context.issues)
        self._numbers = {issue.number for issue in context.issues}
        self._subscription_ids = dict(context.order_ids)  # by order id
        self._subscriber_ids = dict(context.subscriber_ids)  # by email key
        self._drafts = {id: draft_of(each) for id, each in context.subscriptions.items()}
        self._new_subscribers: dict[str, Row] = {}  # by id
        self._added: list[tuple[str, int]] = []  # subscription id, index of the period in its draft
        self._audit_entries: list[NewEntry] = []
        self._cancelled_dates: dict[str, date] = {}  # by subscription
        self._unused_subscription_ids = iter(context.new_subscription_ids)
        self._unused_subscriber_ids = iter(context.new_subscriber_ids)
        self._unused_numbers = count(context.last_number + 1)

    def place(self, order: Order) -> str:
        """Create or renew a subscription; returns its id. Raises: Invalid, without any change."""
        self._require_own(order)
        if order.sent_through:
            require_released(order.sent_through, known=self._numbers, out=self._context.out)
        require_known(order, self._context.known_subscribers)
        cancelled_date = self._cancelled_date(order)
        before = find_renewed(order, self._subscription_ids, self._drafts)
        coverage, issues = cover(
            order,
            self._issues,
            last=before.coverage if before else None,
            first_day=before.first_day if before else None,
            received=before.issues if before else (),
        )
        source_id = order.source_id or self._context.source_id
        status = order.status or (before.status if before else None)
        out = (
            self._list_released(order, issues) if status is not SubscriptionStatus.CANCELLED else ()
        )
        period = PeriodDraft(order, source_id, coverage, issues, out)
        draft = before or self._new_draft(order, coverage)
        after = with_period(draft, period, day=self._context.day)
        self._subscription_ids[order.order_id] = after.id
        self._drafts[after.id] = after
        self._added.append((after.id, len(draft.added)))
        self._audit_entries.append(_audit_entry(period, before, after, self._context.import_number))
        if cancelled_date is not None:
            self._cancelled_dates[after.id] = cancelled_date
        return after.id

    def _require_own(self, order: Order) -> None:
        """Raises: Invalid if an order names a product or a source that it cannot have."""
        if order.product_id is not None:
            require_offered(order.product_id, self._context.offered_products)
        if order.source_id is not None:
            require_open(self._context.other_sources.get(order.source_id), order.source_id)

    def _list_released(self, order: Order, issues: Sequence[DatedIssue]) -> list[int]:
        """The numbers of those that are out, and of which the order does not say what was sent."""
        out = self._context.out
        return [
            each.number for each in issues if each.number in out and each.number not in order.sent
        ]

    def _cancelled_date(self, order: Order) -> date | None:
        """The day on which an order was cancelled, or the last one that it names before today.

        None if it is not cancelled. Raises: Invalid if the day is in the future.
        """
        if order.status is not SubscriptionStatus.CANCELLED:
            return None
        today, stated = self._context.day, order.cancelled_date
        if stated is not None and stated > today:
            message = f"`cancelled_date` is `{stated}`, which is in the future."
            raise Invalid(message, field="cancelled_date", value=stated)
        named = [day for day in (order.order_date, *order.sent.values()) if day is not None]
        return stated or min(max(named, default=today), today)

    def _new_draft(self, order: Order, coverage: PeriodCoverage) -> SubscriptionDraft:
        """A new subscription, without its first period."""
        id, n = next(self._unused_subscription_ids), next(self._unused_numbers)
        columns = {
            "id": id,
            "n": n,
            "subscriber_id": self._subscriber_id(order, n),
            "source_id": order.source_id or self._context.source_id,
            "product_id": order.product_id or self._context.product_id,
            **dict(zip(_COLUMNS, _values(order), strict=True)),
            "gifter_id": self._giver_id(order.giver) if order.giver else None,
            "bundle_id": self._bundle_id(order, id),
            "start_issue": coverage.first_issue,
            "created_at": self._context.moment,
        }
        return SubscriptionDraft(
            id=id,
            type=order.type,
            columns=columns,
            coverage=coverage,
            first_day=coverage.period_start,
        )

    def _bundle_id(self, order: Order, id: str) -> str | None:
        """The id of the first subscription of a bundle; id: of the order's subscription."""
        if order.bundle is None:
            return order.bundle_id
        return id if order.bundle == order.order_id else self._subscription_ids[order.bundle]

    def _subscriber_id(self, order: Order, n: int) -> str:
        """The id of the order's subscriber, who is created with number n if not found."""
        if order.subscriber_id is not None:
            return self._context.known_subscribers[order.subscriber_id]
        if order.bundle not in (None, order.order_id):
            first: str = self._drafts[self._subscription_ids[order.bundle]].columns["subscriber_id"]
            return first
        return self._found_or_new(order, n)

    def _giver_id(self, giver: Giver) -> str:
        """The id of the giver of a gift, who is created if not found."""
        if giver.subscriber_id is not None:
            return self._context.known_subscribers[giver.subscriber_id]
        return self._found_or_new(giver, None)

    def _found_or_new(self, who: Order | Giver, n: int | None) -> str:
        """The id of the subscriber with that email. If there is none, they are created.

        n: the number of the new subscriber; None for the next one.
        """
        key = who.email_key
        if key in self._subscriber_ids:
            return self._subscriber_ids[key]
        id = next(self._unused_subscriber_ids)
        placeholder = f"subscriber-{id.lower()}@{self._context.placeholder_domain}"
        key = key or email_key(placeholder)
        self._subscriber_ids[key] = id
        number = next(self._unused_numbers) if n is None else n
        self._new_subscribers[id] = new_subscriber(
            who,
            id=id,
            n=number,
            placeholder=placeholder,
            email_key=key,
            moment=self._context.moment,
        )
        return id

    def plan(self, outcomes: Sequence[str | Invalid]) -> OrderPlan:
        """The order plan for the orders placed so far."""
        context, periods = self._context, []
        periods_of = defaultdict[str, list[Row]](list)
        for id, place in self._added:
            period = new_period(self._drafts[id], place, context.moment)
            periods.append(period)
            periods_of[id].append(period.columns)
        rows = {id: subscription_row(self._drafts[id]) for id in periods_of}
        renewals = {id: row for id, row in rows.items() if id in context.subscriptions}
        owned = defaultdict[str, list[tuple[Row, list[Row]]]](list)  # by subscriber
        for id, row in rows.items():
            owned[row["subscriber_id"]].append((row, periods_of[id]))
        return OrderPlan(
            outcomes=outcomes,
            subscribers=[
                {**row, **subscriber_stats(owned[id], currency=context.currency)}
                for id, row in self._new_subscribers.items()
            ],
            subscriptions=[row for id, row in rows.items() if id not in renewals],
            periods=periods,
            renewals=list(renewals.values()),
            cancelled=[
                id for id, row in renewals.items() if row["status"] is SubscriptionStatus.CANCELLED
            ],
            search_rows=[
                found
                for id, row in self._new_subscribers.items()
                for found in searchable_rows(row, owned[id])
            ],
            cancelled_dates=self._cancelled_dates,
            existing_subscribers=list(owned.keys() - self._new_subscribers.keys()),
            audit_entries=self._audit_entries,
        )


def _audit_entry(
    period: PeriodDraft,
    before: SubscriptionDraft | None,
    after: SubscriptionDraft,
    import_number: int | None,
) -> NewEntry:
    """The audit entry for an order. before: None if the order creates the subscription."""
    order = period.order
    more: dict[str, object] = {} if import_number is None else {"import_number": import_number}
    if taken := period.taken_as_sent:
        more["taken_as_sent"] = issue_ranges(taken)
    if before is None:
        shown = dict(zip(_AUDITED, _audited_values(order), strict=True))
        shown |= {"status": after.status, "order_id": order.order_id, **more}
        return NewEntry(EntryType.SUBSCRIPTION_CREATE, after.id, None, shown)
    renewed = {"status": after.status, "order_id": order.order_id, **more}
    return NewEntry(EntryType.SUBSCRIPTION_RENEW, after.id, {"status": before.status}, renewed)


def subscriber_stats(
    subscriptions: Sequence[tuple[Row, Sequence[Row]]], *, currency: str
) -> dict[str, Any]:
    """The totals of a subscriber, by column.

    subscriptions: all subscriptions of the subscriber, each with its periods.
    currency: the account's currency; orders in other currencies do not count towards `ltv`.
    """
    has_active, ltv = False, 0
    latest: tuple[date, str, str] = date.min, "", ""  # order date, subscription, country
    for subscription, periods in subscriptions:
        has_active |= subscription["status"] in LIVE
        for period in periods:
            day = period["order_date"] or date.min
            latest = max(latest, (day, subscription["id"], subscription["country"]))
            if period["currency"] == currency:
                ltv += period["price"] - period["refunded"]
    day, _, country = latest
    return {
        "subscription_count": len(subscriptions),
        "has_active_subscription": has_active,
        "latest_order_date": None if day == date.min else day,
        "latest_country": country or None,
        "ltv": ltv,
    }
