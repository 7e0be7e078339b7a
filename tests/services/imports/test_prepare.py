"""Rows of any table become orders, or all the reasons against them."""

from datetime import date

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping, ItemOffer, Rule
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import Line
from masthead.model.translations import in_language
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.services.imports.reading import prepare, survey
from tests.support.cases import for_each
from tests.support.import_tables import (
    FACTS,
    ROW,
    mapping_of,
    order_of,
    prepared,
    reasons_of,
    table_of,
)

OWN = {
    "order_id": "A1",
    "first_name": "Ada",
    "address1": "Weg 1",
    "postcode": "10115",
    "city": "Berlin",
    "country": "DE",
    "order_date": "2026-01-15",
    "price": "42",
    "start_issue": "1",
    "length": "4",
}


def test_a_row_of_a_spreadsheet_becomes_an_order() -> None:
    order = order_of()
    assert (order.order_id, order.last_name, order.country) == ("1", "Bell", "DE")
    assert (order.order_date, order.price, order.length) == (date(2026, 5, 1), 4000, 4)
    assert (order.start_issue, order.type) == (2, SubscriptionType.SUBSCRIPTION)


def test_all_reasons_are_said_at_once_with_the_columns_of_the_file() -> None:
    reasons = reasons_of(
        {"Land": "Germny", "Total": "x", "Date": "soon", "Issues": "0", "Mail": "ada"},
        {"email": "Mail"},
    )
    assert list(reasons) == ["Land", "Date", "Issues", "Mail", "Total"]
    assert reasons["Land"].startswith("`Land` is `Germny`; expected the name of a country")
    [row] = prepared([{**ROW, "Land": "Germny"}])
    assert row.reasons[0].value == "Germny"


def test_a_wrong_cell_that_two_fields_come_from_has_one_reason() -> None:
    [row] = prepared([{**ROW, "Date": "soon"}], mapping_of({"start_date": "Date"}))
    assert [(each.column, each.value) for each in row.reasons] == [("Date", "soon")]
    assert row.reasons[0].text.startswith("`Date` is `soon`; expected a date")


def test_an_email_is_read_without_the_name_around_it_and_two_are_refused() -> None:
    assert order_of({"Mail": "Ada <ada@x.org>;"}, {"email": "Mail"}).email == "ada@x.org"
    for text in ("ada@x.org\nbob@x.org", "ada@x.org ::: bob@x.org", ";"):
        assert list(reasons_of({"Mail": text}, {"email": "Mail"})) == ["Mail"]


@for_each(
    "cell, lines",
    [
        ("Beispielweg\n1", ("Beispielweg 1", None)),
        ("Beispielweg\r\n12 a-14\r\nHof", ("Beispielweg 12 a-14", "Hof")),
        ("12\x0bMain Street", ("12 Main Street", None)),
        ("Weg 1\n2", ("Weg 1", "2")),
        ("Weg 1\n\nHof", ("Weg 1", "Hof")),
    ],
)
def test_a_house_number_in_a_line_of_its_own_stays_with_its_street(
    cell: str, lines: tuple[str, str | None]
) -> None:
    order = order_of({"Street": cell}, {"address1": "Street"})
    assert (order.address1, order.address2) == lines


def test_a_missing_field_without_a_column_says_so() -> None:
    reasons = reasons_of(without=["price"])
    assert "`price` is missing" in reasons["price"]
    assert "No column of the file is mapped to it." in reasons["price"]


def test_our_own_columns_need_no_mapping_and_all_reasons_are_said_too() -> None:
    [good, bad] = prepared(
        [OWN, {**OWN, "order_id": "", "country": "XX", "price": "", "start_issue": ""}],
        ImportMapping(),
    )
    assert good.order is not None
    assert good.order.start_issue == 1
    assert [problem.column for problem in bad.reasons] == [
        *("country", "order_id", "start_issue", "price")
    ]
    with pytest.raises(Invalid, match="`colour`"):
        prepared([{**OWN, "colour": "red"}], ImportMapping())


