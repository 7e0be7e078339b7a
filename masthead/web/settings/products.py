"""Settings: products, what subscribers buy, with their prices."""

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.last_prices import Unlisted, count_steep
from masthead.model.orders.price_lists import PriceList, list_on
from masthead.model.orders.price_rises import rise_in_words
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.services import products as service
from masthead.store import accounts, products as store
from masthead.store.engine.interface import Database
from masthead.store.orders import price_rises, product_prices
from masthead.store.products import AccountProduct
from masthead.web.kit.amounts import example_amount, localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import country_in, day_in, get_locale
from masthead.web.kit.forms import choices_of, dump_original_values, load_original_values
from masthead.web.settings.activation import activation
from masthead.web.settings.last_prices import (
    UnpricedProduct,
    day_of_rises,
    fill_paid_prices,
    find_unlisted,
    find_unpriced,
    kept_in_words,
    preview_rises,
)
from masthead.web.settings.price_rise import PRINTED, raise_choices
from masthead.web.settings.product_form import PRICE_FIELDS, SLUGS, ProductForm
from masthead.web.settings.product_prices import (
    PeriodOfPrices,
    find_coming,
    periods_of,
    read_coming,
)

FINGERPRINT = "fingerprint"


async def list_products(context: PageContext) -> Response:
    """List the products of the account with their prices, oldest first."""
    currency, today = context.membership.currency, context.membership.daily_date
    async with context.db.read() as db:
        products = await store.list_products(db, context.account_id)
        lists = await product_prices.list_price_lists(db, context.account_id, currency=currency)
        rises = (await price_rises.list_rises(db, context.account_id)).get(currency, {})
    unpriced = await find_unpriced(context, products, lists)
    return context.render(
        "settings/products.html",
        products=products,
        prices={id: list_on(each, today).prices for id, each in lists.items()},
        coming={id: find_coming(each, today) for id, each in lists.items()},
        rises={
            id: [each.first_day for each in dated if each.first_day > today]
            for id, dated in rises.items()
        },
        unpriced={each.id: each.count for each in unpriced},
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

    account = await accounts.get_account(context.db, context.account_id)
    unlisted = Unlisted([], {}, (), account.country)
    return await _handle(context, save, None, {}, PriceList(None, {}), unlisted)


async def edit_product(context: PageContext) -> Response:
    """Change a product. Raises: NotFound."""
    product = await store.get_product(context.db, context.account_id, context.path["id"])
    currency, locale = context.membership.currency, context.locale
    known = await product_prices.list_price_lists(context.db, context.account_id, currency=currency)
    lists = known.get(product.id, [])
    rises = await price_rises.list_product_rises(
        context.db, context.account_id, product.id, currency=currency
    )
    coming = read_coming(context, lists)
    today = context.membership.daily_date
    shown = coming or PriceList(today, list_on(lists, today).prices)
    values = _form_values(product, shown, currency, locale)
    values[FINGERPRINT] = service.fingerprint(product, lists, rises)
    listed = await store.list_products(context.db, context.account_id)
    others = [each for each in listed if each.id != product.id]
    unpriced = await find_unpriced(context, others, known)
    account = await accounts.get_account(context.db, context.account_id)
    unlisted = await find_unlisted(context, account, product, shown, rises)

    async def save(form: ProductForm, db: Database) -> Response:
        was = load_original_values(form.was.data, values.keys())
        raised = form.rises if form.raises_paid.data else {}
        try:
            changed = await service.update_product(
                db,
                context.account_id,
                product.id,
                name=form.name.data or "",
                benefits=form.lines,
                offer=form.offer,
                prices_from=form.first_day,
                replaced=coming.first_day if coming else None,
                rises=raised,
                seen=was[FINGERPRINT],
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                _merge_changes(form, was, values)
            raise
        message = _("{product} is saved. Its subscriptions show the change.")
        if form.offer.prices != shown.prices:
            message = _("{product} is saved. Orders from today on take the new prices.")
        if form.first_day and form.first_day > today:
            message = _("{product} is saved. Orders from {day} on take the new prices.")
        if raised:
            message = _("{product} is saved. Renewals from {day} on take the new prices.")
            message = f"{message} {kept_in_words(unlisted.other_currencies)}".strip()
        if unpriced and form.offer.prices != shown.prices:
            others = _("Renewals of products without a price stay as they are: see their lines.")
            message = f"{message} {others}"
        day = day_in(form.first_day or today, get_locale(locale))
        message = message.format(product=changed.name, day=day)
        return context.redirect(context.url("settings", "products"), message=message)

    initial = {**values, "was": dump_original_values(values)}
    periods = periods_of(lists, today)
    return await _handle(
        context,
        save,
        product,
        initial,
        shown,
        unlisted,
        coming=coming,
        periods=periods,
        unpriced=unpriced,
    )


def _form_values(
    product: AccountProduct, shown: PriceList, currency: str, locale: str
) -> dict[str, str | None]:
    """The values of a product as the form shows them. shown: the prices."""
    prices = shown.prices
    values: dict[str, str | None] = {
        "name": product.name,
        "benefits": "\n".join(product.benefits),
        "type": product.type.value,
        "length": str(product.length or ""),
        "interval_months": str(product.interval_months or ""),
        "prices_from": shown.first_day.isoformat() if shown.first_day else "",
    }
    return values | {
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
    context: PageContext,
    save: Any,
    product: AccountProduct | None,
    initial: Mapping[str, Any],
    shown: PriceList,
    unlisted: Unlisted,
    *,
    coming: PriceList | None = None,
    periods: Sequence[PeriodOfPrices] = (),
    unpriced: Sequence[UnpricedProduct] = (),
) -> Response:
    """Show the form of a product, or save it. product: None for a new one.

    shown: the prices that the form begins with. coming: the same, None for those of today.
    periods: all prices. unlisted: its renewals without a price. unpriced: other products with such
    renewals.
    """
    own = context.membership
    home = country_in(unlisted.home, get_locale(context.locale)) if unlisted.home else ""
    paid = unlisted.on(shown.first_day or own.daily_date)
    sells_digital = any(medium != Medium.PRINT for medium, _group in [*shown.prices, *paid])
    kinds = (
        (SubscriptionType.SUBSCRIPTION.value, _("A number of issues")),
        (SubscriptionType.MEMBERSHIP.value, _("A membership for a number of months")),
    )

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> ProductForm:
        form = ProductForm(formdata, data)
        form.currency, form.locale = own.currency, context.locale
        form.type.choices = choices_of(kinds)
        form.raise_in.choices = choices_of(raise_choices())
        media = ((slug, _(medium.value)) for medium, slug in SLUGS.items())
        form.raise_medium.choices = choices_of(
            [
                ("all", _("all media, digital too")),
                (PRINTED, _("print, alone or with digital")),
                *media,
            ]
        )
        if formdata is None and sells_digital:  # a rise is mostly because of the postage
            form.raise_medium.data = PRINTED
        form.prices_from.flags.required = product is not None
        if formdata is not None and form.type.data is None:  # the choice is not in the form
            form.type.data = SubscriptionType.SUBSCRIPTION.value
        return form

    variables: dict[str, Any] = {
        "unpriced": unpriced,
        "paid": paid,
        "product": product,
        "home": home,
        "slugs": SLUGS,
        "example": example_amount(own.currency, context.locale),
        "today": own.daily_date,
        "coming": coming,
        "periods": periods,
        "rises": unlisted.rises,
        "kept": kept_in_words(unlisted.other_currencies),
        "count_steep": count_steep,
        "rise_words": lambda rise: rise_in_words(rise.text(own.currency)),
        "preview": partial(preview_rises, unlisted, own.daily_date),
        "first_day": partial(day_of_rises, today=own.daily_date),
        "is_raised": False,
        "saved": {},
        "has_risen": False,
    }
    if product and context.form_data is not None and "raise" in context.form_data:
        form = make(context.form_data, initial)
        if context.form_data["raise"] == "paid":
            fill_paid_prices(form, paid)
        else:
            form.raise_prices()
        variables["is_raised"] = not form.errors
        variables["saved"] = initial
        variables["has_risen"] = any(form[name].data != initial[name] for name in PRICE_FIELDS)
        status = HTTPStatus.BAD_REQUEST if form.errors else HTTPStatus.OK
        return context.render("settings/product.html", status=status, form=form, **variables)
    return await handle_form(
        context, make, "settings/product.html", save, initial=initial, **variables
    )


activate_product, deactivate_product = activation(
    "products",
    service.set_product_active,
    gettext_noop("{name} is inactive. Existing subscriptions keep it."),
)
