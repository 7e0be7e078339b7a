"""The two CSV files of a statement: its figures, and its orders, one to a line.

The second has all that the figures follow from, so they can be worked out again from the file. If
VAT is apart, both have one more column for it, the last one.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from datetime import date

from masthead.model.revenue.recognition import OrderState, Recognition
from masthead.model.revenue.statement_figures import CurrencyFigures, StatementFigures, Sums
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.money import minor_units, money_text
from masthead.model.types.spreadsheets import MARK, csv_lines, guarded, unguarded

FIGURE_COLUMNS = (
    "day currency group issue issue_name orders copies_sent copies_not_sent price refunds earned"
    " deferred kept_after_cancellation"
).split()
ORDER_COLUMNS = (
    "order_number order_id subscription_id order_date currency price refunds earned deferred"
    " kept_after_cancellation first_issue last_issue issues_not_sent period_start period_end"
    " cancelled_on issues_skipped issues_added"
).split()
NET_ORDER_COLUMNS = [*ORDER_COLUMNS, "vat"]
# The same in files that are made for people. Rows with the same part_of add up to it
_SHOWN = [{"issue": "issue_number"}.get(name, name) for name in (*FIGURE_COLUMNS, "vat")]
SHOWN_COLUMNS = [*_SHOWN, "part_of"]
_PART_OF = {
    "issue subscriptions": "total",
    "memberships": "total",
    "issue": "issue subscriptions",
    "issues not yet announced": "issue subscriptions",
}
_GROUP_NAMES = {
    "total": gettext_noop("Total"),
    "issue subscriptions": gettext_noop("Issue subscriptions"),
    "memberships": gettext_noop("Memberships"),
    "issue": gettext_noop("Issue"),
    "issues not yet announced": gettext_noop("Issues not yet announced"),
}
_LINE_BREAK = re.compile(r"[\r\n]+")


def first_order_line(*, is_net: bool) -> bytes:
    """The names of the columns of the file of orders."""
    return MARK + csv_lines([NET_ORDER_COLUMNS if is_net else ORDER_COLUMNS])


def figure_columns(figures: StatementFigures) -> list[str]:
    """The names of the columns of the file of figures."""
    return [*FIGURE_COLUMNS, "vat"] if figures.is_net else FIGURE_COLUMNS


def figures_file(figures: StatementFigures) -> bytes:
    """The figures as a CSV file, by currency: the total, its groups, then each issue."""
    columns = figure_columns(figures)
    rows = [
        row[: len(columns)] for each in figures.currencies for row in figure_rows(figures.day, each)
    ]
    return MARK + csv_lines([columns, *rows])


def figure_rows(day: date, figures: CurrencyFigures) -> Iterator[list[object]]:
    """The figures of a currency as rows with `FIGURE_COLUMNS` and the VAT."""
    code = figures.currency
    groups = (
        ("total", figures.total),
        ("issue subscriptions", figures.subscriptions),
        ("memberships", figures.memberships),
    )
    for name, sums in groups:
        head: list[object] = [day, code, name, None, None, sums.orders, None, None]
        yield [*head, *_amounts(sums, code)]
    for issue in figures.issues:
        yield [
            *(day, code, "issue", issue.number, _guarded(issue.name), None),
            *(issue.copies, issue.unsent, None, None),
            money_text(issue.earned, code),
            money_text(issue.deferred, code),
            *(None, None),
        ]
    yield [
        *(day, code, "issues not yet announced", None, None, None, None, figures.later_issues),
        *(None, None, None, money_text(figures.later, code), None, None),
    ]


def shown_rows(day: date, figures: CurrencyFigures) -> Iterator[dict[str, object]]:
    """The figures of a currency as rows with `SHOWN_COLUMNS`, with the groups in words."""
    for row in figure_rows(day, figures):
        cells = dict(zip(_SHOWN, row, strict=True))
        group = str(cells["group"])
        whole = _PART_OF.get(group)
        yield {
            **cells,
            "group": _(_GROUP_NAMES[group]),
            "part_of": whole and _(_GROUP_NAMES[whole]),
        }


def _amounts(sums: Sums, currency: str) -> list[object]:
    amounts = (sums.price, sums.refunds, sums.earned, sums.deferred, sums.kept, sums.vat)
    return [money_text(each, currency) for each in amounts]


def order_row(order: OrderState, parts: Recognition, *, is_net: bool = False) -> list[object]:
    """The line of an order."""
    code = order.currency
    return [
        order.period_id,
        _guarded(order.order_id),
        order.subscription_id,
        order.order_date,
        code,
        *(
            money_text(each, code)
            for each in (order.price, order.refunds, parts.earned, parts.deferred, parts.kept)
        ),
        order.first_issue,
        order.last_issue,
        _unsent_text(order),
        order.period_start,
        order.period_end,
        order.cancelled_date,
        " ".join(map(str, sorted(order.skipped))),
        order.added or "",
        *([money_text(order.vat, code)] if is_net else []),
    ]


def read_order(cells: Sequence[str]) -> tuple[OrderState, Recognition]:
    """The order in a line of that file, with the parts that it states, without issues.

    An older file lacks the cells of skipped issues, and one without VAT apart the last one.
    """
    skipped, added, vat_text = [*cells[16:], "", "", ""][:3]
    code = cells[4]
    price, refunds, earned, deferred, kept = (
        minor_units(name, cell, code)
        for name, cell in zip(ORDER_COLUMNS[5:10], cells[5:10], strict=True)
    )
    vat = minor_units("vat", vat_text, code) if vat_text else 0
    first, last = _number(cells[10]), _number(cells[11])
    order = OrderState(
        period_id=int(cells[0]),
        order_id=unguarded(cells[1]),
        subscription_id=cells[2],
        order_date=date.fromisoformat(cells[3]),
        currency=code,
        price=price,
        refunds=refunds,
        first_issue=first,
        last_issue=last,
        sent=_sent_numbers(first, last, cells[12]) - set(map(int, skipped.split())),
        period_start=_day(cells[13]),
        period_end=_day(cells[14]),
        cancelled_date=_day(cells[15]),
        skipped=frozenset(map(int, skipped.split())),
        added=int(added or 0),
        vat=vat,
    )
    return order, Recognition(earned, deferred, kept, refunds, vat=vat)


def read_lines(content: bytes) -> Iterator[list[str]]:
    """The cells of whole lines of the file of orders."""
    return csv.reader(io.StringIO(content.decode(), newline=""))


def _unsent_text(order: OrderState) -> str:
    """The issues that are to be sent, such as `12 14-20`; empty for memberships."""
    if order.first_issue is None or order.last_issue is None:
        return ""
    ranges, first = [], order.first_issue
    for number in (*sorted({*order.sent, *order.skipped}), order.last_issue + 1):
        if number > first:
            ranges.append(str(first) if number == first + 1 else f"{first}-{number - 1}")
        first = number + 1
    return " ".join(ranges)


def _sent_numbers(first: int | None, last: int | None, unsent: str) -> frozenset[int]:
    """The issues that were sent, from the text of those that were not."""
    if first is None or last is None:
        return frozenset()
    sent: list[int] = []
    for each in unsent.split():
        low, _, high = each.partition("-")
        sent.extend(range(first, int(low)))
        first = int(high or low) + 1
    sent.extend(range(first, last + 1))
    return frozenset(sent)


def _number(text: str) -> int | None:
    return int(text) if text else None


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


def _guarded(text: str) -> str:
    """The text of a cell in one line, changed so that no spreadsheet runs it as a formula."""
    return guarded(_LINE_BREAK.sub(" ", text))
