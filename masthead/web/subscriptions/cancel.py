"""The page that stops the renewals of a subscription, or cancels it, after a preview."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, RadioField, SelectField, TextAreaField

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.period_coverage import spreads
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.refunds import OrderOfCopies, join_orders
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import CancelMode
from masthead.model.types.text import MAX_LONG_TEXT, short_text
from masthead.services.subscribers.overview import count_live
from masthead.services.subscriptions import cancel as service
from masthead.services.subscriptions.bundles import Together, get_bundle
from masthead.services.subscriptions.cancel_preview import (
    CancelPreview,
    digest_previews,
    list_modes,
    preview_cancel,
)
from masthead.services.subscriptions.refunds import Refund
from masthead.store.billing.balances import list_of_orders
from masthead.store.engine.interface import Connection, Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import choices_of, errors_of
from masthead.web.subscriptions.refund_fields import (
    AMOUNTS,
    NOTHING,
    SHARE,
    RefundForm,
    label_as_credit,
    name_of,
    refund_choices,
    shown_share,
    with_amounts,
)
from masthead.web.subscriptions.together import ChosenCopies


class CancelForm(RefundForm):
    """The chosen mode, the reason, and what is refunded.

    digest: of the preview that the user saw. refund: nothing, the share of what was not sent, or
    the typed amounts.
    """

    mode = HiddenField()
    digest = HiddenField()
    reason = SelectField("Reason", validate_choice=False)
    notes = TextAreaField("In the subscriber’s words")
    refund = RadioField("What is refunded", default=NOTHING, validate_choice=False)

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of the reason and of the refund; none if only the renewals are stopped."""
        if self.mode.data != CancelMode.CANCEL:
            return ()
        found = errors_of(
            lambda: short_text("notes", self.notes.data or "", MAX_LONG_TEXT),
            self._refuse_unused_amounts,
            self.read,
        )
        if self.reason.data not in set(CancelReason):
            found.insert(0, Invalid(_("Choose a reason."), field="reason"))
        return found

    def _refuse_unused_amounts(self) -> None:
        """Raises: Invalid if an amount was typed that would not be refunded."""
        if self.refund.data == AMOUNTS:
            return
        proposed = self._shares()
        typed = self.read_amounts()
        if any(amount != proposed.get(period_id) for period_id, amount in typed.items()):
            raise Invalid(
                _(
                    "You typed an amount, but chose not to use it. Choose “Another amount”, or "
                    "empty the amount."
                ),
                field="refund",
            )

    def _shares(self) -> dict[int, int]:
        """The paid share of what was not sent, by period."""
        return {
            period_id: share
            for order in self.orders
            for period_id, share in order.divide(order.unused_share).items()
        }

    def read(self) -> Refund | None:
        """What is refunded; None if it is nothing. Raises: Invalid."""
        if self.refund.data == SHARE:
            amounts = self._shares()
        elif self.refund.data == AMOUNTS:
            amounts = self.read_amounts()
            if not amounts and self.orders:
                text = _("Type the amount, or choose “Nothing” above.")
                raise Invalid(text, field=name_of(self.orders[0]))
        else:
            return None
        if not amounts:
            return None
        return Refund(amounts=amounts, day=self.read_date(), reason=self.reason.data or "")


class CancelOption(msgspec.Struct, frozen=True):
    """A mode of cancelling with the previews of all subscriptions that it is applied to."""

    mode: CancelMode
    preview: CancelPreview
    previews: Sequence[CancelPreview]
    digest: str

    @property
    def cancelled_count(self) -> int:
        """How many copies would be cancelled."""
        return sum(len(each.cancelled) for each in self.previews)

    @property
    def orders(self) -> list[OrderOfCopies]:
        """The orders of all subscriptions that something can be refunded of."""
        return [
            order for order in join_orders([each.orders for each in self.previews]) if order.left
        ]

    @property
    def alike(self) -> list[Sequence[CancelPreview]]:
        """The previews, those together that differ only in what was paid."""
        found: dict[bytes, list[CancelPreview]] = {}
        for each in self.previews:
            same = msgspec.json.encode(msgspec.structs.replace(each, id="", orders=()))
            found.setdefault(same, []).append(each)
        return list(found.values())


