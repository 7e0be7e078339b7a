"""Renew a subscription, and pay by invoice."""

from functools import partial

from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.self_service.renewals import RenewalOffer
from masthead.model.self_service.settings import Action
from masthead.services.self_service import renew as service
from masthead.store.engine.interface import Database
from masthead.web.kit.forms import BaseForm
from masthead.web.subscriber_pages.amounts import amount_in
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.forms import handle_form


class InvoiceRenewalForm(BaseForm):
    """seen: what the subscriber agrees to."""

    seen = HiddenField()


async def renew(context: MyContext) -> Response:
    """Show what is ordered and what it costs, and order it. Raises: NotFound."""
    id = context.path["id"]
    offer, problem = await _find_offer(context, id)

    async def save(form: InvoiceRenewalForm, db: Database) -> Response:
        try:
            done = await service.renew(
                db,
                context.caller,
                id,
                seen=form.seen.data or "",
                placeholder_domain=context.web.placeholder_domain,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE and offer is not None:
                form.seen.data = offer.seen
            raise
        return context.redirect(context.url(done="renewed-waits" if done.waits else "renewed"))

    return await handle_form(
        context,
        InvoiceRenewalForm(context.form_data, {"seen": offer.seen if offer else ""}),
        "subscriber_pages/renew.html",
        save,
        offer=offer,
        problem=problem,
        shows_invoices=context.settings.allows(Action.INVOICES),
        amount=partial(amount_in, context),
    )


async def _find_offer(context: MyContext, id: str) -> tuple[RenewalOffer | None, str]:
    """The offer, or why there is none: a form that is sent again was saved before."""
    try:
        async with context.db.read(aside=True) as db:
            return await service.find_offer(db, context.caller, id), ""
    except Invalid as reason:
        return None, str(reason)
