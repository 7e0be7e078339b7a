"""Email invoices, send a test, and stop what waits.

The text is stored at once, and the file is made when the email is sent.
"""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.documents import DocumentKind
from masthead.model.emails import EmailTemplate, Site, filled
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, gettext_noop, in_language
from masthead.model.types.email_addresses import domain_key, email_address
from masthead.services.billing.files.wording import (
    day_writer,
    debit_sentence,
    money_writer,
    title_of,
)
from masthead.services.emails.messages import no_mail_server, require_real_address, subject_of_test
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.billing import emails, invoices
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Transaction
from masthead.store.privacy import erasures

INVOICE = EmailTemplate(
    gettext_noop("{title} of {magazine}"),
    gettext_noop(
        "Hello,\n\nAttached is invoice {number} of {date} for {magazine}. Please pay {total} by "
        "{due}, with {number} as the reference.\n\nKind regards\n{seller}\n"
    ),
)
PARTLY_PAID_INVOICE = EmailTemplate(
    gettext_noop("{title} of {magazine}"),
    gettext_noop(
        "Hello,\n\nAttached is invoice {number} of {date} for {magazine}. {settled} Please pay "
        "only {open} by {due}, with {number} as the reference.\n\nKind regards\n{seller}\n"
    ),
)
PAID_INVOICE = EmailTemplate(
    gettext_noop("{title} of {magazine}"),
    gettext_noop(
        "Hello,\n\nAttached is invoice {number} of {date} for {magazine}, about {total}. It is "
        "settled, so there is nothing to pay.\n\nKind regards\n{seller}\n"
    ),
)
DEBITED_INVOICE = EmailTemplate(
    gettext_noop("{title} of {magazine}"),
    gettext_noop(
        "Hello,\n\nAttached is invoice {number} of {date} for {magazine}. {debit} The mandate "
        "reference is {reference}, and our creditor identifier {creditor}.\n\nKind regards\n"
        "{seller}\n"
    ),
)
CREDIT_NOTE = EmailTemplate(
    gettext_noop("{title} of {magazine}"),
    gettext_noop(
        "Hello,\n\nAttached is credit note {number} of {date} for {magazine}, about {total}. It "
        "corrects invoice {corrects}.\n\nKind regards\n{seller}\n"
    ),
)


class InvoiceEmail(Struct, frozen=True):
    """The email of an invoice. recipient: empty if the payer has no address."""

    recipient: str
    subject: str
    text: str


def compose_email(
    invoice: StoredInvoice, magazine: str, *, placeholder_domain: str
) -> InvoiceEmail:
    """The email of an invoice or a credit note, in its language. It asks for what is still open."""
    document = invoice.document
    day, money = day_writer(document.language), money_writer(document)
    with in_language(document.language):
        settled = _settled_sentence(invoice)
        words = {"settled": settled}
        if debit := document.debit:
            notice = debit_sentence(document, debit, amount=invoice.open_amount)
            words |= {
                "debit": f"{settled} {notice}".lstrip(),
                "reference": debit.reference,
                "creditor": debit.creditor_id,
            }
        template = _template_of(invoice)
        words |= {
            "title": title_of(document),
            "number": document.number,
            "date": day(document.issue_date),
            "due": day(document.due_date),
            "total": money(document.total),
            "open": money(invoice.open_amount),
            "corrects": document.corrects,
            "seller": document.seller.name,
            "magazine": magazine,
        }
        subject, text = filled(_(template.subject), words), filled(_(template.text), words)
    email = document.payer.email
    is_placeholder = domain_key(email) == domain_key(f"@{placeholder_domain}")
    return InvoiceEmail("" if is_placeholder else email, subject, text)


def _template_of(invoice: StoredInvoice) -> EmailTemplate:
    if invoice.kind is DocumentKind.CREDIT_NOTE:
        return CREDIT_NOTE
    if invoice.open_amount <= 0:
        return PAID_INVOICE
    if invoice.document.debit:
        return DEBITED_INVOICE
    return PARTLY_PAID_INVOICE if is_partly_paid(invoice) else INVOICE


def is_partly_paid(invoice: StoredInvoice) -> bool:
    """Whether less than the whole amount of an invoice is open, but not nothing."""
    return 0 < invoice.open_amount < invoice.document.total


