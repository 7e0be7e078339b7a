"""The demo magazine's calendar: what comes out when, and issues.csv."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

TODAY = date(2026, 11, 20)  # the last day that the data knows of
RELEASED = 21  # issues out by TODAY; copies of the last one are still being sent
COLUMNS = (
    "number",
    "name",
    "release_date_actual",
    "release_date_fuzzy",
    "date_as_start_issue",
    "recurring_charge_date",
    "newsstand_ean",
)
_SEASONS = {22: "Spring 2027", 23: "Early summer 2027", 24: "Late summer 2027"}


def release(number: int) -> date:
    """The second Thursday of November, February, May or August, from November 2021 on."""
    months = 10 + 3 * (number - 1)
    first = date(2021 + months // 12, months % 12 + 1, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 7)


def sales_start(number: int) -> date:
    """The day from which orders begin with this issue: three weeks after the last one came out."""
    return release(number - 1) + timedelta(days=21) if number > 1 else date(2021, 9, 1)


def charge_date(number: int) -> date:
    """The day on which renewals that begin with this issue are charged."""
    return release(number) - timedelta(days=28)


def released_between(first: date, last: date) -> list[int]:
    """The issues that come out from the one day to the other, both included."""
    return [number for number in range(1, 24) if first <= release(number) <= last]


def add_months(day: date, months: int) -> date:
    """The same day of another month; day is 28 at most."""
    count = day.year * 12 + day.month - 1 + months
    return date(count // 12, count % 12 + 1, day.day)


def issue_rows(names: Sequence[str]) -> Iterator[dict[str, str]]:
    """The rows of issues.csv; of the last issue only the season is known."""
    for number, name in enumerate(names, start=1):
        row = dict.fromkeys(COLUMNS, "") | {"number": str(number), "name": name}
        row["release_date_fuzzy"] = _SEASONS.get(number, "")
        if number < len(names):
            row["release_date_actual"] = release(number).isoformat()
            row["date_as_start_issue"] = sales_start(number).isoformat()
        if (
            1 < number < len(names)
        ):  # the first issue wasn't sold in shops, and nobody renewed with it
            row["recurring_charge_date"] = charge_date(number).isoformat()
            row["newsstand_ean"] = _ean(number)
        yield row


def _ean(number: int) -> str:
    """EAN-13 of an issue, under a serial number (9999-994) that no register has given out."""
    digits = f"9779999994{number:02}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)
