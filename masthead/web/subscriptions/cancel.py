"""The page that stops the renewals of a subscription, or cancels it, after a preview."""

import hashlib

import msgspec
from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import spreads
from masthead.model.translations import ngettext
from masthead.model.types.enums import CancelMode
from masthead.services.subscriptions import cancel as service
from masthead.services.subscriptions.cancel_preview import CancelPreview, list_modes, preview_cancel
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm


class CancelForm(BaseForm):
    """The chosen mode. digest: the digest of the preview that the user saw."""

    mode = HiddenField()
    digest = HiddenField()


class CancelOption(msgspec.Struct, frozen=True):
    """A mode of cancelling with its preview, and the form that applies it."""

    mode: CancelMode
    preview: CancelPreview
    digest: str
    form: CancelForm


async def cancel_subscription(context: PageContext) -> Response:
    """Preview each mode of cancelling; apply the one that the user chose.

    Raises: NotFound, Invalid.
    """
    id = context.path["id"]
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        options = [
            _make_option(mode, await preview_cancel(db, context.account_id, id, mode, day=today))
            for mode in list_modes(is_recurring=subscription.is_recurring)
        ]

    async def save(form: CancelForm, db: Database) -> Response:
        option = next((option for option in options if option.mode == form.mode.data), None)
        if option is None:
            raise Invalid("Choose one of the options below.")
        if not option.preview.changes_nothing and option.digest != form.digest.data:
            raise Invalid(
                "The subscription has changed since you opened this page. "
                "Check again what will happen."
            )
        cancelled = await service.cancel_subscription(
            db, context.account_id, id, option.mode, by=context.actor
        )
        if option.mode is CancelMode.STOP_RENEWALS:
            status = cancelled.status.value
            message = f"Renewals are stopped. The subscription is now {status}."
        else:
            count = len(option.preview.cancelled)
            copies = ngettext("copy", "copies", count)
            message = f"The subscription is cancelled. {count} {copies} will not be sent."
        return context.redirect(context.url("subscriptions", id), message=message)

    return await context.handle_form(
        CancelForm,
        "subscriptions/cancel.html",
        save,
        subscription=subscription,
        options=options,
        spreads=spreads,
    )


def _make_option(mode: CancelMode, preview: CancelPreview) -> CancelOption:
    digest = hashlib.sha256(msgspec.json.encode(preview)).hexdigest()[:32]
    return CancelOption(mode, preview, digest, CancelForm(None, {"mode": mode, "digest": digest}))
