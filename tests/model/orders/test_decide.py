"""The rules that turn orders into rows and refusals, as tables."""

import copy
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.orders.context import ExistingSubscription, OrderContext
from masthead.model.orders.decide import decide
from masthead.model.orders.order import Order
from masthead.model.orders.order_plan import OrderPlan
from masthead.model.orders.period_coverage import DatedIssue, PeriodCoverage
from masthead.model.resources import Source
from masthead.model.types.enums import CopyStatus, SourceType, SubscriptionStatus, SubscriptionType
from tests.support.cases import for_each

ACTIVE = SubscriptionStatus.ACTIVE
STOPPED = SubscriptionStatus.RENEWALS_STOPPED
COMPLETE = SubscriptionStatus.COMPLETE
CANCELLED = SubscriptionStatus.CANCELLED
PAST_DUE = SubscriptionStatus.PAST_DUE
MEMBERSHIP = SubscriptionType.MEMBERSHIP

TODAY = date(2026, 6, 30)
SHOP = Source("shop", "Web shop", SourceType.SHOP, is_active=True)
ISSUES = [DatedIssue(f"issue-{number}", number, date(2026, number, 1)) for number in (1, 2, 3)]
DAYS: dict[str, Any] = {
    "type": MEMBERSHIP,
    "start_issue": None,
    "length": None,
    "interval_months": 12,
    "period_start": date(2026, 1, 1),
    "period_end": date(2026, 12, 31),
}
BOUGHT = PeriodCoverage(1, 2, 2, None, None, None)
BOUGHT_DAYS = PeriodCoverage(None, None, None, 1, date(2026, 1, 1), date(2026, 1, 31))


def context_of(*existing: ExistingSubscription, **more: Any) -> OrderContext:
    """A small account. Its existing subscriptions have the order ids `old-` and their id."""
    given = {
        "moment": datetime(2026, 7, 1, 12, tzinfo=UTC),
        "day": TODAY,
        "currency": "EUR",
        "placeholder_domain": "placeholder.example",
        "source_id": "shop",
        "source": SHOP,
        "product_id": "print",
        "offered_products": {"print"},
        "issues": ISSUES,
        "order_ids": {f"old-{each.columns['id']}": each.columns["id"] for each in existing},
        "subscriber_ids": {"grace@example.test": "grace"},
        "subscriptions": {each.columns["id"]: each for each in existing},
        "new_subscriber_ids": [f"U{number}" for number in range(9)],
        "new_subscription_ids": [f"S{number}" for number in range(9)],
        "last_number": 100,
    }
    return OrderContext(**{**given, **more})


def existing(
    status: SubscriptionStatus = ACTIVE,
    *,
    is_recurring: bool = False,
    coverage: PeriodCoverage = BOUGHT,
    complete: Sequence[bool] = (True,),
    received: Sequence[int] = (1, 2),
) -> ExistingSubscription:
    """Grace's subscription `S`, which has one period."""
    is_membership = coverage.period_end is not None
    columns = {
        "id": "S",
        "n": 7,
        "subscriber_id": "grace",
        "source_id": "list",
        "product_id": "digital",
        "type": "membership" if is_membership else "subscription",
        "status": str(status),
        "is_recurring": is_recurring,
        "country": "AT",
        "last_issue": coverage.last_issue,
        "total_length": 2,
    }
    first_day = coverage.period_start
    return ExistingSubscription(columns, coverage, first_day, complete, received)


def order_of(order_id: str = "A1", **more: Any) -> Order:
    """Ada's order of two issues from the first one on."""
    given = {
        "order_id": order_id,
        "order_date": date(2026, 1, 15),
        "email": "ada@example.test",
        "first_name": "Ada",
        "country": "DE",
        "start_issue": 1,
        "length": 2,
        "price": 4200,
        "currency": "EUR",
    }
    return Order(**{**given, **more})


def renewal_of(renews: str, order_id: str = "B1", **more: Any) -> Order:
    """An order without the fields that follow from the period before."""
    empty = dict.fromkeys(["email", "first_name", "country", "start_issue", "length"])
    return order_of(order_id, renews=renews, **{**empty, **more})


def statuses(plan: OrderPlan) -> list[list[CopyStatus]]:
    """The status of the copies, by period."""
    return [[each.status for each in period.copies] for period in plan.periods]


