"""A letter to a payer to print: a reminder, or the notice of a direct debit."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.billing.documents import Seller
from masthead.model.billing.printing import LetterheadPicture, PrintedDocument


class PayerLetter(Struct, frozen=True, kw_only=True):
    """A reminder or a notice. code_amount: in cents; 0 if no banking app can read it.

    enclosed: the invoices that go with it. language: a locale.
    """

    subject: str
    body: str
    address: str
    day: str
    reference: str
    code_amount: int
    seller: Seller
    picture: LetterheadPicture | None
    enclosed: Sequence[PrintedDocument]
    language: str
    created_at: datetime