async def cancel_subscription(context: PageContext) -> Response:
    """Preview each mode of cancelling; apply the one that the user chose.

    Raises: NotFound, Invalid.
    """
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        bundle = await get_bundle(db, context.account_id, id)
        copies = ChosenCopies(context, bundle, LIVE)
        # the others of the bundle may not renew by themselves
        one_or_group = Together.ONE if copies.choice is Together.ONE else Together.GROUP
        ids = {
            CancelMode.STOP_RENEWALS: bundle.choose(one_or_group, ()),
            CancelMode.CANCEL: copies.ids,
        }
        options = [
            await _make_option(context, db, mode, id, ids[mode])
            for mode in list_modes(is_recurring=subscription.is_recurring)
        ]
        ending = options[-1]
        refundable = ending.orders if context.membership.may(Right.SEE_MONEY) else []
        parts = [part.period_id for order in refundable for part in order.parts]
        billed = await list_of_orders(db, context.account_id, parts)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> CancelForm:
        fields = with_amounts(CancelForm, refundable, context.locale, proposes=True)
        form = fields(formdata, data)
        form.reason.choices = choices_of(
            [("", _("Choose a reason")), *((each, each.words) for each in CancelReason)]
        )
        form.reason.flags.required = True
        form.refund.choices = choices_of(refund_choices(refundable))
        if billed:
            form.refund.label.text = _("What is credited of the invoice")
            label_as_credit(form)
        if form.refund.data not in (NOTHING, SHARE, AMOUNTS):
            form.refund.data = NOTHING
        return form

    async def save(form: CancelForm, db: Database) -> Response:
        chosen = next((option for option in options if option.mode == form.mode.data), None)
        if chosen is None:
            raise Invalid(_("Choose one of the options below."))
        if chosen.mode is CancelMode.STOP_RENEWALS:
            message = await _stop_renewals(context, db, ids[chosen.mode], chosen, form)
        else:
            message = await _end(context, db, copies, chosen, form, is_billed=bool(billed))
            if form.reason.data == CancelReason.DIED:
                person = subscription.subscriber.id
                if left := await _describe_live(context, db, person):
                    message = f"{message} {left}"
                    return context.redirect(context.url("subscribers", person), message=message)
        return context.redirect(context.url("subscriptions", id), message=message)

    return await handle_form(
        context,
        make,
        "subscriptions/cancel.html",
        save,
        initial={"refund_date": context.membership.daily_date.isoformat()},
        subscription=subscription,
        options=options,
        spreads=spreads,
        copies=copies,
        share=shown_share(refundable),
        is_billed=bool(billed),
        is_on_invoice=any(each.invoice_id for each in billed.values()),
    )


async def _make_option(
    context: PageContext, db: Connection, mode: CancelMode, id: str, ids: Sequence[str]
) -> CancelOption:
    """A mode with its previews. ids: of the subscriptions that it is applied to."""
    today = context.membership.daily_date
    previews = [await preview_cancel(db, context.account_id, each, mode, day=today) for each in ids]
    own = next(preview for preview in previews if preview.id == id)
    return CancelOption(mode, own, previews, digest_previews(previews))


async def _stop_renewals(
    context: PageContext, db: Database, ids: Sequence[str], chosen: CancelOption, form: CancelForm
) -> str:
    """Stop the renewals; returns the message. Raises: Invalid if the preview is out of date."""
    if not chosen.preview.changes_nothing and chosen.digest != form.digest.data:
        raise service.changed_since()
    status = await service.stop_together(db, context.account_id, ids, by=context.actor)
    return _("Renewals are stopped. The subscription is now {status}.").format(
        status=_(status.value)
    )


async def _end(
    context: PageContext,
    db: Database,
    copies: ChosenCopies,
    chosen: CancelOption,
    form: CancelForm,
    *,
    is_billed: bool,
) -> str:
    """Cancel subscriptions; returns the message. Raises: Invalid."""
    ending = service.CancelDetails(
        reason=CancelReason(form.reason.data),
        notes=(form.notes.data or "").strip() or None,
        refund=form.read(),
    )
    await service.end_together(
        db, context.account_id, copies.ids, ending, seen=form.digest.data or "", by=context.actor
    )
    shown = copies.count if copies.choice is Together.ALL else 1
    message = _cancelled_message(shown, chosen.cancelled_count)
    if ending.refund is None:
        return message
    return f"{message} {form.describe(ending.refund.amounts, is_billed=is_billed)}"


async def _describe_live(context: PageContext, db: Database, person: str) -> str:
    """Which other subscriptions of a person who has died go on; empty if none do."""
    async with db.read() as connection:
        own, others = await count_live(connection, context.account_id, person)
    own_text = counted(
        "{count} other subscription of the same person goes on.",
        "{count} other subscriptions of the same person go on.",
        own,
    )
    others_text = counted(
        "This person gave or pays for {count} subscription of someone else.",
        "This person gave or pays for {count} subscriptions of other people.",
        others,
    )
    return " ".join(text for text, n in ((own_text, own), (others_text, others)) if n)


def _cancelled_message(subscriptions: int, copies: int) -> str:
    """What the next page says."""
    if subscriptions > 1 and not copies:
        return _("{subscriptions} subscriptions are cancelled.").format(subscriptions=subscriptions)
    if subscriptions > 1:
        return counted(
            "{subscriptions} subscriptions are cancelled. {count} copy will not be sent.",
            "{subscriptions} subscriptions are cancelled. {count} copies will not be sent.",
            copies,
            subscriptions=subscriptions,
        )
    if not copies:
        return _("The subscription is cancelled.")
    return counted(
        "The subscription is cancelled. {count} copy will not be sent.",
        "The subscription is cancelled. {count} copies will not be sent.",
        copies,
    )
