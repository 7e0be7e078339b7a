"""Tests presets of shops and lists: their files become subscriptions for a number of issues."""

from datetime import date
from pathlib import Path

import pytest

from masthead.model.imports.mapping import ItemOffer
from masthead.model.imports.presets.registry import propose
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.services.imports.table import open_table
from tests.services.imports.presets.preset_files import (
    FACTS,
    FILES,
    has,
    left_out,
    orders_by_id,
    prepare_file,
    prepare_path,
)

CANCELLED = SubscriptionStatus.CANCELLED


def test_woocommerce_orders_become_subscriptions() -> None:
    rows = prepare_file("woocommerce-orders", "woocommerce-orders", gifts="by_name")
    orders = orders_by_id(rows)
    # No subscription in it; not paid; failed
    assert left_out(rows) == [6, 9, 10]
    assert has(
        orders["3001"],
        type=SubscriptionType.SUBSCRIPTION,
        email="karin.berg@example.com",
        address1="Kungsgatan 4",
        postcode="411 19",
        country="SE",
        start_issue=5,
        length=4,
        order_date=date(2026, 8, 2),
        price=3600,
        status=None,
    )
    assert has(orders["3002"], first_name="Liam", address1="5 Quay Street", country="IE")
    assert has(
        orders["3003"],
        first_name="Paolo",
        email=None,
        is_gift=True,
        gifter_name="Mona Rossi",
        gifter_email="mona.rossi@example.com",
        notes="Happy birthday, Paolo!",
    )
    assert has(orders["3004"], length=4, price=3600, medium=Medium.PRINT)
    assert has(orders["3004-2"], length=2, price=1800, medium=Medium.DIGITAL)
    assert has(orders["3006"], status=CANCELLED)
    assert has(orders["3007"], status=CANCELLED, refunded=3600)
    assert has(
        orders["3010"], price=3060, discount_amount=540, refunded=1000, promo_code="WELCOME15"
    )
    assert orders["3011"].email is None


def test_one_row_for_each_item_of_a_woocommerce_order_makes_one_order() -> None:
    rows = prepare_file("woocommerce-orders-advanced", "woocommerce-orders", gifts="by_name")
    orders = orders_by_id(rows)
    assert list(orders) == ["4001", "4001-2", "4002"]
    assert left_out(rows) == [5, 6]  # a poster, and a payment that failed
    assert has(orders["4001"], length=4, price=3600, address1="Allee 4", postcode="53111")
    assert has(orders["4001-2"], length=2, price=1800, medium=Medium.DIGITAL)
    assert has(orders["4002"], first_name="Ria", gifter_name="Wim Maas", country="NL")


def test_shopify_orders_become_subscriptions() -> None:
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="by_name")
    orders = {row.order.transaction_id: row.order for row in rows if row.order}
    assert not any(row.reasons for row in rows)
    by_email = {order.email or order.gifter_email: order for order in orders.values()}
    # Not paid, and nothing to subscribe to
    assert left_out(rows) == [10, 11, 12]
    assert "hal.voss@example.com" not in by_email
    assert [row.left_out_value for row in rows if row.left_out][:2] == ["pending", "voided"]
    assert has(
        by_email["amy.fox@example.com"],
        order_id="4100000000017",
        first_name="Amy",
        last_name="Fox",
        address1="14 Cool Street",
        postcode="02928",
        state="MA",
        country="US",
        phone="+1 413 555 0101",
        start_issue=5,
        length=4,
        price=3600,
        currency="USD",
        # Late in the evening in America is the next day in the account's zone
        order_date=date(2026, 7, 25),
        status=None,
    )
    assert has(by_email["ben.ito@example.com"], company="Ito Studio", address2="Floor 3", length=4)
    assert has(
        by_email["dan.wu@example.com"],
        is_gift=True,
        gifter_name="Dan Wu",
        first_name="Mei",
        address1="77 Pine Road",
        phone="604-555-0199",
        notes="From Dan with love",
    )
    assert has(
        by_email["eli.ross@example.com"],
        status=CANCELLED,
        cancelled_date=date(2026, 7, 30),
        refunded=3600,
    )
    assert has(
        by_email["fay.kim@example.com"],
        status=None,
        price=3240,
        discount_amount=360,
        promo_code="WELCOME10",
        refunded=1000,
    )
    assert has(
        by_email["kai.sato@example.com"],
        address1="1-2-3 Shibuya",
        medium=Medium.DIGITAL,
        length=2,
        order_date=date(2026, 9, 1),
        start_issue=6,
    )


