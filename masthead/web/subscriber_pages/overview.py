"""What a subscriber has, and what they can do with it."""

from babel.numbers import format_currency
from starlette.responses import Response

from masthead.model.resources import Subscription
from masthead.model.self_service.settings import Action, renewal_link
from masthead.model.translations import gettext as _
from masthead.model.types.text import full_name
from masthead.services.self_service.overview import get_overview
from masthead.store.self_service.requests import find_waiting
from masthead.web.kit.formatting import get_locale
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
        "erasure": _("We got your request. We check it, and do it soon."),
    }


async def show_overview(context: MyContext) -> Response:
    """The page of a subscriber."""
    async with context.db.read(aside=True) as db:
        overview = await get_overview(db, context.account, context.subscriber)
        asked = await find_waiting(
            db, context.account_id, [context.subscriber.id], Action.ERASURE, None
        )

    def renew_at(it: Subscription) -> str:
        """The address in the shop; empty if subscribers cannot renew there."""
        is_allowed = context.settings.allows(Action.RENEW)
        return renewal_link(context.settings, it.id) if is_allowed else ""

    def price_of(it: Subscription) -> str:
        """The price of the current period, in its currency."""
        assert it.price is not None
        assert it.currency is not None
        locale = get_locale(context.locale)
        return format_currency(it.price, it.currency, locale=locale, decimal_quantization=False)

    return context.render(
        "subscriber_pages/overview.html",
        overview=overview,
        email=context.subscriber.email,
        gets_letters=context.subscriber.unsubscribed_at is None,
        has_asked_for_erasure=asked is not None,
        renew_at=renew_at,
        price_of=price_of,
        recipient_of=lambda it: full_name(it.first_name, it.last_name, None, ""),
        allows={each.value: context.settings.allows(each) for each in Action},
        message=messages().get(context.query.get("done", ""), ""),
    )
