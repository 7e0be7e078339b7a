"""Tests presets of systems with periods in days: their files become memberships."""

from datetime import date

from msgspec import structs

from masthead.model.imports.fitting import fit_mapping
from masthead.model.imports.presets.registry import get_preset
from masthead.model.subscriptions.lifecycle import next_charge_date
from masthead.model.types.countries import UNKNOWN_COUNTRY
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from tests.services.imports.presets.preset_files import (
    FACTS,
    has,
    left_out,
    orders_by_id,
    prepare_file,
)
from tests.support.import_tables import prepared

MEMBERSHIP = SubscriptionType.MEMBERSHIP
ACTIVE, PAST_DUE = SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE
CANCELLED, STOPPED = SubscriptionStatus.CANCELLED, SubscriptionStatus.RENEWALS_STOPPED


def test_woocommerce_subscriptions_become_memberships() -> None:
    rows = prepare_file("woocommerce-subscriptions", "woocommerce-subscriptions")
    orders = orders_by_id(rows)
    assert list(orders) == [str(number) for number in range(501, 512) if number != 508]
    assert left_out(rows) == [9, 13]  # pending, and replaced by another subscription
    assert has(
        orders["501"],
        type=MEMBERSHIP,
        email="ann.carter@example.com",
        first_name="Ann",
        last_name="Carter",
        address1="12 Mill Lane",
        city="Cambridge",
        state="Cambridgeshire",
        postcode="CB1 2AB",
        country="GB",
        phone="01223 555012",
        interval_months=12,
        period_start=date(2026, 3, 2),
        period_end=date(2027, 3, 1),
        is_recurring=True,
        order_date=date(2024, 3, 2),
        price=4200,
        currency="EUR",
        notes="Please leave with the neighbour at no. 14.",
        medium=Medium.PRINT,
    )


def test_woocommerce_takes_the_billing_address_if_shipping_is_empty() -> None:
    orders = orders_by_id(prepare_file("woocommerce-subscriptions", "woocommerce-subscriptions"))
    assert has(
        orders["502"],
        first_name="Bruno",
        last_name="Vidal",
        address1="8 rue des Lilas",
        postcode="69003",
        country="FR",
    )
    assert has(
        orders["503"],
        company="Obi & Daughters Ltd",
        address1="Unit 4, Canal Works",
        address2="Attn. Reception",
        postcode="M4 6BF",
        phone="0161 555 0100",
    )
    assert has(orders["511"], first_name=None, company="Bibliotheek Noord", postcode="1012 AB")


def test_woocommerce_periods_begin_one_interval_before_the_next_payment() -> None:
    orders = orders_by_id(prepare_file("woocommerce-subscriptions", "woocommerce-subscriptions"))
    paid_late = orders["502"]
    assert has(paid_late, period_start=date(2026, 1, 10), period_end=date(2027, 1, 9))
    quarter = orders["503"]
    assert has(quarter, interval_months=3, period_start=date(2026, 9, 14))
    fortnight = orders["509"]
    assert has(
        fortnight,
        interval_months=1,
        period_start=date(2026, 11, 20),
        period_end=date(2026, 12, 3),
        price=250,
    )


def test_the_next_charge_is_on_the_day_in_the_file() -> None:
    """The next payment of a shop is the first day that is not yet paid."""
    for preset, order_id, day in (
        ("woocommerce-subscriptions", "501", date(2027, 3, 2)),
        ("stripe-subscriptions", "sub_1NxA1", date(2027, 5, 3)),
        ("patreon-members", "12345601", date(2026, 12, 1)),
    ):
        orders = {
            row.order.order_id: row.order for row in prepare_file(preset, preset) if row.order
        }
        charged = next_charge_date(
            ACTIVE, is_recurring=True, period_end=orders[order_id].period_end, charge_date=None
        )
        assert charged == day, preset


def test_woocommerce_statuses_become_ours() -> None:
    orders = orders_by_id(prepare_file("woocommerce-subscriptions", "woocommerce-subscriptions"))
    assert orders["504"].status is PAST_DUE
    # Moments are in the zone of the account, and the cancellation does not end what is paid
    assert has(orders["505"], status=STOPPED, cancelled_date=None, period_end=date(2026, 11, 30))
    assert has(orders["506"], status=CANCELLED, cancelled_date=date(2025, 9, 14))
    assert has(orders["507"], status=None, is_recurring=False, period_end=date(2025, 1, 31))