def test_a_second_subscription_in_a_shopify_order_is_not_lost() -> None:
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="no")
    cora = [row.order for row in rows if row.order and row.order.email == "cora.lee@example.com"]
    first, second = cora
    assert has(first, length=4, price=3600, postcode="04101")
    assert has(second, length=2, price=1400, medium=Medium.DIGITAL, order_id=f"{first.order_id}-2")


def test_several_copies_in_a_shopify_order_are_not_lost() -> None:
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="no")
    found = [row for row in rows if row.order and row.order.email == "jon.may@example.com"]
    copies = [row.order for row in found if row.order]
    assert len(copies) == 2 or any(row.warnings for row in found)


def test_older_shopify_exports_have_their_order_names_as_ids() -> None:
    orders = orders_by_id(prepare_file("shopify-orders-older", "shopify-orders", gifts="no"))
    assert [id for id in orders if "-" not in id] == ["#1001", "#1002", "#1003"]


def test_squarespace_orders_become_subscriptions() -> None:
    rows = prepare_file("squarespace-orders", "squarespace-orders", gifts="by_name")
    orders = orders_by_id(rows)
    assert left_out(rows) == [9, 10]  # not paid, nothing to subscribe to
    assert has(
        orders["00011"],
        address1="869 Lewis Avenue",
        country="US",
        start_issue=2,
        length=4,
        order_date=date(2018, 7, 25),
        price=4000,
        currency="USD",
        transaction_id="ch_1C00011x",
    )
    assert has(orders["00012"], length=2, phone="5035550123")
    assert has(orders["00013"], address1="1 Long Road", country="AU", postcode="2000")
    assert has(
        orders["00014"],
        is_gift=True,
        first_name="Finn",
        gifter_name="Dee Early",
        gifter_email="dee.early@example.com",
        notes="Gift, ring the bell",
    )
    assert has(orders["00015"], status=CANCELLED, refunded=4000, cancelled_date=date(2018, 8, 9))
    assert has(orders["00016"], price=3600, discount_amount=400, promo_code="FRIEND")
    assert has(orders["00019"], length=4, price=4000)
    assert has(orders["00019-2"], length=2, price=2200)


@pytest.mark.parametrize("file", ["paypal-activity", "paypal-activity-de"])
def test_paypal_payments_become_subscriptions(file: str) -> None:
    rows = prepare_file(file, "paypal-activity")
    orders = {row.order.order_id: row.order for row in rows if row.order}
    # Payments made, a withdrawal, a pending payment, a refund, a hold, a poster, a conversion
    assert left_out(rows) == [4, 5, 6, 7, 8, 10, 11]
    assert has(
        orders["1AA00001X"],
        first_name="Jane",
        last_name="Client",
        email="jane.client@example.com",
        address1="3 High Street",
        city="Oxford",
        postcode="OX1 4AA",
        country="GB",
        phone="01865 555 010",
        order_date=date(2026, 9, 2),
        start_issue=6,
        length=4,
        price=3600,
    )
    assert has(orders["1AA00002X"], price=103600, address2="bât. B", country="FR")
    assert has(orders["1AA00008X"], country="NO", postcode="0154")


def test_subsail_rows_become_subscriptions() -> None:
    rows = prepare_file("subsail", "subsail")
    [refused] = [row for row in rows if row.reasons]
    assert refused.lines[0].number == 9
    assert "Length" in refused.reasons[0].column
    orders = {row.order.order_id: row.order for row in rows if row.order}
    assert has(
        orders["S-100"],
        first_name="Ada",
        last_name="Bell",
        country="GB",
        start_issue=3,
        length=4,
        sent={3: date(2016, 6, 1), 4: date(2016, 9, 1)},
        price=3200,
        currency="GBP",
        order_date=date(2016, 3, 24),
    )
    assert has(orders["S-101"], sent={3: None, 4: None}, length=2)
    assert has(orders["S-102"], is_recurring=True)
    assert has(orders["S-103"], is_comp=True, price=0)
    assert has(orders["S-104"], is_gift=True, gifter_name="Guy Fenn", promo_code="XMAS")
    assert has(orders["S-105"], company="Fox & Sons", country="FR", address2="Floor 2")