@pytest.mark.parametrize(
    "cells, status, warning",
    [
        ({"status": "Active"}, None, ""),
        ({"status": "complete"}, None, "`Complete`, but by its data the subscription is `Active`"),
        ({"status": "Cancelled"}, SubscriptionStatus.CANCELLED, ""),
        ({"status": "past due", "is_recurring": "ja"}, SubscriptionStatus.PAST_DUE, ""),
        ({"status": "Complete", "sent_issues": "1|2|3|4"}, None, ""),
        ({"status": "Active", "sent_issues": "1|2|3|4"}, None, "the subscription is `Complete`"),
        ({"status": "Complete", "renews": "A0"}, None, ""),
    ],
)
def test_a_status_that_follows_from_the_data_is_compared_and_not_refused(
    cells: dict[str, str], status: SubscriptionStatus | None, warning: str
) -> None:
    [row] = prepared([{**OWN, **cells}], ImportMapping())
    assert row.order is not None
    assert row.order.status is status
    assert len(row.warnings) == bool(warning)
    assert warning in "".join(row.warnings)


def test_a_warning_names_statuses_in_the_language_of_the_page() -> None:
    with in_language("de_DE"):
        [row] = prepared([{**OWN, "status": "complete"}], ImportMapping())
    assert "`Beendet`" in row.warnings[0]
    assert "`Aktiv`" in row.warnings[0]


def test_the_status_of_a_membership_follows_from_its_end() -> None:
    cells = {
        **OWN,
        "type": "membership",
        "start_issue": "",
        "length": "",
        "interval_months": "12",
        "period_start": "2025-01-01",
        "period_end": "2025-12-31",
        "status": "Active",
    }
    [ended, renewing] = prepared([cells, {**cells, "is_recurring": "x"}], ImportMapping())
    assert "is `Complete`" in ended.warnings[0]
    assert "is `Past due`" in renewing.warnings[0]


def test_damage_of_spreadsheets_is_refused_in_our_own_columns_too() -> None:
    cells = {**OWN, "phone": "4.47701E+11", "postcode": "1067.0"}
    [row] = prepared([cells], ImportMapping())
    assert [problem.column for problem in row.reasons] == ["postcode", "phone"]
    assert all("Format the column as text" in problem.text for problem in row.reasons)


def test_an_order_id_that_a_spreadsheet_damaged_is_refused_once() -> None:
    [row] = prepared([{**OWN, "order_id": "1E+11"}], ImportMapping())
    assert [problem.column for problem in row.reasons] == ["order_id"]


def test_a_table_without_rows_has_no_orders() -> None:
    table = structs.replace(table_of([OWN]), read=lambda: iter([]))
    assert list(prepare(table, ImportPlan(), survey(table, ImportMapping()), FACTS)) == []


def test_a_german_postcode_of_four_digits_is_warned_about() -> None:
    [row] = prepared([{**OWN, "postcode": "1067"}], ImportMapping())
    assert row.warnings == [
        "Postcode `1067` is too short; a spreadsheet may have lost a zero.",
    ]


@pytest.mark.parametrize("rows", [OWN, ROW])
def test_a_mapping_adds_lost_zeros_to_postcodes(rows: dict[str, str]) -> None:
    """Also to that of the payer; by the country of each."""
    is_own = rows is OWN
    codes = {"postcode": "1067", "payer_postcode": "4109", "payer_country": "DE"}
    payer = {"is_billed": "yes", "payer_company": "Rathaus", "payer_address1": "Markt 1"}
    more = {**codes, **payer, "payer_city": "Leipzig"}
    columns = {name: name for name in more}
    mapping = (
        ImportMapping(postcodes="add_zeros")
        if is_own
        else mapping_of(columns, postcodes="add_zeros")
    )
    [row] = prepared([{**rows, **more}], mapping)
    assert row.order
    assert row.order.postcode == "01067"
    assert row.fields["payer_postcode"] == "04109"
    assert row.warnings[:2] == [
        "Postcode `1067` has lost a zero; it is imported as `01067`.",
        "Postcode `4109` has lost a zero; it is imported as `04109`.",
    ]


@pytest.mark.parametrize(
    "cells, column",
    [
        ({"order_date": "2099-01-01"}, "order_date"),
        ({"order_date": "2026-12-24"}, "order_date"),
        ({"sent_issues": "1", "sent_dates": "2199-01-01"}, "sent_dates"),
        ({"status": "Cancelled", "cancelled_date": "2099-01-01"}, "cancelled_date"),
        ({"status": "Cancelled", "cancelled_date": "2026-01-14"}, "cancelled_date"),
        ({"discount_amount": "42.01"}, "discount_amount"),
    ],
)
def test_values_that_no_shop_has_are_refused(cells: dict[str, str], column: str) -> None:
    [row] = prepared([{**OWN, **cells}], ImportMapping())
    assert [problem.column for problem in row.reasons] == [column]


