"""Takings: what came in some months for orders and invoices, and what was refunded."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import add_months
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits


class Counted(StrEnum):
    """What the takings count.

    came in: orders that were paid at once, and payments of invoices, less refunds. ordered: the
    prices of all orders, paid or not, by order date.
    """

    CAME_IN = "came-in"
    ORDERED = "ordered"


class TakingsGroup(Struct, frozen=True):
    """What a group of orders is about. An empty text stands for all of them.

    month: such as `2026-11`, of the orders or of the refunds. country: empty, too, for payments
    that settled nothing yet. No group has a country and also a source or a product.
    """

    month: str = ""
    source_id: str = ""
    product_id: str = ""
    country: str = ""


class TakingsLine(Struct, kw_only=True):
    """Sums of a group in one currency, in minor units.

    orders, price, discounts: of orders that were paid at once, by order date; or of all orders, if
    these are counted, and then the rest is zero. received: what came
    for invoices, less what was paid back to their payers, by the date of the payments. refunded: of
    orders that were paid at once, by the date of the refunds.
    """

    group: TakingsGroup
    currency: str
    orders: int = 0
    price: int = 0
    discounts: int = 0
    received: int = 0
    refunded: int = 0

    @property
    def net(self) -> int:
        """What came in, or was ordered; negative if more was refunded than came in."""
        return self.price + self.received - self.refunded

    @property
    def is_empty(self) -> bool:
        """Whether nothing came and nothing went, because all orders of the group were billed."""
        return not (self.orders or self.price or self.received or self.refunded)

    def add(self, other: "TakingsLine") -> None:
        """Add another line in the same currency."""
        self.orders += other.orders
        self.price += other.price
        self.discounts += other.discounts
        self.received += other.received
        self.refunded += other.refunded


GROUPINGS: dict[str, Callable[[TakingsGroup], TakingsGroup]] = {
    "month": lambda group: TakingsGroup(month=group.month),
    "source": lambda group: TakingsGroup(source_id=group.source_id),
    "product": lambda group: TakingsGroup(product_id=group.product_id),
    "country": lambda group: TakingsGroup(country=group.country),
    "country-month": lambda group: TakingsGroup(month=group.month, country=group.country),
    "all": lambda group: group,
    "total": lambda group: TakingsGroup(),
}


def add_up(lines: Iterable[TakingsLine], by: str) -> list[TakingsLine]:
    """The sums by one or several fields of the groups, or only by currency.

    by: a key of GROUPINGS. Sorted by currency and group.
    """
    regroup = GROUPINGS[by]
    sums: dict[tuple[str, TakingsGroup], TakingsLine] = {}
    for line in lines:
        key = line.currency, regroup(line.group)
        if key not in sums:
            sums[key] = TakingsLine(group=key[1], currency=key[0])
        sums[key].add(line)
    return sorted((each for each in sums.values() if not each.is_empty), key=_place)


def _place(line: TakingsLine) -> tuple[str, str, str, str, str]:
    group = line.group
    return line.currency, group.month, group.source_id, group.product_id, group.country


class CountryLine(Struct, frozen=True, kw_only=True):
    """What came in from a country, or was ordered there, in one currency, by month."""

    country: str
    by_month: Mapping[str, int]
    total: int


def by_country(lines: Iterable[TakingsLine]) -> list[CountryLine]:
    """The sums of lines in one currency, the largest first; those without a country are the last.

    A country that comes to zero is left out if each of its months does.
    """
    sums = defaultdict[str, Counter[str]](Counter)
    for line in lines:
        sums[line.group.country][line.group.month] += line.net
    found = [
        CountryLine(
            country=country,
            by_month={month: amount for month, amount in months.items() if amount},
            total=months.total(),
        )
        for country, months in sums.items()
        if any(months.values())
    ]
    return sorted(found, key=lambda line: (not line.country, -line.total, line.country))


class MonthRange(Struct, frozen=True):
    """Consecutive months, such as `2026-01` to `2026-12`."""

    first: str
    last: str

    @property
    def is_year(self) -> bool:
        """Whether they are all months of one year."""
        return self == MonthRange.of_year(self.first_day.year)

    @property
    def first_day(self) -> date:
        """The first day of the first month."""
        return date.fromisoformat(f"{self.first}-01")

    @property
    def last_day(self) -> date:
        """The last day of the last month."""
        following = add_months(date.fromisoformat(f"{self.last}-01"), 1)
        return following - timedelta(days=1) if following else date.max

    @property
    def months(self) -> list[str]:
        """All months, the first one first."""
        year, month = map(int, self.first.split("-"))
        found = [self.first]
        while found[-1] < self.last:
            year, month = (year + 1, 1) if month == 12 else (year, month + 1)
            found.append(f"{year:04}-{month:02}")
        return found

    @classmethod
    def of_year(cls, year: int) -> "MonthRange":
        """The months of a year."""
        return cls(f"{year:04}-01", f"{year:04}-12")


def read_months(first: str, last: str, *, today: date) -> MonthRange:
    """The months between two texts such as `2026-01`; by default the last twelve.

    Raises: Invalid, with the field `from` or `to`.
    """
    newest = _month("to", last) if last else f"{today:%Y-%m}"
    if first:
        oldest = _month("from", first)
    else:
        oldest = f"{add_months(date.fromisoformat(f'{newest}-01'), -11) or today:%Y-%m}"
    if oldest > newest:
        raise Invalid(
            _("The first month {first} is after the last month {last}.").format(
                first=oldest, last=newest
            ),
            field="from",
            value=first,
        )
    return MonthRange(oldest, newest)


def _month(field: str, text: str) -> str:
    year, _dash, month = text.partition("-")
    is_month = len(text) == 7 and is_digits(year, at_most=4) and is_digits(month, at_most=2)
    if not is_month or not int(year) >= 1900 or not 1 <= int(month) <= 12:
        raise Invalid(
            _("“{text}” is not a month. Type it like 2026-01.").format(text=text[:80]),
            field=field,
            value=text,
        )
    return text
