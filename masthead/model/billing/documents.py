"""Invoices, credit notes and fees as they were issued: all that their PDF and e-invoice say.

A document never changes. It is stored as JSON, and its files are made from it alone. Amounts are
minor units of its currency; those of a credit note are positive, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct, structs

from masthead.model.billing.exchange_rates import ConvertedVat
from masthead.model.billing.vat import VatCategory, vat_in


class DocumentKind(StrEnum):
    """What a document is."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit_note"
    FEE = "fee"  # of a reminder


class Seller(Struct, frozen=True, kw_only=True):
    """The publisher, as the settings were when the document was issued.

    vat_id, tax_number: one of them at least. footer: lines at the end. letterhead: the number of
    the picture at the top; 0 for none.
    """

    name: str
    street: str
    postcode: str
    city: str
    country: str
    vat_id: str = ""
    tax_number: str = ""
    email: str = ""
    phone: str = ""
    bank: str = ""
    iban: str = ""
    bic: str = ""
    footer: str = ""
    letterhead: int = 0


class Payer(Struct, frozen=True, kw_only=True):
    """Who pays, as they were when the document was issued.

    subscriber_id: their record. number: their customer number. address: the lines as the post
    reads them, with the name. department: or the person, which is one of these lines.
    vat_id: without blanks, with the country; empty if there is none.
    """

    subscriber_id: str
    number: int
    name: str
    department: str = ""
    address: str
    street: str = ""
    street2: str = ""
    postcode: str = ""
    city: str = ""
    state: str = ""
    country: str
    vat_id: str = ""
    email: str = ""


class DocumentLine(Struct, frozen=True, kw_only=True):
    """What is billed: one order, or the print or the digital part of it.

    period_id: of the order. text: what it is. detail: for whom, and which issues or days.
    quantity: copies of each issue. country: that decides about the VAT.
    total is net and vat together.
    """

    period_id: int
    order_id: str
    text: str
    detail: str
    quantity: int
    country: str
    category: VatCategory
    rate: int
    net: int
    vat: int

    @property
    def total(self) -> int:
        """What the payer owes for it."""
        return self.net + self.vat


class VatTotal(Struct, frozen=True):
    """The lines of a document that have one rate."""

    category: VatCategory
    rate: int
    net: int
    vat: int


class DebitNotice(Struct, frozen=True, kw_only=True):
    """What an invoice says of its direct debit, as its notice to the payer.

    reference: of the mandate. iban: masked. day: of the collection. is_b2b: whether the mandate is
    between companies.
    """

    reference: str
    creditor_id: str
    iban: str
    day: date
    is_b2b: bool = False


class Document(Struct, frozen=True, kw_only=True):
    """An invoice, a credit note or the fee of a reminder.

    number: as it is printed, such as `2026-00012`. supplied_from, supplied_to: the days over which
    the issues come out, as far as they are known; the second only if all have a date.
    order_reference: the payer's own order number.
    language: a locale, such as `de_DE`. shows_net: whether its lines are printed without VAT.
    debit: how it is collected; None if the payer pays it.
    converted: the VAT in the currency of the publisher's country; None if that is the currency, or
    if there is no VAT.
    corrects, corrects_date: number and date of the invoice that a credit note corrects; reason:
    why.
    """

    kind: DocumentKind
    number: str
    issue_date: date
    due_date: date
    currency: str
    language: str
    seller: Seller
    payer: Payer
    lines: Sequence[DocumentLine]
    order_reference: str = ""
    supplied_from: date | None = None
    supplied_to: date | None = None
    shows_net: bool = False
    debit: DebitNotice | None = None
    corrects: str = ""
    corrects_date: date | None = None
    reason: str = ""
    converted: ConvertedVat | None = None

    @property
    def net(self) -> int:
        """All lines without VAT."""
        return sum(each.net for each in self.lines)

    @property
    def vat(self) -> int:
        """The VAT of all lines."""
        return sum(each.vat for each in self.lines)

    @property
    def total(self) -> int:
        """What the payer owes, or gets back."""
        return self.net + self.vat

    @property
    def vat_totals(self) -> list[VatTotal]:
        """The totals of each category and rate, highest rate first."""
        sums: defaultdict[tuple[VatCategory, int], list[int]] = defaultdict(lambda: [0, 0])
        for line in self.lines:
            found = sums[line.category, line.rate]
            found[0] += line.net
            found[1] += line.vat
        return [
            VatTotal(category, rate, net, vat)
            for (category, rate), (net, vat) in sorted(
                sums.items(), key=lambda each: (-each[0][1], each[0][0])
            )
        ]


def is_converted(document: Document) -> bool:
    """Whether the VAT in the currency of the publisher's country is that of its rate.

    Credit notes of one invoice share its amount, so that one can have a cent more or less.
    """
    own = document.converted
    if own is None:
        return True
    if {own.currency, document.currency} != own.rate.pair or own.currency == document.currency:
        return False
    difference = own.vat - own.rate.convert(document.vat, document.currency)
    return abs(difference) <= (document.kind is DocumentKind.CREDIT_NOTE)


def with_vat(priced: Iterable[DocumentLine]) -> list[DocumentLine]:
    """The lines with their VAT, in their order. priced: with the whole amount as `net`.

    The VAT of a document is rounded once for each category and rate, so its lines together have
    exactly the VAT of their sum: a line gets what the sum up to it has more than that before it.
    """
    so_far: defaultdict[tuple[VatCategory, int], int] = defaultdict(int)
    lines = []
    for each in priced:
        key = each.category, each.rate
        before = so_far[key]
        so_far[key] += each.net
        vat = vat_in(so_far[key], each.rate) - vat_in(before, each.rate)
        lines.append(structs.replace(each, net=each.net - vat, vat=vat))
    return lines


def join_copies(lines: Iterable[DocumentLine]) -> list[DocumentLine]:
    """The lines as they are printed: several copies for one address are one, with their number."""
    joined: dict[tuple[object, ...], DocumentLine] = {}
    for each in lines:
        key = each.text, each.detail, each.country, each.category, each.rate
        if key in joined:
            first = joined[key]
            each = structs.replace(
                first,
                quantity=first.quantity + each.quantity,
                net=first.net + each.net,
                vat=first.vat + each.vat,
            )
        joined[key] = each
    return list(joined.values())
