"""Subscriptions, statuses and people in words, in the language of the page."""

import re
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context
from msgspec import structs

from masthead.model.actors import describe_command
from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.imports.targets import TARGETS
from masthead.model.orders.period_coverage import issue_ranges
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.resources import Subscription
from masthead.model.translations import counted, gettext as _, ngettext, pgettext
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.postal_fields import EnvelopeFields, PostalFields
from masthead.store.audit.choices import NamedActor
from masthead.web.kit.formatting import day, day_short, money, sees_money

_CODE = re.compile(r"`([^`]*)`")
_REQUEST = re.compile(r" \w+ `(?:GET|POST) /v1/[^`]*`")


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
        if it.current_period_end and it.status != SubscriptionStatus.CANCELLED:
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
    return capitalized(_(text))


def capitalized(text: str) -> str:
    """A text, or markup that begins with one, with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


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
    if actor.kind == "command":
        return describe_command(actor.id)
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
