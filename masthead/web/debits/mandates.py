"""The mandates of a payer: add one, keep the signed file, and revoke it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response
from wtforms import BooleanField, FileField, RadioField, StringField
from wtforms.validators import DataRequired
from wtforms.widgets import DateInput

from masthead.model.debits.mandates import Mandate, MandateScheme, NewMandate
from masthead.model.errors import Invalid, NotFound
from masthead.model.file_names import file_name
from masthead.model.resources import Subscriber
from masthead.model.translations import gettext as _
from masthead.model.types.fields import required_text
from masthead.services.debits import mandates as service
from masthead.services.pictures import MAX_UPLOAD
from masthead.store.billing import open_sums
from masthead.store.debits import mandates as store, settings as settings_store
from masthead.store.debits.mandates import SignedFile
from masthead.store.engine.interface import Database
from masthead.store.subscribers.records import get_subscriber
from masthead.web.billing.words import return_words, scheme_choices
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm, choices_of, read_date, trimmed
from masthead.web.kit.pictures import ISOLATED

RECURRING, ONCE = "recurring", "once"
_MEGABYTES = MAX_UPLOAD // 1_000_000


class MandateForm(BaseForm):
    """A mandate as it is typed; the model validates it."""

    holder = StringField("Account holder", [DataRequired("Type the name.")], [trimmed])
    iban = StringField("IBAN", [DataRequired("Type the IBAN.")], [trimmed])
    bic = StringField("BIC", filters=[trimmed])
    signed_date = StringField("Signed on", widget=DateInput())
    reference = StringField("Mandate reference", filters=[trimmed])
    kind = RadioField("What it is for", validate_choice=False, default=RECURRING)
    scheme = RadioField("Kind of mandate", validate_choice=False, default=MandateScheme.CORE)
    is_signed = BooleanField("The signed mandate is here on paper")
    file = FileField("Signed mandate")


class SignedFileForm(BaseForm):
    """A signed mandate."""

    file = FileField("Signed mandate", [DataRequired("Choose a file that is not empty.")])


class RevokeMandateForm(BaseForm):
    """When and why a mandate is revoked."""

    day = StringField("Revoked on", widget=DateInput())
    reason = StringField(
        "Reason", [DataRequired("Say why. It is kept with the mandate.")], [trimmed]
    )


async def add(context: PageContext) -> Response:
    """Add a mandate of a subscriber. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber = await get_subscriber(db, context.account_id, context.path["id"])
        settings = await settings_store.find_settings(db, context.account_id)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> MandateForm:
        form = MandateForm(formdata, data)
        form.kind.choices = choices_of(
            [(RECURRING, _("For all invoices from now on")), (ONCE, _("For one invoice only"))]
        )
        form.scheme.choices = scheme_choices()
        form.signed_date.flags.required = True
        return form

    async def save(form: MandateForm, db: Database) -> Response:
        asked = NewMandate(
            iban=form.iban.data or "",
            bic=form.bic.data or "",
            holder=form.holder.data or "",
            reference=form.reference.data or "",
            is_recurring=form.kind.data != ONCE,
            is_b2b=form.scheme.data == MandateScheme.B2B,
            signed_date=read_date("signed_date", form.signed_date.data),
        )
        file = await _read_file(context)
        if file is None and not form.is_signed.data:
            raise Invalid(
                _("Upload the signed mandate, or tick that it is here on paper."), field="is_signed"
            )

        async def store_mandate(_form: MandateForm, db: Database) -> Response:
            await service.add_mandate(
                db, context.account_id, subscriber.id, asked, file=file, by=context.actor
            )
            url = context.url("subscribers", subscriber.id, "account")
            return context.redirect(url, message=await _added_message(context, db, subscriber.id))

        return await save_form(context, form, store_mandate)

    return await handle_form(
        context,
        make,
        "debits/mandate_new.html",
        save,
        initial={
            "holder": subscriber.full_name,
            "signed_date": context.membership.daily_date.isoformat(),
        },
        in_transaction=False,
        subscriber=subscriber,
        settings=settings,
        megabytes=_MEGABYTES,
    )


