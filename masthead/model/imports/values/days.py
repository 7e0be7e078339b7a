"""Dates and moments as people and programs write them, cut to a day."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache
from zoneinfo import ZoneInfo

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.values.month_names import is_before_a_date, month_of
from masthead.model.imports.values.texts import check_digits_are_kept
from masthead.model.translations import gettext as _
from masthead.model.types.fields import date_from_1900

DAY_FIRST, MONTH_FIRST = "day_first", "month_first"
FIRST, LAST = "first", "last"
# What a month without a day means; in other fields it is refused
DAY_OF_MONTH = {"order_date": FIRST, "start_date": FIRST, "period_start": FIRST, "period_end": LAST}
NO_DAY = frozenset(["0", "-", "–", "—", "0.0", "n/a", "null", "none", "never", "nie"])
# A zero as programs write it: in any spelling, as day 0 of a spreadsheet (1904 on old Macs), as the
# first day of year 1, which .NET and Go write, as day 0 of year 0, which PHP writes as one in
# November, and as the beginning of Unix time with its hour, which is the evening before in America
# and a whole hour later in the east. `-` stands for any separator
_ZEROS = re.compile(
    r"0[-: t,0]*(?:z|utc|gmt|\+0[0:]*)?"
    r"|(?:0000-00-00|00-00-0000)[t ].*"
    r"|(?:1899-12-3[01]|3[01]-12-1899|12-3[01]-1899"
    r"|1900-0?1-00?|00?-0?1-1900|0?1-00?-1900)(?:[t ].*)?"
    r"|(?:0001-0?1-0?1|0?1-0?1-0001)(?:[t ].*)?"
    r"|(?:0000-0?1-0?1|0?1-0?1-0000|-0001-11-30|30-11--0001)(?:[t ].*)?"
    r"|(?:1904-0?1-0?1|0?1-0?1-1904)(?:[t ].*)?"
    r"|(?:1970-0?1-0?1|0?1-0?1-1970)[t ,]+(?:0?\d|1[0-4]):00(?!:?[1-9]).*"
    r"|1969-12-31[t ](?:1[6-9]|2[0-3]):00(?!:?[1-9]).*",
    re.ASCII,
)
_SEPARATORS = str.maketrans("/.", "--")
_TIME = (
    r"(?:[T ,]+(?:(?:at|um|à|om|kl\.?) )?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?"
    r"[\s\xa0\u202f]*([AaPp]\.?[ \xa0\u202f]?[Mm]\.?)?"  # U+202F: since ICU 72
    r"(?: Uhr)?\s*(Z|UTC|GMT|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?)?)?"
)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])[ \xa0]?(\d{1,2})\2[ \xa0]?(\d{1,2})\.?" + _TIME, re.ASCII)
_YEAR_LAST = re.compile(
    r"(\d{1,2})([-/. ])[ \xa0]?(\d{1,2})\2[ \xa0]?(\d{4}|\d{2})\.?" + _TIME, re.ASCII
)
_COMPACT = re.compile(
    r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])"
    r"(?:T?(\d\d)(\d\d)(\d\d)()(Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
_SERIAL = re.compile(r"(\d{5})(?:[.,](\d+))?", re.ASCII)
_UNIX = re.compile(r"1\d{9}(?:\d{3})?", re.ASCII)  # seconds or milliseconds since 1970
_MONTH = re.compile(r"(?:(\d{4})[-/](\d{1,2})|(\d{1,2})[-/.](\d{4}))", re.ASCII)
_BEFORE = r"(?:(?P<before>[^\W\d]+[.,]{0,2}) )?"
_NUMBER = r"(?P<day>\d{1,2})\.?(?:st|nd|rd|th|er|re|[ºª°])?"
_NAME = r"(?:of |del? )?(?P<month>[^\W\d]+)\.?,?"
_IN_WORDS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_BEFORE}{_NUMBER}[-/ ]{_NAME}[-/ ](?:of |del? )?(?P<year>\d{{4}}|\d{{2}})(?!\d)",
        rf"{_BEFORE}{_NAME} {_NUMBER},? (?P<year>\d{{4}})",
        rf"{_BEFORE}(?P<year>\d{{4}})[-/ ]{_NAME}[-/ ]{_NUMBER}(?!\d)",
    )
]
_MONTH_IN_WORDS = re.compile(rf"{_NAME}[-/ ](?:of |del? )?(?P<year>\d{{4}})", re.IGNORECASE)
_AFTER_WORDS = re.compile(r"(?: [rг]\.?)?" + _TIME + r"(?: at)?(?: *\(.*\))?", re.ASCII)
_FIRST_SERIAL, _LAST_SERIAL = 10_000, 73_050  # 1927 to 2099
_DAY_ZERO = date(1899, 12, 30)
_LONGEST = 100  # characters of a date in words; the patterns take too long for much longer texts


def date_order_of(text: str) -> str:
    """What a date says about the order of its column: day_first, month_first, `?` or "" (nothing).

    `?`: it can be both, and would not be the same day. `1.2.2026` is always the day first.
    """
    match = _YEAR_LAST.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or match[2] == ".":
        return ""
    first, second = int(match[1]), int(match[3])
    if first > 12:
        return DAY_FIRST
    if second > 12:
        return MONTH_FIRST
    return "" if first == second else "?"


def has_points(text: str) -> bool:
    """Whether a text is a date such as `15.1.2026`."""
    match = _YEAR_LAST.fullmatch(text) if "." in text and len(text) <= _LONGEST else None
    return match is not None and match[2] == "."


def is_no_day(text: str) -> bool:
    """Whether a cell says that there is no date: `-`, `never`, or a zero such as `0000-00-00`."""
    folded = text.strip().lower()
    if folded in NO_DAY or not folded.lstrip("-")[:1].isdigit() or len(folded) > _LONGEST:
        return folded in NO_DAY
    return bool(_ZEROS.fullmatch(folded.translate(_SEPARATORS)))


def is_unix_time(text: str) -> bool:
    """Whether a text can be seconds or milliseconds since 1970; it can be another number too."""
    return len(text) in (10, 13) and bool(_UNIX.fullmatch(text))


def is_month(text: str) -> bool:
    """Whether a text is a month without a day: `2026-05`, `05/2026` or `May 2026`."""
    return len(text) <= _LONGEST and _month(text) is not None


def read_day(
    field: str,
    text: str,
    *,
    order: str,
    zone: ZoneInfo,
    written_in: ZoneInfo,
    day_of_month: str = "",
    is_unix: bool = False,
    day_zero: date | None = None,
) -> date | None:
    """The day of a date or a moment in a time zone; None if `is_no_day`.

    order: of dates such as 01/02/2026 in the column; "" if it is not known. zone: of the account.
    written_in: the zone of moments without an offset. day_of_month: `first` or `last`, what a month
    without a day means; "" if it is refused. is_unix: whether the column has seconds or
    milliseconds since 1970. day_zero: of the numbers of a spreadsheet, if not that of Excel.
    Raises: Invalid.
    """
    if is_no_day(text):
        return None
    check_digits_are_kept(field, text)
    moment = _Moment(zone, written_in)
    try:
        is_short = len(text) <= _LONGEST
        day = _numeric(field, text, order, moment) if is_short else None
        if day is None and is_unix_time(text):
            day = _unix_day(field, text, moment, is_unix=is_unix)
        if day is None and is_short:
            day = _other(text, moment, day_zero or _DAY_ZERO)
        if day is None and is_short and (month := _month(text)):
            day = _day_in(field, text, month, day_of_month)
    except (ValueError, OverflowError):
        message = _("`{field}` is `{text}`, but there is no such day or time. Correct it.")
        raise Invalid(
            message.format(field=field, text=excerpt(text)), field=field, value=text
        ) from None
    if day is None:
        message = _(
            "`{field}` is `{text}`; expected a date such as `2026-01-15`, `15.1.2026` or "
            "`15/01/2026`."
        )
        raise Invalid(message.format(field=field, text=excerpt(text)), field=field, value=text)
    return date_from_1900(field, day)


class _Moment:
    """Cuts moments to days of a time zone."""

    def __init__(self, zone: ZoneInfo, written_in: ZoneInfo) -> None:
        self._zone, self._written_in = zone, written_in

    def cut(self, day: date, time: tuple[str | None, ...]) -> date:
        """The day on which that was. time: hours, minutes, seconds, am or pm, offset."""
        hours, minutes, seconds, half, offset = time
        if hours is None or (offset is None and self._zone is self._written_in):
            return day
        hour = int(hours)
        if half:
            hour = hour % 12 + (12 if half[0] in "Pp" else 0)
        zone = self._written_in if offset is None else _offset(offset)
        parts = day.year, day.month, day.day, hour, int(minutes or 0), int(seconds or 0)
        return datetime(*parts, tzinfo=zone).astimezone(self._zone).date()

    def of_unix(self, seconds: float) -> date:
        """The day of a Unix time."""
        return datetime.fromtimestamp(seconds, UTC).astimezone(self._zone).date()


@cache
def _offset(text: str) -> timezone:
    digits = re.sub(r"[^\d+-]", "", text)
    if not digits:
        return UTC
    sign = -1 if digits[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5] or 0)))


def _numeric(field: str, text: str, order: str, moment: _Moment) -> date | None:
    """The day of a date in digits. Raises: Invalid, ValueError."""
    if match := _YEAR_FIRST.fullmatch(text):
        day = date(int(match[1]), int(match[3]), int(match[4]))
        return moment.cut(day, match.groups()[4:])
    match = _YEAR_LAST.fullmatch(text)
    if match is None:
        return None
    first, second = int(match[1]), int(match[3])
    if match[2] == "." or (first == second and not order):
        order = DAY_FIRST
    if not order:
        message = (
            _(
                "`{field}` is `{text}`, which can be two dates. Say whether the day or the month "
                "is first in this column."
            )
            if max(first, second) <= 12
            else _(
                "`{field}` is `{text}`, but in other dates of this column the day and the month "
                "are the other way round. Say which of them is first, and correct the others."
            )
        )
        raise Invalid(message.format(field=field, text=text), field=field, value=text)
    day_number, month = (first, second) if order == DAY_FIRST else (second, first)
    return moment.cut(date(_full_year(match[4]), month, day_number), match.groups()[4:])


def _full_year(digits: str) -> int:
    """The year of two or four digits: 26 is 2026, and 99 is 1999."""
    year = int(digits)
    return year if len(digits) > 2 else year + (2000 if year < 70 else 1900)


def _unix_day(field: str, text: str, moment: _Moment, *, is_unix: bool) -> date:
    """The day of a Unix time. Raises: Invalid if other cells of the column have dates."""
    if not is_unix:
        message = _(
            "`{field}` is `{text}`, which can be a Unix time (seconds or milliseconds since 1970), "
            "but other cells of this column are dates. Write it as a date."
        )
        raise Invalid(message.format(field=field, text=text), field=field, value=text)
    return moment.of_unix(int(text) / (1000 if len(text) > 10 else 1))


def _other(text: str, moment: _Moment, day_zero: date) -> date | None:
    """The day of a date in digits without signs, a number of a spreadsheet or a date in words."""
    if match := _COMPACT.fullmatch(text):
        return moment.cut(date(int(match[1]), int(match[2]), int(match[3])), match.groups()[3:])
    if match := _SERIAL.fullmatch(text):
        day = day_zero + timedelta(days=int(match[1]))
        return day if _FIRST_SERIAL <= (day - _DAY_ZERO).days <= _LAST_SERIAL else None
    return _in_words(" ".join(text.split()), moment)


def _in_words(text: str, moment: _Moment) -> date | None:
    """The day of a date such as `Jul 25, 2018`, `28-Feb-26` or `Wed Jul 25 2018 21:06:00`."""
    for pattern in _IN_WORDS:
        match = pattern.match(text)
        if match is None or (match["before"] and not is_before_a_date(match["before"])):
            continue
        rest = _AFTER_WORDS.fullmatch(text[match.end() :])
        month = month_of(match["month"])
        if month and rest:
            day = date(_full_year(match["year"]), month, int(match["day"]))
            return moment.cut(day, rest.groups())
    return None


def _month(text: str) -> tuple[int, int] | None:
    """The year and the number of a month without a day."""
    if len(text) <= 7 and (match := _MONTH.fullmatch(text)):
        year, number = int(match[1] or match[4]), int(match[2] or match[3])
        return (year, number) if 1 <= number <= 12 else None
    match = None if text[:1].isdigit() else _MONTH_IN_WORDS.fullmatch(text)
    named = month_of(match["month"]) if match else None
    return (int(match["year"]), named) if match and named else None


def _day_in(field: str, text: str, month: tuple[int, int], day_of_month: str) -> date:
    """The first or the last day of a month. Raises: Invalid if none is meant."""
    if not day_of_month:
        message = _(
            "`{field}` is `{text}`, a month without a day. Write the day too, as in `{example}`."
        )
        words = {"text": text, "example": date(*month, 15).isoformat()}
        raise Invalid(message.format(field=field, **words), field=field, value=text)
    return date(*month, 1 if day_of_month == FIRST else monthrange(*month)[1])
