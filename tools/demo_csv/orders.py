"""One order as a row of subscriptions.csv: what was bought, its price, the copies sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from tools.demo_csv.issues import RELEASED, TODAY, release, sales_start
from tools.demo_csv.people import People, Person

COLUMNS = (
    "order_id",
    "type",
    "email",
    "first_name",
    "last_name",
    "company",
    "address1",
    "address2",
    "city",
    "state",
    "postcode",
    "country",
    "phone",
    "start_issue",
    "length",
    "interval_months",
    "period_start",
    "period_end",
    "is_recurring",
    "status",
    "is_comp",
    "is_gift",
    "gifter_name",
    "gifter_email",
    "medium",
    "price",
    "currency",
    "discount_amount",
    "refunded",
    "promo_code",
    "order_date",
    "transaction_id",
    "notes",
    "sent_issues",
    "sent_dates",
    "renews",
)
_ADDRESS = ("address1", "address2", "city", "state", "postcode", "phone")
_SPELLINGS = (("true", "false"), ("yes", "no"), ("1", "0"))
_MEDIA = {"Print": 38, "": 32, "Digital": 12, "Print + digital": 18}
_MEDIUM_PERCENT = {"Print": 100, "": 100, "Digital": 50, "Print + digital": 120}


@dataclass(frozen=True)
class Currency:
    """Prices in minor units: of an issue, of a month of membership, and the step of rounding."""

    decimals: int
    issue: int
    month: int
    step: int

    def text(self, minor: int) -> str:
        """Decimal text in the currency's own precision."""
        whole, rest = divmod(minor, 10**self.decimals)
        return f"{whole}.{rest:0{self.decimals}}" if self.decimals else str(whole)

    def minor(self, text: str) -> int:
        """What `text` says, in minor units."""
        return int(text.replace(".", ""))


CURRENCIES = {
    "EUR": Currency(2, 1050, 400, 50),
    "USD": Currency(2, 1300, 450, 50),
    "GBP": Currency(2, 950, 350, 50),
    "CHF": Currency(2, 1150, 450, 50),
    "JPY": Currency(0, 1700, 650, 50),
    "KWD": Currency(3, 3550, 1250, 250),
}


@dataclass(eq=False)
class Row:
    """One row before its order id is known; `renews` is the row that this one renews."""

    ordered: date
    cells: dict[str, str]
    renews: "Row | None" = None

    @property
    def is_membership(self) -> bool:
        """Whether it is billed by the calendar."""
        return self.cells["type"] == "membership"


@dataclass
class Orders:
    """Draws orders into `rows`."""

    random: Random
    people: People
    words: Mapping[str, Any]
    rows: list[Row] = field(default_factory=list)

    def chance(self, share: float) -> bool:
        """True in this share of all cases."""
        return self.random.random() < share

    def days(self, first: date, end: date) -> date:
        """Some day from the first on, before the end."""
        return first + timedelta(days=self.random.randrange((end - first).days))

    def order(self, person: Person, ordered: date, **cells: str) -> Row:
        """A first order; a boolean given as "yes" is written in one of three spellings."""
        yes, no = self.random.choice(_SPELLINGS)
        row = Row(ordered, dict.fromkeys(COLUMNS, "") | person.cells | cells)
        row.cells["medium"] = self.random.choices(list(_MEDIA), list(_MEDIA.values()))[0]
        for name in ("is_recurring", "is_comp", "is_gift"):
            row.cells[name] = yes if row.cells[name] else no if self.chance(0.2) else ""
        if row.cells["medium"] == "Digital" and self.chance(0.5):  # an address isn't asked for
            row.cells |= dict.fromkeys(_ADDRESS, "")
        if not row.cells["notes"] and self.chance(0.11):
            row.cells["notes"] = self.random.choice(self.words["notes"])
        self.rows.append(row)
        return row

    def renewal(self, of: Row, ordered: date, **cells: str) -> Row:
        """A later order of the same subscription."""
        kept = {name: of.cells[name] for name in ("type", "medium", "length", "interval_months")}
        row = Row(ordered, dict.fromkeys(COLUMNS, "") | kept | cells, of)
        self.rows.append(row)
        return row

    def send(self, row: Row, person: Person, numbers: Sequence[int]) -> None:
        """Fill in the copies sent; of the first years the days aren't always known."""
        days = {number: self._left(number, row, near=person.near) for number in numbers}
        sent = {number: day for number, day in days.items() if day}
        row.cells["sent_issues"] = "|".join(map(str, sent))
        if row.ordered > date(2022, 6, 1) or self.chance(0.4):
            row.cells["sent_dates"] = "|".join(map(str, sent.values()))

    def charge_issues(self, row: Row, person: Person, length: int) -> None:
        """The price of so many issues: cheaper by the dozen, as a file, and before issue 13."""
        percent = _MEDIUM_PERCENT[row.cells["medium"]]
        percent -= 5 if length >= 8 else 0
        percent -= 10 if row.ordered < sales_start(13) else 0
        self._charge(row, person, CURRENCIES[person.currency].issue * length * percent)

    def charge_months(self, row: Row, person: Person, months: int) -> None:
        """The price of so many months: a year for the price of ten."""
        percent = {1: 100, 3: 92, 12: 83}[months]
        self._charge(row, person, CURRENCIES[person.currency].month * months * percent)

    def _charge(self, row: Row, person: Person, listed: int) -> None:
        """Fill in the money columns; listed is in hundredths of a minor unit, without discount."""
        currency = CURRENCIES[person.currency]
        price = max(currency.step, listed // 100 // currency.step * currency.step)
        if self.chance(0.09):
            code = self.random.choice(list(self.words["promo_codes"]))
            discount = price * self.words["promo_codes"][code] // 100
            row.cells |= {"promo_code": code, "discount_amount": currency.text(discount)}
            price -= discount
        row.cells["price"] = currency.text(price)
        if self.chance(0.02):
            row.cells["refunded"] = currency.text(min(price, 10 * currency.step))
        if person.currency != "EUR" or self.chance(0.4):
            row.cells["currency"] = person.currency
        if self.chance(0.3):
            row.cells["transaction_id"] = f"ch_{self.random.getrandbits(32):08x}"

    def _left(self, number: int, row: Row, *, near: bool) -> date | None:
        """The day on which a copy left; None if it isn't out, waits, or got lost (1 in 250)."""
        digital = row.cells["medium"] == "Digital"
        day = release(number) + timedelta(days=0 if digital else 1 if near else 6)
        if row.ordered > day - timedelta(days=3):  # a back issue leaves when it is ordered
            day = row.ordered + timedelta(days=3)
        waits = number == RELEASED and not digital and not near  # for the second parcel service
        return None if number > RELEASED or waits or day > TODAY or self.chance(0.004) else day
