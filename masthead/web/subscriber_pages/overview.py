"""What a subscriber has, and what they can do with it."""

from functools import partial
from typing import Any

from starlette.responses import Response

from masthead.model.errors import PageNotFound
from masthead.model.ids import LAST_ID, LAST_NUMBER
from masthead.model.letters.unsubscribe import masked_email
from masthead.model.resources import Subscription
from masthead.model.self_service.renewals import can_renew
from masthead.model.self_service.settings import Action, renewal_link
from masthead.model.translations import gettext as _
from masthead.model.types.full_names import full_name
from masthead.model.types.text import is_digits
from masthead.services.self_service.invoices import sum_open
from masthead.services.self_service.overview import OthersPage, get_overview, list_given, list_paid
from masthead.store.billing.settings import find_settings as find_billing
from masthead.store.engine.interface import Connection
from masthead.store.self_service.links import find_new_email
from masthead.store.self_service.requests import find_waiting
from masthead.web.subscriber_pages.amounts import amount_in, format_amount
from masthead.web.subscriber_pages.context import MyContext


def messages() -> dict[str, str]:
    """What was done, by the word in the address that the browser is redirected to."""
    return {
        "address": _("Your new address is saved. We confirm it by email."),
        "address-planned": _("The change of address is planned. We confirm it by email."),
        "address-held": _(
            "Your new address is saved. An issue is on its way to your old address already."
        ),
        "address-cancelled": _("The change of address is cancelled."),
        "claim": _("Thank you. We send the issue again, with the next mailing."),
        "claim-waits": _("Thank you. We look into it, and write to you."),
        "name": _("Your name is saved. We confirm it by email."),
        "email": _(
            "We have sent an email to your old address and one to the new one. Please open the "
            "link in both. Nothing changes before."
        ),
        "letters": _("Saved. We confirm it by email."),
        "renewals": _("Your subscription does not renew automatically any more."),
        "renewed": _("Thank you for your renewal. The invoice is in the email that we send you."),
        "renewed-waits": _(
            "Thank you for your renewal. You get one invoice for all of your orders."
        ),
        "erasure": _("We got your request. We check it, and do it soon."),
    }


async def show_overview(context: MyContext) -> Response:
    """The page of a subscriber."""
    asked_page = context.query.get("page", "")
    page = max(1, int(asked_page)) if is_digits(asked_page, at_most=3) else 1
    async with context.db.read(aside=True) as db:
        overview = await get_overview(db, context.account, context.subscriber, page=page)
        asked = await find_waiting(
            db, context.account_id, [context.subscriber.id], Action.ERASURE, None
        )
        new_email = await find_new_email(db, context.account_id, context.subscriber.id)
        bills = await find_billing(db, context.account_id) is not None
        to_pay = []
        if bills and context.settings.allows(Action.INVOICES):
            to_pay = await sum_open(db, context.caller)
    email = context.real_email(context.subscriber.email)
    return context.render(
        "subscriber_pages/overview.html",
        overview=overview,
        is_first=page == 1,
        email=masked_email(email) if context.is_reading else email,
        gets_letters=context.subscriber.unsubscribed_at is None,
        new_email="" if context.is_reading else new_email,
        has_asked_for_erasure=asked is not None,
        shows_invoices=bills and context.settings.allows(Action.INVOICES),
        to_pay=to_pay,
        amount=partial(amount_in, context),
        allows={each.value: context.settings.allows(each) for each in Action},
        message=messages().get(context.query.get("done", ""), ""),
        **_words_of_cards(context, bills=bills),
    )


async def show_gifts(context: MyContext) -> Response:
    """The gifts of the subscriber to others."""
    before = context.query.get("before", "") or LAST_ID
    async with context.db.read(aside=True) as db:
        page = await list_given(db, context.account_id, context.subscriber.id, before=before)
        return await _show_others(context, db, page, path="gifts", title=_("Gifts from you"))


async def show_paid(context: MyContext) -> Response:
    """The subscriptions of others that the subscriber gets the invoices for. Raises: PageNotFound.

    Gifts are on a page of their own.
    """
    before = context.query.get("before", "") or str(LAST_NUMBER)
    if not is_digits(before, at_most=len(str(LAST_NUMBER))):
        raise PageNotFound
    number = min(int(before), LAST_NUMBER)
    async with context.db.read(aside=True) as db:
        page = await list_paid(db, context.account_id, context.subscriber.id, before=number)
        title = _("Paid by you for others")
        return await _show_others(context, db, page, path="paid", title=title)


async def _show_others(
    context: MyContext, db: Connection, page: OthersPage, *, path: str, title: str
) -> Response:
    bills = await find_billing(db, context.account_id) is not None
    words = _words_of_cards(context, bills=bills)
    return context.render(
        "subscriber_pages/others.html", page=page, path=path, title=title, **words
    )


def _words_of_cards(context: MyContext, *, bills: bool) -> dict[str, Any]:
    """What the cards of subscriptions call. bills: whether the account writes invoices."""

    def renew_at(it: Subscription) -> str:
        """The address in the shop; empty if subscribers cannot renew there."""
        is_allowed = context.settings.allows(Action.RENEW)
        return renewal_link(context.settings, it.id) if is_allowed else ""

    def can_renew_by_invoice(it: Subscription) -> bool:
        """Whether to offer it; the page of the renewal knows all of the rules."""
        is_allowed = bills and context.settings.allows(Action.RENEW_BY_INVOICE)
        return is_allowed and can_renew(it.status, is_comp=it.is_comp, is_recurring=it.is_recurring)

    def price_of(it: Subscription) -> str:
        """The price of the current period, in its currency."""
        assert it.price is not None
        assert it.currency is not None
        return format_amount(context, it.price, it.currency)

    def recipient_of(it: Subscription) -> str:
        """The name on the label."""
        return full_name(it.first_name, it.last_name, it.shipping_address.company, "")

    return {
        "renew_at": renew_at,
        "can_renew": can_renew_by_invoice,
        "price_of": price_of,
        "recipient_of": recipient_of,
    }
