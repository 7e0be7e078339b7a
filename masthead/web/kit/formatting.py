"""Format dates, numbers, money and countries in the locale of the account."""

from datetime import date, datetime
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_time, get_datetime_format
from babel.numbers import format_decimal, format_percent
from jinja2 import pass_context
from jinja2.runtime import Context

from masthead.model.identity.memberships import UserAccount
from masthead.model.identity.rights import Right
from masthead.model.translations import gettext as _, with_minus_sign
from masthead.model.types.countries import country_name, known_country
from masthead.model.types.money import amount_in, money_text

DEFAULT_LOCALE = "en_GB"  # before an account is chosen


@lru_cache(maxsize=256)
def get_locale(name: str) -> Locale:
    """The locale with a name such as `en_GB`."""
    return Locale.parse(name)


def _locale(context: Context) -> Locale:
    return get_locale(context.get("locale") or DEFAULT_LOCALE)


def _zone(context: Context) -> ZoneInfo:
    zone: ZoneInfo = context["zone"]
    return zone


@pass_context
def day(context: Context, value: date | str | None) -> str:
    """A date, such as `3 May 2026`; empty for None. Of a moment, it is the date in the account."""
    return _day(context, value, "long")


@pass_context
def day_short(context: Context, value: date | str | None) -> str:
    """A date in a list, such as `3 May 2026` or `03.05.2026`; empty for None."""
    return _day(context, value, "medium")


def _day(context: Context, value: date | str | None, form: Literal["medium", "long"]) -> str:
    if isinstance(value, str) and value:
        value = date.fromisoformat(value)
    if isinstance(value, datetime):
        value = value.astimezone(_zone(context)).date()
    return _date_in(value, form, _locale(context)) if value else ""


# Most cells of a list have one of a few days, numbers or amounts, and Babel needs 20 µs for each
@lru_cache(maxsize=2048)
def _date_in(value: date, form: Literal["medium", "long"], locale: Locale) -> str:
    return format_date(value, form, locale=locale)


def day_in(value: date, locale: Locale) -> str:
    """A date, such as `3 May 2026`, in a locale."""
    return format_date(value, "long", locale=locale)


@pass_context
def moment(
    context: Context, value: datetime | None, time: Literal["short", "medium"] = "short"
) -> str:
    """A date and time in the zone of the account; empty for None. time: `medium` has seconds."""
    if value is None:
        return ""
    own, locale = value.astimezone(_zone(context)), _locale(context)
    pattern = str(get_datetime_format("medium", locale=locale)).replace("'", "")
    day = format_date(own, "medium", locale=locale)
    return pattern.replace("{0}", format_time(own, time, locale=locale)).replace("{1}", day)


@pass_context
def number(context: Context, value: float | None) -> str:
    """A number with the locale's separators; empty for None."""
    return "" if value is None else number_in(value, _locale(context))


@lru_cache(maxsize=2048, typed=True)
def number_in(value: float, locale: Locale) -> str:
    """A number with the separators of a locale."""
    return with_minus_sign(format_decimal(value, locale=locale))


@pass_context
def percent(context: Context, value: float) -> str:
    """A share from 0 to 1, such as `42%`."""
    return format_percent(value, locale=_locale(context))


@pass_context
def percent_tenths(context: Context, value: float) -> str:
    """A share from 0 to 1 with one digit after the point, such as `50.4%`."""
    return str(format_percent(round(value, 3), locale=_locale(context), decimal_quantization=False))


def rate_in(rate: int, locale: Locale | str) -> str:
    """A rate in hundredths of a percent, such as `7%` or `5,5 %`."""
    return str(format_percent(rate / 10_000, locale=locale, decimal_quantization=False))


@pass_context
def file_size(context: Context, value: int) -> str:
    """A number of bytes, such as `48.2 kB`."""
    size, unit = float(value), ""
    for unit in (_("bytes"), "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{format_decimal(round(size, 1), locale=_locale(context))} {unit}"


def sees_money(context: Context) -> bool:
    """Whether the user of a page may see amounts."""
    membership: UserAccount | None = context.get("membership")
    return membership is not None and membership.may(Right.SEE_MONEY)


@pass_context
def money(context: Context, value: str | None, currency: str) -> str:
    """An amount from the API, with its currency; empty for None, a word if it is hidden."""
    if value is None:
        return ""
    if not sees_money(context):
        return _("hidden")
    return _amount_in(value, currency, _locale(context))


@lru_cache(maxsize=2048)
def _amount_in(value: str, currency: str, locale: Locale) -> str:
    return amount_in(value, currency, locale)


@pass_context
def minor_money(context: Context, value: int, currency: str) -> str:
    """An amount in minor units, with its currency; a word if it is hidden."""
    return money(context, money_text(value, currency), currency)


@pass_context
def country(context: Context, code: str | None) -> str:
    """The name of a country in the language of the locale; empty for None."""
    return country_in(code, _locale(context)) if code else ""


def country_in(code: str, locale: Locale) -> str:
    """The name of a country in the language of a locale."""
    return locale.territories.get(code) or country_name(code) or code


def country_cells(code: str | None, locale: Locale) -> dict[str, str]:
    """The columns `country` and `country_name` of a file; empty if the country is not known."""
    known = known_country(code)
    return {"country": known, "country_name": known and country_in(known, locale)}
