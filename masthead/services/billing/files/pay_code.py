"""The EPC QR code: a banking app reads whom to pay, how much, and the reference."""

from decimal import Decimal
from typing import TYPE_CHECKING

from masthead.lazy_modules import LazyModule
from masthead.model.billing.documents import Document, DocumentKind, Seller
from masthead.model.types.money import money_text

if TYPE_CHECKING:
    from segno import QRCode, helpers
else:
    helpers = LazyModule("segno.helpers")


MAX_NAME = 70  # characters, by the guideline EPC069-12
MOST = 99_999_999_999  # cents


def pay_code(document: Document) -> list[list[bool]] | None:
    """The modules of the code, rows from the top; None if the document has none.

    Only invoices in euros have one, if the publisher has an IBAN and does not collect them.
    """
    code = make_pay_code(document, document.total)
    return _modules(code) if code else None


def make_pay_code(document: Document, amount: int) -> "QRCode | None":
    """The code for an amount, such as what is still open of an invoice; None if it has none."""
    if (
        document.kind is not DocumentKind.INVOICE
        or document.debit is not None
        or document.currency != "EUR"
    ):
        return None
    return _make(document.seller, amount, document.number)


def epc_code(seller: Seller, amount: int, reference: str) -> list[list[bool]] | None:
    """The modules of the code for an amount in cents; None without an IBAN or if too high."""
    code = _make(seller, amount, reference)
    return _modules(code) if code else None


def _modules(code: "QRCode") -> list[list[bool]]:
    return [[bool(module) for module in row] for row in code.matrix]


def _make(seller: Seller, amount: int, reference: str) -> "QRCode | None":
    if not seller.iban or not 0 < amount <= MOST:
        return None
    return helpers.make_epc_qr(
        name=seller.name[:MAX_NAME].strip(),
        iban=seller.iban,
        amount=Decimal(money_text(amount, "EUR")),
        text=reference,
        bic=seller.bic or None,
        encoding=1,  # UTF-8
    )
