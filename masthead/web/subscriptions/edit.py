"""The page that edits the names, the phone and the notes of a subscription.

An address is changed on a page of its own, which asks from when.
"""

from collections.abc import Mapping, Sequence

from starlette.responses import Response
from wtforms import HiddenField, StringField, TextAreaField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import SubscriptionUpdate
from masthead.model.orders.field_rules import PAGE_NAMES
from masthead.model.resources import Subscription
from masthead.model.translations import gettext as _
from masthead.model.validation import decode_each, decode_input
from masthead.services.subscriptions import update as service
from masthead.services.subscriptions.bundles import get_bundle
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import (
    BaseForm,
    dump_original_values,
    load_original_values,
    merge_changes,
)
from masthead.web.subscriptions.together import ChosenCopies

FIELDS = ("first_name", "last_name", "company", "phone", "notes")


class SubscriptionEditForm(BaseForm):
    """The editable fields of a subscription. was: their values when the page was shown."""

    was = HiddenField()
    first_name = StringField("First name")
    last_name = StringField("Last name")
    company = StringField("Company")
    phone = StringField("Phone, with country code")
    notes = TextAreaField("Internal notes")

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field that the user changed."""
        try:
            original = self.original_values()
        except Invalid as reason:
            return [reason]
        _given, found = decode_each(SubscriptionUpdate, self.changed_values(original))
        return found

    def original_values(self) -> dict[str, str | None]:
        """The values when the page was shown. Raises: Invalid if they were altered."""
        return load_original_values(self.was.data, FIELDS)

    def changed_values(self, original: Mapping[str, str | None]) -> dict[str, str]:
        """The values of the fields that the user changed."""
        typed = {name: _normalize(self[name].data) for name in FIELDS}
        return {name: text for name, text in typed.items() if text != _normalize(original[name])}


def _normalize(text: str | None) -> str:
    """A text with uniform line endings, for comparison; browsers change line endings."""
    return (text or "").replace("\r\n", "\n").strip()


async def edit_subscription(context: PageContext) -> Response:
    """Show the form; save the fields that the user changed. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        bundle = await get_bundle(db, context.account_id, id)
    copies = ChosenCopies(context, bundle)
    values = _form_values(subscription)
    conflicts: dict[str, str] = {}

    async def save(form: SubscriptionEditForm, db: Database) -> Response:
        copies.require_same()
        original = form.original_values()
        changed = form.changed_values(original)
        body = decode_input(SubscriptionUpdate, changed)
        try:
            await service.update_subscription(
                db,
                context.account_id,
                id,
                body,
                also=copies.others,
                seen=original,
                names=PAGE_NAMES,
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                now = _form_values(await get_subscription(db, context.account_id, id))
                conflicts.update(merge_changes(form, original, changed, now))
            raise
        message = _("The changes are saved.") if changed else _("Nothing was changed.")
        return context.redirect(context.url("subscriptions", id), message=message)

    return await handle_form(
        context,
        SubscriptionEditForm,
        "subscriptions/edit.html",
        save,
        initial={**values, "was": dump_original_values(values)},
        subscription=subscription,
        conflicts=conflicts,
        copies=copies,
    )


def _form_values(subscription: Subscription) -> dict[str, str | None]:
    """The values of a subscription as the form shows them."""
    to = subscription.shipping_address
    return {
        "first_name": subscription.first_name,
        "last_name": subscription.last_name,
        "company": to.company,
        "phone": to.phone,
        "notes": subscription.notes,
    }
