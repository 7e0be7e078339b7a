"""Mandates in imports: what the columns of a row say about the bank account of who pays."""

import re
from collections.abc import Iterator
from datetime import date

from msgspec import structs

from masthead.model.billing.bank_lines import mask_ibans
from masthead.model.debits.mandates import NewMandate, check_mandate, masked
from masthead.model.errors import Invalid
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.translations import gettext as _

# The columns of a row, by the fields of a mandate
COLUMNS = {
    "iban": "iban",
    "bic": "bic",
    "holder": "account_holder",
    "reference": "mandate_reference",
    "signed_date": "mandate_date",
    "last_used_date": "mandate_last_used",
}
_ANY_HOLDER = "A"
_LIKE_IBAN = re.compile(r"[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{8,40}")


def imported_mandate(row: SubscriptionRow) -> NewMandate | None:
    """The mandate of a row; None if it has none. Without a holder, it is who pays."""
    if row.iban is None or row.mandate_date is None:
        return None
    return NewMandate(
        iban=row.iban,
        bic=row.bic or "",
        holder=row.account_holder or "",
        reference=row.mandate_reference or "",
        signed_date=row.mandate_date,
        last_used_date=row.mandate_last_used,
    )


def mandate_refusals(row: SubscriptionRow, *, today: date) -> Iterator[Invalid]:
    """The errors of what a row says about its mandate, without the IBAN."""
    if row.iban is None:
        if row.mandate_date is not None or row.mandate_reference is not None:
            yield Invalid(_("`iban` is missing; a mandate needs it."), field="iban")
    elif row.mandate_date is None:
        text = _("`mandate_date` is missing; it is the day on which the mandate was signed.")
        yield Invalid(text, field="mandate_date")
    elif (asked := imported_mandate(row)) is not None:
        try:
            check_mandate(structs.replace(asked, holder=asked.holder or _ANY_HOLDER), today=today)
        except Invalid as refusal:
            yield in_columns(refusal)


def in_columns(refusal: Invalid) -> Invalid:
    """A refusal of a mandate with the name of the column."""
    field = COLUMNS.get(refusal.field, refusal.field)
    value = "" if field == "iban" else refusal.value
    return Invalid(f"`{field}`: {refusal}", code=refusal.code, field=field, value=value)


def without_iban(cell: str) -> str:
    """A cell of a file without the middle of IBANs, also of one with a typing error, for pages."""
    return masked("".join(cell.split())) if _LIKE_IBAN.fullmatch(cell) else mask_ibans(cell)