def is_empty(plan: OrderPlan) -> bool:
    """Return whether a plan writes nothing."""
    return not any(value for name, value in structs.asdict(plan).items() if name != "outcomes")


def test_an_order_creates_a_subscription() -> None:
    plan = decide(context_of(), [order_of(sent={1: date(2026, 1, 20)})])
    assert plan.outcomes == ["S0"]
    [subscriber], [subscription], [period] = plan.subscribers, plan.subscriptions, plan.periods
    assert subscriber["email_key"] == "ada@example.test"
    assert (subscriber["id"], subscriber["n"]) == ("U0", 101)
    assert subscription["subscriber_id"] == "U0"
    assert (subscription["source_id"], subscription["product_id"]) == ("shop", "print")
    assert (subscription["start_issue"], subscription["last_issue"]) == (1, 2)
    assert (subscription["status"], subscription["total_length"]) == (ACTIVE, 2)
    assert period.columns["order_id"] == "A1"
    assert period.columns["is_complete"] is False
    assert [each.issue.number for each in period.copies] == [1, 2]
    assert [each.date_sent for each in period.copies] == [date(2026, 1, 20), None]
    assert statuses(plan) == [[CopyStatus.SENT, CopyStatus.NOT_SENT]]
    assert [row.subscription_id for row in plan.search_rows] == ["S0"]
    assert (plan.renewals, plan.cancelled, plan.existing_subscribers) == ([], [], [])
    [entry] = plan.audit_entries
    assert (entry.type, entry.subject_id, entry.before) == ("subscription.create", "S0", None)
    assert entry.after is not None
    assert (entry.after["first_name"], entry.after["status"]) == ("Ada", ACTIVE)


def test_new_ids_follow_the_last_ones() -> None:
    plan = decide(context_of(), [order_of("A1"), order_of("A2")])
    periods, copies = plan.numbered(50, 1000)
    assert [row["id"] for row in periods] == [51, 52]
    assert [(row["id"], row["period_id"]) for row in copies] == [
        (1001, 51),
        (1002, 51),
        (1003, 52),
        (1004, 52),
    ]
    assert plan.copy_count == 4
    assert [row["id"] for row in plan.subscriptions] == ["S0", "S1"]


def test_planning_does_not_change_the_context_or_the_orders() -> None:
    orders = [order_of(), renewal_of("old-S"), renewal_of("A1", "B2", status=CANCELLED)]
    context = context_of(existing())
    before = copy.deepcopy((context, orders))
    assert decide(context, orders) == decide(context, orders)
    assert (context, orders) == before


@pytest.mark.parametrize(
    "order, field, code",
    [
        (order_of("old-S"), "order_id", "duplicate_order_id"),
        (order_of(start_issue=9), "start_issue", "unknown_start_issue"),
        (order_of(sent={9: None}), "sent_issues", "validation_error"),
        (order_of(sent={3: None}), "sent_issues", "validation_error"),
        (renewal_of("NOSUCH"), "renews", "validation_error"),
        (renewal_of("old-S", status=PAST_DUE), "status", "validation_error"),
        (renewal_of("old-S", status=STOPPED), "status", "validation_error"),
        (renewal_of("old-S", start_issue=2), "start_issue", "validation_error"),
    ],
)
def test_a_refused_order_changes_nothing(order: Order, field: str, code: str) -> None:
    plan = decide(context_of(existing()), [order])
    [refusal] = plan.outcomes
    assert isinstance(refusal, Invalid)
    assert (refusal.field, refusal.code) == (field, code)
    assert is_empty(plan)


@pytest.mark.parametrize(
    "days, field",
    [
        ({"period_start": date(2026, 1, 31)}, "period_start"),
        ({"period_end": date(2026, 1, 31)}, "period_end"),
    ],
)
def test_a_membership_period_must_start_after_the_last_one(
    days: dict[str, Any], field: str
) -> None:
    plan = decide(context_of(existing(coverage=BOUGHT_DAYS)), [renewal_of("old-S", **days)])
    [refusal] = plan.outcomes
    assert isinstance(refusal, Invalid)
    assert refusal.field == field


