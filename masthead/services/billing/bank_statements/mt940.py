"""MT940 of SWIFT, as German, Dutch and other banks write it.

A file has statements; each begins with `:20:` and has a closing balance: `:62F:`, or
`:62M:` if another page follows.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from masthead.lazy_modules import LazyModule
from masthead.model.billing.bank_lines import UNKNOWN_REASON, BankFormat, BankLine, BankStatement
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.billing.bank_statements.mt940_details import read_details
from masthead.services.billing.bank_statements.values import (
    amount_of,
    check_count,
    currency_of,
    damaged,
    other_format,
    short_day,
    unreadable,
)

if TYPE_CHECKING:
    import schwifty
else:
    schwifty = LazyModule("schwifty")


# A tag at the beginning of a line; other digits between colons are text, such as a time of day
_TAG = re.compile(r":(2[01]|25P?|28C?|13D?|34F|6[02][FM]|61|6[45]|86|90[CD]|NS):")
_OF_MT942 = frozenset({"13", "13D", "34F"})
_GERMAN_ACCOUNT = re.compile(r"([0-9]{8})/([0-9]{1,10})")
_CURRENCY_BEHIND = re.compile(r"(?<=[0-9]) ?[A-Z]{3}$")
_BLOCK = re.compile(r"\{[1235]:(?:\{[^{}]*\}|[^{}])*\}(?:\{4:)?|\{4:")  # in time linear in the line
_BALANCE = re.compile(r"([CD])([0-9]{6})([A-Z]{3})([0-9]{1,12},[0-9]{0,3})")
_LINE = re.compile(
    r"(?P<value>[0-9]{6})(?P<entry>[0-9]{4}| {4})?"
    r"(?P<mark>R?[CD])(?P<funds>[A-Z])?(?P<amount>[0-9]{1,12},[0-9]{0,3})"
    r"(?P<code>[NFS][A-Z0-9]{3})?(?P<reference>.{0,34})"
)
_MOST_DETAILS = 8_000  # characters of one `:86:`


class SwiftField(Struct, frozen=True):
    """A field of a file: its tag, its text with line ends, and the number of its first line."""

    tag: str
    text: str
    line: int


def read_mt940(text: str) -> list[BankStatement]:
    """The statements of a file. Raises: Invalid."""
    statements: list[list[SwiftField]] = []
    last = 1
    for field in _fields(text):
        if field.tag == "20":
            statements.append([])
        elif not statements:
            raise damaged(field.line)
        statements[-1].append(field)
        last = field.line + field.text.count("\n")
    if not statements:
        raise Invalid(
            _(
                "The file has no statement in MT940: no line begins with `:20:`. Download the "
                "statement as camt.053, MT940 or CSV and use that file."
            ),
            code="wrong_format",
        )
    read = [_statement(each, last) for each in statements]
    check_count(sum(len(each.lines) for each in read))
    return _join_pages(read)


def _fields(text: str) -> Iterator[SwiftField]:
    """The fields of a file, without the blocks of SWIFT around them."""
    tag, parts, first = "", list[str](), 0
    for number, raw in enumerate(text.splitlines(), 1):
        line = _BLOCK.sub("", raw) if raw.startswith("{") else raw
        if found := _TAG.match(line):
            if tag:
                yield SwiftField(tag, "\n".join(parts), first)
            tag, parts, first = found[1], [line[found.end() :]], number
        elif line.startswith("-") and line.rstrip("} ") in ("-", "--", "-EOF"):
            if tag:
                yield SwiftField(tag, "\n".join(parts), first)
            tag, parts = "", []
        elif tag:
            parts.append(line)
    if tag:
        yield SwiftField(tag, "\n".join(parts), first)


def _statement(fields: Sequence[SwiftField], last: int) -> BankStatement:
    """A statement. last: the number of the last line of the file. Raises: Invalid."""
    opening = closing = None
    currency = iban = ""
    lines: list[BankLine] = []
    expects_details = False
    for field in fields:
        if field.tag == "25":
            iban = _account(field.text.split("\n", 1)[0])
        elif field.tag in ("60F", "60M"):
            opening, currency = _balance(field)
        elif field.tag in ("62F", "62M"):
            closing, _code = _balance(field)
            expects_details = False
        elif field.tag == "61":
            if opening is None:
                break
            lines.append(_line(field, currency))
            expects_details = True
        elif field.tag == "86" and expects_details:  # the one after the closing balance is about it
            lines[-1] = _with_details(lines[-1], field)
            expects_details = False
    if opening is None and any(each.tag in _OF_MT942 for each in fields):
        raise other_format("MT942")
    if opening is None or closing is None:
        raise damaged(
            last, _("A statement must have an opening and a closing balance (`:60F:`, `:62F:`).")
        )
    return BankStatement(
        format=BankFormat.MT940,
        iban=iban,
        currency=currency,
        opening=opening,
        closing=closing,
        lines=lines,
    )


def _account(text: str) -> str:
    """The IBAN of an account, or its number. German banks write bank code and number."""
    text = _CURRENCY_BEHIND.sub("", text.strip())
    if match := _GERMAN_ACCOUNT.fullmatch(text):
        with suppress(schwifty.exceptions.SchwiftyException):
            return str(schwifty.IBAN.generate("DE", match[1], match[2].lstrip("0") or "0"))
    return text


def _balance(field: SwiftField) -> tuple[int, str]:
    match = _BALANCE.match(field.text)
    if match is None:
        raise unreadable(_("balance"), field.text, line=field.line)
    currency = currency_of(match[3], line=field.line)
    amount = amount_of(match[4].rstrip(","), currency, line=field.line)
    return (-amount if match[1] == "D" else amount), currency


def _line(field: SwiftField, currency: str) -> BankLine:
    first, _end, extra = field.text.partition("\n")
    match = _LINE.match(first)
    if match is None:
        raise unreadable(_("bank line"), first, line=field.line)
    value = short_day(match["value"], line=field.line)
    booked = value
    if entry := (match["entry"] or "").strip():
        booked = short_day(f"{value.year % 100:02}{entry}", line=field.line)
        if abs((booked - value).days) > 180:  # around the turn of the year
            year = value.year + (1 if booked < value else -1)
            booked = short_day(f"{year % 100:02}{entry}", line=field.line)
    amount = amount_of(match["amount"].rstrip(","), currency, line=field.line)
    reference = match["reference"].partition("//")[0].strip()
    # RC takes back a credit, RD a debit
    is_back = match["mark"] == "RC"
    is_out = match["mark"] in ("D", "RC")
    return BankLine(
        booking_date=booked,
        value_date=value,
        amount=-amount if is_out else amount,
        currency=currency,
        reference="" if reference in ("NONREF", "EREF", "NOTPROVIDED") else reference,
        text=extra.strip(),
        return_reason=UNKNOWN_REASON if is_back else "",
        line=field.line,
    )


def _with_details(line: BankLine, field: SwiftField) -> BankLine:
    found = read_details(field.text[:_MOST_DETAILS])
    original = None
    if found.original_amount:
        original = amount_of(found.original_amount, line.currency, line=field.line)
    return structs.replace(
        line,
        name=found.name,
        ultimate_name=found.ultimate_name,
        iban=found.iban,
        reference=found.reference or line.reference,
        text=found.text or line.text,
        return_reason=found.return_reason or line.return_reason,
        original_amount=original,
    )


def _join_pages(statements: Sequence[BankStatement]) -> list[BankStatement]:
    """The statements, those of one account after another as one if their balances continue.

    Banks that write one statement for each day, or a long one in pages, repeat the account.
    """
    joined: list[list[BankStatement]] = []
    for each in statements:
        before = joined[-1][-1] if joined else None
        if before and before.iban == each.iban and before.closing == each.opening:
            joined[-1].append(each)
        else:
            joined.append([each])
    return [
        structs.replace(
            pages[0],
            lines=[line for page in pages for line in page.lines],
            closing=pages[-1].closing,
        )
        for pages in joined
    ]