@pytest.mark.parametrize(
    "cells, column",
    [
        ({"status": "Past due"}, "status"),
        ({"cancelled_date": "2026-02-01"}, "cancelled_date"),
        ({"gifter_name": "Ben"}, "is_gift"),
        ({"interval_months": "3"}, "interval_months"),
        ({"type": "membership", "start_issue": ""}, "interval_months"),
    ],
)
def test_fields_that_do_not_fit_each_other_are_refused(cells: dict[str, str], column: str) -> None:
    [row] = prepared([{**OWN, **cells}], ImportMapping())
    assert row.reasons[0].column == column


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    columns = {"period_start": "From", "period_end": "Until"}
    cells = {"Issues": "", "From": "2026-02-01", "Until": "2026-01-01"}
    assert list(reasons_of(cells, columns)) == ["Until"]


def test_a_reason_about_a_value_that_no_column_gives_names_the_field() -> None:
    [row] = prepared([ROW])
    problem = row.problem_of(Invalid("`medium` is wrong.", field="medium", value="Paper"))
    assert (problem.column, problem.text) == ("medium", "`medium` is wrong.")


def test_a_day_ahead_and_a_discount_of_everything_are_fine() -> None:
    ahead = {**OWN, "order_date": "2026-11-23"}
    free = {**OWN, "price": "0", "discount_amount": "42"}
    assert all(row.order for row in prepared([ahead, free], ImportMapping()))


def test_a_discount_may_be_more_than_a_price_that_was_paid_after_it() -> None:
    cells, columns = {"Total": "15.00", "Less": "30.00"}, {"discount_amount": "Less"}
    assert list(reasons_of(cells, columns)) == ["Less"]
    order = order_of(cells, columns, price_after_discount=True)
    assert (order.price, order.discount_amount) == (1500, 3000)


def test_all_combined_errors_of_amounts_and_emails_are_said() -> None:
    cells = {**OWN, "email": "a@placeholder.example", "refunded": "43", "price": "42"}
    [row] = prepared([cells], ImportMapping())
    assert [problem.column for problem in row.reasons] == ["email", "refunded"]


def test_rows_that_cannot_be_read_are_refused() -> None:
    table = table_of([ROW])
    lines = [Line(2, [], "The quotes are not closed."), Line(3, ["1"] * 7)]
    table = structs.replace(table, read=lambda: iter(lines))
    mapping = mapping_of()
    found = survey(table, mapping)
    rows = list(prepare(table, ImportPlan(mapping=mapping), found, FACTS))
    assert [row.reasons[0].text for row in rows] == [
        "The quotes are not closed.",
        "The row has more cells than there are columns.",
    ]
    assert found.rows == 2


def test_a_text_that_is_too_long_is_refused() -> None:
    assert list(reasons_of({"Last": "x" * 300})) == ["Last"]


def test_an_order_id_that_is_too_long_with_its_prefix_is_refused() -> None:
    [row] = prepared([{**ROW, "Id": "1" * 250}], order_prefix="SHOP-12")
    assert "too long with its prefix" in row.reasons[0].text


def test_the_prefix_is_put_before_order_ids_and_the_orders_they_renew() -> None:
    mapping = mapping_of({"renews": "Renews"}, order_prefix="X-")
    [first, second] = prepared([{**ROW, "Renews": "7"}, ROW], mapping, order_prefix="SHOP-")
    assert first.order is not None
    assert (first.order.order_id, first.order.renews) == ("SHOP-1", "SHOP-7")
    assert second.order is not None
    assert second.order.order_id == "SHOP-1"
    assert order_of(order_prefix="X-").order_id == "X-1"


def test_a_row_without_an_order_id_gets_the_same_one_whenever_it_is_imported() -> None:
    def made(**cells: str) -> str:
        return order_of(cells, {"email": "Mail", "city": "City"}, without=["order_id"]).order_id

    first = made(Mail="ada@example.com", City="Bonn")
    assert first.startswith("ROW-")
    assert made(Mail="Ada@Example.com", City="Berlin", Land="Germany", Date="1.5.2026") == first
    assert made(Mail="ada@example.com", City="Bonn", Total="41") != first
    assert made(Mail="", City="Bonn") != first


def test_columns_that_make_order_ids_can_be_named() -> None:
    def made(**cells: str) -> str:
        return order_of(cells, without=["order_id"], order_id_from=("Key", "Id")).order_id

    assert made(Key="K") == "K-1"
    assert made(Key="ada@example.com").startswith("ROW-")
    assert made(Key="k" * 100).startswith("ROW-")


