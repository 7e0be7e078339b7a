"""The pages for a subscriber who asks for their data, or to be forgotten."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid, NotFound
from masthead.model.file_names import file_name, words_of_name
from masthead.model.privacy.erasures import (
    FILES_IN_PROGRESS,
    ErasurePreview,
    NamedElsewhere,
    describe_goes,
    describe_place,
    describe_stays,
)
from masthead.model.translations import gettext as _, language_of, list_languages, ngettext
from masthead.model.types.recipient_languages import name_language
from masthead.model.types.text import fold
from masthead.services.pdf_process import expect_pdf, write_data_sheet, write_in_process
from masthead.services.privacy.data_subjects import find_subscriber
from masthead.services.privacy.document import document_locale, make_document, make_sheet
from masthead.services.privacy.earlier_search import search_before
from masthead.services.privacy.erase import count_kept, erase_subscriber, preview_erasure
from masthead.services.privacy.everything import collect_everything, record_export
from masthead.services.privacy.named_elsewhere import list_named_elsewhere
from masthead.services.subscribers.names import name_actor
from masthead.store import accounts
from masthead.store.bulk import list_subscriber_ids
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscribers.corrections import get_subscriber
from masthead.web.kit.attachments import attachment
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm

PDF, DOCUMENT, JSON = "pdf", "document", "json"
SMALL = 1_000  # subscribers
MAX_COMPARED = 600  # characters of what is typed to confirm


class EraseForm(BaseForm):
    """The second confirmation: the email or name, and that subscriptions are cancelled.

    seen: a digest of the texts of others that the page showed.
    """

    confirmation = StringField(
        "Type the email to confirm", [DataRequired("Type what is asked for here.")]
    )
    is_cancelling = BooleanField()  # its label counts the subscriptions
    seen = HiddenField()


async def show_privacy(context: PageContext) -> Response:
    """What is kept of a subscriber: download it, or go on to the erasure. Raises: NotFound."""
    async with context.db.read(aside=True) as db:
        id = await find_subscriber(db, context.account_id, context.path["id"])
        domain = context.web.placeholder_domain
        kept = await count_kept(db, context.account_id, id, placeholder_domain=domain)
        erased = kept.erased
        by = await name_actor(db, context.account_id, erased) if erased else ""
        account = await accounts.get_account(db, context.account_id)
        subscriber = await get_subscriber(db, context.account_id, id)
    language = language_of(document_locale(subscriber, account, _read_language(context)))
    expect_pdf()
    return context.render(
        "privacy/subscriber.html",
        kept=kept,
        erased_by=by,
        written_in=language,
        documents={each: name_language(each) for each in sorted(list_languages())},
        describe_stays=describe_stays,
    )


def _read_language(context: PageContext) -> str:
    """The language of the document that the user chose; empty for that of the person."""
    language = context.query.get("language", "")
    return language if language in list_languages() else ""


async def download_everything(context: PageContext) -> Response:
    """Everything about a subscriber, as a document or as JSON. Raises: NotFound, Busy.

    The file has the name of the person, and the security log the id.
    """
    format = context.path["format"]
    if format not in (PDF, DOCUMENT, JSON):
        raise NotFound("file", format)
    async with context.db.read(is_long=True) as db:
        account = await accounts.get_account(db, context.account_id)
        id = await find_subscriber(db, context.account_id, context.path["id"])
        subscriber = await get_subscriber(db, context.account_id, id)
        locale = document_locale(subscriber, account, _read_language(context))
        everything = await collect_everything(
            db, account, id, placeholder_domain=context.web.placeholder_domain
        )
    await record_export(context.db, context.account_id, id, by=context.actor)
    if format == JSON:
        content = msgspec.json.format(msgspec.json.encode(everything), indent=2)
        ending, media_type = "json", "application/json"
    elif format == PDF:
        sheet = make_sheet(everything, locale, account.time_zone)
        content = await write_in_process(write_data_sheet, sheet, account_id=context.account_id)
        ending, media_type = "pdf", "application/pdf"
    else:
        content = make_document(everything, locale, account.time_zone).encode()
        ending, media_type = "html", "text/html; charset=utf-8"
    logged = file_name("subscriber-{id}.{ending}", id=id, ending=ending)
    context.log_download(logged)
    words = words_of_name("" if everything["erased_at"] else everything["name"])
    name = file_name("data-{person}.{ending}", person=words, ending=ending) if words else logged
    return attachment(content, name, media_type)


async def erase(context: PageContext) -> Response:
    """Show what goes and what stays; erase a subscriber. Raises: NotFound.

    Texts of others that name them are looked for when the form is sent, since that takes seconds in
    a large account; in a small one, they are on the page at once. The form is refused until it has
    shown them as they are.
    """
    domain = context.web.placeholder_domain
    elsewhere = list[NamedElsewhere]()
    async with context.db.read(aside=True) as db:
        id = await find_subscriber(db, context.account_id, context.path["id"])
        preview = await preview_erasure(db, context.account_id, id, placeholder_domain=domain)
        if not context.is_post and await _is_small(db, context.account_id):
            elsewhere = await list_named_elsewhere(
                db, context.account_id, id, placeholder_domain=domain
            )
    chosen = _read_language(context)
    page = context.url("subscribers", preview.subscriber_id, "privacy", language=chosen)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> EraseForm:
        form, count = EraseForm(formdata, data), len(preview.running)
        if not preview.email:
            is_named = preview.asked == preview.name
            label = _("Type the name to confirm") if is_named else _("Type the ID to confirm")
            form.confirmation.label.text = label
        form.is_cancelling.label.text = ngettext(
            "Cancel this subscription now", "Cancel these subscriptions now", count
        )
        return form

    async def save(form: EraseForm, db: Database) -> Response:
        seen, form.seen.data = form.seen.data, ""
        await _require_confirmed(context, preview, form.confirmation.data or "")
        is_cancelling = bool(form.is_cancelling.data)
        if preview.running and not is_cancelling:
            text = ngettext(
                "Tick the box, or cancel the subscription first.",
                "Tick the box, or cancel the subscriptions first.",
                len(preview.running),
            )
            raise Invalid(text, field="is_cancelling")
        async with db.read(is_long=True) as connection:
            elsewhere[:] = await list_named_elsewhere(
                connection, context.account_id, id, placeholder_domain=domain
            )
        form.seen.data = _digest(elsewhere)
        if elsewhere and seen != form.seen.data:
            raise Invalid(
                _(
                    "Nothing has been erased yet: other texts name the subscriber. They are under "
                    "“What you must do yourself”. Press the button again when they may stay."
                )
            )
        earlier = await search_before(db, context.account_id, id, placeholder_domain=domain)

        async def erase_once(form: EraseForm, db: Database) -> Response:
            await erase_subscriber(
                db,
                context.account_id,
                id,
                is_cancelling=is_cancelling,
                placeholder_domain=domain,
                by=context.actor,
                earlier=earlier,
            )
            return context.redirect(page, message=_("The subscriber is erased."))

        try:
            return await save_form(context, form, erase_once, is_long=True)
        except Invalid as reason:
            if reason.code == FILES_IN_PROGRESS:
                raise
            return context.redirect(page, message=str(reason))

    return await handle_form(
        context,
        make,
        "privacy/erase.html",
        save,
        in_transaction=False,
        initial={"seen": _digest(elsewhere)},
        preview=preview,
        elsewhere=elsewhere,
        describe_goes=describe_goes,
        describe_stays=describe_stays,
        describe_place=describe_place,
        linked={"subscription", "address_change"},
        chosen=chosen,
    )


def _digest(texts: Sequence[NamedElsewhere]) -> str:
    return hashlib.sha256(msgspec.json.encode(texts)).hexdigest()


async def _is_small(db: Connection, account_id: int) -> bool:
    """Whether all texts of an account are searched in some milliseconds."""
    return len(await list_subscriber_ids(db, account_id, SMALL + 1)) <= SMALL


async def _require_confirmed(context: PageContext, preview: ErasurePreview, typed: str) -> None:
    """Raises: Invalid unless what is asked for, or the email or id, was typed."""
    if _words(typed) == _words(preview.asked):
        return
    try:
        found = await find_subscriber(context.db, context.account_id, typed)
    except NotFound:
        found = ""
    if found != preview.subscriber_id:
        text = _("Type {asked} to confirm that this is the right subscriber.")
        raise Invalid(text.format(asked=preview.asked), field="confirmation")


def _words(text: str) -> str:
    """A text as it is compared: without case, accents and more than one blank."""
    return " ".join(fold(text[:MAX_COMPARED]).split())
