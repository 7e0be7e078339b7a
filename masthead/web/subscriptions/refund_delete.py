"""The page that deletes a refund, after a confirmation."""

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.translations import gettext as _
from masthead.services.subscriptions.recorded_refunds import delete_refund, list_recorded
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm


async def delete(context: PageContext) -> Response:
    """Ask, and delete a refund whose money was not transferred. Raises: NotFound."""
    id, refund_id = context.path["id"], context.path["refund"]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        listed = await list_recorded(db, context.account_id, id)
    refund = next((each for each in listed if each.id == refund_id), None)
    if refund is None and not context.is_post:  # otherwise this form may already have deleted it
        raise NotFound("refund", refund_id)

    async def save(_form: BaseForm, db: Database) -> Response:
        deleted = await delete_refund(db, context.account_id, id, refund_id, by=context.actor)
        message = _("The refund of {amount} is deleted.").format(amount=deleted.in_words)
        return context.redirect(context.url("subscriptions", id), message=message)

    is_of_earlier_month = refund is not None and (
        (refund.refund_date.year, refund.refund_date.month)
        < (context.membership.daily_date.year, context.membership.daily_date.month)
    )
    return await handle_form(
        context,
        BaseForm,
        "subscriptions/refund_delete.html",
        save,
        subscription=subscription,
        refund=refund,
        is_of_earlier_month=is_of_earlier_month,
    )