def test_digital_orders_need_no_country_and_no_name() -> None:
    columns: dict[str, str | Rule] = {"medium": Rule(constant="Digital"), "email": "Mail"}
    order = order_of({"Mail": "a@example.com", "Last": "", "Land": ""}, columns)
    assert (order.country, order.medium, order.last_name) == ("DE", Medium.DIGITAL, None)
    reasons = reasons_of({"Last": "", "Mail": ""}, columns)
    assert reasons["Mail"].startswith("`Mail` and the name are missing")


def test_printed_copies_need_a_name_and_a_country_and_are_warned_about_without_a_street() -> None:
    assert list(reasons_of({"Last": "", "Land": ""})) == ["Last", "Land"]
    [row] = prepared([ROW])
    assert row.warnings == ["There is no street, so copies cannot be posted."]
    [row] = prepared([{**OWN, "postcode": ""}], ImportMapping())
    assert row.warnings == ["The postcode is missing. Printed issues need it."]


def test_an_order_without_an_address_can_be_digital() -> None:
    order = order_of({"Land": ""}, medium_without_address="Digital")
    assert (order.medium, order.country) == (Medium.DIGITAL, "DE")


def test_a_street_of_several_lines_fills_the_second_line() -> None:
    columns = {"address1": "Street", "address2": "More"}
    order = order_of({"Street": "Flat 2\n11 Hope St", "More": "Yard"}, columns)
    assert (order.address1, order.address2) == ("Flat 2", "11 Hope St, Yard")
    assert order_of({"Street": "A\n\nB", "More": ""}, columns).address2 == "B"


BILLING = {
    "full_name": "To",
    "address1": "To street",
    "phone": "To phone",
    "billing_full_name": "By",
    "billing_address1": "By street",
    "billing_country": "By land",
    "billing_phone": "By phone",
    "email": "Mail",
}
BOUGHT = {"By": "Ben Fox", "By street": "Way 1", "By land": "FR", "By phone": "07", "To": ""}


def test_the_billing_address_is_taken_as_a_whole_if_shipping_is_empty() -> None:
    order = order_of(BOUGHT, BILLING, without=["last_name"])
    assert (order.first_name, order.last_name, order.address1) == ("Ben", "Fox", "Way 1")
    assert (order.country, order.phone) == ("FR", "07")
    shipped = order_of({**BOUGHT, "To street": "Road 2", "To": "Mia Fox"}, BILLING)
    assert (shipped.address1, shipped.country, shipped.is_gift) == ("Road 2", "DE", False)


def test_an_order_for_another_name_is_a_gift_of_the_buyer() -> None:
    cells = {**BOUGHT, "To": "Mia Fox", "To street": "Road 2", "Mail": "ben@example.com"}
    order = order_of(cells, BILLING, without=["last_name"], gifts="by_name")
    assert (order.is_gift, order.gifter_name, order.gifter_email) == (
        *(True, "Ben Fox", "ben@example.com"),
    )
    assert (order.first_name, order.email) == ("Mia", None)
    same = order_of({**cells, "To": "BEN FOX"}, BILLING, without=["last_name"], gifts="by_name")
    assert (same.is_gift, same.email) == (False, "ben@example.com")
    without = {**cells, "Mail": ""}
    assert list(reasons_of(without, BILLING, gifts="by_name")) == ["Mail"]


def test_the_buyer_of_a_gift_gets_the_invoice_at_their_address() -> None:
    cells = {**BOUGHT, "To": "Mia Fox", "To street": "Road 2", "Mail": "ben@example.com"}
    mapped = BILLING | {"is_billed": "Bill"}
    order = order_of({**cells, "Bill": "yes"}, mapped, without=["last_name"], gifts="by_name")
    assert order.billing is not None
    assert (order.billing.payer_address1, order.billing.payer_country) == ("Way 1", "FR")


def test_the_customer_number_of_a_paid_order_is_kept() -> None:
    order = order_of(
        {"No": "70001", "Firm": "Fox AG"}, {"payer_number": "No", "payer_name": "Firm"}
    )
    assert (order.payer_number, order.billing) == (70001, None)


def test_columns_of_parts_of_a_name_win_over_a_full_name() -> None:
    order = order_of({"Name": "Ada Lovelace"}, {"full_name": "Name"})
    assert (order.first_name, order.last_name) == (None, "Bell")


