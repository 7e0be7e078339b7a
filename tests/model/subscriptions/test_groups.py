"""Several copies for one address are a group; the numbers of copies by issue."""

from datetime import date

import msgspec
import pytest
from msgspec import structs

from masthead.api.openapi.texts import read_examples
from masthead.model.errors import Invalid
from masthead.model.resources import Subscription
from masthead.model.subscriptions.copy_counts import (
    MOST,
    CopyCountChange,
    IssueCount,
    at_one_address,
    further_price,
    require_changeable,
)
from masthead.model.subscriptions.groups import fold_ended, group_subscriptions, show_as_one
from masthead.model.subscriptions.refunds import PaidOrder, join_orders
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType


def row(id: str, **fields: object) -> StoredSubscription:
    """A copy of the bundle `A`, for issues 1 to 4."""
    first = StoredSubscription(
        id=id,
        n=1,
        subscriber_id="S",
        source_id="X",
        product_id="P",
        type=SubscriptionType.SUBSCRIPTION,
        status=SubscriptionStatus.ACTIVE,
        medium=Medium.PRINT,
        company="Harbour Books",
        city="Hamburg",
        country="DE",
        phone=None,
        notes=None,
        is_recurring=False,
        is_comp=False,
        is_gift=False,
        gifter_name=None,
        gifter_email=None,
        gifter_id=None,
        bundle_id="A",
        start_issue=1,
        last_issue=4,
        total_length=4,
    )
    return structs.replace(first, **fields)


def ids_of(*rows: StoredSubscription) -> list[list[str]]:
    return [group.ids for group in group_subscriptions(rows)]


def test_a_group_has_its_members_oldest_first() -> None:
    assert ids_of(row("C"), row("A"), row("B")) == [["A", "B", "C"]]


@pytest.mark.parametrize(
    "other",
    [
        {"bundle_id": "B"},
        {"bundle_id": None},
        {"city": "Bremen"},
        {"company": None},
        {"medium": Medium.DIGITAL},
        {"status": SubscriptionStatus.CANCELLED},
        {"last_issue": 3},
    ],
)
def test_what_differs_is_another_group(other: dict[str, object]) -> None:
    assert ids_of(row("A"), row("B", **other)) == [["A"], ["B"]]


def test_notes_and_a_later_start_do_not_make_another_group() -> None:
    assert ids_of(row("A"), row("B", notes="x", start_issue=3)) == [["A", "B"]]


def test_two_without_a_bundle_are_alone() -> None:
    assert ids_of(row("A", bundle_id=None), row("B", bundle_id=None)) == [["A"], ["B"]]


def test_copies_that_end_earlier_belong_to_the_card_of_the_others() -> None:
    rows = [row("A"), row("B"), row("C", last_issue=2), row("D", last_issue=2, city="Bremen")]
    groups = group_subscriptions(rows)
    assert [group.ids for group in fold_ended(groups)] == [["A", "B"], ["D"]]
    assert at_one_address(groups[0], rows) == [IssueCount(1, 3), IssueCount(3, 2)]


def test_the_number_of_copies_rises_with_those_that_start_later() -> None:
    rows = [row("A"), row("B", start_issue=3), row("C", status=SubscriptionStatus.CANCELLED)]
    assert at_one_address(group_subscriptions(rows)[0], rows) == [
        IssueCount(1, 1),
        IssueCount(3, 2),
    ]


def test_a_copy_that_follows_another_leaves_the_number_as_it_is() -> None:
    membership = row("M", type=SubscriptionType.MEMBERSHIP, start_issue=None, last_issue=None)
    rows = [row("A", last_issue=2), row("B", start_issue=3), membership]
    groups = group_subscriptions(rows)
    assert at_one_address(groups[0], rows) == [IssueCount(1, 1)]


@pytest.mark.parametrize(
    "fields, count, first_issue, words, field",
    [
        ({"type": SubscriptionType.MEMBERSHIP}, 3, 2, "is for days, not for issues", ""),
        ({"status": SubscriptionStatus.CANCELLED}, 3, 2, "is over", ""),
        ({"status": SubscriptionStatus.COMPLETE}, 3, 2, "is over", ""),
        ({}, 0, 2, f"from 1 to {MOST}", "count"),
        ({}, MOST + 1, 2, f"from 1 to {MOST}", "count"),
        ({}, 2, 2, "There are 2 copies already", "count"),
        ({}, 3, 5, "issue", "first_issue"),
    ],
)
def test_a_number_of_copies_that_cannot_be_is_refused(
    fields: dict[str, object], count: int, first_issue: int, words: str, field: str
) -> None:
    [group] = group_subscriptions([row("A", **fields), row("B", **fields)])
    change = CopyCountChange(
        count=count,
        first_issue=first_issue,
        order_id="X",
        order_date=date(2026, 1, 1),
        currency="EUR",
    )
    with pytest.raises(Invalid, match=words) as refusal:
        require_changeable(group, change)
    assert refusal.value.field == field


def test_amounts_in_other_currencies_are_not_added() -> None:
    one = msgspec.convert(read_examples()["Subscription"], Subscription)
    both = show_as_one([one, one])
    assert (both.price, both.discount_amount, both.refunded) == ("84.00", "4.00", "0.00")
    assert show_as_one([one, one, structs.replace(one, currency="USD")]) == one
    assert show_as_one([structs.replace(one, currency=None), one]).price == "42.00"


def test_further_copies_cost_what_one_issue_costs_now() -> None:
    periods = [period(1, 1000), period(5, 1100)]
    assert further_price(periods, 4, 2) == 2 * (250 + 1100)


def period(first: int, price: int) -> StoredPeriod:
    """A period of four issues."""
    return StoredPeriod(
        id=first,
        subscription_id="A",
        order_id="X",
        transaction_id=None,
        order_date=None,
        is_complete=False,
        first_issue=first,
        last_issue=first + 3,
        length=4,
        interval_months=None,
        period_start=None,
        period_end=None,
        price=price,
        discount_amount=0,
        refunded=0,
        currency="EUR",
        promo_code=None,
        source_id=None,
        source_name=None,
    )


def paid(id: int, price: int, *, used: int = 0, currency: str = "EUR") -> PaidOrder:
    return PaidOrder(
        subscription_id="A",
        period_id=id,
        order_id=f"X-{id}",
        order_date=None,
        currency=currency,
        price=price,
        refunded=0,
        units=4,
        used=used,
        is_membership=False,
    )


def test_the_last_orders_of_all_copies_belong_together() -> None:
    joined = join_orders(
        [[paid(1, 900), paid(2, 1000)], [paid(3, 500)], [paid(4, 7, currency="USD")]]
    )
    assert [[part.period_id for part in each.parts] for each in joined] == [[1], [2, 3], [4]]
    assert [each.price for each in joined] == [900, 1500, 7]


def test_an_amount_is_divided_without_losing_a_cent_or_exceeding_an_order() -> None:
    [order] = join_orders([[paid(1, 334)], [paid(2, 333)], [paid(3, 333, used=4)]])
    assert order.divide(order.unused_share) == {1: 334, 2: 333}
    assert order.divide(100) == {1: 34, 2: 33, 3: 33}
    assert order.divide(1000) == {1: 334, 2: 333, 3: 333}
