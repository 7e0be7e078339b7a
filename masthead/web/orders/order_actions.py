"""The buttons of the order form that do not save: they fill in a price, a subscriber or a giver."""

from collections.abc import Collection
from datetime import date

from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import is_digits
from masthead.services.orders.subscribers import find_subscriber
from masthead.store.products import AccountProduct
from masthead.web.kit.amounts import localized_amount, typed_in_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.typed_searches import clear_taken, take_over
from masthead.web.orders.order_choices import (
    ADDRESS,
    NAMES,
    OrderChoices,
    is_membership,
    subscriber_values,
)
from masthead.web.orders.order_fields import OFFERED
from masthead.web.orders.order_form import OrderForm

# `fill` replaces what was typed, `offer` does not
FILL, OFFER, FIND_GIVER, FORGET, FORGET_GIVER = "fill", "offer", "giver", "forget", "forget-giver"
USE, USE_GIVER = "use:", "giver:"
GIFT, SWAP = "gift", "swap"  # without scripts, the first also makes the order a gift
GIVER = "gifter_"  # the names of the fields of a giver begin with it
TAKEN, TAKEN_OF_GIVER = "subscriber_taken", "gifter_taken"  # searches whose names the fields have
SIDES = (*NAMES, "email")  # typed of a recipient and of a giver


async def act(context: PageContext, form: OrderForm, choices: OrderChoices, action: str) -> str:
    """Change the fields of the form as the button says; returns a remark about the price.

    action: the value of the button. Unknown ones change nothing.
    """
    remark = ""
    form.gifter_country.data = form.gifter_country.data or choices.home or ""
    if action in (FILL, OFFER):
        remark = fill_offer(form, choices, keeps_typed=action == OFFER)
    elif action == FORGET:
        _forget_subscriber(form, choices)
        remark = fill_offer(form, choices, keeps_typed=True)
    elif action == FORGET_GIVER:
        form.gifter_id.data, form.giver = "", None
    elif action == FIND_GIVER:
        form.is_gift.data = True
    elif action == GIFT:
        form.is_gift.data = form.is_gift.data or not is_htmx(context)
        _move_caller(form, choices)
        _move_search(form, str(context.fields.get("find", "")))
    elif action == SWAP:
        _swap(form, choices)
        remark = fill_offer(form, choices, keeps_typed=True)
    elif action.startswith(USE):
        subscriber = await _find(context, action.removeprefix(USE))
        if subscriber is not None:
            for search in (form.subscriber_find.data or "", str(context.fields.get(TAKEN, ""))):
                clear_taken(form, "", search)
            _use_subscriber(form, subscriber)
            form.subscriber_find.data = ""
            remark = fill_offer(form, choices, keeps_typed=True)
    elif action.startswith(USE_GIVER):
        giver = await _find(context, action.removeprefix(USE_GIVER))
        if giver is not None:
            form.gifter_id.data, form.giver, form.is_gift.data = giver.id, giver, True
            form.gifter_find.data = ""
    return remark


def is_htmx(context: PageContext) -> bool:
    """Whether a script of the page sent the form."""
    return context.request.headers.get("HX-Request") == "true"


async def _find(context: PageContext, id: str) -> KnownSubscriber | None:
    async with context.db.read() as db:
        return await find_subscriber(db, context.account_id, id)


def _use_subscriber(form: OrderForm, subscriber: KnownSubscriber) -> None:
    """Choose a subscriber. What was typed stays; an empty name or address becomes theirs."""
    form.subscriber_id.data, form.subscriber = subscriber.id, subscriber
    values = subscriber_values(subscriber)
    for names in (NAMES, ADDRESS):
        typed = [name for name in names if name not in ("country", "phone")]
        if not any(form[name].data for name in typed):
            for name in names:
                form[name].data = values.get(name) or form[name].data


def _forget_subscriber(form: OrderForm, choices: OrderChoices) -> None:
    """Choose no subscriber, and empty the fields of the record; what was typed stays."""
    values = subscriber_values(form.subscriber) if form.subscriber else {}
    for name in (*NAMES, *ADDRESS):
        if form[name].data == values.get(name):
            form[name].data = (choices.home or "") if name == "country" else ""
    form.subscriber_id.data, form.subscriber, form.email.data = "", None, ""
    form.subscriber_find.data = ""
    form.is_address_right.data = False


def _move_caller(form: OrderForm, choices: OrderChoices) -> None:
    """Make the chosen caller the giver of a gift, or else the subscriber."""
    if form.is_gift.data and form.subscriber and not form.giver:
        _swap(form, choices)
    elif not form.is_gift.data and form.giver and not form.subscriber:
        _swap(form, choices)
        form.is_gift.data = False


def _move_search(form: OrderForm, search: str) -> None:
    """Look for the caller who is not chosen as the giver of a gift, or take them as the subscriber.

    search: what was typed to find the caller on the first page; a later one has it in the form.
    """
    if form.is_gift.data and not form.giver and not form.gifter_find.data:
        if not search:
            search, form.subscriber_find.data = form.subscriber_find.data or "", ""
        form.gifter_find.data = search
        clear_taken(form, "", search)
    elif not form.is_gift.data and not form.subscriber:
        if not search:
            search = form.subscriber_find.data = form.gifter_find.data or ""
        form.gifter_find.data = ""
        clear_taken(form, GIVER, search)
        take_over(form, "", search)


