"""The words of invoices in their language: titles, amounts, dates, and what the law wants said.

The sentences about VAT name the law of the publisher's country, or the VAT directive of the EU.
"""

import textwrap
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal

from babel.dates import format_date
from babel.numbers import format_decimal, format_percent

from masthead.model.billing.documents import DebitNotice, Document, DocumentKind
from masthead.model.billing.vat import FULL, VatCategory
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.money import money_text, write_amount

DIRECTIVE = gettext_noop("article {article} of directive 2006/112/EC")
ARTICLES = {
    VatCategory.EXEMPT: 284,
    VatCategory.REVERSE_CHARGE: 196,
    VatCategory.INTRA_COMMUNITY: 138,
    VatCategory.EXPORT: 146,
    VatCategory.OUTSIDE: 59,
}
LAWS = {
    ("DE", VatCategory.EXEMPT): "§ 19 UStG",
    ("DE", VatCategory.REVERSE_CHARGE): "§ 13b UStG",
    ("DE", VatCategory.INTRA_COMMUNITY): "§ 4 Nr. 1 Buchst. b UStG",
    ("DE", VatCategory.EXPORT): "§ 4 Nr. 1 Buchst. a UStG",
    ("DE", VatCategory.OUTSIDE): "§ 3a UStG",
    ("AT", VatCategory.EXEMPT): "§ 6 Abs. 1 Z 27 UStG",
    ("AT", VatCategory.REVERSE_CHARGE): "§ 19 UStG",
    ("AT", VatCategory.INTRA_COMMUNITY): "Art. 6 Abs. 1 UStG",
    ("AT", VatCategory.EXPORT): "§ 6 Abs. 1 Z 1 UStG",
    ("AT", VatCategory.OUTSIDE): "§ 3a UStG",
}
SENTENCES = {
    VatCategory.EXEMPT: gettext_noop("Exempt from VAT as a small business ({law})."),
    VatCategory.REVERSE_CHARGE: gettext_noop(
        "Reverse charge: the recipient of the service owes the VAT ({law})."
    ),
    VatCategory.INTRA_COMMUNITY: gettext_noop("Intra-Community supply, exempt from VAT ({law})."),
    VatCategory.EXPORT: gettext_noop("Export, exempt from VAT ({law})."),
    VatCategory.OUTSIDE: gettext_noop(
        "Not subject to VAT here, because the service is supplied in another country ({law})."
    ),
}


def title_of(document: Document) -> str:
    """What the document is, with its number."""
    if document.kind is DocumentKind.CREDIT_NOTE:
        return _("Credit note {number}").format(number=document.number)
    return _("Invoice {number}").format(number=document.number)


def vat_sentence(category: VatCategory, country: str) -> str:
    """Why there is no VAT; empty if there is some, or a rate of 0 %. country: the publisher's."""
    if category not in SENTENCES:
        return ""
    law = LAWS.get((country, category)) or _(DIRECTIVE).format(article=ARTICLES[category])
    return _(SENTENCES[category]).format(law=law)


def vat_sentences(document: Document) -> list[str]:
    """The sentences about VAT that a document must have."""
    categories = dict.fromkeys(each.category for each in document.vat_totals)
    sentences = (vat_sentence(each, document.seller.country) for each in categories)
    return [each for each in (*sentences, converted_sentence(document)) if each]


def converted_sentence(document: Document) -> str:
    """The VAT in the currency of the publisher's country; empty if the document has none."""
    if document.converted is None:
        return ""
    own, rate, language = document.converted, document.converted.rate, document.language
    return _("VAT in {currency}: {amount} (1 {base} = {rate} {quote}, rate from {day} on).").format(
        currency=own.currency,
        amount=write_amount(money_text(own.vat, own.currency), own.currency, language),
        base=rate.base_currency,
        rate=format_decimal(rate.rate, locale=language, decimal_quantization=False),
        quote=rate.quote_currency,
        day=day_writer(language)(rate.first_day),
    )


def facts_of(document: Document) -> list[tuple[str, str]]:
    """The labelled facts beside the address: numbers and dates."""
    day = day_writer(document.language)
    facts = [(_("Date"), day(document.issue_date))]
    if document.kind is DocumentKind.INVOICE:
        facts.append((_("Due on"), day(document.due_date)))
    facts.append((_("Customer number"), str(document.payer.number)))
    if document.order_reference:
        facts.append((_("Your order number"), document.order_reference))
    if document.payer.vat_id:
        facts.append((_("Your VAT ID"), document.payer.vat_id))
    period = _("with the issues below")
    if document.supplied_from and document.supplied_to:
        period = f"{day(document.supplied_from)} – {day(document.supplied_to)}"
        if document.supplied_from == document.supplied_to:
            period = day(document.supplied_from)
    elif document.supplied_from:
        period = _("from {day} on").format(day=day(document.supplied_from))
    facts.append((_("Period of delivery"), period))
    return facts