PERIOD = {"billing_period": "Per", "billing_interval": "Every", "next_payment_date": "Next"}
MONTHLY = {"Per": "month", "Every": "3", "Next": "2026-12-01", "Issues": ""}


def test_a_period_ends_with_the_next_payment_and_begins_one_interval_before() -> None:
    order = order_of(MONTHLY, PERIOD)
    assert (order.type, order.interval_months) == (SubscriptionType.MEMBERSHIP, 3)
    assert (order.period_start, order.period_end) == (date(2026, 9, 1), date(2026, 11, 30))
    late = order_of({**MONTHLY, "Date": "2026-10-10"}, PERIOD)
    assert late.period_start == date(2026, 10, 10)
    clamped = {"Date": "2025-10-31", "Every": "1", "Next": "2026-11-30"}
    assert order_of({**MONTHLY, **clamped}, PERIOD).period_start == date(2026, 10, 31)
    same = order_of({**MONTHLY, "From": "2026-12-01"}, {**PERIOD, "period_start": "From"})
    assert (same.period_start, same.period_end) == (date(2026, 12, 1), date(2026, 12, 1))


@pytest.mark.parametrize(
    "per, every, months, start",
    [
        ("week", "1", 1, date(2026, 11, 24)),
        ("day", "0", 1, date(2026, 11, 30)),
        ("weeks", "26", 6, date(2026, 6, 2)),
        ("year", "1", 12, date(2025, 12, 1)),
    ],
)
def test_weekly_and_daily_periods_have_exact_days_and_the_nearest_months(
    per: str, every: str, months: int, start: date
) -> None:
    cells = {**MONTHLY, "Per": per, "Every": every, "Date": "2020-01-01"}
    order = order_of(cells, PERIOD)
    assert (order.interval_months, order.period_start) == (months, start)


@pytest.mark.parametrize(
    "per, every, warning",
    [
        ("day", "1", "It is billed every day. Intervals are kept in months, so this one becomes 1"),
        ("week", "2", "It is billed every 14 days. Intervals are kept in months"),
        ("week", "26", "so this one becomes 6 months; the price and the paid days stay"),
        ("month", "1", ""),
    ],
)
def test_an_interval_that_is_no_number_of_months_is_said(
    per: str, every: str, warning: str
) -> None:
    place = {"Street": "Kai 1", "Zip": "20457", "Town": "Hamburg"}
    cells = {**ROW, **MONTHLY, **place, "Per": per, "Every": every}
    columns = {**PERIOD, "address1": "Street", "postcode": "Zip", "city": "Town"}
    [row] = prepared([cells], mapping_of(columns))
    assert len(row.warnings) == bool(warning)
    assert warning in "".join(row.warnings)
    [issues] = prepared([{**cells, "Issues": "4"}], mapping_of(columns))
    months: dict[str, str | Rule] = {**columns, "length": "Nothing"}
    months["interval_months"] = Rule(constant="3")
    [stated] = prepared([{**cells, "Nothing": ""}], mapping_of(months))
    assert issues.warnings == stated.warnings == []


@pytest.mark.parametrize(
    "words, months, days", [("weekly", 1, 7), ("every 2 weeks", 1, 14), ("Monatlich", 1, 30)]
)
def test_an_interval_in_words_is_a_billing_period(words: str, months: int, days: int) -> None:
    order = order_of({**MONTHLY, "Per": "", "Every": words}, PERIOD)
    assert order.period_start is not None
    assert order.interval_months == months
    assert (date(2026, 12, 1) - order.period_start).days == days


def test_a_period_whose_end_is_far_away_begins_with_the_last_anniversary() -> None:
    cells = {"Issues": "", "Per": "year", "Next": "2099-12-31", "Since": "2024-03-01"}
    columns = {"billing_period": "Per", "next_payment_date": "Next", "anniversary": "Since"}
    order = order_of(cells, columns)
    assert (order.period_start, order.period_end) == (date(2026, 3, 1), date(2099, 12, 30))
    exact = order_of({**cells, "From": "2027-01-01"}, {**columns, "period_start": "From"})
    assert exact.period_start == date(2027, 1, 1)


