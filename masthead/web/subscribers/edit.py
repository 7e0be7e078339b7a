"""The page that corrects the name, the email and the postal address of a subscriber."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, EmailField, HiddenField, SelectField, StringField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.subscribers.corrections import (
    CORRECTABLE,
    EMAIL_TAKEN,
    MERGED_MEANWHILE,
    NAMES,
    SubscriberCorrection,
    list_own_address_refusals,
)
from masthead.model.translations import counted, gettext as _
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.validation import decode_each, decode_input
from masthead.services.subscribers import correct as service
from masthead.services.subscribers.renames import count_same_names
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscribers import corrections as store
from masthead.web.billing.links import redirect_after_correction
from masthead.web.kit.choices import list_countries, list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import (
    BaseForm,
    choices_of,
    dump_original_values,
    load_original_values,
    merge_changes,
    salutation_choices,
    trimmed,
)
from masthead.web.kit.idempotency import NotSaved


class SubscriberForm(BaseForm):
    """The fields of a subscriber. was: their values when the page was shown."""

    salutation = SelectField("Salutation", validate_choice=False)
    title = StringField("Title", filters=[trimmed])
    first_name = StringField("First name", filters=[trimmed])
    last_name = StringField("Last name", filters=[trimmed])
    company = StringField("Company", filters=[trimmed])
    email = EmailField("Email", filters=[trimmed])
    language = SelectField("Language of letters, emails and invoices", validate_choice=False)
    address1 = StringField("Street and number", filters=[trimmed])
    address2 = StringField("Address, second line", filters=[trimmed])
    city = StringField("Town", filters=[trimmed])
    state = StringField("State or region", filters=[trimmed])
    postcode = StringField("Postcode", filters=[trimmed])
    country = SelectField("Country", validate_choice=False)
    with_subscriptions = BooleanField()
    was = HiddenField()

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field that the user changed."""
        try:
            changed = self.changed_values(self.original_values())
            given, found = decode_each(SubscriberCorrection, changed)
            address = {name: given.get(name, self[name].data) for name in ADDRESS_FIELDS}
            return [*found, *list_own_address_refusals(address)]
        except Invalid as reason:
            return [reason]

    def original_values(self) -> dict[str, str | None]:
        """The values when the page was shown. Raises: Invalid if they were altered."""
        return load_original_values(self.was.data, CORRECTABLE)

    def changed_values(self, original: Mapping[str, str | None]) -> dict[str, str | None]:
        """The values of the fields that the user changed."""
        typed = {name: self[name].data or None for name in CORRECTABLE}
        return {name: text for name, text in typed.items() if text != original[name]}


async def edit_subscriber(context: PageContext) -> Response:
    """Show the form; save the fields that the user changed. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        subscriber = await store.get_subscriber(db, context.account_id, id)
        same_name = await count_same_names(db, context.account_id, id)
    if subscriber.merged_into is not None:
        message = _("The subscriber was merged into this one. Nothing was changed.")
        return context.redirect(
            context.url("subscribers", subscriber.merged_into, "edit"), message=message
        )
    conflicts: dict[str, str] = {}
    taken: list[tuple[str, str]] = []

    async def save(form: SubscriberForm, db: Database) -> Response:
        original = form.original_values()
        changed = form.changed_values(original)
        try:
            result = await service.correct_subscriber(
                db,
                context.account_id,
                id,
                decode_input(SubscriberCorrection, changed),
                seen=original,
                with_subscriptions=bool(form.with_subscriptions.data),
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == MERGED_MEANWHILE:
                kept = context.url("subscribers", reason.value)
                raise NotSaved(context.redirect(kept, message=str(reason))) from None
            if reason.code == EMAIL_TAKEN:
                other = await store.get_subscriber(db, context.account_id, str(reason.value))
                taken.append((other.id, other.full_name))
            if reason.code == CHANGED_MEANWHILE:
                now = await _read_values(db, context.account_id, id)
                conflicts.update(merge_changes(form, original, changed, now))
            raise
        if not {*result.fields} & {*CORRECTABLE} - {"email"}:
            return context.redirect(context.url("subscribers", id), message=_message(result))
        return await redirect_after_correction(context, db, id, _message(result))

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> SubscriberForm:
        form = SubscriberForm(formdata, data)
        form.salutation.choices = salutation_choices()
        form.language.choices = choices_of([("", _("None chosen")), *list_languages_of_texts()])
        form.country.choices = choices_of(
            [("", _("Choose a country")), *list_countries(context.locale)]
        )
        return form

    values = subscriber.shown
    return await handle_form(
        context,
        make,
        "subscribers/edit.html",
        save,
        initial={**values, "was": dump_original_values(values)},
        subscriber=subscriber,
        name=subscriber.full_name,
        same_name=same_name,
        names=NAMES,
        own_address=ADDRESS_FIELDS,
        conflicts=conflicts,
        taken=taken,
    )


async def _read_values(db: Connection, account_id: int, id: str) -> dict[str, str | None]:
    return (await store.get_subscriber(db, account_id, id)).shown


def _message(result: service.Corrected) -> str:
    """What was saved, in one or more sentences."""
    if not result.fields:
        return _("Nothing was changed.")
    sentences = [_("The changes are saved.")]
    if result.subscriptions:
        sentences.append(
            counted(
                "{count} subscription has the new name too.",
                "{count} subscriptions have the new name too.",
                result.subscriptions,
            )
        )
    if result.other_names:
        sentences.append(
            counted(
                "{count} subscription has another name and was not changed.",
                "{count} subscriptions have another name and were not changed.",
                result.other_names,
            )
        )
    if result.emails:
        sentences.append(
            counted(
                "{count} waiting email goes to the new address.",
                "{count} waiting emails go to the new address.",
                result.emails,
            )
        )
    return " ".join(sentences)
