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
        ("1er mai 2026", "2026-05-01"),
        ("le 1er juin 2026", "2026-06-01"),
        ("1º de mayo de 2026", "2026-05-01"),
        ("3rd March 2026", "2026-03-03"),
        ("March 3rd, 2026", "2026-03-03"),
        ("1st of May, 2026", "2026-05-01"),
        ("3 stycznia 2026 r.", "2026-01-03"),
        ("12 paź 2026", "2026-10-12"),
        ("29 Şubat 2024", "2024-02-29"),
        ("3 MAYIS 2026", "2026-05-03"),
        ("2. února 2026", "2026-02-02"),
        ("2 февраля 2026", "2026-02-02"),
        ("dimanche 3  mai 2026 à 10:30", "2026-05-03"),
        ("2026-May-03", "2026-05-03"),
        ("3. Mai 2026 um 23:30 Uhr", "2026-05-03"),
        ("03.05.2026.", "2026-05-03"),
        ("2026. 5. 3.", "2026-05-03"),
        ("3.\xa05.\xa02026", "2026-05-03"),
        ("Do., 3. Mai 2026", "2026-05-03"),
        ("2026-05-03 23:30:00+00", "2026-05-04"),
        ("20260503T233000Z", "2026-05-04"),
        ("20260503233000", "2026-05-03"),
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
        *("1904-01-01", "01.01.1904 00:00", "0001-01-01T00:00:00Z", "1/1/0001 12:00:00 AM"),
        *("1970-01-01 01:00:00", "01.01.1970 02:00", "1970-01-01T14:00:00+14:00"),
        *("-0001-11-30", "-0001-11-30 00:00:00", "30.11.-0001", "0000-01-01", "1/1/0000 0:00"),
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
        *(("1970-01-01 10:30", "1970-01-01"), ("1970-01-01 15:00:00", "1970-01-01")),
        *(("1970-01-01 01:00:30", "1970-01-01"), ("2000-01-01 00:00:00", "2000-01-01")),
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
        "99999",
        "soon",
        "25 Foo 2018",
        "Foo 25, 2018",
        "25 July 2018 at all",
        "bis 3. Mai 2026",
        "do 3 maja 2026",
        "2026.1",
        "13/2026",
        "Foo 2018",
        "Feb-26",
        "28-Feb-202",
    ],
)
def test_other_texts_are_no_dates(text: str) -> None:
    with pytest.raises(Invalid, match="expected a date such as"):
        read(text, "day_first")


@for_each(
    "text",
    [
        "2026-02-30",
        "31.02.2026",
        "13/13/2026",
        "1.13.2026",
        "30-Feb-26",
        "20260231",
        "2026-01-31 25:00:00Z",
        "9999-12-31T23:59:59-10:00",
    ],
)
def test_a_day_that_does_not_exist_is_no_other_format(text: str) -> None:
    with pytest.raises(Invalid, match=f"`{text}`, but there is no such day or time"):
        read(text, "day_first")


def test_unix_times_are_read_if_the_whole_column_has_them() -> None:
    for text in ("1468527000", "1468527000123"):
        with pytest.raises(Invalid, match=r"can be a Unix time \(seconds or milliseconds"):
            read(text)
        day = read_day("x", text, order="", zone=BERLIN, written_in=BERLIN, is_unix=True)
        assert day == date(2016, 7, 14)
    with pytest.raises(Invalid, match="written by a spreadsheet as a number"):
        read("1.46853E+12")


@for_each("text", ["2026-02", "02/2026", "2.2026", "Feb 2026", "février 2026", "luty 2026"])
def test_a_month_is_its_first_or_last_day_where_a_month_can_be_meant(text: str) -> None:
    for meant, day in (("first", 1), ("last", 28)):
        found = read_day("x", text, order="", zone=BERLIN, written_in=UTC, day_of_month=meant)
        assert found == date(2026, 2, day)
    with pytest.raises(Invalid, match=r"a month without a day.* as in `2026-02-15`"):
        read(text)


def test_numbers_of_a_workbook_are_counted_from_its_own_first_day() -> None:
    mac = date(1904, 1, 1)
    found = read_day("x", "44683", order="", zone=UTC, written_in=UTC, day_zero=mac)
    assert found == date(2026, 5, 3)
    assert read("44683") == date(2022, 5, 2)


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
