"""What programs and staff send about invoices and payments."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from msgspec import Meta

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.resources import InvoiceStatus
from masthead.model.errors import Invalid
from masthead.model.inputs import Creation, ListQuery
from masthead.model.subscriptions.refunds import RefundAmount
from masthead.model.types.clean_text import VISIBLE
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.fields import CurrencyCode, Name, OrderDay, Text
from masthead.model.types.filters import TRIMMED, RecordId, SubscriptionId
from masthead.model.types.text import MAX_TEXT

MAX_INVOICES = 100  # that one payment settles


class InvoicePart(Creation, kw_only=True):
    """An invoice that a payment settles.

    number: number of the invoice.
    amount: how much of it; by default what is open, as far as the payment is enough.
    """

    noun = "invoice"

    number: Name
    amount: RefundAmount | None = None


class PaymentCreate(Creation, kw_only=True):
    """A payment that came.

    amount: amount that came; more than 0.
    currency: defaults to the currency of the account.
    payment_date: day on which it came, at most two years before its invoices were issued; by
        default today.
    method: how it came; by default a bank transfer.
    reference: what the payer wrote.
    payer: id of the subscriber who paid; needed without `invoices`.
    invoices: what it settles; by default the open invoice of the payer with the same amount, or
        those that were due first.
    """

    noun = "payment"

    amount: RefundAmount
    currency: CurrencyCode | None = None
    payment_date: OrderDay | None = None
    method: PaymentMethod | None = None
    reference: Text | None = None
    payer: Text | None = None
    invoices: Annotated[list[InvoicePart], Meta(min_length=1, max_length=MAX_INVOICES)] | None = (
        None
    )

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The error of a payment of which nothing says who paid."""
        if {"payer", "invoices"} & {*given, *refused}:
            return []
        text = "`payer` is missing; without `invoices`, a payment needs it."
        return [Invalid(text, field="payer")]


class InvoiceFilters(ListQuery, kw_only=True, frozen=True):
    """Filters of the invoices and credit notes."""

    payer: (
        Annotated[RecordId, Meta(description="id of the payer", extra={"record": "subscriber"})]
        | None
    ) = None
    subscription: SubscriptionId | None = None
    kind: Annotated[DocumentKind, Meta(description="invoices or credit notes")] | None = None
    status: Annotated[InvoiceStatus, Meta(description="what is owed")] | None = None
    number: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="number of the invoice or the credit note",
                extra_json_schema={"pattern": VISIBLE, "maxLength": MAX_TEXT},
                extra=TRIMMED,
            ),
        ]
        | None
    ) = None


class PaymentFilters(ListQuery, kw_only=True, frozen=True):
    """Filters of the payments."""

    payer: (
        Annotated[RecordId, Meta(description="id of the payer", extra={"record": "subscriber"})]
        | None
    ) = None
    invoice: (
        Annotated[
            RecordId,
            Meta(description="id of an invoice that was paid", extra={"record": "invoice"}),
        ]
        | None
    ) = None


class CreditCreate(Creation, kw_only=True):
    """A credit note for an invoice.

    reason: why; it is on the credit note.
    amount: of the whole invoice; by default all that is not credited yet.
    """

    noun = "credit note"

    reason: Name
    amount: RefundAmount | None = None
