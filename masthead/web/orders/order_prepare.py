"""The form of an order with its choices, and with the people who are chosen."""

from masthead.model.errors import NotFound
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.services.orders.subscribers import find_subscriber
from masthead.web.billing.payer_actions import prepare_payer
from masthead.web.kit.context import PageContext
from masthead.web.kit.typed_searches import drop_name_in_company
from masthead.web.orders.order_actions import GIVER, TAKEN, TAKEN_OF_GIVER, fill_offer, is_htmx
from masthead.web.orders.order_again import choose_payer, fill_again, load_again
from masthead.web.orders.order_choices import OrderChoices, initial_values, offer_choices
from masthead.web.orders.order_form import OrderForm


async def prepare_form(context: PageContext, choices: OrderChoices) -> OrderForm:
    """The form with its choices, and with the subscriber and the giver who are chosen."""
    typed = context.form_data
    again = await load_again(context) if typed is None else None
    asked = context.query.get("subscriber", "")
    if again:
        asked = again.subscription.subscriber_id
    id = str(typed.get("subscriber_id", asked)) if typed is not None else asked
    subscriber = await _find(context, id)
    if id and subscriber is None and typed is None:
        raise NotFound("subscriber", id)
    initial = initial_values(choices, context, subscriber) if typed is None else None
    form = OrderForm(typed, initial)
    offer_choices(form, choices, context)
    form.subscriber_id.data, form.subscriber = id, subscriber
    taken = str(context.fields.get(TAKEN, ""))
    if not (is_htmx(context) or subscriber or form.is_gift.data or form.subscriber_find.data):
        form.subscriber_find.data = taken  # what was typed into the search of the first page
    drop_name_in_company(form, "", taken)
    drop_name_in_company(form, GIVER, str(context.fields.get(TAKEN_OF_GIVER, "")))
    giver_id = form.gifter_id.data or context.query.get("giver", "")
    if again:
        giver_id = again.subscription.gifter_id or ""
        choose_payer(form, again)
    form.giver = await _find(context, giver_id)
    if typed is None and giver_id:
        if form.giver is None:
            raise NotFound("subscriber", giver_id)
        form.gifter_id.data, form.is_gift.data = giver_id, True
    owner = form.giver if form.is_gift.data else form.subscriber
    await prepare_payer(context, form, default_id=owner.id if owner else "")
    if typed is None:
        fill_offer(form, choices)
    if again:
        fill_again(form, choices, again)
    return form


def address_field(form: OrderForm) -> str:
    """The field with the address of who gets the invoice; empty if a known payer does."""
    if form.is_other_payer.data:
        return ""
    return "gifter_address1" if form.is_gift.data else "address1"


def bills_giver(form: OrderForm) -> bool:
    """Whether the invoice goes to a giver whose postal address is not known yet."""
    has_address = form.giver is not None and form.giver.country is not None
    return bool(form.is_billed.data and form.is_gift.data) and not (
        form.is_other_payer.data or has_address
    )


async def _find(context: PageContext, id: str) -> KnownSubscriber | None:
    if not id:
        return None
    async with context.db.read() as db:
        return await find_subscriber(db, context.account_id, id)
