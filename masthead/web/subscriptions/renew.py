"""The page that renews a subscription, or all that were ordered together."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber, LikelyPayers
from masthead.model.orders.price_lists import PriceLists
from masthead.model.orders.price_rises import LastOrder
from masthead.model.orders.references import is_open
from masthead.model.renewals.prices import RenewedCopies
from masthead.model.resources import Source
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.renewals import SubscriptionEnd, next_first_day
from masthead.model.translations import counted, gettext as _, ngettext
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.money import money_text
from masthead.services.billing.payers import find_default_payer
from masthead.services.orders.subscribers import find_subscriber
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.renew import list_ends, renew_together
from masthead.store import accounts
from masthead.store.billing import orders, settings as billing_settings
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues
from masthead.store.orders import price_rises, product_prices
from masthead.store.products import list_products
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods as period_store, records as subscriptions
from masthead.web.billing.order_totals import (
    billed_message,
    paid_message,
    price_message,
    total_in_words,
)
from masthead.web.billing.payer_actions import act_on_payer, prepare_payer, suggest_payers
from masthead.web.billing.sending_now import offer_to_send, send_now
from masthead.web.kit.choices import list_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import choices_of
from masthead.web.orders.order_choices import fresh_order_id, rank_sources
from masthead.web.orders.order_form import payment_methods
from masthead.web.subscriptions.renew_form import RenewForm
from masthead.web.subscriptions.renewable import Renewable
from masthead.web.subscriptions.renewal_price import RenewalPrice, fill_price, typed_day
from masthead.web.subscriptions.together import ChosenCopies

TEMPLATE = "subscriptions/renew.html"
OFFER = "offer"  # the button that fills in the price of the order date
REQUIRED = ("length", "interval_months", "price", "order_date", "order_id", "source")
RENEWABLE = LIVE | {SubscriptionStatus.COMPLETE}


async def renew_subscription(context: PageContext) -> Response:
    """Show the form with a proposed price; renew. Raises: NotFound."""
    id = context.path["id"]
    sources = [source for source in await list_sources(context) if is_open(source)]
    async with context.db.read(aside=True) as db:
        it = await _load(context, db, id, sources)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> RenewForm:
        form = RenewForm(formdata, data)
        form.is_membership, form.currencies = it.is_membership, it.currencies
        for name in REQUIRED:
            form[name].flags.required = True
        form.hidden_price = it.price.hidden_on(typed_day(form) or context.membership.daily_date)
        form.price.flags.required = form.hidden_price is None
        form.locale = context.locale
        form.currency.choices = choices_of((each, each) for each in it.currencies)
        form.payment_method.choices = choices_of(payment_methods())
        form.source.choices = choices_of((source.id, source.name) for source in sources)
        return form

    async def save(form: RenewForm, db: Database) -> Response:
        it.copies.require_same()
        try:
            issued = await renew_together(
                db,
                context.account_id,
                [end.id for end in it.ends],
                form.read(),
                source_id=form.source.data or "",
                terms=form.read_terms(),
                new_payer=form.read_new_payer(),
                seen=form.seen_ends,
                defaults=context.defaults,
                by=context.actor,
            )
        except LikelyPayers as reason:
            payers.extend(reason.subscribers)
            raise
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = _dump_seen(it.ends)
            raise
        message = _message(it, form, len(it.ends))
        if form.is_billed.data:
            sent = await send_now(context, db, form, issued)
            message = f"{message} {await billed_message(context, db, issued)} {sent}".strip()
        sold, total = form.read(), await _total(context, form, it) if form.is_net else ""
        price = money_text(sold.price, sold.currency)
        if form.has_hidden_price:
            message = f"{message} {it.price.hidden_message(sold.order_date)}"
        elif form.can_bill and not form.is_billed.data:
            message = f"{message} {paid_message(price, sold.currency)}"
        else:
            message = f"{message} {price_message(context, price, sold.currency, total)}".strip()
        step = await offer_to_send(context, db, form, issued)
        return context.redirect(
            context.url("subscriptions", id),
            message=f"{message} {step.text}".strip(),
            link=step.link,
            button=step.button,
            is_slow_file=step.is_slow_file,
        )

    form, remark = make(context.form_data, _initial(context, it)), ""
    payers = list[KnownSubscriber]()
    form.default_payer_id = it.payer.id if it.payer else ""
    await prepare_payer(context, form, default_id=form.default_payer_id)
    if not context.is_post:
        form.is_billed.data = it.was_billed and form.can_bill
        form.is_debited.data = it.was_debited and form.collects and form.can_bill

    async def show(status: HTTPStatus) -> Response:
        if form.is_billed.data or form.asks_payment:
            form.price.label.text = _("Price")
        return context.render(
            TEMPLATE,
            status=status,
            form=form,
            it=it,
            subscription=it.subscription,
            remark=remark,
            payers=payers or await suggest_payers(context, form),
            are_likely_payers=bool(payers),
            total=await _total(context, form, it) if form.is_net else "",
        )

    if action := str(context.fields.get("do", "")):
        if action == OFFER:
            remark = fill_price(form, it.price, context.membership.daily_date)
        await act_on_payer(context, form, action)
        return await show(HTTPStatus.OK)
    return await save_or_show(context, form, save, show)


async def _total(context: PageContext, form: RenewForm, it: Renewable) -> str:
    """What the payer will owe, in words."""
    payer = form.payer if form.is_other_payer.data else it.payer
    return await total_in_words(
        context,
        form,
        typed=form.price.data or "",
        product_id=it.subscription.product.id,
        medium=it.subscription.medium,
        country=it.subscription.shipping_address.country or "",
        payer_id=payer.id if payer else None,
        payer_country=form.payer_country.data or "" if form.is_other_payer.data else "",
        currency=form.currency.data or it.currencies[0],
        end=form.supply_end(it.last),
    )


async def _load(
    context: PageContext, db: Connection, id: str, sources: Sequence[Source]
) -> Renewable:
    """What the page shows. Queries: about fifteen. Raises: NotFound."""
    account_id = context.account_id
    subscription = await get_subscription(db, account_id, id)
    row = (await subscriptions.find_rows(db, account_id, [id]))[id]
    last = (await period_store.list_periods(db, account_id, [id]))[id][-1]
    bundle = await get_bundle(db, account_id, id)
    copies = ChosenCopies(context, bundle, RENEWABLE)
    ends = await list_ends(db, account_id, copies.ids)
    own = context.membership.currency
    listed = await list_products(db, account_id)
    product = next(
        (each for each in listed if each.id == subscription.product.id and each.is_active), None
    )
    lists: PriceLists = []
    if product is not None and last.currency == own:
        known = await product_prices.list_price_lists(db, account_id, currency=own)
        lists = known.get(product.id, [])
    owned = await period_store.list_periods(db, account_id, [end.id for end in ends])
    latest = [rows[-1] for rows in owned.values()]
    same = [each for each in latest if each.currency == last.currency]
    billed = await orders.find_last_payer(db, account_id, id)
    settings = await billing_settings.find_settings(db, account_id)
    net, today = None, context.membership.daily_date
    if settings is not None and settings.adds_vat_on(today):  # to the price that is typed
        known_net = await orders.find_net_prices(db, account_id, [each.id for each in same])
        net = sum(known_net.get(each.id, each.price) for each in same)
    renewed = RenewedCopies(
        medium=subscription.medium,
        country=subscription.shipping_address.country or "",
        copies=len(ends),
        orders=[LastOrder(each.order_date, each.price) for each in same],
        is_comp=subscription.is_comp,
    )
    home = (await accounts.get_account(db, account_id)).country
    price = RenewalPrice(
        lists=lists,
        rises=await price_rises.list_product_rises(
            db, account_id, subscription.product.id, currency=last.currency
        ),
        renewed=renewed,
        home=home,
        currency=last.currency,
        sees_money=context.membership.may(Right.SEE_MONEY),
        net=net,
    )
    if not price.is_of_product(today):
        product = None
    payer_id = billed or await find_default_payer(db, account_id, row)
    return Renewable(
        subscription=subscription,
        gifter_id=row.gifter_id,
        copies=copies,
        ends=ends,
        last=last,
        sources=sources,
        currencies=list(dict.fromkeys([last.currency, own])),
        price=price,
        length=(product and product.length) or last.length,
        months=(product and product.interval_months) or last.interval_months,
        product=product,
        current=await issues.find_current(db, account_id, today),
        payer=await find_subscriber(db, account_id, payer_id),
        was_debited=await orders.is_debited(db, account_id, latest[0].id),
        was_billed=latest[0].id in await orders.find_invoices(db, account_id, [latest[0].id]),
    )


def _initial(context: PageContext, it: Renewable) -> dict[str, Any]:
    """The values of a new form."""
    day = context.membership.daily_date
    today, end = day.isoformat(), it.ends[0].period_end
    first_day = next_first_day(end, day) if end else None
    best = rank_sources(it.sources)
    price = it.price.proposed(day, context.locale)
    return {
        "length": str(it.length or ""),
        "interval_months": str(it.months or ""),
        "period_start": first_day.isoformat() if first_day else "",
        "price": price,
        "offered_price": price,
        "discount_amount": "",
        "currency": it.currencies[0],
        "order_date": today,
        "order_id": fresh_order_id(today),
        "source": best[0].id if best else "",
        "seen": _dump_seen(it.ends),
    }


def _dump_seen(ends: Sequence[SubscriptionEnd]) -> str:
    """Where subscriptions end, as text for a hidden field."""
    return " ".join(end.seen for end in ends)


def _message(it: Renewable, form: RenewForm, count: int) -> str:
    """What the next page says."""
    if count > 1:
        return counted("{count} copy is renewed.", "{count} copies are renewed.", count)
    if it.is_membership:
        months = form.read().interval_months or 0
        return counted(
            "The membership is renewed for {count} month.",
            "The membership is renewed for {count} months.",
            months,
        )
    length, first = form.read().length or 0, it.next_issue or 0
    text = ngettext(
        "The subscription is renewed with issue {first}.",
        "The subscription is renewed with issues {first}–{last}.",
        length,
    )
    return text.format(first=first, last=first + length - 1)
