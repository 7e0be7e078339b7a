"""Changing a subscription: its names, address and notes; its renewals stopped; its end."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, SelectField, StringField, TextAreaField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import SubscriptionUpdate
from masthead.model.lifecycle import LIVE
from masthead.model.orders.period_coverage import spreads
from masthead.model.resources import Subscription
from masthead.model.types.enums import CancelMode, SubscriptionStatus
from masthead.model.validation import decode_input, list_refusals
from masthead.services import subscriptions as service
from masthead.services.cancellation import CancelPreview, preview_cancel
from masthead.store.engine.interface import Database
from masthead.web.desk.subscriptions import countries_in, find_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, choices_of, dump_original_values, load_original_values

FIELDS = "first_name last_name company address1 address2 city state postcode country phone".split()
FIELDS += ["notes"]


class AddressForm(BaseForm):
    """What of a subscription can be changed. was: the fields as they were when it was filled."""

    was = HiddenField()
    first_name = StringField("First name")
    last_name = StringField("Last name")
    company = StringField("Company")
    address1 = StringField("Address")
    address2 = StringField("Address, second line")
    city = StringField("City")
    state = StringField("State or region")
    postcode = StringField("Postcode")
    country = SelectField("Country", validate_choice=False)
    phone = StringField("Phone, with country code")
    notes = TextAreaField("Notes, for your eyes only")

    def find_errors(self) -> Sequence[Invalid]:
        """Each field that was typed into, by itself."""
        try:
            return list_refusals(SubscriptionUpdate, self.changed(self.seen()))
        except Invalid as reason:
            return [reason]

    def seen(self) -> dict[str, str | None]:
        """The fields as they were. Raises: Invalid if that has been tampered with."""
        return load_original_values(self.was.data, FIELDS)

    def changed(self, was: Mapping[str, str | None]) -> dict[str, str]:
        """The fields that have been typed into."""
        typed = {name: tidy(self[name].data) for name in FIELDS}
        return {name: text for name, text in typed.items() if text != tidy(was[name])}


def tidy(text: str | None) -> str:
    """A text as it is compared: browsers send other ends of lines than they were given."""
    return (text or "").replace("\r\n", "\n").strip()


def editable(subscription: Subscription) -> dict[str, str | None]:
    """The fields of the form as they stand."""
    held = {**msgspec.structs.asdict(subscription.shipping_address)}
    held |= {name: getattr(subscription, name) for name in ("first_name", "last_name", "notes")}
    return {name: held[name] for name in FIELDS}


async def edit_subscription(context: PageContext) -> Response:
    """Show the form; save the fields that were changed in it. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await find_subscription(context, db, id)
    now = editable(subscription)
    others: dict[str, str] = {}  # what stands there now in fields that two people have changed

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> AddressForm:
        form = AddressForm(formdata, data)
        form.country.choices = choices_of(countries_in(context.membership.locale))
        return form

    async def save(form: AddressForm, db: Database) -> Response:
        was = form.seen()
        changed = form.changed(was)
        body = decode_input(SubscriptionUpdate, changed)
        try:
            await service.update_subscription(
                db, context.account_id, id, body, seen=was, by=context.actor
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                others.update(show_both(form, was, changed, now))
            raise
        said = "The changes are saved." if changed else "Nothing was changed."
        return context.redirect(context.url("subscriptions", id), message=said)

    return await context.handle_form(
        make,
        "desk/subscription_edit.html",
        save,
        initial={**now, "was": dump_original_values(now)},
        subscription=subscription,
        others=others,
    )


def show_both(
    form: AddressForm,
    was: Mapping[str, str | None],
    changed: Mapping[str, str],
    now: Mapping[str, str | None],
) -> dict[str, str]:
    """Bring the form up to what others made of the record; their values in fields typed into.

    What was typed stays; fields that were left alone show what is there now.
    """
    theirs = {name for name in FIELDS if was[name] != now[name]}
    for name in theirs - changed.keys():
        form[name].data = now[name]
    form.was.data = dump_original_values(now)
    return {name: now[name] or "" for name in FIELDS if name in theirs & changed.keys()}


class CancelForm(BaseForm):
    """How to cancel. told: what the page said that it would do."""

    mode = HiddenField()
    told = HiddenField()


class Choice(msgspec.Struct, frozen=True):
    """A way to cancel, what it would do, and a form of its own that does it."""

    mode: CancelMode
    preview: CancelPreview
    told: str
    form: CancelForm

    @property
    def does_nothing(self) -> bool:
        """Whether it has been done, or came by itself."""
        if self.mode is CancelMode.CANCEL:
            return self.preview.before is SubscriptionStatus.CANCELLED
        return self.preview.before not in (SubscriptionStatus.ACTIVE, SubscriptionStatus.PAST_DUE)


async def end_subscription(context: PageContext) -> Response:
    """Say in numbers what each way of cancelling would do; do it. Raises: NotFound, Invalid."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await find_subscription(context, db, id)
        modes = [CancelMode.STOP_RENEWALS] if subscription.is_recurring else []
        choices = [
            _choice(mode, await preview_cancel(db, context.account_id, id, mode))
            for mode in (*modes, CancelMode.CANCEL)
        ]

    async def save(form: CancelForm, db: Database) -> Response:
        choice = next((each for each in choices if each.mode == form.mode.data), None)
        if choice is None:
            raise Invalid("Choose one of the ways below.")
        if not choice.does_nothing and choice.told != form.told.data:
            raise Invalid(
                "The subscription has changed since you opened this page. "
                "Read again what will happen."
            )
        done = await service.cancel_subscription(
            db, context.account_id, id, choice.mode, by=context.actor
        )
        return context.redirect(context.url("subscriptions", id), message=_said(choice, done))

    return await context.handle_form(
        CancelForm,
        "desk/subscription_cancel.html",
        save,
        subscription=subscription,
        choices=choices,
        is_live=subscription.status in LIVE,
        spreads=spreads,
    )


def _choice(mode: CancelMode, preview: CancelPreview) -> Choice:
    told = hashlib.sha256(msgspec.json.encode(preview)).hexdigest()[:32]
    form = CancelForm(None, {"mode": mode.value, "told": told})
    return Choice(mode, preview, told, form)


def _said(choice: Choice, done: Subscription) -> str:
    if choice.mode is CancelMode.STOP_RENEWALS:
        return f"Renewals are stopped. The subscription is now {done.status.value}."
    count = len(choice.preview.cancelled)
    copies = "1 copy" if count == 1 else f"{count} copies"
    return f"The subscription is cancelled; {copies} will not be sent."
