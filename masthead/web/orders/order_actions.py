"""The buttons of the order form that do not save: they fill in a price, a reader or a giver."""

from masthead.model.orders.known_readers import KnownReader
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits
from masthead.services.orders.readers import find_reader
from masthead.web.kit.amounts import localized_amount
from masthead.web.kit.context import PageContext
from masthead.web.orders.order_choices import (
    ADDRESS,
    NAMES,
    OrderChoices,
    is_membership,
    reader_values,
)
from masthead.web.orders.order_form import OrderForm

FILL, FIND_GIVER, FORGET, FORGET_GIVER = "fill", "giver", "forget", "forget-giver"
USE, USE_GIVER = "use:", "giver:"
GIFT = "gift"  # without scripts, it also ticks the box


async def act(context: PageContext, form: OrderForm, choices: OrderChoices, action: str) -> str:
    """Change the fields of the form as the button says; returns a remark about the price.

    action: the value of the button. Unknown ones change nothing.
    """
    remark = ""
    if action == FILL:
        remark = fill_offer(form, choices)
    elif action == FORGET:
        form.subscriber_id.data, form.reader, form.email.data = "", None, ""
    elif action == FORGET_GIVER:
        form.gifter_id.data, form.giver = "", None
    elif action == FIND_GIVER or (action == GIFT and not _is_htmx(context)):
        form.is_gift.data = True
    elif action.startswith(USE):
        reader = await _find(context, action.removeprefix(USE))
        if reader is not None:
            _use_reader(form, reader)
    elif action.startswith(USE_GIVER):
        giver = await _find(context, action.removeprefix(USE_GIVER))
        if giver is not None:
            form.gifter_id.data, form.giver, form.is_gift.data = giver.id, giver, True
            form.gifter_find.data = ""
    return remark


def _is_htmx(context: PageContext) -> bool:
    return context.request.headers.get("HX-Request") == "true"


async def _find(context: PageContext, id: str) -> KnownReader | None:
    async with context.db.read() as db:
        return await find_reader(db, context.account_id, id)


def _use_reader(form: OrderForm, reader: KnownReader) -> None:
    """Choose a reader. What was typed stays; an empty name or address becomes theirs."""
    form.subscriber_id.data, form.reader = reader.id, reader
    values = reader_values(reader)
    for names in (NAMES, ADDRESS):
        typed = [name for name in names if name not in ("country", "phone")]
        if not any(form[name].data for name in typed):
            for name in names:
                form[name].data = values.get(name) or form[name].data


def fill_offer(form: OrderForm, choices: OrderChoices) -> str:
    """Fill in length and price from the product, the medium and the country.

    Returns: a remark if there is no such price; the typed one then stays.
    """
    product = choices.find_product(form.product.data)
    if product is None:
        return ""
    if is_membership(product):
        form.interval_months.data = _number(product.interval_months, form.interval_months.data)
        form.period_start.data = form.period_start.data or form.order_date.data
    else:
        form.length.data = _number(product.length, form.length.data)
        first = str(choices.issues[0].number) if choices.issues else ""
        form.start_issue.data = form.start_issue.data or first
    if form.is_comp.data:
        form.price.data = localized_amount(0, form.terms.currency, form.locale)
        return ""
    medium, country = form.medium.data or "", form.country.data or ""
    price = choices.price_of(product, medium, country)
    if price is not None:
        text = (form.copies.data or "").strip()
        count = int(text) if is_digits(text, at_most=3) else 1
        form.price.data = localized_amount(price * count, form.terms.currency, form.locale)
        return ""
    if product.id not in choices.prices or not country:
        return ""
    remark = _("{product} has no price for {medium} in this country. Type the price.")
    return remark.format(product=product.name, medium=medium)


def _number(offered: int | None, typed: str | None) -> str | None:
    """The number of the product, or what was typed if it leaves it open."""
    return typed if offered is None else str(offered)