def test_woocommerce_coupons_become_discounts() -> None:
    orders = orders_by_id(prepare_file("woocommerce-subscriptions", "woocommerce-subscriptions"))
    assert has(orders["510"], price=6120, discount_amount=680, promo_code="spring10")


def test_the_sample_of_the_woocommerce_importer_needs_no_ids() -> None:
    rows = prepare_file("woocommerce-subscriptions-sample", "woocommerce-subscriptions")
    orders = orders_by_id(rows)
    assert len(orders) == 8
    assert left_out(rows) == []
    again = orders_by_id(
        prepare_file("woocommerce-subscriptions-sample", "woocommerce-subscriptions")
    )
    assert list(again) == list(orders)
    first, second, *_, yearly = orders.values()
    assert has(first, email="grace@example.com", currency="USD", price=4668)
    assert second.email == "billing.jane@example.com"
    assert has(yearly, interval_months=12, period_end=date(2016, 4, 30))


def test_a_woocommerce_period_does_not_begin_before_its_subscription() -> None:
    orders = orders_by_id(
        prepare_file("woocommerce-subscriptions-sample", "woocommerce-subscriptions")
    )
    cancelled = next(each for each in orders.values() if each.email == "al@example.com")
    assert has(cancelled, period_start=date(2015, 8, 31), period_end=date(2015, 9, 13))


def test_stripe_subscriptions_become_memberships() -> None:
    rows = prepare_file("stripe-subscriptions", "stripe-subscriptions")
    [trial] = [row for row in rows if row.reasons]
    assert trial.reasons[0].column == "Status"
    answered = prepare_file(
        "stripe-subscriptions",
        "stripe-subscriptions",
        status={**get_preset("stripe-subscriptions").mapping.status, "trialing": "leave out"},
    )
    orders = {row.order.order_id: row.order for row in answered if row.order}
    assert left_out(answered) == [7, 9]  # the trial, and what was never paid
    assert has(
        orders["sub_1NxA1"],
        email="ada.moss@example.com",
        first_name="Ada",
        last_name="Moss",
        address1="4 Fen Road",
        city="Ely",
        postcode="CB7 4AA",
        country="GB",
        medium=Medium.PRINT,
        interval_months=12,
        period_start=date(2026, 5, 3),
        period_end=date(2027, 5, 2),
        price=4800,
        currency="EUR",
        order_date=date(2024, 5, 3),
    )


def test_stripe_members_without_an_address_are_digital() -> None:
    rows = prepare_file("stripe-subscriptions", "stripe-subscriptions")
    orders = {row.order.order_id: row.order for row in rows if row.order}
    # Half past eleven in UTC is the next day in the account's zone
    assert has(
        orders["sub_1NxA2"],
        medium=Medium.DIGITAL,
        country="DE",
        order_date=date(2026, 2, 1),
        period_start=date(2026, 11, 1),
        period_end=date(2026, 11, 30),
    )
    assert orders["sub_1NxB1"].email is None


def test_stripe_statuses_become_ours() -> None:
    rows = prepare_file("stripe-subscriptions", "stripe-subscriptions")
    orders = {row.order.order_id: row.order for row in rows if row.order}
    assert orders["sub_1NxA3"].status is PAST_DUE
    assert orders["sub_1NxA4"].status is PAST_DUE
    assert has(orders["sub_1NxA5"], status=CANCELLED, cancelled_date=date(2026, 4, 10))
    assert has(orders["sub_1NxA7"], status=STOPPED, cancelled_date=None)


def test_patreon_members_become_memberships() -> None:
    rows = prepare_file("patreon-members", "patreon-members")
    orders = orders_by_id(rows)
    assert left_out(rows) == [6, 7]  # a tier without the magazine, a free member
    assert has(
        orders["12345601"],
        first_name="Alma",
        last_name="Reed",
        email="alma@example.com",
        address1="9 Green Lane",
        postcode="LS1 4AP",
        country="GB",
        interval_months=1,
        period_start=date(2026, 11, 1),
        period_end=date(2026, 11, 30),
        order_date=date(2025, 3, 10),
        price=600,
    )
    assert has(
        orders["12345602"], postcode="07743", interval_months=12, period_start=date(2026, 2, 1)
    )
    assert has(orders["12345603"], status=PAST_DUE, state="MA", postcode="02108")
    assert has(
        orders["12345604"],
        status=CANCELLED,
        period_start=date(2026, 1, 1),
        period_end=date(2026, 1, 31),
    )
    assert has(orders["12345607"], medium=Medium.DIGITAL, last_name="Hale", country="DE")
    assert has(orders["12345609"], address1="Flat 2", address2="11 Hope St")


