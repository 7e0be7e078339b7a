"""Mark an invoice for direct debit, with the notice to its payer; or take it out again."""

from starlette.responses import Response
from wtforms import BooleanField

from masthead.model.billing.documents import DebitNotice
from masthead.model.debits.rules import announced_day
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, in_language
from masthead.services.billing.files.wording import debit_sentence
from masthead.services.debits.mark import mark_invoice, require_mandate, unmark_invoice
from masthead.services.debits.notice import email_notice
from masthead.store import accounts
from masthead.store.billing import invoices
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm


class DebitForm(BaseForm):
    """Whether the notice goes to the payer by email."""

    by_email = BooleanField("Email the notice to the payer")


async def mark(context: PageContext) -> Response:
    """Show the notice for the payer; mark the invoice, and email the notice. Raises: NotFound."""
    id = context.path["id"]
    problem, sentence, notice = "", "", None
    async with context.db.read() as db:
        account = await accounts.get_account(db, context.account_id)
        invoice = await invoices.get_invoice(db, context.account_id, id)
        document = invoice.document
        try:
            settings, mandate = await require_mandate(
                db, account, invoice.payer_id, name=document.payer.name, currency=document.currency
            )
        except Invalid as reason:
            problem = str(reason)
        else:
            notice = DebitNotice(
                reference=mandate.reference,
                creditor_id=settings.creditor_id,
                iban=mandate.masked,
                day=announced_day(account.daily_date, document.due_date, settings.notice_days),
            )
            with in_language(document.language):
                sentence = debit_sentence(document, notice, amount=invoice.open_amount)
    site = context.site
    recipient = document.payer.email

    async def save(form: DebitForm, db: Database) -> Response:
        await mark_invoice(
            db, context.account_id, id, notified=account.daily_date, by=context.actor
        )
        if form.by_email.data and notice is not None:
            await email_notice(db, context.account_id, id, notice, site=site)
        return context.redirect(
            context.url("money", "invoices", id),
            message=_("The invoice is marked for direct debit."),
        )

    return await handle_form(
        context,
        DebitForm,
        "debits/mark.html",
        save,
        initial={"by_email": bool(site and recipient)},
        invoice=invoice,
        document=document,
        problem=problem,
        notice=notice,
        sentence=sentence,
        can_email=bool(site and recipient),
    )


async def stop(context: PageContext) -> Response:
    """Let the invoice be paid otherwise. Raises: NotFound, Invalid."""
    id = context.path["id"]
    await unmark_invoice(context.db, context.account_id, id, by=context.actor)
    message = _("The invoice is not collected any more.")
    return context.redirect(context.url("money", "invoices", id), message=message)
