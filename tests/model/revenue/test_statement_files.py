"""The files of a statement hold all that its figures follow from."""

from datetime import date

from hypothesis import given, strategies as st

from masthead.model.revenue.comparison import compare_orders
from masthead.model.revenue.recognition import OrderState, recognize
from masthead.model.revenue.statement_figures import FigureCounter, StatementFigures
from masthead.model.revenue.statement_files import (
    figures_file,
    first_order_line,
    order_row,
    read_lines,
    read_order,
)
from masthead.model.types.spreadsheets import csv_lines
from tests.model.revenue.test_recognition import DAY, member, order, states
from tests.support.revenue import is_balanced

NAMES = {number: f"Issue {number}" for number in range(1, 70)}


def line(state: OrderState, day: date = DAY) -> bytes:
    return csv_lines([order_row(state, recognize(state, day, sorted(NAMES)))])


def text(state: OrderState) -> str:
    return line(state).decode().rstrip("\r\n")


def count(*orders: OrderState) -> StatementFigures:
    counter = FigureCounter(DAY, NAMES)
    for each in orders:
        counter.add(each, recognize(each, DAY, sorted(NAMES)))
    return counter.finish()


def test_an_order_is_a_line() -> None:
    assert text(order(sent={21, 23}, refunds=100)) == (
        "7,1001,S,2026-01-15,EUR,42.00,1.00,21.00,20.00,0.00,21,24,22 24,,,,,"
    )


def test_a_membership_is_a_line() -> None:
    assert text(member(cancelled_date=date(2026, 12, 22))) == (
        "7,1001,S,2026-01-15,EUR,42.00,0.00,4.20,0.00,37.80,,,,2026-12-22,2026-12-31,2026-12-22,,"
    )


def test_issues_not_sent_are_ranges() -> None:
    assert ",21,24,21-24," in text(order())
    assert ",21,24,21 23-24," in text(order(sent={22}))
    assert ",21,24,," in text(order(sent={21, 22, 23, 24}))


def test_skipped_issues_are_neither_sent_nor_owed() -> None:
    state = order(last_issue=25, sent={21}, skipped={23}, added=1)
    assert text(state).endswith(",21,25,22 24-25,,,,23,1")
    (cells,) = read_lines(line(state))
    assert read_order(cells)[0] == state
    older, _amounts = read_order(cells[:-2])
    assert (older.skipped, older.added) == (frozenset(), 0)


def test_vat_is_the_last_cell_if_it_is_apart() -> None:
    state = order(vat=275, sent={21})
    row = order_row(state, recognize(state, DAY, sorted(NAMES)), is_net=True)
    (cells,) = read_lines(csv_lines([row]))
    assert [cells[0], *cells[5:10], cells[-1]] == "7 42.00 0.00 9.81 29.44 0.00 2.75".split()
    found, stated = read_order(cells)
    assert (found.vat, stated.vat) == (275, 275)


def test_the_figures_have_vat_in_their_last_column_if_it_is_apart() -> None:
    counter = FigureCounter(DAY, NAMES, is_net=True)
    state = order(vat=275, first_issue=21, last_issue=21)
    counter.add(state, recognize(state, DAY, sorted(NAMES)))
    lines = figures_file(counter.finish()).decode().splitlines()
    assert lines[0].endswith(",deferred,kept_after_cancellation,vat")
    assert lines[1] == "2026-12-31,EUR,total,,,1,,,42.00,0.00,0.00,39.25,0.00,2.75"
    assert {line.count(",") for line in lines} == {13}


def test_a_file_from_before_is_compared_with_one_that_has_vat_apart() -> None:
    before, after = order(), order(vat=275)
    new = csv_lines([order_row(after, recognize(after, DAY, sorted(NAMES)), is_net=True)])
    oldest = line(before).replace(b",,\r\n", b"\r\n")  # without the cells of skipped issues
    for old in (line(before), oldest):
        [found] = compare_orders(
            first_order_line(is_net=False) + old, first_order_line(is_net=True) + new
        )
        assert found.before == {"deferred": "42.00", "vat": ""}
        assert found.after == {"deferred": "39.25", "vat": "2.75"}


