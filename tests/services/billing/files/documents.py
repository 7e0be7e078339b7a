"""Documents to write files of."""

from datetime import date
from decimal import Decimal
from typing import Any

from msgspec import structs

from masthead.model.billing.documents import (
    Document,
    DocumentKind,
    DocumentLine,
    Payer,
    Seller,
    with_vat,
)
from masthead.model.billing.exchange_rates import ConvertedVat, ExchangeRate
from masthead.model.billing.vat import VatCategory

SELLER = Seller(
    name="Verlag Beispiel GmbH",
    street="Hauptstraße 1",
    postcode="10115",
    city="Berlin",
    country="DE",
    vat_id="DE136695976",
    tax_number="37/123/45678",
    email="abo@example.com",
    phone="+49 30 123456",
    bank="Beispielbank",
    iban="DE89370400440532013000",
    bic="COBADEFFXXX",
    footer="Geschäftsführerin: Anna Beispiel\nAmtsgericht Charlottenburg HRB 12345",
)
PAYER = Payer(
    subscriber_id="SUBSCRIBER",
    number=1042,
    name="Stadtbücherei Köln",
    address="Stadtbücherei Köln\nz. Hd. Herrn Łukasz Żak\nRathausplatz 1\n50667 Köln",
    street="Rathausplatz 1",
    postcode="50667",
    city="Köln",
    country="DE",
    email="kauf@example.org",
)
AUSTRIAN = Payer(
    subscriber_id="OTHER",
    number=7,
    name="Buch & Zeitschrift <Graz>",
    address="Buch & Zeitschrift <Graz>\nRing 2\n8010 Graz\nAUSTRIA",
    street="Ring 2",
    postcode="8010",
    city="Graz",
    country="AT",
    vat_id="ATU12011204",
    email="buch@example.org",
)

# What 3.05 of VAT are
IN_EUROS = ConvertedVat(
    currency="EUR",
    vat=3_27,
    rate=ExchangeRate(
        first_day=date(2026, 11, 1),
        base_currency="EUR",
        quote_currency="CHF",
        rate=Decimal("0.9342"),
    ),
)
IN_KRONER = ConvertedVat(
    currency="DKK",
    vat=22_75,
    rate=structs.replace(IN_EUROS.rate, quote_currency="DKK", rate=Decimal("7.4604")),
)


def line(number: int = 1, **changes: Any) -> DocumentLine:
    """A line with its amount, which includes VAT, as `net`."""
    columns: dict[str, Any] = {
        "period_id": number,
        "order_id": f"order-{number}",
        "text": "Die Zeitschrift, 6 Ausgaben",
        "detail": f"Für Erika Müller {number}; Ausgaben 12–17",
        "quantity": 1,
        "country": "DE",
        "category": VatCategory.STANDARD,
        "rate": 700,
        "net": 4_664 + number,
        "vat": 0,
    }
    return DocumentLine(**(columns | changes))


def untaxed(category: VatCategory, country: str, number: int = 1, **changes: Any) -> DocumentLine:
    """A line without VAT."""
    return line(number, category=category, country=country, rate=0, **changes)


def document(*lines: DocumentLine, **changes: Any) -> Document:
    """An invoice of the lines, or of one."""
    columns: dict[str, Any] = {
        "kind": DocumentKind.INVOICE,
        "number": "2026-00012",
        "issue_date": date(2026, 11, 27),
        "due_date": date(2026, 12, 11),
        "currency": "EUR",
        "language": "de_DE",
        "seller": SELLER,
        "payer": PAYER,
        "lines": with_vat(lines or [line()]),
        "order_reference": "4500012345",
        "supplied_from": date(2026, 12, 1),
        "supplied_to": date(2027, 11, 30),
    }
    return Document(**(columns | changes))


def credit_note(*lines: DocumentLine, **changes: Any) -> Document:
    """A credit note for the invoice of `document`."""
    columns: dict[str, Any] = {
        "kind": DocumentKind.CREDIT_NOTE,
        "number": "2026-00013",
        "corrects": "2026-00012",
        "corrects_date": date(2026, 11, 27),
        "reason": "Das Abo wurde gekündigt.",
    }
    return document(*lines, **(columns | changes))