def test_an_order_may_name_its_own_product_and_source() -> None:
    other = Source("fair", "Book fair", SourceType.IMPORT, is_active=True)
    context = context_of(
        offered_products={"print", "club"}, other_sources={"fair": other, "gone": None}
    )
    plan = decide(
        context,
        [
            order_of("A1", product_id="club", source_id="fair"),
            order_of("A2", product_id="nothing"),
            order_of("A3", source_id="gone"),
        ],
    )
    [subscription] = plan.subscriptions
    assert (subscription["product_id"], subscription["source_id"]) == ("club", "fair")
    _id, *refused = plan.outcomes
    assert [each.field for each in refused if isinstance(each, Invalid)] == ["product", "source"]


def test_a_cancelled_subscription_is_not_renewed() -> None:
    plan = decide(context_of(existing(CANCELLED)), [renewal_of("old-S")])
    [refusal] = plan.outcomes
    assert isinstance(refusal, Invalid)
    assert refusal.field == "renews"
    assert is_empty(plan)


@pytest.mark.parametrize(
    "change, field, code, reason",
    [
        ({"source": None}, "source", "invalid_source", "is not a source"),
        (
            {"source": structs.replace(SHOP, is_active=False)},
            "source",
            "invalid_source",
            "no longer active",
        ),
        (
            {"source": structs.replace(SHOP, type=SourceType.CHECKOUT)},
            "source",
            "invalid_source",
            "checkout",
        ),
        ({"product_id": "other"}, "product", "unknown_product", "is not an active product"),
    ],
)
def test_an_invalid_source_or_product_refuses_all_orders(
    change: dict[str, Any], field: str, code: str, reason: str
) -> None:
    with pytest.raises(Invalid, match=reason) as refusal:
        decide(context_of(**change), [order_of()])
    assert (refusal.value.field, refusal.value.code) == (field, code)


def test_invalid_orders_do_not_affect_the_others() -> None:
    plan = decide(context_of(), [order_of("A1"), order_of("A1"), order_of("A2")])
    assert [isinstance(outcome, Invalid) for outcome in plan.outcomes] == [False, True, False]
    assert [row["id"] for row in plan.subscriptions] == ["S0", "S1"]


def test_an_address_in_different_cases_is_one_subscriber() -> None:
    plan = decide(context_of(), [order_of("A1"), order_of("A2", email="ADA@example.test")])
    assert [row["subscriber_id"] for row in plan.subscriptions] == ["U0", "U0"]
    [subscriber] = plan.subscribers
    assert subscriber["subscription_count"] == 2
    assert [row.subscriber_id for row in plan.search_rows] == ["U0", None]


def test_a_known_subscriber_is_found_and_their_stats_are_updated() -> None:
    plan = decide(context_of(), [order_of(email="Grace@example.test")])
    assert plan.subscribers == []
    assert plan.subscriptions[0]["subscriber_id"] == "grace"
    assert plan.existing_subscribers == ["grace"]
    assert plan.search_rows == []


def test_orders_without_an_address_get_a_placeholder_each() -> None:
    plan = decide(context_of(), [order_of("A1", email=None), order_of("A2", email=None)])
    assert [row["email"] for row in plan.subscribers] == [
        "subscriber-u0@placeholder.example",
        "subscriber-u1@placeholder.example",
    ]
    assert all(row["is_placeholder"] for row in plan.subscribers)


@for_each(
    "facts, status, is_complete",
    [
        ({}, ACTIVE, False),
        ({"sent": {1: None, 2: None}}, COMPLETE, True),
        ({"sent": {1: None, 2: None}, "is_recurring": True}, ACTIVE, True),
        ({"sent": {1: None, 2: None}, "is_recurring": True, "status": STOPPED}, COMPLETE, True),
        ({"is_recurring": True, "status": STOPPED}, STOPPED, False),
        ({"length": 4, "sent": {1: None, 2: None, 3: None}}, ACTIVE, False),
        ({"status": CANCELLED}, CANCELLED, True),
        ({"length": 4, "status": CANCELLED}, CANCELLED, False),
        (DAYS, ACTIVE, False),
        ({**DAYS, "period_end": TODAY}, ACTIVE, False),
        ({**DAYS, "period_end": date(2026, 6, 29)}, COMPLETE, True),
        ({**DAYS, "period_end": date(2026, 6, 29), "is_recurring": True}, PAST_DUE, True),
    ],
)
def test_the_status_depends_on_the_copies_the_issues_and_the_day(
    facts: dict[str, Any], status: SubscriptionStatus, *, is_complete: bool
) -> None:
    plan = decide(context_of(), [order_of(**facts)])
    assert plan.subscriptions[0]["status"] is status
    assert plan.periods[0].columns["is_complete"] is is_complete


