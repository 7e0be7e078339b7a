"""The tree of an e-invoice: a Cross Industry Invoice of UN/CEFACT, by EN 16931."""

from collections.abc import Sequence
from decimal import Decimal

from drafthorse.models.accounting import ApplicableTradeTax
from drafthorse.models.document import Document as Tree
from drafthorse.models.note import IncludedNote
from drafthorse.models.party import TaxRegistration, TradeParty
from drafthorse.models.payment import PaymentMeans, PaymentTerms
from drafthorse.models.tradelines import LineItem

from masthead.model.billing.documents import (
    Document,
    DocumentKind,
    DocumentLine,
    VatTotal,
    join_copies,
)
from masthead.model.billing.vat import CODES, VatCategory
from masthead.model.translations import in_language
from masthead.model.types.money import money_text
from masthead.services.billing.files import wording

EN_16931 = "urn:cen.eu:en16931:2017"
XRECHNUNG = f"{EN_16931}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
PROCESS = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
SCHEMA = "FACTUR-X_EN16931"
TYPE_CODES = {DocumentKind.INVOICE: "380", DocumentKind.CREDIT_NOTE: "381"}  # UNTDID 1001
SEPA_DEBIT, SEPA_TRANSFER, TRANSFER, NOT_DEFINED = "59", "58", "30", "1"  # UNTDID 4461
PIECE = "C62"  # UN/ECE recommendation 20
EMAIL = "EM"  # the scheme of an electronic address
VAT_ID, TAX_NUMBER = "VA", "FC"
REASON_CODES = {
    VatCategory.REVERSE_CHARGE: "VATEX-EU-AE",
    VatCategory.INTRA_COMMUNITY: "VATEX-EU-IC",
    VatCategory.EXPORT: "VATEX-EU-G",
    VatCategory.OUTSIDE: "VATEX-EU-O",
}


def write_cii(document: Document, *, guideline: str) -> bytes:
    """The document by a guideline; it is valid by the schema."""
    tree = Tree()
    tree.context.guideline_parameter.id = guideline
    if guideline == XRECHNUNG:
        tree.context.business_parameter.id = PROCESS
    tree.header.id = document.number
    tree.header.type_code = TYPE_CODES[document.kind]
    tree.header.issue_date_time = document.issue_date
    with in_language(document.language):
        for text in filter(None, [wording.correction_of(document)]):
            note = IncludedNote()
            note.content = text
            tree.header.notes.add(note)
        for number, line in enumerate(join_copies(document.lines), 1):
            tree.trade.items.add(_line(number, line, document))
        _fill_agreement(tree, document)
        _fill_delivery(tree, document, guideline)
        _fill_settlement(tree, document)
    return bytes(tree.serialize(schema=SCHEMA))


def _line(number: int, line: DocumentLine, document: Document) -> LineItem:
    item = LineItem()
    item.document.line_id = str(number)
    item.product.name = line.text
    if line.detail:
        item.product.description = line.detail
    # A price has no more decimals than an amount: otherwise it is the price of all copies
    each, rest = divmod(line.net, line.quantity)
    item.agreement.net.amount = _amount(line.net if rest else each, document)
    item.agreement.net.basis_quantity = (str(line.quantity if rest else 1), PIECE)
    item.delivery.billed_quantity = (str(line.quantity), PIECE)
    tax = item.settlement.trade_tax
    tax.type_code = "VAT"
    tax.category_code = _code(line.category, document)
    if tax.category_code._text != CODES[VatCategory.OUTSIDE]:
        tax.rate_applicable_percent = _percent(line.rate)
    item.settlement.monetary_summation.total_amount = _amount(line.net, document)
    return item


def _fill_agreement(tree: Tree, document: Document) -> None:
    seller, payer = document.seller, document.payer
    agreement = tree.trade.agreement
    agreement.buyer_reference = document.order_reference or str(payer.number)
    _fill_party(
        agreement.seller,
        name=seller.name,
        lines=[seller.street],
        place=(seller.postcode, seller.city, seller.country),
        email=seller.email,
    )
    # The standard forbids VAT ids if all is outside its scope
    has_vat_ids = not _is_outside(document)
    if not (has_vat_ids and seller.vat_id):
        agreement.seller.id = seller.tax_number or seller.vat_id
    agreement.seller.contact.person_name = seller.name
    if seller.phone:
        agreement.seller.contact.telephone.number = seller.phone
    if seller.email:
        agreement.seller.contact.email.address = seller.email
    _fill_party(
        agreement.buyer,
        name=payer.name,
        lines=[each for each in (payer.street, payer.street2) if each],
        place=(payer.postcode, payer.city, payer.country),
        email=payer.email,
    )
    agreement.buyer.id = str(payer.number)
    if payer.department:  # BT-56, which is a person or a department
        agreement.buyer.contact.department_name = payer.department
    if payer.state:
        agreement.buyer.address.country_subdivision = payer.state
    if has_vat_ids:
        _add_tax_id(agreement.seller, VAT_ID, seller.vat_id)
        _add_tax_id(agreement.buyer, VAT_ID, payer.vat_id)
    _add_tax_id(agreement.seller, TAX_NUMBER, seller.tax_number)
    if document.order_reference:
        agreement.buyer_order.issuer_assigned_id = document.order_reference


