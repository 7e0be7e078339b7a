"""The page that reopens a cancelled subscription, after a preview."""

from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.orders.period_coverage import spreads
from masthead.model.translations import gettext as _
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.reopen import (
    not_cancelled,
    preview_reopen,
    reopen_subscription,
)
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.subscriptions.together import ChosenCopies


class ReopenForm(BaseForm):
    """digest: of the preview that the user saw."""

    digest = HiddenField()


async def reopen(context: PageContext) -> Response:
    """Preview what happens, and reopen the subscription. Raises: NotFound."""
    id = context.path["id"]
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        preview = await preview_reopen(db, context.account_id, id, day=today)
        bundle = await get_bundle(db, context.account_id, id)
    copies = ChosenCopies(context, bundle)

    async def save(form: ReopenForm, db: Database) -> Response:
        copies.require_same()
        reopened = await reopen_subscription(
            db,
            context.account_id,
            id,
            also=copies.others,
            seen=form.digest.data or "",
            by=context.actor,
        )
        message = _("The subscription is reopened. It is now {status}.")
        return context.redirect(
            context.url("subscriptions", id),
            message=message.format(status=_(reopened.status.value)),
        )

    return await handle_form(
        context,
        ReopenForm,
        "subscriptions/reopen.html",
        save,
        subscription=subscription,
        preview=preview,
        copies=copies,
        refusal=None if preview else str(not_cancelled(subscription.status.value)),
        spreads=spreads,
    )
