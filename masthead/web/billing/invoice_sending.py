"""Send invoices: one by email after a look at it, or those of some days by email and by post."""

from collections import Counter
from datetime import date

from msgspec import Struct
from starlette.responses import Response

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.printing import InvoiceFile
from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.translations import counted, gettext as _, language_of
from masthead.services.billing.emails import (
    InvoiceEmail,
    compose_email,
    email_invoice,
    email_invoices,
    email_test,
    stop_emails,
)
from masthead.services.billing.files.deliver import MOST, write_many
from masthead.services.billing.posted import mark_posted, unmark_posted
from masthead.store.billing import emails, invoices
from masthead.store.billing.unsent import count_unsent, list_posted
from masthead.store.engine.interface import Database
from masthead.web.kit.attachments import PDF
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, email_field, read_date
from masthead.web.kit.letter_figures import count_in_words
from masthead.web.kit.letter_form import test_message


class RecipientForm(BaseForm):
    """Where the email of an invoice goes."""

    recipient = email_field("Type the email address.")


class ListedInvoice(Struct, frozen=True):
    """An invoice to send. can_stop: whether its email has not gone out yet.

    is_posted: whether it is marked as sent by post. is_partly_open: whether less is open than its
    file says.
    """

    id: str
    number: str
    payer: str
    message: InvoiceEmail
    is_emailed: bool
    is_posted: bool
    can_stop: bool
    open_amount: int
    is_partly_open: bool
    currency: str
    language: str

    @property
    def email(self) -> str:
        """The address of the payer; empty if there is none."""
        return self.message.recipient

    @property
    def waits_for_email(self) -> bool:
        """Whether it can be emailed, and is not sent yet."""
        return bool(self.email) and not self.is_sent

    @property
    def is_sent(self) -> bool:
        """Whether it was emailed, is going to be, or went out by post."""
        return self.is_emailed or self.is_posted


async def confirm_email(context: PageContext) -> Response:
    """Show the email of an invoice, and queue it, or send a test. Raises: NotFound."""
    id = context.path["id"]
    if context.is_post and context.fields.get("do") == "test":
        await _send_test(context, id)
        page = context.url("money", "invoices", id, "email")
        return context.redirect(page, message=test_message(context.user.email))
    async with context.db.read() as db:
        invoice = await invoices.get_invoice(db, context.account_id, id)
        emailed = await emails.find_emailed(db, context.account_id, [id])
    document = invoice.document
    email = compose_email(
        invoice, context.membership.name, placeholder_domain=context.web.placeholder_domain
    )

    async def save(form: RecipientForm, db: Database) -> Response:
        await email_invoice(
            db,
            context.account_id,
            id,
            recipient=form.recipient.data or "",
            site=context.site,
            by=context.actor,
        )
        message = _("{number} goes to {recipient} in a minute.").format(
            number=document.number, recipient=form.recipient.data
        )
        return context.redirect(context.url("money", "invoices", id), message=message)

    return await handle_form(
        context,
        RecipientForm,
        "billing/invoice_email.html",
        save,
        initial={"recipient": email.recipient},
        invoice=invoice,
        email=email,
        attached=InvoiceFile.PDF.name_of(document.number),
        is_emailed=id in emailed,
    )


async def send_days(context: PageContext) -> Response:
    """The invoices of some days, to choose those to email; how many have to be printed.

    Without days, those since the day of the oldest one that is not sent yet.
    """
    async with context.db.read(aside=True) as db:
        unsent = await count_unsent(db, context.account_id)
    first, last, error = _read_days(context, unsent.issue_date)
    listed = [] if error else await _list(context, first, last)
    return context.render(
        "billing/invoices_send.html",
        form=BaseForm(None),
        first=first,
        last=last,
        error=error,
        listed=listed,
        to_email=[each for each in listed if each.waits_for_email],
        to_print=[each for each in listed if not each.email],
        to_post=_list_to_post(context, listed),
        has_emailed=any(each.is_emailed for each in listed),
        partly_open=sum(each.is_partly_open for each in listed),
        to_stop=sum(each.can_stop for each in listed),
        most=MOST,
        languages=count_in_words(Counter(language_of(each.language) for each in listed)),
    )


async def email_days(context: PageContext) -> Response:
    """Queue the emails of the ticked invoices that have none yet, or send a test.

    Raises: Invalid, NotFound.
    """
    kept = {str(each) for each in context.fields.getlist("keep")}
    listed = await _of_days(context)
    if context.fields.get("do") == "test":
        await _send_test(context, next((each.id for each in listed if each.email), ""))
        return _back_to_days(context, test_message(context.user.email))
    ids = [each.id for each in listed if each.waits_for_email and each.id in kept]
    count = await email_invoices(
        context.db, context.account_id, ids, site=context.site, by=context.actor
    )
    text = counted("{n} invoice goes out.", "{n} invoices go out.", count)
    if not kept:
        text = _("No invoice was ticked, so none goes out.")
    return _back_to_days(context, text)