def test_older_columns_of_patreon_are_known() -> None:
    orders = orders_by_id(prepare_file("patreon-members-older", "patreon-members"))
    assert list(orders) == [f"1234560{number}" for number in (1, 2, 3, 4)]


def test_substack_subscribers_become_digital_memberships() -> None:
    rows = prepare_file("substack", "substack")
    orders = {order.email: order for order in orders_by_id(rows).values()}
    assert left_out(rows) == [2, 5, 6]  # free subscribers, and one who stopped paying
    assert has(
        orders["bob@example.com"],
        type=MEMBERSHIP,
        medium=Medium.DIGITAL,
        first_name=None,
        country="DE",
        interval_months=12,
        period_start=date(2026, 3, 1),
        period_end=date(2027, 2, 28),
        is_recurring=True,
        is_comp=False,
        price=0,
        order_date=date(2024, 3, 1),
    )
    # In Berlin it is already the next day
    assert has(orders["carol@example.com"], interval_months=1, period_end=date(2026, 12, 5))
    assert has(orders["frank@example.com"], is_comp=True, is_recurring=False)
    assert orders["gina@example.com"].interval_months == 12
    assert orders["Hans@Example.com"].notes == "Wants no emails (from Substack)."
    # Without an end, the period is the current one
    assert has(
        orders["iris@example.com"], period_start=date(2026, 11, 1), period_end=date(2026, 11, 30)
    )


def test_a_complimentary_substack_subscriber_until_2099_gets_what_comes_out_now() -> None:
    cells = {"email": "a@example.com", "active_subscription": "true", "plan": "comp"}
    cells |= {"expiry": "2099-12-31T00:00:00.000Z", "created_at": "2025-08-01T10:00:00.000Z"}
    [row] = prepared([cells], fit_mapping(get_preset("substack").mapping, cells))
    assert row.order is not None
    assert has(row.order, is_comp=True, period_start=date(2026, 8, 1))


def test_the_ids_of_substack_subscribers_do_not_show_their_addresses() -> None:
    orders = orders_by_id(prepare_file("substack", "substack"))
    assert not any("@" in id for id in orders)


def test_the_newer_columns_of_substack_are_known() -> None:
    rows = prepare_file("substack-newer", "substack")
    orders = {order.email: order for order in orders_by_id(rows).values()}
    assert left_out(rows) == [2]
    assert has(
        orders["cem@example.com"],
        first_name="Cem",
        last_name="Aydin",
        period_start=date(2026, 3, 15),
        period_end=date(2027, 3, 14),
        is_recurring=True,
    )
    assert orders["dot@example.com"].is_recurring is False
    assert orders["eno@example.com"].is_comp is True


def test_ghost_members_with_a_tier_become_digital_memberships() -> None:
    rows = prepare_file("ghost-members", "ghost-members")
    orders = orders_by_id(rows)
    assert left_out(rows) == [3, 6, 9]  # free, deleted, and without a tier
    mara, comp, night, *_, plus = orders.values()
    assert has(
        mara,
        order_id="634e48e056ef99c6a7af5850",
        email="mara@example.com",
        first_name="Mara",
        last_name="Quist",
        period_start=date(2026, 5, 10),
        period_end=date(2027, 5, 9),
        is_recurring=True,
        order_date=date(2025, 5, 10),
    )
    assert has(comp, is_comp=True, is_recurring=False, notes="Wrote an essay for issue 3")
    assert night.order_date == date(2025, 8, 11)
    assert plus.first_name == "=Pia"


def test_digital_members_need_no_country() -> None:
    facts = structs.replace(FACTS, country=None)
    orders = orders_by_id(prepare_file("ghost-members", "ghost-members", facts=facts))
    assert {each.country for each in orders.values()} == {UNKNOWN_COUNTRY}


def test_older_columns_of_ghost_are_known() -> None:
    assert len(orders_by_id(prepare_file("ghost-members-older", "ghost-members"))) == 2
