"""The kinds of subscriptions, and how many of each the demo publication has."""

from collections.abc import Callable
from datetime import date, timedelta

from tools.demo_csv.issues import (
    RELEASED,
    TODAY,
    add_months,
    charge_date,
    released_between,
    sales_start,
)
from tools.demo_csv.orders import CURRENCIES, Orders, Row
from tools.demo_csv.people import Person

STOPPED = "Active - Renewals stopped"


class Publication(Orders):
    """Each method below draws one subscription of its kind, with its renewals."""

    # -- issue by issue ------------------------------------------------------------------------

    def one_off(self) -> None:
        """Bought once, sometimes bought again."""
        person, start = self.people.subscriber(no_email=0.07), self._start()
        length = self.random.choices([4, 8, 2, 12, 1], [58, 20, 12, 6, 4])[0]
        row = self._issues(person, start, length)
        while (start := start + length) <= RELEASED and self.chance(0.16):
            self._renew(row, person, start, self._order_day(start))

    def institution(self) -> None:
        """A library or a shop that pays, for long."""
        self._issues(self.people.institution(), self._start(), self.random.choice([4, 8, 12]))

    def gift(self) -> None:
        """Paid by someone else, often another subscriber; mostly for Christmas."""
        person, gifter = self.people.subscriber(no_email=0.35), self.people.subscriber()
        christmas = self.random.choice([2, 6, 10, 14, 18, 18, 22])
        start = christmas if self.chance(0.4) else self._start()
        notes = self.random.choice(self.words["gift_notes"]) if self.chance(0.25) else ""
        length = self.random.choices([4, 2, 8], [75, 15, 10])[0]
        self._issues(
            person,
            start,
            length,
            is_gift="yes",
            gifter_name=gifter.full_name,
            gifter_email=gifter.cells["email"],
            notes=notes,
        )

    def comp(self) -> None:
        """Free copies for contributors, reviewers and libraries."""
        library = self.chance(0.45)
        person = self.people.institution() if library else self.people.subscriber(no_email=0.1)
        length = self.random.choice([4, 4, 8, 12, 24])
        notes = self.random.choice(self.words["comp_notes"])
        self._issues(person, self._start(), length, is_comp="yes", notes=notes)

    def cancelled(self) -> None:
        """Ended early, mostly with money back for what wasn't sent."""
        person, length = self.people.subscriber(), self.random.choice([4, 4, 8, 8, 12])
        start = min(self._start(), RELEASED - 1)
        stop = min(start + self.random.randrange(length), RELEASED + 1)
        cells = {"status": "Cancelled", "notes": self.random.choice(self.words["cancel_notes"])}
        cells["is_recurring"] = "yes" if self.chance(0.5) else ""
        row = self._issues(person, start, length, stop=stop, **cells)
        if self.chance(0.6):
            currency = CURRENCIES[person.currency]
            back = currency.minor(row.cells["price"]) * (start + length - stop) // length
            row.cells["refunded"] = currency.text(back)

    def recurring(self) -> None:
        """Renewed by itself up to the present issue or beyond."""
        person, length = self.people.subscriber(), self.random.choices([4, 2, 8], [80, 8, 12])[0]
        last = RELEASED + self.random.randrange(length)
        periods = min(self.random.choices([1, 2, 3, 4], [50, 28, 14, 8])[0], last // length)
        start = last - periods * length + 1
        row = self._issues(person, start, length, is_recurring="yes")
        for begin in range(start + length, last + 1, length):
            self._renew(row, person, begin, charge_date(begin))

    def past_due(self) -> None:
        """The last issue paid for is out, and the charge for the next one failed."""
        person, length = self.people.subscriber(), self.random.choice([4, 4, 8])
        last = self.random.choices([18, 19, 20], [10, 30, 60])[0]
        notes = self.random.choice(self.words["failed_notes"]) if self.chance(0.5) else ""
        start = last - length + 1
        self._issues(person, start, length, is_recurring="yes", status="Past due", notes=notes)

    def stopped(self) -> None:
        """Won't renew; most have copies to come, some had their last one."""
        person, length = self.people.subscriber(), self.random.choice([4, 4, 8])
        last = self.random.choices([19, 20, 21, 22, 23, 24], [6, 9, 20, 25, 25, 15])[0]
        self._issues(person, last - length + 1, length, is_recurring="yes", status=STOPPED)

    def _start(self) -> int:
        """A start issue; the readership grows, and the first issue had many founders."""
        weights = [28, *(4 + number for number in range(2, RELEASED)), 18]
        return self.random.choices(range(1, RELEASED + 1), weights)[0]

    def _order_day(self, start: int) -> date:
        """A day on which an order would begin with this issue."""
        if start > RELEASED:  # asked for
            return TODAY - timedelta(days=self.random.randrange(30))
        return self.days(sales_start(start), min(sales_start(start + 1), TODAY))

    def _issues(
        self, person: Person, start: int, length: int, *, stop: int = 99, **cells: str
    ) -> Row:
        """A first order, sent as far as the issues are out and before issue `stop`."""
        cells |= {"start_issue": str(start), "length": str(length)}
        row = self.order(person, self._order_day(start), **cells)
        self.send(row, person, range(start, min(start + length, stop)))
        if cells.get("is_comp"):
            row.cells["price"] = self.random.choice(["0", "0.00"])
        else:
            self.charge_issues(row, person, length)
        return row

    def _renew(self, of: Row, person: Person, start: int, ordered: date) -> None:
        """One more period of the same length, beginning with issue `start`."""
        length = int(of.cells["length"])
        row = self.renewal(of, ordered, start_issue=str(start) if self.chance(0.3) else "")
        self.send(row, person, range(start, start + length))
        self.charge_issues(row, person, length)

    # -- by the calendar -----------------------------------------------------------------------

    def member(self) -> None:
        """A Friend of the magazine, paid up and renewing."""
        months = self._interval()
        periods = self.random.randint(1, {1: 5, 3: 3, 12: 3}[months])
        self._membership(months, self._running(months), periods, is_recurring="yes")

    def member_once(self) -> None:
        """One period that won't renew, running or long ended; some are presents."""
        months = self.random.choice([3, 12, 12])
        begun = self._running(months) if self.chance(0.5) else self._ended(months, date(2023, 2, 1))
        if self.chance(0.3):
            gifter = self.people.subscriber()
            name, email = gifter.full_name, gifter.cells["email"]
            self._membership(months, begun, 1, is_gift="yes", gifter_name=name, gifter_email=email)
        elif self.chance(0.12):
            self._membership(months, begun, 1, is_comp="yes", notes="Crew of the print shop.")
        else:
            self._membership(months, begun, 1)

    def member_past_due(self) -> None:
        """The last period ran out a few weeks ago without a renewal; half the files say so."""
        months = self._interval()
        periods = self.random.randint(1, 3)
        stated = {"status": "Past due"} if periods == 1 else {}
        last = self._ended(months, add_months(TODAY.replace(day=1), -months - 2))
        self._membership(months, last, periods, is_recurring="yes", **stated)

    def member_stopped(self) -> None:
        """Won't renew; running still, or over."""
        months = self._interval()
        begun = self._running(months) if self.chance(0.8) else self._ended(months, date(2025, 1, 1))
        self._membership(months, begun, 1, is_recurring="yes", status=STOPPED)

    def member_cancelled(self) -> None:
        """Ended on the spot."""
        months = self._interval()
        begun = self._running(months) if self.chance(0.5) else self._ended(months, date(2024, 6, 1))
        notes = self.random.choice(self.words["cancel_notes"])
        self._membership(months, begun, 1, is_recurring="yes", status="Cancelled", notes=notes)

    def _interval(self) -> int:
        """How many months one period has."""
        return self.random.choices([1, 3, 12], [40, 25, 35])[0]

    def _running(self, months: int) -> date:
        """The first day of a period that runs for another week at least."""
        day = TODAY - timedelta(days=self.random.randrange(months * 28 - 8))
        return day.replace(day=min(day.day, 28))

    def _ended(self, months: int, earliest: date) -> date:
        """The first day of a period that is over."""
        day = self.days(earliest, add_months(TODAY, -months))
        return day.replace(day=min(day.day, 28))

    def _membership(self, months: int, last: date, periods: int, **cells: str) -> None:
        """Periods of so many months, the last beginning on the day `last`; each is an order."""
        person = self.people.subscriber(no_email=0.03)
        row: Row | None = None
        for period in range(periods):
            begun = add_months(last, months * (period - periods + 1))
            end = add_months(begun, months) - timedelta(days=1)
            dates = {"period_start": begun.isoformat(), "period_end": end.isoformat()}
            if row is None:
                cells |= {"type": "membership", "interval_months": str(months)}
                order = row = self.order(person, begun, **cells, **dates)
            else:
                order = self.renewal(row, begun, **(dates if self.chance(0.5) else {}))
            self.send(order, person, released_between(begun, end))
            if cells.get("is_comp"):
                order.cells["price"] = "0"
            else:
                self.charge_months(order, person, months)


KINDS: dict[Callable[[Publication], None], int] = {
    Publication.one_off: 600,
    Publication.institution: 45,
    Publication.gift: 325,
    Publication.comp: 80,
    Publication.cancelled: 105,
    Publication.recurring: 400,
    Publication.past_due: 45,
    Publication.stopped: 70,
    Publication.member: 190,
    Publication.member_once: 55,
    Publication.member_past_due: 30,
    Publication.member_stopped: 20,
    Publication.member_cancelled: 20,
}
