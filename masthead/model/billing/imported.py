"""Billed orders in imports: who pays for the order of a row, and until when."""

from collections.abc import Iterator

from msgspec import Struct, structs

from masthead.model.billing.tax_ids import check_vat_id
from masthead.model.errors import Invalid
from masthead.model.imports.subscription_row import PAYER, SubscriptionRow
from masthead.model.orders.field_rules import needs_billing, not_paid_yet, nothing_to_bill
from masthead.model.translations import gettext as _

TERMS = ("due_days", "order_reference")


class ImportedTerms(Struct, frozen=True, kw_only=True):
    """How the order of a row is billed, in the words of its columns.

    Without a number, a name, a company and an email, the payer is who was billed before, or else
    the giver or the subscriber. payer_vat_id: None for the known one. due_days: None for those of
    the settings.
    """

    payer_number: int | None = None
    payer_name: str | None = None
    payer_company: str | None = None
    payer_email: str | None = None
    payer_address1: str | None = None
    payer_address2: str | None = None
    payer_city: str | None = None
    payer_state: str | None = None
    payer_postcode: str | None = None
    payer_country: str | None = None
    payer_vat_id: str | None = None
    due_days: int | None = None
    order_reference: str | None = None

    @property
    def names_payer(self) -> bool:
        """Whether the row names who pays, not only by a number."""
        return bool(self.payer_name or self.payer_company or self.payer_email)


def imported_terms(row: SubscriptionRow) -> ImportedTerms | None:
    """How the order of a checked row is billed; None if it was paid."""
    if not row.is_billed:
        return None
    terms = ImportedTerms(**{name: getattr(row, name) for name in (*PAYER, *TERMS)})
    if terms.payer_vat_id is None:
        return terms
    return structs.replace(terms, payer_vat_id=check_vat_id("payer_vat_id", terms.payer_vat_id))


def billing_refusals(row: SubscriptionRow) -> Iterator[Invalid]:
    """The errors of what a row says about its invoice."""
    if not row.is_billed:
        for field in (*PAYER, *TERMS):  # who paid may have a customer number
            if field != "payer_number" and (value := getattr(row, field)) is not None:
                yield needs_billing(field, value)
        return
    if row.transaction_id is not None:
        yield not_paid_yet("transaction_id", row.transaction_id)
    if row.is_comp or (row.price is not None and not row.price.strip("0.")):
        yield nothing_to_bill(row.price or "")
    if row.payer_country is None and (row.payer_address1 or row.payer_city):
        text = _("`payer_country` is missing; the address of who pays needs it.")
        yield Invalid(text, field="payer_country")
    if row.payer_vat_id is not None:
        try:
            check_vat_id("payer_vat_id", row.payer_vat_id)
        except Invalid as refusal:
            yield refusal
