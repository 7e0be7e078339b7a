"""The page that reopens a cancelled subscription, after a preview."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, RadioField

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.period_coverage import spreads
from masthead.model.subscriptions.recorded_refunds import RefundOfOrders
from masthead.model.translations import format_day, gettext as _
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.recorded_refunds import delete_refund, list_recorded
from masthead.services.subscriptions.reopen import (
    not_cancelled,
    preview_reopen,
    reopen_subscription,
)
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of
from masthead.web.subscriptions.together import ChosenCopies

PAID_OUT, DELETED = "paid", "delete"


class ReopenForm(BaseForm):
    """digest: of the preview that the user saw. refunds: those that may be deleted.

    `_with_refunds` adds a field for each of them.
    """

    digest = HiddenField()
    refunds: Sequence[RefundOfOrders] = ()

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of refunds of which nothing is chosen."""
        text = _("Choose whether the money has been transferred.")
        return [
            Invalid(text, field=field_of(each))
            for each in self.refunds
            if self[field_of(each)].data not in (PAID_OUT, DELETED)
        ]


def field_of(refund: RefundOfOrders) -> str:
    """The name of the field of a refund."""
    return f"refund_{refund.id}"


def _with_refunds(refunds: Sequence[RefundOfOrders]) -> type[ReopenForm]:
    """The form with a field for each refund that can be deleted."""
    fields = {
        field_of(each): RadioField(
            _("Refund of {amount}, recorded on {day}").format(
                amount=each.in_words, day=format_day(each.refund_date)
            ),
            choices=choices_of(
                [
                    (PAID_OUT, _("The money has been transferred: the refund stays")),
                    (DELETED, _("The money has not been transferred: delete the refund")),
                ]
            ),
            validate_choice=False,
        )
        for each in refunds
    }
    return type("ReopenRefundedForm", (ReopenForm,), {**fields, "refunds": refunds})


async def reopen(context: PageContext) -> Response:
    """Preview what happens, and reopen the subscription. Raises: NotFound."""
    id = context.path["id"]
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        preview = await preview_reopen(db, context.account_id, id, day=today)
        bundle = await get_bundle(db, context.account_id, id)
        listed: Sequence[RefundOfOrders] = ()
        if context.membership.may(Right.SEE_MONEY):
            listed = await list_recorded(db, context.account_id, id)
    copies = ChosenCopies(context, bundle)
    made = [each for each in listed if each.is_of(copies.ids)]
    since = preview.cancelled_date if preview else context.membership.daily_date
    refunds = [each for each in made if each.can_be_deleted and each.refund_date >= since]

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> ReopenForm:
        form = _with_refunds(refunds)(formdata, data)
        for each in refunds:
            form[field_of(each)].flags.required = True
        return form

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
        message = message.format(status=_(reopened.status.value))
        for each in refunds:
            if form[field_of(each)].data == DELETED:
                await delete_refund(db, context.account_id, id, each.id, by=context.actor)
                text = _("The refund of {amount} is deleted.").format(amount=each.in_words)
                message = f"{message} {text}"
        return context.redirect(context.url("subscriptions", id), message=message)

    return await handle_form(
        context,
        make,
        "subscriptions/reopen.html",
        save,
        subscription=subscription,
        preview=preview,
        copies=copies,
        refusal=None if preview else str(not_cancelled(subscription.status.value)),
        spreads=spreads,
        kept=[each for each in made if each not in refunds],
        field_of=field_of,
    )