def correction_of(document: Document) -> str:
    """Which invoice a credit note corrects, and why; empty for an invoice."""
    if document.corrects_date is None:
        return ""
    sentence = _("Corrects invoice {number} of {date}.").format(
        number=document.corrects, date=day_writer(document.language)(document.corrects_date)
    )
    return f"{sentence} {document.reason}".strip()


def table_head(document: Document) -> Sequence[str]:
    """The heads of the columns: description, quantity, VAT rate, amount."""
    amount = _("Without VAT") if document.shows_net else _("With VAT")
    return _("Description"), _("Quantity"), _("VAT rate"), f"{amount} ({document.currency})"


def totals_of(document: Document) -> list[tuple[str, str]]:
    """The totals, labelled: without VAT, the VAT of each rate, and last what is to pay."""
    money, percent = money_writer(document), percent_writer(document.language)
    totals = [(_("Total without VAT"), money(document.net))]
    totals.extend(
        (
            _("VAT {rate} on {amount}").format(rate=percent(each.rate), amount=money(each.net)),
            money(each.vat),
        )
        for each in document.vat_totals
    )
    is_invoice = document.kind is DocumentKind.INVOICE
    totals.append((_("To pay") if is_invoice else _("Total credit"), money(document.total)))
    return totals


def payment_lines(document: Document) -> list[str]:
    """How to pay an invoice; empty for a credit note, or if there is nothing to pay."""
    if document.kind is not DocumentKind.INVOICE or not document.total:
        return []
    seller, day = document.seller, day_writer(document.language)
    if document.debit is not None:
        return _debit_lines(document, document.debit)
    lines = [
        _("Please pay by {date}, with the reference {number}.").format(
            date=day(document.due_date), number=document.number
        )
    ]
    if seller.iban:
        lines.append(_("Account holder: {name}").format(name=seller.name))
        lines.append(f"IBAN: {grouped(seller.iban)}")
        lines.extend(f"BIC: {bic}" for bic in [seller.bic] if bic)
        lines.extend(_("Bank: {bank}").format(bank=bank) for bank in [seller.bank] if bank)
    return lines


def debit_sentence(document: Document, debit: DebitNotice, *, amount: int | None = None) -> str:
    """The notice of a direct debit: amount, day and account. amount: by default all of it."""
    return _(
        "We collect {amount} by SEPA direct debit on {day} from your account {iban}. Please make "
        "sure that it has enough money."
    ).format(
        amount=money_writer(document)(document.total if amount is None else amount),
        day=day_writer(document.language)(debit.day),
        iban=debit.iban,
    )


def _debit_lines(document: Document, debit: DebitNotice) -> list[str]:
    """The notice of a direct debit in lines: nothing is to be paid otherwise."""
    return [
        *textwrap.wrap(debit_sentence(document, debit), 90),
        _("Mandate reference: {reference}").format(reference=debit.reference),
        _("Creditor identifier: {id}").format(id=debit.creditor_id),
    ]


def footer_lines(document: Document) -> list[str]:
    """The lines at the end of each page: the publisher, how to reach them, and their tax ids."""
    seller = document.seller
    ids = []
    if seller.vat_id:
        ids.append(_("VAT ID: {id}").format(id=seller.vat_id))
    if seller.tax_number:
        ids.append(_("Tax number: {number}").format(number=seller.tax_number))
    address = f"{seller.postcode} {seller.city}"
    lines = [
        " · ".join([seller.name, seller.street, address]),
        " · ".join([*filter(None, [seller.email, seller.phone]), *ids]),
        *(line.strip() for line in seller.footer.splitlines()),
    ]
    return [each for each in lines if each]


def grouped(iban: str) -> str:
    """An IBAN in groups of four, as people read it."""
    return " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))


def day_writer(locale: str) -> Callable[[date], str]:
    """The function that writes a day."""
    return lambda day: format_date(day, "medium", locale=locale)


def percent_writer(locale: str) -> Callable[[int], str]:
    """The function that writes a rate: `7%`."""
    return lambda rate: format_percent(
        Decimal(rate) / FULL, locale=locale, decimal_quantization=False
    )


def money_writer(document: Document) -> Callable[[int], str]:
    """The function that writes an amount with its currency."""
    currency, language = document.currency, document.language
    return lambda amount: write_amount(money_text(amount, currency), currency, language)