def test_our_own_format_is_read_as_it_is() -> None:
    orders = orders_by_id(prepare_file("masthead", "masthead"))
    assert list(orders) == [f"M-{number}" for number in range(1, 9)]
    assert has(orders["M-1"], start_issue=3, length=4, price=3600, sent={3: date(2026, 3, 1)})
    assert has(
        orders["M-2"],
        type=SubscriptionType.MEMBERSHIP,
        period_start=date(2026, 2, 4),
        period_end=date(2027, 2, 4),
    )
    assert has(orders["M-5"], renews="M-1")
    assert has(orders["M-6"], status=CANCELLED, cancelled_date=date(2025, 2, 20))
    assert has(orders["M-8"], status=SubscriptionStatus.PAST_DUE)


def test_the_name_of_an_item_says_how_many_issues_it_is_for() -> None:
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="no", products={})
    orders = {row.order.order_id: row.order for row in rows if row.order}
    assert has(orders["4100000000017"], length=4, price=3600)
    assert has(orders["4100000000034"], length=4)  # on the second line, after a back issue
    assert has(orders["4100000000051-2"], length=2, price=1400)
    [refused] = [row for row in rows if row.reasons]
    assert refused.reasons[0].value == "Back issue 7"
    assert refused.reasons[0].text.startswith("How many issues `Back issue 7` is for is not known")


def test_a_refused_item_is_named_though_it_is_not_the_first_of_its_order() -> None:
    products = {"*subscription*": ItemOffer(), "Poster": ItemOffer()}
    rows = prepare_file("woocommerce-orders", "woocommerce-orders", products=products)
    refused = [(row.part, row.reasons[0].value) for row in rows if row.reasons]
    assert refused == [(3, "Poster"), (1, "Poster")]


@pytest.mark.parametrize(
    "products, left_out",
    [
        ({"One-year*": ItemOffer(length=4)}, ["Back issue 7", "Digital subscription - 2 issues"]),
        ({"One-year*": ItemOffer(length=4), "*": ItemOffer(leave_out=True)}, []),
        ({}, ["Back issue 7"]),
    ],
)
def test_another_item_of_an_order_is_not_left_out_in_silence(
    products: dict[str, ItemOffer], left_out: list[str]
) -> None:
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="no", products=products)
    remarks = [text for row in rows if row.order for text in row.warnings if "left out" in text]
    assert remarks == [
        f"The order also has `{name}`, which the mapping does not name. It is left out."
        for name in left_out
    ]


def test_an_offer_without_a_length_takes_the_one_in_the_name() -> None:
    rows = prepare_file(
        "shopify-orders",
        "shopify-orders",
        gifts="no",
        products={"One-year*": ItemOffer(product="Print"), "Digital*": ItemOffer(leave_out=True)},
    )
    [(order, product_id)] = [
        (row.order, row.product_id)
        for row in rows
        if row.order and row.order.email == "amy.fox@example.com"
    ]
    assert has(order, length=4)
    assert product_id == FACTS.products["Print"]


@pytest.mark.parametrize(
    "column, cell, status",
    [
        ("paid_date", "2026-08-08 09:00:00", CANCELLED),
        ("paid_date", "", None),
        ("paid_date", "0000-00-00 00:00:00", None),
        ("note", "", CANCELLED),  # nothing says whether it was paid
    ],
)
def test_a_cancelled_woocommerce_order_that_was_not_paid_is_left_out(
    tmp_path: Path, column: str, cell: str, status: SubscriptionStatus | None
) -> None:
    file = tmp_path / "orders.csv"
    file.write_text(
        f"order_id,order_date,status,billing_email,order_total,item_name,billing_first_name,billing_country,{column}\n"
        f"1,2026-08-08,cancelled,a@example.com,36.00,Annual,Ann,DE,{cell}\n"
    )
    [row] = prepare_path(file, "woocommerce-orders")
    assert not row.reasons
    assert (row.order.status if row.order else None) is status
    assert bool(row.left_out) is (status is None)


