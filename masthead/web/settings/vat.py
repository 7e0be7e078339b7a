"""Settings: the rates of VAT, with the days from which they hold."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from babel.numbers import format_percent
from msgspec import Struct, structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import SelectField, StringField
from wtforms.validators import DataRequired
from wtforms.widgets import DateInput

from masthead.model.billing.orders import SUPPLIED_ON_THE_LAST_DAY
from masthead.model.billing.vat import EU_PLACE, FULL, HOME, OTHER, VatRate
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.services.billing.settings import delete_rate, save_rate
from masthead.store import products
from masthead.store.billing import settings as store
from masthead.store.engine.interface import Database
from masthead.web.kit.amounts import read_amount
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import country_in, day_in, get_locale
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_date

ANY = "-"  # all products, or all media, in an address
MEDIA = (Medium.PRINT, Medium.DIGITAL)


class RateForm(BaseForm):
    """A rate, and what it is for."""

    place = SelectField(
        "Copies to", [DataRequired("Choose a place.")], default=HOME, validate_choice=False
    )
    medium = SelectField("Medium", validate_choice=False)
    product_id = SelectField("Product", validate_choice=False)
    rate = StringField("Rate, in percent", [DataRequired("Type the rate.")])
    first_day = StringField(
        "Holds from", [DataRequired("Choose the first day.")], widget=DateInput()
    )
    locale = "en_GB"  # replaced by that of the user

    def find_errors(self) -> Sequence[Invalid]:
        """Read the rate and the day."""
        return errors_of(lambda: self.vat_rate)

    @property
    def vat_rate(self) -> VatRate:
        """The rate of a valid form. Raises: Invalid."""
        return VatRate(
            first_day=read_date("first_day", self.first_day.data),
            product_id=self.product_id.data or None,
            medium=_read_medium(self.medium.data or ""),
            place=self.place.data or HOME,
            rate=read_percent("rate", self.rate.data or "", self.locale),
        )


def _read_medium(text: str) -> Medium | None:
    """The chosen medium; None for all. Raises: Invalid."""
    if text and text not in MEDIA:
        raise Invalid(_("Choose one of these."), field="medium", value=text)
    return Medium(text) if text else None


def read_percent(field: str, text: str, locale: str) -> int:
    """A typed rate in hundredths of a percent. Raises: Invalid."""
    try:
        # A rate has two decimals, like an amount in euros
        return read_amount(field, text.strip().removesuffix("%"), currency="EUR", locale=locale)
    except Invalid:
        raise Invalid(_("Type the rate like 7 or 5.5."), field=field, value=text) from None


class RateOnPage(Struct, frozen=True):
    """A rate with its days and words. shown: such as `7%`. last: None if no other one follows."""

    rate: VatRate
    shown: str
    last: date | None
    place: str
    product: str
    status: str
    is_past: bool


async def edit_rates(context: PageContext) -> Response:
    """List the rates, those that hold first; add one, or change it from a day on."""
    async with context.db.read() as db:
        listed = await products.list_products(db, context.account_id)
        rates = await store.list_rates(db, context.account_id)
        settings = await store.find_settings(db, context.account_id)
    names = {each.id: each.name for each in listed}

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> RateForm:
        form = RateForm(formdata, data)
        form.locale = context.locale
        form.place.choices = choices_of([*places().items(), *list_countries(context.locale)])
        form.medium.choices = choices_of(
            [("", _("All media")), *((each.value, _(each.value)) for each in MEDIA)]
        )
        form.product_id.choices = choices_of([("", _("All products")), *names.items()])
        return form

    async def save(form: RateForm, db: Database) -> Response:
        rate = form.vat_rate
        await save_rate(db, context.account_id, rate, by=context.actor)
        message = _("The rate is saved. It holds from {day} on.").format(
            day=day_in(rate.first_day, get_locale(context.locale))
        )
        return context.redirect(context.url("settings", "vat"), message=message)

    today = context.membership.daily_date
    shown = rates_on_page(rates, names, today, context.locale)
    return await handle_form(
        context,
        make,
        "settings/vat.html",
        save,
        initial={"first_day": today.isoformat()},
        rates=[each for each in shown if not each.is_past],
        past=[each for each in shown if each.is_past],
        settings=settings,
        vat_today=settings and settings.vat_on(today),
        last_day_decides=settings and settings.country in SUPPLIED_ON_THE_LAST_DAY,
    )


def places() -> dict[str, str]:
    """The places that are not single countries, in words."""
    return {
        HOME: _("Your country"),
        EU_PLACE: _("Other countries of the EU"),
        OTHER: _("Outside the EU"),
    }


def rates_on_page(
    rates: Sequence[VatRate], products: Mapping[str, str], today: date, locale: str
) -> list[RateOnPage]:
    """The rates in the order of places, media and products; of the same, the newest first."""
    words, order = places(), list(places())

    def key(each: VatRate) -> tuple[Any, ...]:
        return each.place, each.medium or "", each.product_id or ""

    def sort_key(each: VatRate) -> tuple[Any, ...]:
        place = order.index(each.place) if each.place in order else len(order)
        return place, *key(each), -each.first_day.toordinal()

    shown = []
    follower: VatRate | None = None
    for each in sorted(rates, key=sort_key):
        next_day = follower.first_day if follower and key(follower) == key(each) else None
        is_past = next_day is not None and next_day <= today
        status = _("Past") if is_past else _("Next") if each.first_day > today else _("Now")
        shown.append(
            RateOnPage(
                each,
                format_percent(
                    Decimal(each.rate) / FULL, locale=get_locale(locale), decimal_quantization=False
                ),
                next_day and next_day - timedelta(days=1),
                words.get(each.place) or country_in(each.place, get_locale(locale)),
                products.get(each.product_id or "", "") if each.product_id else _("All products"),
                status,
                is_past,
            )
        )
        follower = each
    return shown


async def remove_rate(context: PageContext) -> Response:
    """Delete a rate that no invoice can have. Raises: NotFound, Invalid."""
    path = context.path
    try:
        asked = VatRate(
            first_day=date.fromisoformat(path["day"]),
            place=path["place"],
            product_id=None if path["product"] == ANY else path["product"],
            medium=None if path["medium"] == ANY else Medium(path["medium"]),
            rate=0,
        )
    except ValueError:
        raise NotFound("rate", path["day"]) from None
    known = await store.list_rates(context.db, context.account_id)
    rate = next((each for each in known if structs.replace(each, rate=0) == asked), None)
    if rate is not None:
        await delete_rate(context.db, context.account_id, rate, by=context.actor)
    return context.redirect(context.url("settings", "vat"), message=_("The rate is deleted."))
