"""Settings: exchange rates for the VAT of invoices in other currencies, from a day on."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from babel.numbers import format_decimal
from msgspec import Struct
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import SelectField, StringField
from wtforms.validators import DataRequired
from wtforms.widgets import DateInput

from masthead.model.billing.exchange_rates import (
    ExchangeRate,
    country_currency,
    find_exchange_rate,
    read_exchange_rate,
)
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.services.billing.exchange_rates import delete_exchange_rate, save_exchange_rate
from masthead.store.billing.exchange_rates import list_exchange_rates
from masthead.store.billing.settings import find_settings
from masthead.store.engine.interface import Database
from masthead.web.kit.amounts import plain_amount
from masthead.web.kit.choices import list_currencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_date

EURO = "EUR"  # most central banks publish how much one euro is


class ExchangeRateForm(BaseForm):
    """What one unit of a currency is in another, and from which day."""

    base_currency = SelectField(
        "1 unit of", [DataRequired("Choose a currency.")], validate_choice=False
    )
    rate = StringField("Equals", [DataRequired("Type the exchange rate.")])
    quote_currency = SelectField(
        "Units of", [DataRequired("Choose a currency.")], validate_choice=False
    )
    first_day = StringField(
        "Holds from", [DataRequired("Choose the first day.")], widget=DateInput()
    )
    locale = "en_GB"  # replaced by that of the user
    home = ""  # replaced by the country of the publisher

    def find_errors(self) -> Sequence[Invalid]:
        """Read the rate and the day."""
        return errors_of(lambda: self.exchange_rate)

    @property
    def exchange_rate(self) -> ExchangeRate:
        """The rate of a valid form. Raises: Invalid."""
        return read_exchange_rate(
            read_date("first_day", self.first_day.data),
            self.base_currency.data or "",
            self.quote_currency.data or "",
            plain_amount(self.rate.data or "", self.locale),
            home=self.home,
        )


class ExchangeRateOnPage(Struct, frozen=True):
    """A rate with its number as people write it. status: whether it holds now."""

    rate: ExchangeRate
    shown: str
    status: str

    @property
    def pair(self) -> str:
        """Both currencies, in an address."""
        return f"{self.rate.base_currency}-{self.rate.quote_currency}"


async def edit_exchange_rates(context: PageContext) -> Response:
    """List the rates, newest first; add one, or change it from a day on."""
    async with context.db.read() as db:
        known = await find_settings(db, context.account_id)
        rates = await list_exchange_rates(db, context.account_id)
    if known is None:
        return context.redirect(
            context.url("settings", "billing"), message=_("Save these settings first.")
        )
    home, today = known.country, context.membership.daily_date
    own = country_currency(home)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> ExchangeRateForm:
        form = ExchangeRateForm(formdata, data)
        form.locale, form.home = context.locale, home
        choices = [("", _("Choose a currency")), *list_currencies(context.locale)]
        form.base_currency.choices = form.quote_currency.choices = choices_of(choices)
        return form

    async def save(form: ExchangeRateForm, db: Database) -> Response:
        rate = form.exchange_rate
        await save_exchange_rate(db, context.account_id, rate, by=context.actor)
        message = _("The exchange rate is saved. It holds from {day} on.").format(
            day=day_in(rate.first_day, get_locale(context.locale))
        )
        return context.redirect(context.url("settings", "vat", "exchange-rates"), message=message)

    return await handle_form(
        context,
        make,
        "settings/exchange_rates.html",
        save,
        initial={
            "base_currency": EURO,
            "quote_currency": "" if own == EURO else own,
            "first_day": today.isoformat(),
        },
        own=own,
        rates=_on_page(rates, today, context.locale),
    )


def _on_page(rates: Sequence[ExchangeRate], today: date, locale: str) -> list[ExchangeRateOnPage]:
    """The rates by their currencies; of the same ones, the newest first."""
    shown = []
    for each in sorted(rates, key=lambda it: sorted(it.pair)):
        now = find_exchange_rate(rates, each.base_currency, each.quote_currency, today)
        status = _("Now") if each == now else _("Next") if each.first_day > today else _("Past")
        text = format_decimal(each.rate, locale=get_locale(locale), decimal_quantization=False)
        shown.append(ExchangeRateOnPage(each, text, status))
    return shown


async def remove_exchange_rate(context: PageContext) -> Response:
    """Let the rate before go on. Raises: NotFound."""
    day, pair = context.path["day"], context.path["pair"]
    try:
        first_day = date.fromisoformat(day)
        one, other = pair.split("-")
    except ValueError:
        raise NotFound("rate", f"{day}/{pair}") from None
    await delete_exchange_rate(
        context.db, context.account_id, first_day, one, other, by=context.actor
    )
    return context.redirect(
        context.url("settings", "vat", "exchange-rates"), message=_("The exchange rate is deleted.")
    )