def test_squarespace_orders_may_have_the_columns_that_subsail_asks_for(tmp_path: Path) -> None:
    lines = (FILES / "squarespace-orders.csv").read_text(encoding="utf-8").splitlines()
    head, first = lines[:2]
    file = tmp_path / "orders.csv"
    file.write_text(
        f"{head},Start issue,Length,Sent issues,Sent dates\n{first},3,6,3|4,2018-09-01|2018-12-01\n"
    )
    table = open_table(file, name=file.name)
    assert propose(table.columns)[0] == "squarespace-orders"
    [row] = prepare_path(file, "squarespace-orders", products={})
    assert row.order
    assert has(row.order, start_issue=3, length=6)
    assert list(row.order.sent) == [3, 4]


def test_woocommerce_rows_of_an_item_belong_together_without_an_order_number(
    tmp_path: Path,
) -> None:
    """Shops without an extension for order numbers have empty cells in `order_number`."""
    file = tmp_path / "orders.csv"
    head = (
        "order_id,order_number,date,status,order_total,order_currency,billing_first_name,"
        "billing_email,billing_address_1,billing_country,item_id,item_name,item_quantity,item_total"
    )
    who = "Ann,a@example.com,Street 1,DE"
    file.write_text(
        f"{head}\n"
        f"7,,2026-08-02 10:00:00,completed,54.00,EUR,{who},1,Annual (4 issues),1,36.00\n"
        f"7,,2026-08-02 10:00:00,completed,54.00,EUR,{who},2,Digital (2 issues),1,18.00\n"
        f"8,,2026-08-02 10:00:00,completed,36.00,EUR,{who},3,Annual (4 issues),1,36.00\n"
    )
    orders = orders_by_id(prepare_path(file, "woocommerce-orders"))
    assert list(orders) == ["7", "7-2", "8"]
    assert [order.price for order in orders.values()] == [3600, 1800, 3600]


@pytest.mark.parametrize("unpaid", ["", "leave_out", "by_invoice"])
def test_orders_that_wait_for_a_transfer_can_become_orders_by_invoice(
    unpaid: str, tmp_path: Path
) -> None:
    """Those that failed, and those that were cancelled or paid after all, are left out."""
    is_billed = unpaid == "by_invoice"
    path = tmp_path / "orders.csv"
    text = (FILES / "woocommerce-orders.csv").read_text("utf-8")
    path.write_text(text.replace(",pending,0.00,", ",on-hold,0.00,"), "utf-8")
    rows = prepare_path(path, "woocommerce-orders", gifts="no", unpaid=unpaid)
    orders = orders_by_id(rows)
    assert left_out(rows) == ([6, 10] if is_billed else [6, 9, 10])
    assert [id for id, order in orders.items() if order.billing] == ["3008"] * is_billed
    if is_billed:
        assert has(orders["3008"], price=3600, length=4, last_name="Stein", status=None)
    rows = prepare_file("shopify-orders", "shopify-orders", gifts="no", unpaid=unpaid)
    assert left_out(rows) == ([11, 12] if is_billed else [10, 11, 12])
    billed = [row.order for row in rows if row.order and row.order.billing]
    assert [(each.last_name, each.transaction_id) for each in billed] == (
        [("Hall", None)] * is_billed
    )
    path = tmp_path / "shopify.csv"
    text = (FILES / "shopify-orders.csv").read_text("utf-8")
    cancelled = text.replace(",,,,,Shopify Payments,c4100000000119", ",,,,2026-08-01,S,c41")
    assert cancelled != text
    path.write_text(cancelled, "utf-8")
    assert left_out(prepare_path(path, "shopify-orders", unpaid=unpaid)) == [10, 11, 12]


def test_an_order_on_hold_that_was_paid_gets_no_invoice(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text(
        "order_number,date,paid_date,status,order_total,line_items,shipping_last_name,"
        "shipping_country,billing_email\n"
        "1,2026-08-01,2026-08-03,on-hold,36,name:Annual,Fox,DE,fox@x.test\n"
        "2,2026-08-01,,on-hold,36,name:Annual,Lee,DE,lee@x.test\n",
        "utf-8",
    )
    rows = prepare_path(path, "woocommerce-orders", unpaid="by_invoice")
    assert left_out(rows) == [2]
    assert list(orders_by_id(rows)) == ["2"]
