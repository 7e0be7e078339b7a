"""The orders of a publisher over a year; always the same ones for a number of subscribers.

Each month an issue comes out. A subscription has twelve issues, so each month a twelfth of them
ends: most are renewed; new subscribers take the place of the others. One in eight does not renew
by itself: its subscriber gets a letter. One in twenty is a membership of a year.
"""

from collections.abc import Container, Iterator
from datetime import date, timedelta
from random import Random

from bench import data
from bench.data import Cells

ISSUES = 12  # a year, and of each subscription
RENEWED = 0.8
MEMBERSHIPS = 20  # one of so many is a membership
ASKED = 8  # one of so many does not renew by itself


class Publisher:
    """A publisher with some subscribers, from the first day of a month on."""

    def __init__(self, subscribers: int, first_day: date) -> None:
        self.subscribers, self.first_day = subscribers, first_day
        self._weights = [1 / n for n in range(1, len(data.COUNTRIES) + 1)]

    def month(self, number: int) -> date:
        """The first day of a month. number: 1 for the first one; 0 and less before the year."""
        months = self.first_day.month - 1 + number - 1
        year = self.first_day.year + months // 12
        return self.first_day.replace(year=year, month=months % 12 + 1)

    def release(self, issue: int) -> date:
        """The release date of an issue. The first twelve came out in the year before."""
        return self.month(issue - ISSUES).replace(day=20)

    def known_orders(self) -> Iterator[Cells]:
        """The orders of the year before. The last issue of each is one of the coming twelve."""
        for number in range(self.subscribers):
            month = number % ISSUES + 1  # of the year before, in which it began
            row = self._order(number, self.month(month - ISSUES))
            if row.get("type"):
                yield row
                continue
            sent = range(month, ISSUES + 1)
            row["start_issue"] = str(month)
            row["sent_issues"] = "|".join(map(str, sent))
            row["sent_dates"] = "|".join(str(self.release(each)) for each in sent)
            yield row

    def renewals(self, month: int, *, without: Container[int] = ()) -> Iterator[Cells]:
        """The renewals of the orders that end with the issue of the month before.

        without: the numbers of orders that were cancelled.
        """
        random = Random(f"renewals {month}")
        for number in range(month - 1, self.subscribers, ISSUES):
            if random.random() < RENEWED and number not in without:
                yield {
                    "order_id": f"R{month}-{number:08}",
                    "renews": f"S-{number:08}",
                    "price": "60.00",
                    "order_date": str(self.month(month) + timedelta(days=1)),
                }

    def new_orders(self, month: int) -> Iterator[Cells]:
        """The orders of new subscribers, who take the place of those who did not renew."""
        count = round(self.subscribers / ISSUES * (1 - RENEWED))
        for number in range(count):
            row = self._order(self.subscribers + month * count + number, self.month(month))
            if not row.get("type"):
                row["start_issue"] = str(ISSUES + month)
            yield row

    @staticmethod
    def number_of(email: str) -> int:
        """The number of a subscriber's first order."""
        return int(email.partition("@")[0].rpartition(".")[2])

    def _order(self, number: int, month: date) -> Cells:
        random = Random(number)
        first, last = random.choice(data.FIRST), random.choice(data.LAST)
        row = {
            "order_id": f"S-{number:08}",
            "email": f"{first}.{last}.{number}@subscribers.example".lower().replace("'", ""),
            "first_name": first,
            "last_name": last,
            "address1": f"{random.randrange(1, 200)} {random.choice(data.STREET)} Street",
            "city": random.choice(data.CITY),
            "postcode": str(random.randrange(10_000, 99_999)),
            "country": random.choices(data.COUNTRIES, self._weights)[0],
            "length": str(ISSUES),
            "is_recurring": str(number // ISSUES % ASKED != 0).lower(),
            "price": "60.00",
            "order_date": str(month + timedelta(days=14)),
        }
        if random.random() < 0.1:
            giver = f"{random.choice(data.FIRST)} {random.choice(data.LAST)}"
            row |= {"is_gift": "true", "gifter_name": giver, "gifter_email": f"g{number}@give.test"}
        if number % MEMBERSHIPS == MEMBERSHIPS - 1:
            end = month.replace(year=month.year + 1) - timedelta(days=1)
            row |= {"type": "membership", "interval_months": "12", "length": ""}
            row |= {"period_start": str(month), "period_end": str(end)}
        return row