def test_a_membership_includes_the_issues_released_on_its_days() -> None:
    plan = decide(context_of(), [order_of(**{**DAYS, "period_end": date(2026, 2, 28)})])
    assert [each.issue.number for each in plan.periods[0].copies] == [1, 2]
    assert plan.subscriptions[0]["total_length"] == 2
    assert plan.subscriptions[0]["last_issue"] is None


def test_a_membership_does_not_get_an_issue_twice() -> None:
    found = existing(coverage=BOUGHT_DAYS, received=(2,))
    end = date(2026, 3, 31)
    plan = decide(context_of(found), [renewal_of("old-S", period_end=end, sent={2: None})])
    assert [each.issue.number for each in plan.periods[0].copies] == [3]
    assert plan.periods[0].columns["period_start"] == date(2026, 2, 1)
    assert plan.renewals[0]["total_length"] == 3


@pytest.mark.parametrize(
    "before, is_recurring, facts, after",
    [
        (ACTIVE, False, {}, ACTIVE),
        (COMPLETE, False, {}, ACTIVE),
        (COMPLETE, False, {"length": 1, "sent": {3: None}}, COMPLETE),
        (PAST_DUE, True, {}, ACTIVE),
        (STOPPED, True, {}, STOPPED),
        (STOPPED, True, {"length": 1, "sent": {3: None}}, COMPLETE),
        (ACTIVE, True, {"status": PAST_DUE}, PAST_DUE),
        (ACTIVE, False, {"status": CANCELLED}, CANCELLED),
    ],
)
def test_a_renewal_continues_an_existing_subscription(
    before: SubscriptionStatus, is_recurring: bool, facts: dict[str, Any], after: SubscriptionStatus
) -> None:
    found = existing(before, is_recurring=is_recurring)
    plan = decide(context_of(found), [renewal_of("old-S", **facts)])
    assert plan.outcomes == ["S"]
    assert (plan.subscribers, plan.subscriptions) == ([], [])
    [renewal] = plan.renewals
    length = facts.get("length", 2)
    assert (renewal["status"], renewal["last_issue"]) == (after, 2 + length)
    assert renewal["total_length"] == 2 + length
    assert plan.cancelled == (["S"] if after is CANCELLED else [])
    assert plan.existing_subscribers == ["grace"]
    assert plan.periods[0].country == "AT"
    [entry] = plan.audit_entries
    assert (entry.type, entry.subject_id) == ("subscription.renew", "S")
    assert entry.before == {"status": before}
    assert entry.after == {"status": after, "order_id": "B1"}


def test_an_order_can_renew_an_earlier_one_of_its_batch() -> None:
    plan = decide(context_of(), [order_of("A1"), renewal_of("A1", "B1"), renewal_of("B1", "C1")])
    assert plan.outcomes == ["S0", "S0", "S0"]
    [subscription] = plan.subscriptions
    assert (subscription["last_issue"], subscription["total_length"]) == (6, 6)
    assert [period.columns["first_issue"] for period in plan.periods] == [1, 3, 5]
    assert plan.renewals == []


def test_a_renewal_of_a_refused_order_is_refused() -> None:
    plan = decide(context_of(), [order_of("A1", start_issue=9), renewal_of("A1", "B1")])
    assert [refusal.field for refusal in plan.outcomes if isinstance(refusal, Invalid)] == [
        "start_issue",
        "renews",
    ]
    assert is_empty(plan)


def test_a_cancelled_renewal_cancels_the_unsent_copies_of_new_periods() -> None:
    orders = [order_of(sent={1: None}), renewal_of("A1", status=CANCELLED), renewal_of("B1", "C1")]
    plan = decide(context_of(), orders)
    assert isinstance(plan.outcomes[2], Invalid)
    assert statuses(plan) == [[CopyStatus.SENT, CopyStatus.CANCELLED], [CopyStatus.CANCELLED]]
    assert plan.subscriptions[0]["status"] is CANCELLED
    assert plan.cancelled == []  # it is stored as cancelled
