"""Dates and moments as people and programs write them."""

from datetime import date
from zoneinfo import ZoneInfo

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.values.days import date_order_of, is_no_day, read_day
from tests.support.cases import for_each

BERLIN, UTC = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")


def read(text: str, order: str = "", written_in: ZoneInfo = BERLIN) -> date | None:
    """The day of a text, in Berlin."""
    return read_day("order_date", text, order=order, zone=BERLIN, written_in=written_in)


@for_each(
    "text, day",
    [
        ("2026-01-15", "2026-01-15"),
        ("2026/1/5", "2026-01-05"),
        ("1.2.2026", "2026-02-01"),
        ("1. 2. 2026", "2026-02-01"),
        ("1.2.26", "2026-02-01"),
        ("1.2.99", "1999-02-01"),
        ("5/5/2026", "2026-05-05"),
        ("2016-07-14 14:03:11", "2016-07-14"),
        ("2026-01-31T23:30:00Z", "2026-02-01"),
        ("2026-01-31T00:00:00Z", "2026-01-31"),
        ("2026-01-31T23:30:00.123+01:00", "2026-01-31"),
        ("2024-05-01 23:03:11 -0400", "2024-05-02"),
        ("2024-05-01 23:03 UTC", "2024-05-02"),
        ("2/2/2026, 11:30:05\u202fPM +0000", "2026-02-03"),
        ("Feb 13, 2026, 11:30\u202fPM UTC", "2026-02-14"),
        ("2/2/2026, 11:30 p.\xa0m. UTC", "2026-02-03"),
        ("42565", "2016-07-14"),
        ("42565.5854", "2016-07-14"),
        ("20160714", "2016-07-14"),
        ("1468527000", "2016-07-14"),
        ("Jul 25, 2018", "2018-07-25"),
        ("July 5th, 2018", "2018-07-05"),
        ("25 July 2018", "2018-07-25"),
        ("25. Juli 2018", "2018-07-25"),
        ("1. März 2018", "2018-03-01"),
        ("4 juillet 2019", "2019-07-04"),
        ("5-Jan-2020", "2020-01-05"),
        ("28-Feb-26", "2026-02-28"),
        ("28-FEB-26 14:05", "2026-02-28"),
        ("28. Feb. 26", "2026-02-28"),
        ("15/Jan/2026", "2026-01-15"),
        ("3. Mrz 26", "2026-03-03"),
        ("28-févr.-26", "2026-02-28"),
        ("28-mrt-26", "2026-03-28"),
        ("15-ene-26", "2026-01-15"),
        ("15-gen-26", "2026-01-15"),
        ("5-Jan-99", "1999-01-05"),
        ("Wed Jul 25 2018 23:06:00 GMT+0000 (UTC)", "2018-07-26"),
    ],
)
def test_dates_are_read_as_they_are_written(text: str, day: str) -> None:
    assert read(text) == date.fromisoformat(day)


@for_each(
    "text",
    [
        *("0", "0000-00-00", "0000-00-00 00:00:00", "-", "N/A", "00/00/0000", "0.0", "0,00"),
        *("0000-00-00T00:00:00Z", "0000/00/00 12:30", "00.00.0000", "0/0/0000", "00-00-0000 00:00"),
        *("0000000000", "00:00:00", "0000-00-00 00:00:00 +0000", " 0 "),
        *("1899-12-30", "1899-12-31 00:00:00", "30.12.1899", "12/30/1899", "31/12/1899"),
        *("1900-01-00", "00.01.1900", "1/0/1900", "0/1/1900 0:00", "00/01/1900"),
        *("1970-01-01 00:00:00", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000+00:00"),
        *("01.01.1970 00:00", "1/1/1970 0:00", "1969-12-31 16:00:00", "1969-12-31T19:00:00-05:00"),
    ],
)
def test_dates_that_are_not_set_are_empty(text: str) -> None:
    assert is_no_day(text)
    assert read(text) is None


@for_each(
    "text, day",
    [
        *(("1970-01-01", "1970-01-01"), ("1.1.1970", "1970-01-01")),
        *(("1970-01-01 10:30", "1970-01-01"), ("2000-01-01 00:00:00", "2000-01-01")),
        *(("1969-12-31", "1969-12-31"), ("10.10.2010", "2010-10-10")),
    ],
)
def test_a_day_that_somebody_meant_is_no_zero(text: str, day: str) -> None:
    assert not is_no_day(text)
    assert read(text) == date.fromisoformat(day)


def test_the_order_of_day_and_month_is_that_of_the_column() -> None:
    assert read("01/02/2026", "day_first") == date(2026, 2, 1)
    assert read("01/02/2026", "month_first") == date(2026, 1, 2)
    assert read("7/25/2018 9:06 PM", "month_first") == date(2018, 7, 25)
    assert read("1.2.2026", "month_first") == date(2026, 2, 1)


def test_a_date_that_can_be_two_days_is_never_guessed() -> None:
    with pytest.raises(Invalid, match="in other dates of this column"):
        read("13/02/2026")
    with pytest.raises(Invalid, match=r"can be two dates\. Say whether"):
        read("01/02/2026")


def test_moments_without_an_offset_are_in_the_zone_of_the_mapping() -> None:
    assert read("2026-01-31 23:30", written_in=UTC) == date(2026, 2, 1)
    assert read("1/31/2026 11:30 pm", "month_first", written_in=UTC) == date(2026, 2, 1)
    assert read("1/31/2026 12:30 am", "month_first", written_in=UTC) == date(2026, 1, 31)
    assert read("2026-01-31", written_in=UTC) == date(2026, 1, 31)


@for_each(
    "text",
    [
        "2026-02-30",
        "99999",
        "soon",
        "13/13/2026",
        "25 Foo 2018",
        "Foo 25, 2018",
        "25 July 2018 at all",
        "9999-12-31T23:59:59-10:00",
        "2026-01-31 25:00:00Z",
        "July 2018",
        "Feb-26",
        "28-Feb-202",
        "30-Feb-26",
        "1.13.2026",
    ],
)
def test_other_texts_are_no_dates(text: str) -> None:
    with pytest.raises(Invalid, match="expected a date such as"):
        read(text, "day_first")


def test_dates_before_1900_are_refused() -> None:
    with pytest.raises(Invalid, match="1900 to 9999"):
        read("1899-12-29")


@pytest.mark.parametrize(
    "text, said",
    [
        ("13/02/2026", "day_first"),
        ("02/13/2026", "month_first"),
        ("01/02/2026", "?"),
        ("02-03-26 10:00", "?"),
        ("05/05/2026", ""),
        ("13.2.2026", ""),
        ("2026-02-13", ""),
        ("soon", ""),
    ],
)
def test_a_date_says_what_it_can_about_its_column(text: str, said: str) -> None:
    assert date_order_of(text) == said


@pytest.mark.parametrize("start", ["2026-01-15 10:00", "Jan 15, 2026 10:00", "1/2/2026 10:00"])
def test_a_long_text_is_no_date_and_takes_no_time(start: str) -> None:
    text = start + " " * 100_000 + "x"  # a pattern needs hours for it
    with pytest.raises(Invalid, match="expected a date"):
        read(text, "day_first")
    assert date_order_of(text) == ""