def _fill_party(
    party: TradeParty, *, name: str, lines: Sequence[str], place: tuple[str, str, str], email: str
) -> None:
    """Set name and address. place: postcode, city and country."""
    party.name = name
    address = party.address
    address.postcode, address.city_name, address.country_id = place
    for line, field in zip(lines, ("line_one", "line_two"), strict=False):
        setattr(address, field, line)
    if email:
        party.electronic_address.uri_ID = (EMAIL, email)


def _add_tax_id(party: TradeParty, scheme: str, value: str) -> None:
    if value:
        registration = TaxRegistration()
        registration.id = (scheme, value)
        party.tax_registrations.add(registration)


def _fill_delivery(tree: Tree, document: Document, guideline: str) -> None:
    """Where it goes, and when; a supply within the EU needs both.

    XRechnung has no place without a town and a postcode, so the others have none there.
    """
    supplies = [each for each in document.lines if each.category is VatCategory.INTRA_COMMUNITY]
    address, payer = tree.trade.delivery.ship_to.address, document.payer
    if guideline != XRECHNUNG:
        address.country_id = (*supplies, *document.lines)[0].country
    elif supplies:
        address.postcode, address.city_name, address.country_id = (
            payer.postcode,
            payer.city,
            payer.country,
        )
    if not document.supplied_from:
        tree.trade.delivery.event.occurrence = document.issue_date


def _fill_settlement(tree: Tree, document: Document) -> None:
    settlement = tree.trade.settlement
    settlement.payment_reference = document.number
    settlement.currency_code = document.currency
    settlement.payment_means.add(_payment_means(document))
    for total in document.vat_totals:
        settlement.trade_tax.add(_trade_tax(total, document))
    if document.supplied_from:
        settlement.period.start = document.supplied_from
        if document.supplied_to:
            settlement.period.end = document.supplied_to
    terms = PaymentTerms()
    terms.due = document.due_date
    if document.debit is not None:
        settlement.creditor_reference_id = document.debit.creditor_id
        terms.debit_mandate_id = document.debit.reference
    settlement.terms.add(terms)
    sums = settlement.monetary_summation
    sums.line_total = sums.tax_basis_total = _amount(document.net, document)
    sums.tax_total = (_amount(document.vat, document), document.currency)
    if document.converted is not None:  # BT-6 and BT-111
        own = document.converted
        settlement.tax_currency_code = own.currency
        sums.tax_total_other_currency.add(
            (Decimal(money_text(own.vat, own.currency)), own.currency)
        )
    sums.grand_total = sums.due_amount = _amount(document.total, document)
    if document.corrects_date is not None:
        reference = settlement.invoice_referenced_document
        reference.issuer_assigned_id = document.corrects
        reference.issue_date_time = document.corrects_date


def _payment_means(document: Document) -> PaymentMeans:
    means, seller = PaymentMeans(), document.seller
    if document.debit is not None:
        means.type_code = SEPA_DEBIT
        return means
    if not seller.iban:
        means.type_code = NOT_DEFINED
        return means
    means.type_code = SEPA_TRANSFER if document.currency == "EUR" else TRANSFER
    means.payee_account.iban = seller.iban
    means.payee_account.account_name = seller.name
    if seller.bic:
        means.payee_institution.bic = seller.bic
    return means


def _trade_tax(total: VatTotal, document: Document) -> ApplicableTradeTax:
    tax = ApplicableTradeTax()
    tax.calculated_amount = _amount(total.vat, document)
    tax.type_code = "VAT"
    tax.basis_amount = _amount(total.net, document)
    tax.category_code = _code(total.category, document)
    reason = wording.vat_sentence(total.category, document.seller.country)
    if reason:
        tax.exemption_reason = reason
    if total.category in REASON_CODES and _code(total.category, document) == CODES[total.category]:
        tax.exemption_reason_code = REASON_CODES[total.category]
    tax.rate_applicable_percent = _percent(total.rate)
    return tax


def _is_outside(document: Document) -> bool:
    """Whether no line is within the scope of VAT."""
    return all(each.category is VatCategory.OUTSIDE for each in document.lines)


def _code(category: VatCategory, document: Document) -> str:
    """The code of a category.

    The standard has no invoice with lines outside the scope of VAT and others: there, they are
    exempt, with the true reason.
    """
    if category is VatCategory.OUTSIDE and not _is_outside(document):
        return CODES[VatCategory.EXEMPT]
    return CODES[category]


def _amount(amount: int, document: Document) -> Decimal:
    return Decimal(money_text(amount, document.currency))


def _percent(rate: int) -> Decimal:
    return Decimal(rate) / 100