def test_a_period_without_an_end_begins_with_the_last_payment_or_anniversary() -> None:
    cells = {"Issues": "", "Per": "year", "Paid": "2026-03-01", "Since": "2024-02-29"}
    columns = {"billing_period": "Per", "last_payment_date": "Paid"}
    order = order_of(cells, columns)
    assert (order.period_start, order.period_end) == (date(2026, 3, 1), date(2027, 2, 28))
    order = order_of(cells, {**columns, "anniversary": "Since"})
    assert (order.period_start, order.period_end) == (date(2026, 2, 28), date(2027, 2, 27))
    weekly = order_of({**cells, "Per": "week"}, {**columns, "anniversary": "Since"})
    assert weekly.period_start == date(2026, 11, 19)
    ahead = order_of({**cells, "Since": "2026-12-24"}, {**columns, "anniversary": "Since"})
    assert ahead.period_start == date(2026, 12, 24)


def test_an_interval_follows_from_the_days_of_a_period() -> None:
    columns = {"period_start": "From", "period_end": "Until", "interval_months": "Months"}
    cells = {"Issues": "", "From": "2026-01-01", "Until": "2026-06-30", "Months": ""}
    assert order_of(cells, columns).interval_months == 6
    assert order_of({**cells, "Until": "2026-01-01"}, columns).interval_months == 1
    order = order_of({**cells, "From": "", "Months": "3"}, columns)
    assert order.period_start == date(2026, 5, 1)
    order = order_of({**cells, "From": "", "Months": "3", "Date": "2024-04-01"}, columns)
    assert (order.period_start, order.period_end) == (date(2026, 4, 1), date(2026, 6, 30))
    assert list(reasons_of({**cells, "From": "", "Date": "", "Months": ""}, columns)) == [
        *("Months", "From", "Date")
    ]


def test_days_at_the_end_of_the_calendar_do_not_fail() -> None:
    cells = {"Issues": "", "Per": "month", "Every": "1000", "From": "9999-12-31", "Next": ""}
    columns = {**PERIOD, "period_start": "From", "interval_months": "Months"}
    assert reasons_of({**cells, "Months": "1200"}, columns)
    assert reasons_of({**cells, "Per": "week", "Every": "100000"}, columns)


def test_a_membership_ignores_issues_and_a_subscription_ignores_months() -> None:
    order = order_of({**MONTHLY, "Issues": "4"}, {**PERIOD, "type": Rule(constant="membership")})
    assert (order.length, order.start_issue, order.interval_months) == (None, None, 3)
    order = order_of({**MONTHLY, "Issues": "4"}, PERIOD)
    assert (order.length, order.start_issue, order.interval_months) == (4, 3, None)


def test_a_date_gives_the_start_issue() -> None:
    columns = {"start_date": "Start"}
    assert order_of({"Start": "2026-07-15"}, columns).start_issue == 3
    assert order_of({"Start": "2026-07-14"}, columns).start_issue == 2
    assert order_of({"Start": "2026-07-16"}, columns, start_issue_rule="next").start_issue == 4
    reasons = reasons_of({"Start": "2020-01-01"}, columns)
    assert "No issue was released on `2020-01-01` or earlier" in reasons["Start"]


STATUS = {"status": "State", "cancelled_date": "End", "is_recurring": "Renews"}


@pytest.mark.parametrize(
    "state, end, renews, status, recurring",
    [
        ("wc-on-hold", "", "", SubscriptionStatus.PAST_DUE, True),
        ("expired", "2026-06-01", "yes", None, False),
        ("paid", "2026-06-01", "", SubscriptionStatus.CANCELLED, False),
        ("paid", "", "", None, False),
        ("", "2026-06-01", "", SubscriptionStatus.CANCELLED, False),
        ("active", "2026-06-01", "yes", SubscriptionStatus.RENEWALS_STOPPED, True),
        ("active", "2026-06-01", "", None, False),
        ("CANCELED", "2026-06-01", "", SubscriptionStatus.CANCELLED, False),
        ("Active patron", "", "", None, False),
    ],
)
def test_statuses_of_shops_become_ours(
    state: str, end: str, renews: str, status: SubscriptionStatus | None, recurring: bool
) -> None:
    theirs = {
        "on-hold": "Past due",
        "expired": "not recurring",
        "paid": "not stated",
        "active*": "Active",
        "trial": "ask",
        "pending": "leave out",
    }
    order = order_of({"State": state, "End": end, "Renews": renews}, STATUS, status=theirs)
    assert (order.status, order.is_recurring) == (status, recurring)
    if status is not SubscriptionStatus.CANCELLED:
        assert order.cancelled_date is None
    assert (
        "say what this status means"
        in reasons_of({"State": "trial"}, STATUS, status=theirs)["State"]
    )
    [row] = prepared([{**ROW, "State": "pending"}], mapping_of(STATUS, status=theirs))
    assert (row.order, row.left_out, row.left_out_value) == (None, "State", "pending")


