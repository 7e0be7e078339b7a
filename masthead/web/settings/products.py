"""Settings: products, what subscribers buy, with their prices."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, RadioField, StringField, TextAreaField

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.offers import MAX_LENGTH, MAX_MONTHS, Offer, Prices
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.money import money_text
from masthead.model.types.text import is_digits, short_text
from masthead.services import products as service
from masthead.store import accounts
from masthead.store import products as store
from masthead.store.engine.interface import Database
from masthead.store.orders import product_prices
from masthead.store.products import AccountProduct
from masthead.web.kit.amounts import example_amount, localized_amount, read_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import country_in, get_locale
from masthead.web.kit.forms import (
    BaseForm,
    choices_of,
    dump_original_values,
    load_original_values,
    name_field,
)
from masthead.web.settings.activation import activation

FINGERPRINT = "fingerprint"
MAX_BENEFITS_TEXT = 20_000  # characters: 50 lines of 255, and empty lines
SLUGS = {Medium.PRINT: "print", Medium.DIGITAL: "digital", Medium.PRINT_AND_DIGITAL: "both"}
PRICE_FIELDS = {
    f"price_{slug}_{group.value}": (medium, group)
    for medium, slug in SLUGS.items()
    for group in CountryGroup
}


class ProductForm(BaseForm):
    """The name, the benefits and the offer of a product; its price fields are added below."""

    name = name_field("Give the product a name.")
    benefits = TextAreaField("Benefits")
    type = RadioField("What orders are for", default=SubscriptionType.SUBSCRIPTION.value)
    length = StringField("Number of issues")
    interval_months = StringField("Number of months")
    was = HiddenField()  # the values when the page was shown, and their fingerprint
    currency, locale = "EUR", "en_GB"  # replaced by those of the account and the user

    def find_errors(self) -> Sequence[Invalid]:
        """Limit the length of the benefits, and read the numbers and amounts."""
        found: list[Invalid] = []
        try:
            short_text("benefits", self.benefits.data or "", MAX_BENEFITS_TEXT)
        except Invalid as reason:
            found.append(reason)
        subscribers: dict[str, Callable[[str], int | None]]
        subscribers = {"length": partial(self._number, most=MAX_LENGTH)}
        subscribers |= {"interval_months": partial(self._number, most=MAX_MONTHS)}
        subscribers |= dict.fromkeys(PRICE_FIELDS, self._amount)
        for name, read in subscribers.items():
            try:
                read(name)
            except Invalid as reason:
                found.append(reason)
        return found

    @property
    def lines(self) -> list[str]:
        """The benefits, one on each line."""
        return (self.benefits.data or "").splitlines()

    @property
    def offer(self) -> Offer:
        """The offer of a valid form."""
        amounts = {place: self._amount(name) for name, place in PRICE_FIELDS.items()}
        return Offer(
            type=SubscriptionType(self.type.data),
            length=self._number("length", most=MAX_LENGTH),
            interval_months=self._number("interval_months", most=MAX_MONTHS),
            prices={place: amount for place, amount in amounts.items() if amount is not None},
        )

    def _number(self, name: str, *, most: int) -> int | None:
        """The number in a field; None if it is empty. Raises: Invalid."""
        text = (self[name].data or "").strip()
        if not text:
            return None
        if not is_digits(text, at_most=4) or not 1 <= int(text) <= most:
            message = _("Type a whole number from 1 to {most}.").format(most=most)
            raise Invalid(message, field=name, value=text)
        return int(text)

    def _amount(self, name: str) -> int | None:
        """The amount in a field, in minor units; None if it is empty. Raises: Invalid."""
        text = (self[name].data or "").strip()
        if not text:
            return None
        return read_amount(name, text, currency=self.currency, locale=self.locale)


for _name in PRICE_FIELDS:
    setattr(ProductForm, _name, StringField())


async def list_products(context: PageContext) -> Response:
    """List the products of the account with their prices, oldest first."""
    currency = context.membership.currency
    async with context.db.read() as db:
        products = await store.list_products(db, context.account_id)
        prices = await product_prices.list_prices(db, context.account_id, currency=currency)
    return context.render(
        "settings/products.html",
        products=products,
        prices=prices,
        amount=lambda price: money_text(price, currency),
    )


async def create_product(context: PageContext) -> Response:
    """Add a product."""

    async def save(form: ProductForm, db: Database) -> Response:
        made = await service.create_product(
            db,
            context.account_id,
            name=form.name.data or "",
            benefits=form.lines,
            offer=form.offer,
            by=context.actor,
        )
        message = _("{product} is added.").format(product=made.name)
        return context.redirect(context.url("settings", "products"), message=message)

    return await _handle(context, save, None, {})


async def edit_product(context: PageContext) -> Response:
    """Change a product. Raises: NotFound."""
    product = await store.get_product(context.db, context.account_id, context.path["id"])
    currency, locale = context.membership.currency, context.locale
    prices = await product_prices.list_prices(context.db, context.account_id, currency=currency)
    values = _form_values(product, prices.get(product.id, {}), currency, locale)

    async def save(form: ProductForm, db: Database) -> Response:
        was = load_original_values(form.was.data, values.keys())
        try:
            changed = await service.update_product(
                db,
                context.account_id,
                product.id,
                name=form.name.data or "",
                benefits=form.lines,
                offer=form.offer,
                seen=was[FINGERPRINT],
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                _merge_changes(form, was, values)
            raise
        message = _("{product} is saved. Its subscriptions show the change.")
        message = message.format(product=changed.name)
        return context.redirect(context.url("settings", "products"), message=message)

    initial = {**values, "was": dump_original_values(values)}
    return await _handle(context, save, product, initial)


def _form_values(
    product: AccountProduct, prices: Prices, currency: str, locale: str
) -> Mapping[str, str | None]:
    """The values of a product as the form shows them, and their fingerprint."""
    return {
        "name": product.name,
        "benefits": "\n".join(product.benefits),
        "type": product.type.value,
        "length": str(product.length or ""),
        "interval_months": str(product.interval_months or ""),
        FINGERPRINT: service.fingerprint(product, prices),
    } | {
        name: localized_amount(prices[place], currency, locale) if place in prices else ""
        for name, place in PRICE_FIELDS.items()
    }


def _merge_changes(
    form: ProductForm, was: Mapping[str, str | None], now: Mapping[str, str | None]
) -> None:
    """Update the form after another user has saved changes.

    Fields that this user changed keep the typed text; if the other user changed them too, they say
    so. The others show the saved value.
    """
    for name in now.keys() - {FINGERPRINT}:
        typed = (form[name].data or "").replace("\r\n", "\n").strip()
        if now[name] in (was[name], typed):
            continue
        if typed == was[name]:
            form[name].data = now[name]
        else:
            message = _("Another user has changed this to “{value}”.")
            form.add_error(Invalid(message.format(value=now[name]), field=name))
    form.was.data = dump_original_values(now)


async def _handle(
    context: PageContext, save: Any, product: AccountProduct | None, initial: Mapping[str, Any]
) -> Response:
    """Show the form of a product, or save it. product: None for a new one."""
    own = context.membership
    account = await accounts.get_account(context.db, context.account_id)
    home = country_in(account.country, get_locale(context.locale)) if account.country else ""
    kinds = (
        (SubscriptionType.SUBSCRIPTION.value, _("A number of issues")),
        (SubscriptionType.MEMBERSHIP.value, _("A membership for a number of months")),
    )

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> ProductForm:
        form = ProductForm(formdata, data)
        form.currency, form.locale = own.currency, context.locale
        form.type.choices = choices_of(kinds)
        if formdata is not None and form.type.data is None:  # the choice is not in the form
            form.type.data = SubscriptionType.SUBSCRIPTION.value
        return form

    return await handle_form(
        context,
        make,
        "settings/product.html",
        save,
        initial=initial,
        product=product,
        home=home,
        slugs=SLUGS,
        example=example_amount(own.currency, context.locale),
    )


activate_product, deactivate_product = activation(
    "products",
    service.set_product_active,
    gettext_noop("{name} is inactive. Existing subscriptions keep it."),
)
