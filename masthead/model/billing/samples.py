"""An invoice of nobody, which shows how invoices will look."""

from collections.abc import Sequence
from datetime import date, timedelta

from masthead.model.billing.documents import Document, DocumentKind, DocumentLine, Payer, with_vat
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import Sale, TaxedPart, VatCategory, VatRate, tax_of
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.enums import Medium

UNKNOWN = TaxedPart(VatCategory.ZERO, 0)  # until rates are set


def sample_document(
    settings: BillingSettings, rates: Sequence[VatRate], *, day: date, currency: str, language: str
) -> Document:
    """An invoice of a day with two lines, at the rates for print and digital in the own country."""

    def line(number: int, medium: Medium, text: str, amount: int) -> DocumentLine:
        sale = Sale(
            day=day, product_id="", medium=medium, country=settings.country, has_vat_id=False
        )
        found = tax_of(
            rates,
            sale,
            home=settings.country,
            is_small_business=settings.vat_on(day).is_small_business,
        )
        tax = found or UNKNOWN
        return DocumentLine(
            period_id=number,
            order_id="",
            text=text,
            detail=_("Issues {first} to {last}").format(first=number, last=number + 5),
            quantity=1,
            country=settings.country,
            category=tax.category,
            rate=tax.rate,
            net=amount,
            vat=0,
        )

    with in_language(language):
        name, street = _("Sample Subscriber"), _("1 Sample Street")
        town = f"{settings.postcode} {settings.city}"
        payer = Payer(
            subscriber_id="",
            number=1,
            name=name,
            address=f"{name}\n{street}\n{town}",
            street=street,
            postcode=settings.postcode,
            city=settings.city,
            country=settings.country,
        )
        lines = [
            line(1, Medium.PRINT, _("A printed subscription"), 6_000),
            line(2, Medium.DIGITAL, _("A digital subscription"), 4_000),
        ]
        number = settings.series_on(day) + _("SAMPLE")
    return Document(
        kind=DocumentKind.INVOICE,
        number=number,
        issue_date=day,
        due_date=day + timedelta(days=settings.due_days),
        currency=currency,
        language=language,
        seller=settings.seller,
        payer=payer,
        lines=with_vat(lines),
        shows_net=not settings.prices_include_vat,
    )