def test_rows_can_be_filtered() -> None:
    rows = [{**ROW, "Tier": tier, "Kind": kind} for tier, kind in zip("abc", "xyz", strict=True)]
    mapping = mapping_of(only={"Tier": ("A", "b*"), "Gone": ("1",)}, never={"Kind": ("Y",)})
    found = prepared(rows, mapping)
    assert [(row.left_out, row.left_out_value) for row in found] == [
        ("", ""),
        ("Kind", "y"),
        ("Tier", "c"),
    ]


def test_rows_without_money_or_content_can_be_left_out() -> None:
    mapping = mapping_of({"is_comp": "Free"}, positive=("price",))
    rows = [{**ROW, "Free": "", "Total": total} for total in ("1", "-1", "0", "", "x")]
    outcomes = [row.left_out or bool(row.reasons) for row in prepared(rows, mapping)]
    assert outcomes == [False, "Total", "Total", True, True]
    mapping = mapping_of({"is_comp": "Free", "product": "Item"}, has_one_of=("product", "is_comp"))
    rows = [{**ROW, "Free": free, "Item": item} for free, item in (("no", ""), ("no", "x"))]
    assert [row.left_out for row in prepared(rows, mapping)] == ["Item", ""]


OFFERS = {
    "Print*": ItemOffer(product="Print", length=4, medium="print"),
    "App": ItemOffer(length=2, medium="Digital", source="Shop"),
    "Club": ItemOffer(interval_months=12),
    "Old": ItemOffer(leave_out=True),
}
ITEMS = {"product": "Item", "quantity": "Count", "item_price": "Each"}
ITEM = {**ROW, "Issues": "", "Count": "1", "Each": "40", "Mail": "a@example.com"}


def test_items_are_looked_up_among_the_products() -> None:
    mapping = mapping_of(ITEMS, products=OFFERS)
    rows = [{**ITEM, "Item": item} for item in ("Print, one year", "app", "Club", "Old", "Mug", "")]
    printed, app, club, *others = prepared(rows, mapping, product_id="OTHER")
    assert printed.order is not None
    assert (printed.product_id, printed.order.length) == ("PRINT", 4)
    assert app.order is not None
    assert (app.product_id, app.source_id, app.order.medium) == ("OTHER", "SHOP", Medium.DIGITAL)
    assert club.order is not None
    assert club.order.period_end == date(2027, 4, 30)
    assert [(row.left_out, row.left_out_value) for row in others] == [
        ("Item", "Old"),
        ("Item", "Mug"),
        ("Item", ""),
    ]


def test_an_order_with_several_products_becomes_several_orders() -> None:
    rows = [
        {**ITEM, "Item": "Mug", "Total": "104.01", "Each": "10", "State": "paid"},
        {**ROW, "Item": "Print", "Count": "2", "Each": "37", "Issues": "", "State": ""},
        {**ROW, "Item": "App", "Count": "1", "Each": "20", "Issues": "", "State": ""},
        {**ITEM, "Id": "2", "Item": "App", "State": "paid"},
    ]
    mapping = mapping_of(ITEMS, products=OFFERS, continues="State")
    one, two, three, four = prepared(rows, mapping)
    orders = [row.order for row in (one, two, three, four)]
    assert [order and order.order_id for order in orders] == ["1", "1-2", "1-3", "2"]
    assert [order and order.price for order in orders] == [3700, 3700, 2000, 4000]
    assert [order and order.length for order in orders] == [4, 4, 2, 2]
    assert [len(row.lines) for row in (one, two, three, four)] == [3, 3, 3, 1]
    assert [row.part for row in (one, two, three, four)] == [1, 2, 3, 1]
    assert "3 subscriptions" in one.warnings[0]


def test_without_prices_of_items_copies_share_the_price_equally() -> None:
    columns = {"product": "Item", "quantity": "Count", "discount_amount": "Less"}
    rows = [
        {**ITEM, "Item": "Print", "Count": "3", "Total": "100", "Less": "-1", "Id": "1"},
        {**ITEM, "Item": "Mug", "Count": "", "Id": "1"},
    ]
    found = prepared(rows, mapping_of(columns, products=OFFERS, groups=("Id",)))
    assert [row.order and row.order.price for row in found] == [3334, 3333, 3333]
    assert [row.order and row.order.discount_amount for row in found] == [34, 33, 33]
    assert "includes other products" in found[0].warnings[0]