def test_no_spreadsheet_runs_an_order_id_as_a_formula() -> None:
    (cells,) = read_lines(line(order(order_id="=1+1\nx")))
    assert cells[1] == "'=1+1 x"
    assert read_order(cells)[0].order_id == "=1+1 x"


@given(states(), st.dates())
def test_an_order_is_read_back_from_its_line(state: OrderState, day: date) -> None:
    parts = recognize(state, day, sorted(NAMES))
    (cells,) = read_lines(csv_lines([order_row(state, parts, is_net=True)]))
    found, amounts = read_order(cells)
    assert set(found.sent) == set(state.sent)
    assert recognize(found, day, sorted(NAMES)) == parts
    stated = (amounts.earned, amounts.deferred, amounts.kept, amounts.refunds)
    assert stated == (parts.earned, parts.deferred, parts.kept, parts.refunds)


def test_currencies_are_never_added() -> None:
    figures = count(order(sent={21}), order(currency="USD"), member(currency="USD"))
    assert [each.currency for each in figures.currencies] == ["EUR", "USD"]
    euros, dollars = figures.currencies
    assert (euros.total.earned, euros.total.deferred) == (1050, 3150)
    assert dollars.total.price == 8400
    assert (dollars.memberships.earned, dollars.subscriptions.earned) == (4200, 0)
    assert figures.find("USD") is dollars
    assert figures.find("GBP") is None
    assert is_balanced(euros.total)


def test_the_figures_by_issue() -> None:
    late = order(first_issue=68, last_issue=71)
    (euros,) = count(order(sent={21}), order(sent={21, 22}), late).currencies
    assert [(each.number, each.copies, each.earned) for each in euros.sent_issues] == [
        (21, 2, 2100),
        (22, 1, 1050),
    ]
    assert [(each.number, each.unsent, each.deferred) for each in euros.owed_issues] == [
        (22, 1, 1050),
        (23, 2, 2100),
        (24, 2, 2100),
        (68, 1, 1050),
        (69, 1, 1050),
    ]
    assert (euros.later, euros.later_issues) == (2100, 2)


def test_the_file_of_the_figures() -> None:
    content = figures_file(count(order(sent={21}, first_issue=21, last_issue=22)))
    assert content.decode().lstrip("\ufeff").splitlines() == [
        "day,currency,group,issue,issue_name,orders,copies_sent,copies_not_sent,price,refunds,"
        "earned,deferred,kept_after_cancellation",
        "2026-12-31,EUR,total,,,1,,,42.00,0.00,21.00,21.00,0.00",
        "2026-12-31,EUR,issue subscriptions,,,1,,,42.00,0.00,21.00,21.00,0.00",
        "2026-12-31,EUR,memberships,,,0,,,0.00,0.00,0.00,0.00,0.00",
        "2026-12-31,EUR,issue,21,Issue 21,,1,0,,,21.00,0.00,",
        "2026-12-31,EUR,issue,22,Issue 22,,0,1,,,0.00,21.00,",
        "2026-12-31,EUR,issues not yet announced,,,,,0,,,,0.00,",
    ]


def test_orders_that_differ_are_named_with_what_differs() -> None:
    same, gone = order(period_id=1), order(period_id=2, order_id="gone")
    before = order(period_id=3, order_id="1003")
    after = order(period_id=3, order_id="1003", sent={21})
    new = order(period_id=4, order_id="new")
    found = list(
        compare_orders(
            b"".join(map(line, (same, gone, before))), b"".join(map(line, (same, after, new)))
        )
    )
    assert [(each.order_id, each.is_new, each.is_gone) for each in found] == [
        ("1003", False, False),
        ("new", True, False),
        ("gone", False, True),
    ]
    assert found[0].before == {"earned": "0.00", "deferred": "42.00", "issues_not_sent": "21-24"}
    assert found[0].after == {"earned": "10.50", "deferred": "31.50", "issues_not_sent": "22-24"}


def test_equal_statements_do_not_differ() -> None:
    assert not list(compare_orders(line(order()), line(order())))
