"""The page for an order by phone or letter: for one person, a gift, or several copies."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.known_subscribers import (
    KnownSubscriber,
    LikelyDuplicates,
    LikelyPayers,
    Likeness,
    NamedPerson,
)
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.orders.enter import enter_order
from masthead.services.orders.questions import list_questions
from masthead.services.orders.subscribers import SUGGESTED, find_duplicates
from masthead.services.subscribers.find import find_with_similar
from masthead.store.engine.interface import Database
from masthead.store.subscriptions import periods
from masthead.web.billing.order_totals import (
    at_address,
    billed_message,
    paid_message,
    price_message,
    total_in_words,
)
from masthead.web.billing.payer_actions import act_on_payer, suggest_payers
from masthead.web.billing.sending_now import offer_to_send, send_now
from masthead.web.kit.amounts import example_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import SOURCE
from masthead.web.kit.form_handling import save_form, save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.typed_searches import fields_to_take, has_taken, take_over, taken_texts
from masthead.web.orders.order_actions import (
    GIVER,
    TAKEN,
    TAKEN_OF_GIVER,
    act,
    is_htmx,
    refill_price,
)
from masthead.web.orders.order_choices import (
    NEW_SOURCE,
    OrderChoices,
    create_manual_source,
    load_choices,
)
from masthead.web.orders.order_form import OrderForm
from masthead.web.orders.order_message import added_message
from masthead.web.orders.order_overlaps import overlaps_of_form
from masthead.web.orders.order_prepare import address_field, bills_giver, prepare_form
from masthead.web.orders.order_summary import place_of_price, summarize

TEMPLATE = "orders/order.html"
MAX_COMPARED = 255  # characters of a field; longer ones are refused anyway


async def add_order(context: PageContext) -> Response:
    """Show the form of an order; fill it in, or create its subscriptions. Raises: NotFound."""
    choices = await load_choices(context)
    form = await prepare_form(context, choices)
    found = _Found()

    async def show(status: HTTPStatus) -> Response:
        if status == HTTPStatus.BAD_REQUEST:
            await _ask_the_rest(context, form, found)
        return await _show(context, choices, form, found, status)

    async def save(form: OrderForm, db: Database) -> Response:
        if form.source.data == NEW_SOURCE:
            form.source.data = await create_manual_source(context, db)
        entry = decode_input(OrderEntry, form.typed())
        try:
            made = await enter_order(
                db,
                context.account_id,
                entry,
                defaults=context.defaults,
                may_correct=context.membership.may(Right.CORRECT),
                new_payer=form.read_new_payer(),
                vat_id=form.read_vat_id() if form.is_billed.data else "",
                bills_together=form.waits,
                department=form.read_department() if form.is_billed.data else "",
                mandate=form.read_mandate(),
                by=context.actor,
            )
        except Invalid as reason:
            found.note(reason)
            raise at_address(reason, address_field(form)) from None
        message = added_message(made, form)
        if form.is_billed.data:
            sent = await send_now(context, db, form, made.invoice_ids)
            message = (
                f"{message} {await billed_message(context, db, made.invoice_ids)} {sent}".strip()
            )
        total = await _total(context, form, choices) if form.is_net else ""
        price, currency = form.typed().get("price", "0"), context.membership.currency
        if form.can_bill and not form.is_billed.data and not form.is_comp.data:
            message = f"{message} {paid_message(price, currency)}"
        else:
            message = f"{message} {price_message(context, price, currency, total)}".strip()
        step = await offer_to_send(context, db, form, made.invoice_ids)
        response = context.redirect(
            context.url("subscriptions", made.subscription.id),
            message=f"{message} {step.text}".strip(),
            link=step.link,
            button=step.button,
            is_slow_file=step.is_slow_file,
        )
        context.cookies.set_choice(response, SOURCE, entry.source)
        return response

    async def on_repeat(form: OrderForm) -> Response:
        order_id = (form.order_id.data or "").strip()
        known = await periods.find_orders(context.db, context.account_id, [order_id])
        place = [known[order_id]] if order_id in known else []
        message = _("This order was already added.")
        return context.redirect(context.url("subscriptions", *place), message=message)

    if action := str(context.fields.get("do", "")):
        found.remark = await act(context, form, choices, action)
        await act_on_payer(context, form, action)
        changed = refill_price(form, choices)
        if not (is_htmx(context) and form.price.data):  # scripts replace the price as it changes
            found.remark = found.remark or changed
        return await show(HTTPStatus.OK)
    form.changed_price = refill_price(form, choices)
    return await save_or_show(context, form, save, show, on_repeat)


class _Found:
    """What was found about the input, to show next to it.

    duplicates, givers, payers: likely the subscriber, the giver or the payer.
    remark: about the price.
    """

    def __init__(self) -> None:
        self.duplicates: Sequence[KnownSubscriber] = ()
        self.givers: Sequence[KnownSubscriber] = ()
        self.payers: Sequence[KnownSubscriber] = ()
        self.remark = ""

    def note(self, reason: Invalid) -> None:
        """Keep the subscribers that a refusal names."""
        if not isinstance(reason, LikelyDuplicates):
            return
        if isinstance(reason, LikelyPayers):
            self.payers = reason.subscribers
        elif reason.is_giver:
            self.givers = reason.subscribers
        else:
            self.duplicates = reason.subscribers


async def _ask_the_rest(context: PageContext, form: OrderForm, found: _Found) -> None:
    """Add the open questions to a refusal for another reason: users answer all at once."""
    new_payer = None
    with suppress(Invalid):  # which is shown at its field
        new_payer = form.read_new_payer()
    async with context.db.read(aside=True) as db:
        open_ones = await list_questions(db, context.account_id, form.given, new_payer=new_payer)
    for reason in open_ones:
        if reason.field not in form.errors:
            found.note(reason)
            form.add_error(reason)


async def _show(
    context: PageContext, choices: OrderChoices, form: OrderForm, found: _Found, status: HTTPStatus
) -> Response:
    """Render the form, with the subscribers who match what was typed."""
    search = (form.subscriber_find.data if context.is_post else context.query.get("find")) or ""
    search = search.strip()[:MAX_COMPARED]
    giver_search = (form.gifter_find.data or "").strip()[:MAX_COMPARED]
    suggested: Sequence[KnownSubscriber] = ()
    givers: Sequence[KnownSubscriber] = found.givers
    duplicates: Sequence[KnownSubscriber] = found.duplicates
    has_exact = has_exact_giver = True
    taken, taken_of_giver = (str(context.fields.get(it, "")) for it in (TAKEN, TAKEN_OF_GIVER))
    async with context.db.read(aside=True) as db:
        if search and form.subscriber is None:
            suggested, has_exact = await find_with_similar(
                db, context.account_id, search, limit=SUGGESTED
            )
            if not suggested and not giver_search:
                take_over(form, "", search, before=taken)
        if giver_search and form.giver is None and not givers:
            givers, has_exact_giver = await find_with_similar(
                db, context.account_id, giver_search, limit=SUGGESTED
            )
            if not givers:
                take_over(form, GIVER, giver_search, before=taken_of_giver)
        person = _typed_person(form)
        if context.is_post and form.subscriber is None and person is not None and not duplicates:
            duplicates = await find_duplicates(db, context.account_id, person)
        overlaps = await overlaps_of_form(db, context.account_id, form, duplicates)
    form.mark_required()
    if form.is_billed.data or form.asks_payment:
        form.price.label.text = _("Price")
    return context.render(
        TEMPLATE,
        status=status,
        form=form,
        choices=choices,
        search=search,
        suggested=suggested,
        has_exact=has_exact,
        has_exact_giver=has_exact_giver,
        taken_search=taken if suggested and has_taken(form, "", taken) else search,
        taken_of_subscriber=taken_texts(form, "", search) or taken_texts(form, "", taken),
        taken_of_giver=taken_texts(form, GIVER, giver_search)
        or taken_texts(form, GIVER, taken_of_giver),
        duplicates=duplicates,
        has_same_email=any(Likeness.EMAIL in each.likeness for each in duplicates),
        overlaps=overlaps,
        summary=summarize(form, choices),
        place_of_price=place_of_price(form, choices),
        givers=givers,
        bills_giver=bills_giver(form),
        are_likely_givers=bool(found.givers),
        giver_search=giver_search,
        typed_subscriber=fields_to_take("", search),
        typed_giver=fields_to_take(GIVER, giver_search),
        remark=found.remark,
        payers=found.payers or await suggest_payers(context, form),
        are_likely_payers=bool(found.payers),
        total=await _total(context, form, choices) if form.is_net else "",
        givers_same_email=any(Likeness.EMAIL in each.likeness for each in givers),
        example=example_amount(context.membership.currency, context.locale),
    )


async def _total(context: PageContext, form: OrderForm, choices: OrderChoices) -> str:
    """What the payer will owe, in words."""
    medium, country = form.medium.data or Medium.PRINT.value, form.country.data or ""
    owner = form.giver if form.is_gift.data else form.subscriber
    payer = form.payer if form.is_other_payer.data else owner
    payer_country = form.payer_country.data if form.is_other_payer.data else ""
    if form.is_gift.data and not form.is_other_payer.data:
        payer_country = form.gifter_country.data
    return await total_in_words(
        context,
        form,
        typed=form.price.data or "",
        product_id=form.product.data or None,
        medium=Medium(medium) if medium in set(Medium) else Medium.PRINT,
        country=country or choices.home or "",
        payer_id=payer.id if payer else None,
        payer_country=payer_country or "",
        end=form.supply_end,
    )


def _typed_person(form: OrderForm) -> NamedPerson | None:
    """The subscriber as they were typed; None if a field is too long to compare."""
    typed: Mapping[str, Any] = {
        name: (form[name].data or "").strip() for name in NamedPerson.__struct_fields__
    }
    is_short = all(len(text) <= MAX_COMPARED for text in typed.values())
    return NamedPerson(**{name: text or None for name, text in typed.items()}) if is_short else None


async def add_source(context: PageContext) -> Response:
    """Create the source of manual orders, unless there is a source for them."""
    page = context.redirect(context.url("subscriptions", "new"))

    async def save(form: BaseForm, db: Database) -> Response:
        await create_manual_source(context, db)
        return page

    async def on_repeat(form: BaseForm) -> Response:
        return page

    if (await load_choices(context)).sources:
        return page
    return await save_form(context, BaseForm(context.form_data), save, on_repeat)