def _swap(form: OrderForm, choices: OrderChoices) -> None:
    """Swap giver and recipient: those who are chosen, and what is typed of the others.

    The address that is typed beside a chosen subscriber stays: the copies go there.
    """
    subscriber, giver = form.subscriber, form.giver
    if subscriber:
        _forget_subscriber(form, choices)
    typed = {name: (form[name].data or "").strip() for name in SIDES}
    for name in SIDES:
        form[name].data = "" if giver else form[f"gifter_{name}"].data
        form[f"gifter_{name}"].data = "" if subscriber else typed[name]
    if not subscriber:
        for name in ADDRESS_FIELDS:
            typed_too = form[name].data
            form[name].data = "" if giver else form[f"gifter_{name}"].data
            form[f"gifter_{name}"].data = typed_too
        form.country.data = form.country.data or choices.home or ""
    form.gifter_id.data, form.giver = (subscriber.id if subscriber else ""), subscriber
    form.is_gift.data = True
    if giver:
        _use_subscriber(form, giver)


def fill_offer(form: OrderForm, choices: OrderChoices, *, keeps_typed: bool = False) -> str:
    """Fill in length and price from the product, the medium and the country.

    keeps_typed: whether to leave what the user typed over an earlier offer. Returns: a remark if
    there is no such price, or if something was left.
    """
    product = choices.find_product(form.product.data)
    if product is None:
        return ""
    kept = {name for name in OFFERED if keeps_typed and form.is_overtyped(name)}
    if is_membership(product):
        _offer(form, "interval_months", _text(product.interval_months), kept)
        form.period_start.data = form.period_start.data or form.order_date.data
    else:
        _offer(form, "length", _text(product.length), kept)
        form.start_issue.data = form.start_issue.data or choices.first
    day = _order_day(form, choices)
    price = _price_of(form, choices, product, day)
    if price is not None:
        _offer(form, "price", price, set() if form.is_comp.data else kept)
    elif form.country.data:
        if not form.is_overtyped("price"):
            form.price.data = form.offered_price.data = ""  # perhaps that of another product
        if product.id not in choices.prices:
            return _remark(form, product, price, kept)
        remark = _("{product} has no price for {medium} in this country. Type the price.")
        medium = form.medium.data or Medium.PRINT.value
        return remark.format(product=product.name, medium=_(medium))
    remark = _remark(form, product, price, kept)
    if price is not None and day != choices.today and not form.is_comp.data:
        remark = f"{remark} {_remark_on_day(form, choices, product, day)}".strip()
    return remark


def refill_price(form: OrderForm, choices: OrderChoices) -> str:
    """Replace a filled-in price that no longer belongs to what is chosen; returns what to say.

    A browser without scripts, or slower than the user, sends the price of the country, medium,
    product or day that was chosen before. A typed price stays.
    """
    before = form.offered_price.data
    if not before or form.is_overtyped("price"):
        return ""
    remark = fill_offer(form, choices, keeps_typed=True)
    if form.price.data == before or form.is_comp.data:
        return ""
    if not form.price.data:
        return remark
    text = _("For what is chosen now, the price is {price}, not {before}. Check it.")
    price, old = (_in_words(form, each) for each in (form.price.data, before))
    return text.format(price=price, before=old)


def _order_day(form: OrderForm, choices: OrderChoices) -> date:
    """The order date, whose prices count."""
    try:
        return date.fromisoformat((form.order_date.data or "").strip())
    except ValueError:
        return choices.today


def _remark_on_day(
    form: OrderForm, choices: OrderChoices, product: AccountProduct, day: date
) -> str:
    """What to say if the product has another price today than on the order date."""
    then, today = (_price_of(form, choices, product, each) for each in (day, choices.today))
    if then == today:
        return ""
    text = _("On {day}, the price of {product} is {price}; today it is {today}.")
    return text.format(
        day=day_in(day, get_locale(form.locale)),
        product=product.name,
        price=_in_words(form, then or ""),
        today=_("not known") if today is None else _in_words(form, today),
    )


def _in_words(form: OrderForm, price: str) -> str:
    """A filled-in price as pages write it."""
    return typed_in_words(price, form.defaults.currency, form.locale)


def _price_of(
    form: OrderForm, choices: OrderChoices, product: AccountProduct, day: date
) -> str | None:
    """The price of all copies on a day, as people type it; None if the product has none."""
    if form.is_comp.data:
        return localized_amount(0, form.defaults.currency, form.locale)
    price = choices.price_of(product, form.medium.data or "", form.country.data or "", day)
    if price is None:
        return None
    text = (form.copies.data or "").strip()
    count = int(text) if is_digits(text, at_most=3) else 1
    return localized_amount(price * count, form.defaults.currency, form.locale)


def _offer(form: OrderForm, name: str, offered: str | None, kept: Collection[str]) -> None:
    """Fill in what a product offers, unless it leaves the field open or the typed value is kept."""
    if offered is None:
        return
    form[f"offered_{name}"].data = offered
    if name not in kept:
        form[name].data = offered


def _remark(
    form: OrderForm, product: AccountProduct, price: str | None, kept: Collection[str]
) -> str:
    """What to say about typed values that differ from the offer."""
    if price is not None and "price" in kept and form.is_overtyped("price"):
        remark = _("You typed a price, so it stays. The price of {product} is {price}.")
        return remark.format(product=product.name, price=_in_words(form, price))
    if "length" in kept and product.length is not None and form.is_overtyped("length"):
        return counted(
            "You typed the number of issues, so it stays. {product} is for {count} issue.",
            "You typed the number of issues, so it stays. {product} is for {count} issues.",
            product.length,
            product=product.name,
        )
    months = product.interval_months
    if "interval_months" in kept and months is not None and form.is_overtyped("interval_months"):
        return counted(
            "You typed the number of months, so it stays. {product} is for {count} month.",
            "You typed the number of months, so it stays. {product} is for {count} months.",
            months,
            product=product.name,
        )
    return ""


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)
