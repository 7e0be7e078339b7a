"""Format dates, numbers, money, names and countries in the locale of the account."""

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal, format_percent
from jinja2 import pass_context
from jinja2.runtime import Context
from msgspec import structs

from masthead.model.actors import BY_SUBSCRIBER, BY_UNSUBSCRIBE_LINK, describe_command
from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.identity.memberships import UserAccount
from masthead.model.identity.rights import Right
from masthead.model.imports.targets import TARGETS
from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.resources import Subscription
from masthead.model.translations import counted, gettext as _, ngettext, pgettext, with_minus_sign
from masthead.model.types.countries import country_name, known_country
from masthead.model.types.money import amount_in, money_text
from masthead.model.types.postal_fields import EnvelopeFields, PostalFields
from masthead.store.audit.choices import NamedActor

_CODE = re.compile(r"`([^`]*)`")
_REQUEST = re.compile(r" \w+ `(?:GET|POST) /v1/[^`]*`")
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
def moment(context: Context, value: datetime | None) -> str:
    """A date and time in the time zone of the account; empty for None."""
    if value is None:
        return ""
    return format_datetime(value, "medium", tzinfo=_zone(context), locale=_locale(context))


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


def postal_lines(it: Subscription, home: str | None) -> list[str]:
    """The address of a subscription as its country writes it, from the name to the country.

    home: the country of the account, whose name is left out.
    """
    to = structs.asdict(it.shipping_address)
    del to["country_name"], to["phone"]
    address = PostalFields(first_name=it.first_name, last_name=it.last_name, **to)
    return address_lines(address, build_layout([address.country], home))


def envelope_lines(address: EnvelopeFields, home: str | None) -> list[str]:
    """A name and an address as its country writes them. home: as above."""
    return address_lines(address, build_layout([address.country], home))


@pass_context
def contents(context: Context, it: Any) -> str:
    """What a subscription is, such as `Print, issues 21–24` or `Digital, membership`."""
    if it.type == "membership":
        what = _("membership")
        if it.current_period_end:
            what = _("membership until {date}").format(
                date=day_short(context, it.current_period_end)
            )
    else:
        numbers = issue_ranges(it.issue_list)
        what = ngettext("issue {numbers}", "issues {numbers}", len(it.issue_list))
        what = what.format(numbers=numbers)
    return f"{_(it.medium)}, {what}"


@pass_context
def sentence(context: Context, it: Subscription, copies: int = 1) -> str:
    """A subscription with its price and date, such as `Print, issues 21–24, €42.00, ordered …`.

    copies: how many there are for its address; then it begins with `3 copies: `.
    """
    parts = [contents(context, it)]
    if copies > 1:
        several = counted("{count} copy", "{count} copies", copies)
        parts = [f"{several}: {parts[0]}"]
    if it.is_gift:
        parts.append(
            _("gift from {name}").format(name=known_name(it.gifter.full_name))
            if it.gifter
            else _("gift")
        )
    if it.is_comp:
        parts.append(_("complimentary"))
    elif it.price and it.currency and len(it.periods) == 1 and sees_money(context):
        parts.append(money(context, it.price, it.currency))
    if it.order_date:
        parts.append(_("ordered {date}").format(date=day(context, it.order_date)))
    if len(it.periods) > 1 and (renewed := _renewal(context, it)):
        parts.append(renewed)
    return ", ".join(parts)


def _renewal(context: Context, it: Subscription) -> str:
    """When a subscription was renewed last, and for how much; empty if the date is not known."""
    renewed = it.periods[-1].order_date
    if renewed is None:
        return ""
    date = day(context, renewed)
    if it.is_comp or it.price is None or it.currency is None or not sees_money(context):
        return _("renewed {date}").format(date=date)
    price = money(context, it.price, it.currency)
    return _("renewed {date} for {price}").format(date=date, price=price)


@pass_context  # otherwise, Jinja would translate a literal once, when it compiles the template
def translated(_context: Context, text: str | None) -> str:
    """A text of the code, such as a status, in the language of the page; empty for None."""
    return _(text) if text else ""


def known_name(name: str) -> str:
    """The name of a person; that of an erased one is a word in the language of the page."""
    return _(name) if name == ERASED_NAME else name


@pass_context
def status(_context: Context, text: str) -> str:
    """A status in the language of the page. It begins with a capital letter, as all of them do."""
    words = _(text)
    return words[:1].upper() + words[1:]


@pass_context
def copy_status(_context: Context, value: str) -> str:
    """The status of a copy in the language of the page."""
    texts = {
        "Not sent": pgettext("copy", "Not sent"),
        "Sent": pgettext("copy", "Sent"),
        "Cancelled": pgettext("copy", "Cancelled"),
    }
    return texts[value]


def actor_name(actor: NamedActor) -> str:
    """The name of the user, API key or command of an audit entry."""
    if actor.kind == "command" and actor.id in (BY_SUBSCRIBER.id, BY_UNSUBSCRIBE_LINK.id):
        return describe_command(actor.id)
    if actor.kind == "command":
        return _("command: {name}").format(name=actor.id)
    if actor.kind == "key":
        return _("key: {name} ({prefix}…)").format(name=actor.name, prefix=actor.prefix)
    return str(actor.name)


def groups(value: str) -> str:
    """A long code in groups of four characters, which are easier to read and type."""
    return " ".join(value[place : place + 4] for place in range(0, len(value), 4))


def plain(text: str) -> str:
    """A message with quotation marks instead of the marks of code, and the labels of fields.

    Advice to send a request, such as “with `POST /v1/issues/`”, is left out.
    """
    text = _REQUEST.sub("", text)
    quoted = _("“{text}”")
    return _CODE.sub(lambda found: quoted.format(text=_label(found[1])), text)


def _label(name: str) -> str:
    target = TARGETS.get(name)
    return _(target.label) if target else name
