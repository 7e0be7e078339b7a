"""What the order form says beside its fields: who gets what, and what happens on saving."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import membership_period_end
from masthead.model.translations import counted, format_number, gettext as _
from masthead.model.types.countries import known_country
from masthead.model.types.full_names import full_name
from masthead.model.types.recipient_languages import name_language
from masthead.web.kit.amounts import read_amount, typed_in_words
from masthead.web.kit.formatting import country_in, day_in, get_locale
from masthead.web.orders.order_choices import OrderChoices
from masthead.web.orders.order_form import SENT, OrderForm


class OrderSummary(Struct, frozen=True, kw_only=True):
    """An order in words. facts: names and values. effects: what happens on saving.

    language: of the invoice; empty without one.
    """

    facts: Sequence[tuple[str, str]]
    effects: Sequence[str]
    language: str


def summarize(form: OrderForm, choices: OrderChoices) -> OrderSummary:
    """The order as far as it is typed. What is missing or wrong is left out."""
    given = form.given
    facts = [
        (_("Gets it"), _named(form, "", form.subscriber.name if form.subscriber else "")),
        (_("Address"), _address(form, choices, given)),
        (_("Given by"), _giver(form)),
        (_("Order"), _sold(form, choices, given.get("copies") or 1)),
        (_("Membership") if form.is_membership else _("Issues"), _duration(form, given)),
        (_("Price"), _price(form)),
        (_("Payment"), _payment(form)),
        (_("Invoice to"), _payer(form)),
    ]
    return OrderSummary(
        facts=[(name, value) for name, value in facts if value],
        effects=_effects(form),
        language=_language(form),
    )


def place_of_price(form: OrderForm, choices: OrderChoices) -> str:
    """For which countries the price is that was filled in; empty for the publisher's own."""
    is_offered = form.offered_price.data and not form.is_overtyped("price")
    if form.is_comp.data or not is_offered or not form.country.data:
        return ""
    group = country_group(form.country.data, choices.home)
    places = {
        CountryGroup.EUROPE: _("The price for Europe."),
        CountryGroup.REST: _("The price for the rest of the world."),
    }
    return places.get(group, "")


def _named(form: OrderForm, side: str, chosen: str = "") -> str:
    """The name that is typed of a person; without one, that of who is chosen."""
    names = ("first_name", "last_name", "company")
    first, last, company = ((form[f"{side}{each}"].data or "").strip() for each in names)
    return full_name(first, last, company, "") or chosen


def _giver(form: OrderForm) -> str:
    if not form.is_gift.data:
        return ""
    return form.giver.name if form.giver else _named(form, "gifter_") or _("not chosen yet")


def _address(form: OrderForm, choices: OrderChoices, given: Any) -> str:
    """Where the copies go, as far as it is typed. The country, if it is not the publisher's."""
    street, postcode, city = (
        (form[name].data or "").strip() for name in ("address1", "postcode", "city")
    )
    country = given.get("country") or ""
    is_abroad = known_country(country) and country != choices.home
    parts = [street, f"{postcode} {city}".strip()]
    if not any(parts):
        return ""
    abroad = country_in(country, get_locale(form.locale)) if is_abroad else ""
    return ", ".join(each for each in (*parts, abroad) if each)


def _sold(form: OrderForm, choices: OrderChoices, copies: int) -> str:
    product = choices.find_product(form.product.data)
    parts = [product.name if product else "", _(form.medium.data or "")]
    if copies > 1:
        parts.append(counted("{count} copy of each issue", "{count} copies of each issue", copies))
    return " · ".join(each for each in parts if each)


def _duration(form: OrderForm, given: Any) -> str:
    """The first and the last issue, or the first and the last day."""
    if form.is_membership:
        start = given.get("period_start") or given.get("order_date")
        months = given.get("interval_months")
        if not start or not months:
            return ""
        locale = get_locale(form.locale)
        end = membership_period_end(start, months)
        return f"{day_in(start, locale)} – {day_in(end, locale)}"
    first, length = given.get("start_issue"), given.get("length")
    if not first or not length:
        return ""
    if length == 1:
        return _("{first} (one issue)").format(first=first)
    text = _("{first} to {last} ({count} issues)")
    return text.format(first=first, last=first + length - 1, count=format_number(length))


def _price(form: OrderForm) -> str:
    if form.is_comp.data:
        return _("free of charge")
    typed, currency = (form.price.data or "").strip(), form.defaults.currency
    with suppress(Invalid):
        read_amount("price", typed, currency=currency, locale=form.locale)
        words = typed_in_words(typed, currency, form.locale)
        return _("{price}, plus VAT").format(price=words) if form.is_net else words
    return ""


def _payment(form: OrderForm) -> str:
    if form.is_comp.data:
        return ""
    if form.asks_payment:
        return _("not chosen yet")
    if form.is_billed.data:
        return _("By direct debit") if form.is_debited.data else _("By invoice")
    return _("It is paid already")


def _payer(form: OrderForm) -> str:
    if not form.is_billed.data or not form.is_other_payer.data:
        return ""
    return form.payer.name if form.payer else _named(form, "payer_") or _("not chosen yet")


def _language(form: OrderForm) -> str:
    country = form.gifter_country.data if form.is_gift.data else form.country.data
    locale = "" if form.is_comp.data else form.invoice_locale(country or "")
    return name_language(locale) if locale else ""


def _effects(form: OrderForm) -> list[str]:
    found = [] if form.asks_payment and not form.is_comp.data else [_of_payment(form)]
    if count := form.copies_out:
        found.append(_of_copies_out(count, form.out.data == SENT))
    if form.send_welcome_email.data:
        found.append(_("The welcome email is sent."))
    return found


def _of_payment(form: OrderForm) -> str:
    """What becomes of the invoice."""
    if not form.is_billed.data:
        return _("No invoice is issued.")
    if not form.may_bill:
        return _("The order waits for its invoice. A user who may bill issues it.")
    if form.waits or (form.known and form.known.bills_together):
        return _("The order waits for the invoice of all orders of this payer.")
    if form.sends_invoice.data and form.can_send:
        return _("An invoice is issued and emailed.")
    if not form.may_open:
        return _("An invoice is issued. A user who sees money sends or prints it.")
    if form.has_mail:
        return _("An invoice is issued. Send or print it from the next page.")
    return _("An invoice is issued. Print it from the next page.")


def _of_copies_out(count: int, is_sent: bool) -> str:
    """What becomes of the copies of issues that are out."""
    if is_sent:
        return counted("{count} copy counts as sent.", "{count} copies count as sent.", count)
    return counted(
        "{count} copy of an issue that is out is still to send.",
        "{count} copies of issues that are out are still to send.",
        count,
    )
