"""The notice of a direct debit that the invoice does not have: amount, day and mandate."""

from masthead.model.billing.documents import DebitNotice, Document
from masthead.model.emails import EmailTemplate, Site, filled
from masthead.model.translations import gettext as _, gettext_noop, in_language
from masthead.services.billing.files.wording import debit_sentence
from masthead.services.emails.messages import no_mail_server
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.background import outbox
from masthead.store.billing import invoices
from masthead.store.engine.interface import Transaction

NOTICE = EmailTemplate(
    gettext_noop("Direct debit for invoice {number} of {magazine}"),
    gettext_noop(
        "Hello,\n\nThis is about invoice {number} for {magazine}. {debit} The mandate reference is "
        "{reference}, and our creditor identifier {creditor}.\n\nKind regards\n{seller}\n"
    ),
)


def write_notice(
    document: Document, notice: DebitNotice, *, magazine: str, amount: int
) -> tuple[str, str]:
    """Subject and text of a notice, in the language of the invoice. amount: what is collected."""
    with in_language(document.language):
        words = {
            "number": document.number,
            "magazine": magazine,
            "debit": debit_sentence(document, notice, amount=amount),
            "reference": notice.reference,
            "creditor": notice.creditor_id,
            "seller": document.seller.name,
        }
        return filled(_(NOTICE.subject), words), filled(_(NOTICE.text), words)


@with_locked_account
async def email_notice(
    tx: Transaction, account: Account, invoice_id: str, notice: DebitNotice, *, site: Site | None
) -> None:
    """Queue the email to the payer. site: None without a mail server. Raises: NotFound, Invalid."""
    if site is None:
        raise no_mail_server()
    domain = site.domain
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    document = invoice.document
    subject, text = write_notice(
        document, notice, magazine=account.name, amount=invoice.open_amount
    )
    await outbox.insert_email(
        tx,
        account.id,
        recipient=document.payer.email,
        subject=subject,
        body=text,
        domain=domain,
        subscriber_id=invoice.payer_id,
    )