async def _added_message(context: PageContext, db: Database, id: str) -> str:
    """What happened, and what is not collected by itself."""
    today = context.membership.daily_date
    async with db.read() as connection:
        sums = await open_sums.sum_of_payer(connection, context.account_id, id, today=today)
    if not any(each.invoices for each in sums):
        return _("The mandate is added.")
    return _(
        "The mandate is added. What is open already is not collected by itself: choose “Collect "
        "by direct debit” under “More” on the page of the invoice."
    )


async def _read_file(context: PageContext) -> SignedFile | None:
    """The uploaded file; None if there is none. Raises: Invalid, Busy."""
    file = context.fields.get("file")
    if not isinstance(file, UploadFile) or not file.size:
        return None
    return await service.read_signed_file(await file.read(), account_id=context.account_id)


async def _get(context: PageContext) -> tuple[Subscriber, Mandate]:
    """The subscriber and the mandate of the page. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber = await get_subscriber(db, context.account_id, context.path["id"])
        mandate = await store.get_mandate(db, context.account_id, context.path["mandate"])
    if mandate.payer_id != subscriber.id:
        raise NotFound("mandate", mandate.id)
    return subscriber, mandate


async def show_mandate(context: PageContext) -> Response:
    """A mandate with its signed file; upload one. Raises: NotFound."""
    subscriber, mandate = await _get(context)
    today = context.membership.daily_date

    async def save(form: SignedFileForm, db: Database) -> Response:
        file = await _read_file(context)
        if file is None:
            raise Invalid(_("Choose a file that is not empty."), field="file")

        async def store_file(_form: SignedFileForm, db: Database) -> Response:
            await service.set_signed_file(
                db, context.account_id, mandate.id, file, by=context.actor
            )
            url = context.url("subscribers", subscriber.id, "account", "mandates", mandate.id)
            return context.redirect(url, message=_("The signed mandate is stored."))

        return await save_form(context, form, store_file)

    return await handle_form(
        context,
        SignedFileForm,
        "debits/mandate.html",
        save,
        in_transaction=False,
        subscriber=subscriber,
        mandate=mandate,
        mandate_status=mandate.status_on(today),
        return_words=return_words,
        megabytes=_MEGABYTES,
    )


async def download(context: PageContext) -> Response:
    """The signed file of a mandate, never shown as a page. Raises: NotFound."""
    _subscriber, mandate = await _get(context)
    file = await store.find_file(context.db, context.account_id, mandate.id)
    if file is None:
        raise NotFound("signed mandate", mandate.id)
    ending = "pdf" if file.media_type == service.PDF else "jpg"
    name = file_name("mandate-{id}.{ending}", id=mandate.id, ending=ending)
    headers = {"Cache-Control": "no-store", **ISOLATED}
    await context.record_download(name)
    return context.download(file.content, name, file.media_type, headers)


async def revoke(context: PageContext) -> Response:
    """Say that the payer has revoked a mandate. Raises: NotFound."""
    subscriber, mandate = await _get(context)

    async def save(form: RevokeMandateForm, db: Database) -> Response:
        day: date = read_date("day", form.day.data)
        await service.revoke_mandate(
            db,
            context.account_id,
            mandate.id,
            day=day,
            reason=required_text("reason", form.reason.data or ""),
            by=context.actor,
        )
        url = context.url("subscribers", subscriber.id, "account")
        message = _("The mandate is revoked. Nothing is collected by it any more.")
        return context.redirect(url, message=message)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> RevokeMandateForm:
        form = RevokeMandateForm(formdata, data)
        form.day.flags.required = True
        return form

    return await handle_form(
        context,
        make,
        "debits/revoke.html",
        save,
        initial={"day": context.membership.daily_date.isoformat()},
        subscriber=subscriber,
        mandate=mandate,
    )