def _settled_sentence(invoice: StoredInvoice) -> str:
    """What of an invoice is settled and open, if the file does not say it; else empty."""
    if not is_partly_paid(invoice):
        return ""
    document, money = invoice.document, money_writer(invoice.document)
    return _(
        "Of {total}, {paid} is already settled, and {open} is still open. The attached file has "
        "the whole amount."
    ).format(
        total=money(document.total),
        paid=money(document.total - invoice.open_amount),
        open=money(invoice.open_amount),
    )


@with_locked_account
async def email_invoice(
    tx: Transaction,
    account: Account,
    invoice_id: str,
    *,
    recipient: str,
    site: Site | None,
    by: Actor,
) -> None:
    """Queue the email of an invoice. site: None without a mail server. Raises: NotFound, Invalid.

    recipient: where it goes, which may be another address than that of the payer.
    """
    address = email_address("recipient", recipient)
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    if await erasures.list_erased(tx, account.id, [invoice.payer_id]):
        number = invoice.document.number
        raise Invalid(
            _(
                "The payer of {number} was erased, so it is not emailed. Download the file "
                "if somebody needs it, such as an auditor."
            ).format(number=number)
        )
    await _queue(tx, account, invoice, address, site, by)


@in_long_transaction
async def email_invoices(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, site: Site | None, by: Actor
) -> int:
    """Queue the emails of invoices to their payers; returns how many.

    Those that were emailed before, and payers who are erased or have no address, are left out.
    Raises: Invalid.
    """
    account = await accounts.lock_account(tx, account_id)
    emailed = await emails.find_emailed(tx, account_id, invoice_ids)
    count = 0
    found = await invoices.list_invoices(tx, account_id, invoice_ids)
    erased = await erasures.list_erased(tx, account_id, {each.payer_id for each in found})
    for invoice in found:
        if invoice.id not in emailed and invoice.payer_id not in erased:
            count += await _queue(tx, account, invoice, None, site, by)
    return count


@with_locked_account
async def email_test(
    tx: Transaction,
    account: Account,
    invoice_id: str,
    *,
    recipient: str,
    site: Site | None,
    by: Actor,
) -> None:
    """Send the email of an invoice, with its file, to a user. The invoice stays to be emailed.

    Raises: NotFound, Invalid.
    """
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    if site is not None:
        require_real_address(recipient, site.domain)
    await _queue(tx, account, invoice, recipient, site, by, is_test=True)


@in_long_transaction
async def stop_emails(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, by: Actor
) -> int:
    """Stop the emails of invoices that have not gone out; returns how many.

    The invoices are to be emailed again. An email that is being sent goes out.
    """
    await accounts.lock_account(tx, account_id)
    stopped = await emails.cancel_emails(tx, account_id, invoice_ids, reason=outbox.STOPPED)
    found = await invoices.list_invoices(tx, account_id, [id for id, _recipient in stopped])
    numbers = {each.id: each.document.number for each in found}
    entries = [
        NewEntry(
            EntryType.INVOICE_EMAIL_STOP, id, None, {"number": numbers[id], "recipient": recipient}
        )
        for id, recipient in stopped
    ]
    await trail.record(tx, account_id, by, entries)
    return len(stopped)


async def _queue(
    tx: Transaction,
    account: Account,
    invoice: StoredInvoice,
    recipient: str | None,
    site: Site | None,
    by: Actor,
    *,
    is_test: bool = False,
) -> bool:
    """Queue an email; False if it has no recipient. recipient: None for the payer's address.

    is_test: whether it goes to a user, and so is for no subscriber.
    """
    if site is None:
        raise no_mail_server()
    document = invoice.document
    email = compose_email(invoice, account.name, placeholder_domain=site.domain)
    address = recipient or email.recipient
    if not address:
        return False
    await outbox.insert_email(
        tx,
        account.id,
        recipient=address,
        subject=subject_of_test(email.subject) if is_test else email.subject,
        body=email.text,
        domain=site.domain,
        subscriber_id=None if is_test else document.payer.subscriber_id,
        invoice_id=invoice.id,
    )
    after = {"number": document.number, "recipient": address}
    type = EntryType.INVOICE_EMAIL_TEST if is_test else EntryType.INVOICE_EMAIL
    await trail.record(tx, account.id, by, [NewEntry(type, invoice.id, None, after)])
    return True