async def post_days(context: PageContext) -> Response:
    """Mark what of some days goes out by post as sent. Raises: Invalid."""
    ids = [each.id for each in _list_to_post(context, await _of_days(context))]
    count = await mark_posted(context.db, context.account_id, ids, by=context.actor)
    text = counted(
        "{n} invoice is marked as sent by post.", "{n} invoices are marked as sent by post.", count
    )
    return _back_to_days(context, text)


async def mark_as_posted(context: PageContext) -> Response:
    """Mark one invoice as sent by post."""
    id = context.path["id"]
    await mark_posted(context.db, context.account_id, [id], by=context.actor)
    page = context.url("money", "invoices", id)
    return context.redirect(page, message=_("The invoice is marked as sent by post."))


async def unmark_as_posted(context: PageContext) -> Response:
    """Take back the mark of one invoice that was not sent by post after all."""
    id = context.path["id"]
    await unmark_posted(context.db, context.account_id, [id], by=context.actor)
    page = context.url("money", "invoices", id)
    return context.redirect(page, message=_("The invoice is no longer marked as sent by post."))


def _list_to_post(context: PageContext, listed: list[ListedInvoice]) -> list[ListedInvoice]:
    """Those that are not sent yet, and that no email can reach."""
    return [each for each in listed if not each.is_sent and not (each.email and context.has_mail)]


async def stop_days(context: PageContext) -> Response:
    """Stop the emails of some days that have not gone out. Raises: Invalid."""
    ids = [each.id for each in await _of_days(context) if each.can_stop]
    count = await stop_emails(context.db, context.account_id, ids, by=context.actor)
    text = counted("{n} email was stopped.", "{n} emails were stopped.", count)
    return _back_to_days(context, text)


async def _send_test(context: PageContext, id: str) -> None:
    """Send the email of an invoice to the signed-in user. Raises: Invalid, NotFound."""
    await email_test(
        context.db,
        context.account_id,
        id,
        recipient=context.user.email,
        site=context.site,
        by=context.actor,
    )


def _back_to_days(context: PageContext, message: str) -> Response:
    """The page of the days of the form."""
    first, last, _error = _read_days(context)
    days = {"first_day": first.isoformat(), "last_day": last.isoformat()}
    return context.redirect(context.url("money", "invoices", "send", **days), message=message)


async def print_days(context: PageContext) -> Response:
    """One PDF of the invoices of some days: those without an email address, or all.

    Raises: Invalid, Busy.
    """
    is_all = context.query.get("which") == "all"
    ids = [each.id for each in await _of_days(context) if is_all or not each.email]
    content = await write_many(context.db, context.account_id, ids, by=context.actor)
    first, _last, _error = _read_days(context)
    name = file_name("invoices-{day}.pdf", day=first)
    await context.record_download(name)
    return context.download(content, name, PDF)


async def _of_days(context: PageContext) -> list[ListedInvoice]:
    """The invoices of the days that were asked for. Raises: Invalid."""
    first, last, error = _read_days(context)
    if error:
        raise Invalid(error)
    return await _list(context, first, last)


def _read_days(context: PageContext, oldest: date | None = None) -> tuple[date, date, str]:
    """The first and the last day, and what is wrong with them. oldest: by default the first one.

    By default, both are today.
    """
    given = context.given
    today = context.membership.daily_date
    first_text = str(given.get("first_day") or (oldest or today).isoformat())
    last_text = str(given.get("last_day") or today.isoformat())
    try:
        first, last = (read_date("first_day", text) for text in (first_text, last_text))
    except Invalid as reason:
        return today, today, str(reason)
    if last < first:
        return first, last, _("The last day is before the first one.")
    return first, last, ""


async def _list(context: PageContext, first: date, last: date) -> list[ListedInvoice]:
    """The invoices of some days, at most one more than a PDF can have."""
    async with context.db.read() as db:
        found = await invoices.list_of_days(db, context.account_id, first, last, limit=MOST + 1)
        ids = [each.id for each in found]
        emailed = await emails.find_emailed(db, context.account_id, ids)
        posted = await list_posted(db, context.account_id, ids)
    magazine, domain = context.membership.name, context.web.placeholder_domain
    return [
        ListedInvoice(
            each.id,
            each.document.number,
            each.document.payer.name,
            compose_email(each, magazine, placeholder_domain=domain),
            each.id in emailed,
            each.id in posted,
            emailed.get(each.id, False),
            each.open_amount,
            each.kind is DocumentKind.INVOICE and each.open_amount < each.document.total,
            each.document.currency,
            each.document.language,
        )
        for each in found
    ]