def test_shares_have_the_decimals_of_their_currency_and_are_read_once() -> None:
    columns = {"product": "Item", "quantity": "Count", "currency": "Cur"}
    row = {**ITEM, "Item": "Print", "Count": "3", "Total": "1,000", "Cur": "JPY"}
    mapping = mapping_of(columns, products=OFFERS)
    assert [each.order and each.order.price for each in prepared([row], mapping)] == [334, 333, 333]
    row |= {"Total": "1000", "Cur": "EUR"}
    cents = mapping_of(columns, products=OFFERS, money_in="cents")
    assert [each.order and each.order.price for each in prepared([row], cents)] == [334, 333, 333]


def test_packed_items_are_unpacked() -> None:
    rules = {
        "product": Rule(packed="Items", part="name", columns=("Item",)),
        "quantity": Rule(packed="Items", part="quantity"),
        "item_price": Rule(packed="Items", part="total"),
        "promo_code": Rule(packed="Codes", part="code", columns=("Code",)),
    }
    packed = "id:1|name:Print; one year|quantity:2|total:60;id:2|name:Mug|quantity:1|total:40"
    row = {**ITEM, "Items": packed, "Codes": "code:X|amount:1", "Total": "100"}
    first, second = prepared([row], mapping_of(rules, products=OFFERS))
    assert first.order is not None
    assert (first.order.price, first.order.promo_code, first.order.length) == (3000, "X", 4)
    assert second.order is not None
    assert second.order.order_id == "1-2"
    row = {**ITEM, "Items": "", "Item": "App", "Codes": "", "Code": "Y"}
    [only] = prepared([row], mapping_of(rules, products=OFFERS))
    assert only.order is not None
    assert (only.order.length, only.order.promo_code) == (2, "Y")
    del rules["product"]
    rules["product"] = Rule(packed="Items", part="name")
    [none] = prepared([row], mapping_of(rules, products=OFFERS))
    assert none.left_out == "Items"


def test_wrong_numbers_of_items_are_refused() -> None:
    mapping = mapping_of(ITEMS, products=OFFERS)
    [row] = prepared([{**ITEM, "Item": "App", "Count": "many", "Each": "x"}], mapping)
    assert [problem.column for problem in row.reasons] == ["Count"]
    [row] = prepared([{**ITEM, "Item": "App", "Count": "2", "Each": "x", "Total": "y"}], mapping)[
        :1
    ]
    assert [problem.column for problem in row.reasons] == ["Total", "Each"]


def test_amounts_can_be_in_cents() -> None:
    assert order_of({"Total": "4200"}, money_in="cents").price == 4200
    assert order_of({"Total": "0"}, money_in="cents").price == 0
    assert list(reasons_of({"Total": "42.5"}, money_in="cents")) == ["Total"]


def test_lists_of_issues_and_dates_are_read_with_other_separators() -> None:
    columns = {"sent_issues": "Sent", "sent_dates": "On", "start_issue": "From"}
    cells = {"From": "1", "Sent": "1, 2", "On": "1.2.2026;"}
    assert order_of(cells, columns).sent == {1: date(2026, 2, 1), 2: None}
    assert list(reasons_of({**cells, "Sent": "a;b"}, columns)) == ["Sent", "On"]
    reasons = reasons_of({**cells, "On": "soon|"}, columns)
    assert reasons["On"].startswith("`On` is `soon`")
    assert list(reasons_of({**cells, "Sent": "1|2", "On": "1.2.2026"}, columns)) == ["On"]


def test_a_symbol_is_a_currency_too() -> None:
    assert order_of({"Cur": "€"}, {"currency": "Cur"}).currency == "EUR"
    assert list(reasons_of({"Cur": "?"}, {"currency": "Cur"})) == ["Cur"]


def test_ids_and_codes_lose_what_a_spreadsheet_added() -> None:
    assert order_of({"Id": '="007"'}).order_id == "007"
    assert order_of({"Id": "'"}, order_id_from=("Last",)).order_id == "Bell"


def test_names_keep_their_apostrophes_and_codes_lose_them() -> None:
    columns = {"city": "Town", "email": "Mail", "postcode": "Zip"}
    order = order_of({"Last": "'Aiea", "Town": "'=1+1", "Mail": "'a@b.test", "Zip": "'1A"}, columns)
    assert (order.last_name, order.city) == ("'Aiea", "=1+1")
    assert (order.email, order.postcode) == ("a@b.test", "1A")
