"""Lines of bank statements, as every format is read. Amounts are minor units."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import format_number, gettext as _, gettext_noop
from masthead.model.types.money import money_in_words
from masthead.model.types.text import WITHOUT_UMLAUTS, fold

if TYPE_CHECKING:
    from stdnum import iban
else:
    iban = LazyModule("stdnum.iban")

MAX_FILE = 16 * 1024 * 1024  # bytes of a file with statements, and four times as many unpacked
MAX_BANK_LINES = 50_000  # of a file
MAX_NAME, MAX_REFERENCE, MAX_BANK_TEXT = 140, 70, 1_000  # characters that are kept
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2099, 12, 31)  # of lines
UNKNOWN_REASON = "unknown"  # a return of which the bank does not say why

_IBAN = re.compile(
    r"(?:(?<=IBAN)|(?<![A-Z0-9]))[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,30}(?![A-Z0-9])", re.IGNORECASE
)
_SHORTEST_IBAN = 15  # characters, of Norway
_UMLAUTS = str.maketrans(WITHOUT_UMLAUTS)

# The usual reasons of returns, of the external code list of ISO 20022
RETURN_REASONS = {
    "AC01": gettext_noop("the account number is wrong"),
    "AC04": gettext_noop("the account is closed"),
    "AC06": gettext_noop("the account is blocked"),
    "AC13": gettext_noop("the account is not one of a consumer"),
    "AG01": gettext_noop("the account does not allow direct debits"),
    "AG02": gettext_noop("the bank did not accept the kind of the transaction"),
    "AM04": gettext_noop("there was not enough money"),
    "AM05": gettext_noop("it was collected twice"),
    "BE05": gettext_noop("the creditor id is not known"),
    "FF05": gettext_noop("the kind of direct debit is wrong"),
    "MD01": gettext_noop("there is no mandate"),
    "MD02": gettext_noop("something is missing in the mandate"),
    "MD06": gettext_noop("the payer asked for it back"),
    "MD07": gettext_noop("the payer has died"),
    "MS02": gettext_noop("the payer refused"),
    "MS03": gettext_noop("the bank does not say why"),
    "RC01": gettext_noop("the BIC is wrong"),
    "RR01": gettext_noop("the law requires more about the payer's account"),
    "SL01": gettext_noop("the payer has limited direct debits"),
}


class BankFormat(StrEnum):
    """The format of a file with statements."""

    CAMT = "camt053"
    MT940 = "mt940"
    CSV = "csv"


class BankLine(Struct, frozen=True, kw_only=True):
    """A booked line of a statement.

    amount: negative if it left the account. name, iban: of the other party; empty if the file does
    not say. ultimate_name: on whose behalf that party pays, if the file says so. reference: the
    end-to-end id. text: what the payer wrote. return_reason: the code of an R-transaction, such as
    a direct debit that comes back; empty for other lines. original_amount: what was collected,
    without the fees of the banks, if a return says so. line: of the file.
    """

    booking_date: date
    value_date: date | None = None
    amount: int
    currency: str
    name: str = ""
    ultimate_name: str = ""
    iban: str = ""
    reference: str = ""
    text: str = ""
    return_reason: str = ""
    original_amount: int | None = None
    line: int = 0

    @property
    def is_return(self) -> bool:
        """Whether a payment came back. What the publisher paid and gets back is a payment."""
        return bool(self.return_reason) and self.amount < 0

    @property
    def is_kept(self) -> bool:
        """Whether it is about money that payers owe: what the publisher pays others is not."""
        return self.amount > 0 or self.is_return


class BankStatement(Struct, frozen=True, kw_only=True):
    """A statement, or the lines of a CSV file.

    iban: of the publisher's account, or its number; empty if the file does not say. opening,
    closing: balances; None if the file does not have them. pending: how many lines are not booked
    yet, and left out.
    """

    format: BankFormat
    iban: str
    currency: str
    opening: int | None = None
    closing: int | None = None
    lines: Sequence[BankLine]
    pending: int = 0


def mask_iban(number: str) -> str:
    """An IBAN as pages show it and the database keeps it: `DE89…3000`. It cannot be paid to."""
    compact = "".join(number.split())
    return f"{compact[:4]}…{compact[-4:]}" if len(compact) > 10 else compact and "…"


def mask_ibans(text: str) -> str:
    """A text in which IBANs are as `mask_iban` shows them; some banks write those of payers there.

    What has no right check digits, such as a number of an invoice, stays.
    """

    def mask(found: re.Match[str]) -> str:
        whole = found[0]
        ends = [place + 1 for place, each in enumerate(whole) if each != " "]
        for end in ends[: _SHORTEST_IBAN - 2 : -1]:  # what follows may be another word
            if iban.is_valid(whole[:end], check_country=False):
                return f"{mask_iban(whole[:end].upper())} {whole[end:].lstrip()}".rstrip()
        return whole

    return _IBAN.sub(mask, text)


def plain_text(text: str) -> str:
    """The beginning of a text in capitals, letters and digits only: what every format keeps."""
    plain = fold(text[:MAX_BANK_TEXT].lower().translate(_UMLAUTS)).upper()
    return "".join(filter(str.isalnum, plain))


def digests_of(statement: BankStatement) -> list[str]:
    """What recognizes the lines of a statement in other files, in their order.

    It has nothing but what is kept of a line anyway. Equal lines of one statement are numbered:
    people do pay twice on one day, and another statement with that day has both again.
    """
    seen: Counter[str] = Counter()
    digests = []
    for line in statement.lines:
        parts = (
            mask_iban(statement.iban),
            line.booking_date.isoformat(),
            str(line.amount),
            line.currency,
            mask_iban(line.iban),
            plain_text((line.return_reason and line.reference) or line.text),
        )
        same = "\0".join(parts)
        seen[same] += 1
        digests.append(hashlib.sha256(f"{same}\0{seen[same]}".encode()).hexdigest())
    return digests


def shorten(line: BankLine) -> BankLine:
    """A line with texts as long as they are kept, without line breaks and control characters.

    IBANs in them are masked, as that of the line is when it is stored.
    """
    name, ultimate_name = (
        mask_ibans(_one_line(each, MAX_NAME)) for each in (line.name, line.ultimate_name)
    )
    return structs.replace(
        line,
        name=name,
        ultimate_name="" if ultimate_name == name else ultimate_name,
        iban=_one_line(line.iban, MAX_NAME),
        reference=mask_ibans(_one_line(line.reference, MAX_REFERENCE)),
        text=mask_ibans(_one_line(line.text, MAX_BANK_TEXT)),
        return_reason=_one_line(line.return_reason, MAX_NAME),
    )


def shorten_statement(statement: BankStatement) -> BankStatement:
    """A statement with its lines as `shorten` returns them."""
    lines = [shorten(each) for each in statement.lines]
    return structs.replace(statement, iban=_one_line(statement.iban, MAX_NAME), lines=lines)


def _one_line(text: str, most: int) -> str:
    plain = "".join(each if each.isprintable() else " " for each in text[: 4 * most])
    return " ".join(plain.split())[:most].rstrip()


def check_balance(statement: BankStatement) -> None:
    """Raises: Invalid if the lines do not lead from the opening balance to the closing one."""
    if statement.opening is None or statement.closing is None:
        return
    found = statement.opening + sum(each.amount for each in statement.lines)
    if found != statement.closing:
        currency = statement.currency
        raise Invalid(
            _(
                "The opening balance of {opening} and the {count} lines make {found}, "
                "but the closing balance is {closing}. Part of the file is missing or was changed. "
                "Download the statement from the bank again."
            ).format(
                opening=money_in_words(statement.opening, currency),
                count=format_number(len(statement.lines)),
                found=money_in_words(found, currency),
                closing=money_in_words(statement.closing, currency),
            ),
            code="wrong_balance",
        )


def check_currency(statements: Iterable[BankStatement], currency: str) -> None:
    """Raises: Invalid if a statement is not in the currency of the account.

    One without balances and lines may have no currency.
    """
    for each in statements:
        others = {each.currency, *(line.currency for line in each.lines)} - {currency, ""}
        if others:
            raise Invalid(
                _(
                    "The statement of {iban} is in {other}, and this account is in {currency}. "
                    "Nothing was imported. Use the statement of a bank account in {currency}."
                ).format(
                    iban=mask_iban(each.iban) or _("the file"),
                    other=excerpt(", ".join(sorted(others))),
                    currency=currency,
                ),
                code="other_currency",
                field="currency",
            )
