"""A file that names the last issue of a subscription, as in `Expires with issue`."""

from datetime import date
from typing import Any

import pytest

from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.mapping import ItemOffer, Rule
from tests.support.import_tables import ROW, mapping_of, order_of, prepared, reasons_of

LAST = {"last_issue": "Last"}
FROM_TO = {**LAST, "start_issue": "First"}


def test_the_length_counts_from_the_start_issue_to_the_last() -> None:
    order = order_of({"First": "3", "Last": "12"}, FROM_TO, without=["length"])
    assert (order.start_issue, order.length) == (3, 10)
    both = order_of({"First": "3", "Last": "6"}, FROM_TO)
    assert (both.start_issue, both.length) == (3, 4)


def test_the_start_issue_follows_from_the_last_and_the_length_or_from_a_date() -> None:
    order = order_of({"Last": "12"}, LAST)
    assert (order.start_issue, order.length) == (9, 4)
    order = order_of({"Last": "12"}, LAST, without=["length"])
    assert (order.start_issue, order.length) == (2, 11)  # issue 2 was on sale on that day


@pytest.mark.parametrize(
    "cells, words",
    [
        ({"First": "3", "Last": "2"}, "begins with issue 3, which makes 0 issues; expected 1 to"),
        ({"First": "1", "Last": "1001"}, "which makes 1001 issues; expected 1 to 1000."),
        ({"First": "1", "Last": "9", "Issues": "4"}, "4 issues from issue 1 end with issue 4."),
        ({"Last": "2", "Issues": "4"}, "4 issues from issue 2 end with issue 5."),
    ],
)
def test_issues_that_do_not_agree_are_refused(cells: dict[str, str], words: str) -> None:
    reasons = reasons_of({"Issues": "", "First": "", **cells}, FROM_TO)
    assert list(reasons) == ["Last"]
    assert words in reasons["Last"]


def test_a_last_issue_without_a_start_issue_says_what_to_map() -> None:
    reasons = reasons_of({"Last": "12"}, LAST, without=["length", "order_date"])
    assert "but the start issue is not known. Map a column to the start issue" in reasons["Last"]
    assert "length" not in reasons
    renewal = {**LAST, "renews": "Renews"}
    reasons = reasons_of({"Last": "12", "Renews": "0"}, renewal, without=["length"])
    assert "but the start issue is not known." in reasons["Last"]
    order = order_of({"Last": "12", "Renews": "0"}, renewal)
    assert (order.renews, order.start_issue, order.length) == ("0", None, 4)


@pytest.mark.parametrize("products", [{}, {"Plan*": ItemOffer(length=4)}])
def test_the_issues_of_a_row_count_more_than_those_of_its_product(products: Any) -> None:
    cells = {**ROW, "Plan": "Plan of 6 issues", "First": "1", "Last": "10", "Issues": ""}
    mapping = mapping_of({**FROM_TO, "product": "Plan"}, products=products)
    [row] = prepared([cells], mapping)
    assert row.order is not None
    assert row.order.length == 10
    [row] = prepared([{**cells, "First": ""}], mapping)
    assert row.order is not None
    assert row.order.start_issue == 10 - (4 if products else 6) + 1


def test_a_membership_ignores_the_last_issue() -> None:
    columns: dict[str, str | Rule] = {**LAST, "interval_months": "Months", "period_end": "End"}
    columns["type"] = Rule(constant="membership")
    cells = {"Last": "12", "Months": "12", "End": "2026-12-31"}
    order = order_of(cells, columns, without=["length"])
    assert (order.start_issue, order.length, order.period_end) == (None, None, date(2026, 12, 31))


@pytest.mark.parametrize(
    "name", ["Expires with issue", "Last issue", "last_issue", "letzte Ausgabe", "Abo bis Heft"]
)
def test_a_column_with_the_last_issue_is_recognized(name: str) -> None:
    assert guess_mapping(["Name", name]).columns["last_issue"] == Rule(columns=(name,))
