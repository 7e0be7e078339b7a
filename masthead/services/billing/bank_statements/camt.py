"""CAMT.053, the XML of ISO 20022, in all of its versions: names are read without their namespace.

The versions differ in few places, and banks use all of them: `Sts` is a text or has a code, and
`Dbtr` has the name itself or a `Pty` with it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from masthead.lazy_modules import LazyModule
from masthead.model.billing.bank_lines import (
    MAX_BANK_LINES,
    UNKNOWN_REASON,
    BankFormat,
    BankLine,
    BankStatement,
)
from masthead.model.debits.rules import ids_in
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.billing.bank_statements.values import (
    amount_of,
    check_count,
    currency_of,
    damaged,
    iso_day,
    other_format,
    unreadable,
)

if TYPE_CHECKING:
    from lxml import etree
else:
    etree = LazyModule("lxml.etree")


MAX_TAGS = 160 * MAX_BANK_LINES  # a line of a bank has up to 120 of them
_OPENING, _CLOSING = ("OPBD", "PRCD"), ("CLBD",)
_OTHERS = {
    "BkToCstmrAcctRpt": "camt.052",
    "BkToCstmrDbtCdtNtfctn": "camt.054",
    "CstmrDrctDbtInitn": "pain.008",
    "CstmrCdtTrfInitn": "pain.001",
    "CstmrPmtStsRpt": "pain.002",
}
# What says that a line is a return: the codes of ISO 20022, and those of German banks
_RETURN_CODES = frozenset({"UPDD", "PRDD", "RRTN", "RPCR", "ARET"})
_GERMAN_RETURN = re.compile(r"(^|\+)(108|109|159)(\+|$)")
_NONE = frozenset({"", "NOTPROVIDED", "NONREF"})

Element = Any  # lxml has no types


def read_camt(content: bytes) -> list[BankStatement]:
    """The statements of a document. Memory: about ten times the document. Raises: Invalid.

    The document can refer to nothing: neither entities nor files nor addresses are read.
    """
    if content.count(b"<") > MAX_TAGS:  # before each of them becomes an object
        check_count(MAX_BANK_LINES + 1)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content.lstrip(), parser)
    except (etree.XMLSyntaxError, ValueError) as reason:
        raise damaged(getattr(reason, "lineno", None) or 1) from None
    if root.getroottree().docinfo.doctype:
        raise Invalid(
            _(
                "The file has a DOCTYPE, which no bank writes into a statement, so it was not "
                "read. Download the statement from the bank again."
            ),
            code="unsafe_file",
        )
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    found = root.findall(".//BkToCstmrStmt/Stmt")
    if not found:
        raise _no_statement(root)
    check_count(sum(1 for _entry in root.iter("Ntry", "TxDtls")) // 2)
    return [_statement(each) for each in found]


def _no_statement(root: Element) -> Invalid:
    kind = next((name for tag, name in _OTHERS.items() if root.find(f".//{tag}") is not None), "")
    if kind:
        return other_format(kind)
    text = _(
        "The XML file has no statement of a bank (`BkToCstmrStmt`). Download the statement as "
        "camt.053, MT940 or CSV and use that file."
    )
    return Invalid(text, code="wrong_format")


def _statement(statement: Element) -> BankStatement:
    balances = [_balance(each) for each in statement.findall("Bal")]
    currency = _text(statement, "Acct/Ccy") or next((code for _kind, _a, code in balances), "")
    lines: list[BankLine] = []
    turned: list[BankLine] = []
    pending = 0
    iban = _text(statement, "Acct/Id/IBAN") or _text(statement, "Acct/Id/Othr/Id")
    for entry in statement.findall("Ntry"):
        if (_text(entry, "Sts/Cd") or _text(entry, "Sts") or "BOOK") != "BOOK":
            pending += 1
            continue
        of_entry = list(_entry(entry, iban))
        lines += of_entry
        turned += _entry(entry, iban, is_turned=True) if _is_reversal(entry) else of_entry
        check_count(len(lines))
    opening = [amount for kind, amount, _code in balances if kind in _OPENING]
    closing = [amount for kind, amount, _code in balances if kind in _CLOSING]
    if opening and closing and not _leads(opening[0], lines, closing[-1]):
        lines = turned if _leads(opening[0], turned, closing[-1]) else lines
    return BankStatement(
        format=BankFormat.CAMT,
        iban=iban,
        currency=currency or next((each.currency for each in lines), ""),
        opening=opening[0] if opening else None,
        closing=closing[-1] if closing else None,
        lines=lines,
        pending=pending,
    )


def _leads(opening: int, lines: Sequence[BankLine], closing: int) -> bool:
    """Whether lines lead from one balance to another.

    By the standard, the direction of a reversal is that of the reversal itself. Some banks write
    that of what is reversed; then only the balances tell.
    """
    return opening + sum(each.amount for each in lines) == closing


def _balance(balance: Element) -> tuple[str, int, str]:
    """The kind of a balance, its amount, and its currency."""
    amount, currency = _amount(balance)
    return _text(balance, "Tp/CdOrPrtry/Cd"), amount, currency


def _amount(element: Element, path: str = "Amt", *, sign: str = "") -> tuple[int, str]:
    """An amount with its sign, and its currency. sign: of an element that has none. Raises."""
    line = element.sourceline or 0
    found = element.find(path)
    if found is None:
        raise unreadable(_("amount"), "", line=line)
    currency = currency_of(found.get("Ccy", ""), line=line)
    amount = amount_of(found.text or "", currency, line=line)
    kind = _text(element, "CdtDbtInd") or sign
    if kind not in ("CRDT", "DBIT"):
        raise unreadable(_("direction"), kind, line=line)
    return (-amount if kind == "DBIT" else amount), currency


def _entry(entry: Element, own: str, *, is_turned: bool = False) -> Iterator[BankLine]:
    """The lines of an entry: one for each transaction, if these have amounts of their own.

    is_turned: whether its direction is the opposite of what it says.
    """
    line = entry.sourceline or 0
    total, currency = _amount(entry)
    sign = "DBIT" if total < 0 else "CRDT"
    booked = _text(entry, "BookgDt/Dt") or _text(entry, "BookgDt/DtTm")
    value = _text(entry, "ValDt/Dt") or _text(entry, "ValDt/DtTm")
    if not (booked or value):
        raise unreadable(_("date"), "", line=line)
    details = entry.findall("NtryDtls/TxDtls")
    amounts = [_own_amount(each, currency, sign) for each in details]
    whole = sum(each or 0 for each in amounts) != total or None in amounts
    is_sum = whole and len(details) > 1  # of several parties; the file does not say who paid what
    texts = dict.fromkeys(map(_remittance, details)) if is_sum else {}
    if len(details) < 2 or whole:
        details, amounts = details[:1] or [entry], [total]
    for detail, amount in zip(details, amounts, strict=True):
        assert amount is not None
        amount = -amount if is_turned else amount
        reason = _return_reason(entry, detail)
        if amount < 0 and not reason and _is_reversal(entry):  # what came goes back
            reason = UNKNOWN_REASON
        is_payer = amount > 0 or bool(reason)
        name, iban = ("", "") if is_sum else _other_party(detail, own, is_payer=is_payer)
        reference = _reference(entry, detail, is_batch=detail is entry or whole)
        yield BankLine(
            booking_date=iso_day(booked or value, line=line),
            value_date=iso_day(value, line=line) if value else None,
            amount=amount,
            currency=currency,
            name=name,
            ultimate_name="" if is_sum else _name(detail, "RltdPties/UltmtDbtr"),
            iban=iban,
            reference=reference,
            text=" ".join(filter(None, texts or [_remittance(detail)]))
            or _text(entry, "AddtlNtryInf"),
            return_reason=reason,
            original_amount=_original(detail, currency) if reason else None,
            line=line,
        )


def _is_reversal(entry: Element) -> bool:
    return _text(entry, "RvslInd").lower() in ("true", "1")


def _reference(entry: Element, detail: Element, *, is_batch: bool) -> str:
    """The end-to-end id; of several transactions in one sum, the id of our file, if it is one."""
    found = "" if is_batch else _text(detail, "Refs/EndToEndId")
    if found not in _NONE:
        return found
    paths = ("Refs/PmtInfId", "Refs/MsgId", "NtryDtls/Btch/PmtInfId", "NtryDtls/Btch/MsgId")
    texts = [_text(element, path) for element in (detail, entry) for path in paths]
    own = next((text for text in texts if ids_in([text])), "")
    end_to_end = _text(detail, "Refs/EndToEndId")
    return own or ("" if end_to_end in _NONE else end_to_end)


def _own_amount(detail: Element, currency: str, sign: str) -> int | None:
    """The amount of one transaction of several, in the currency of the entry; None without one."""
    for path in ("Amt", "AmtDtls/TxAmt/Amt"):
        found = detail.find(path)
        if found is not None and found.get("Ccy") == currency:
            return _amount(detail, path, sign=sign)[0]
    return None


def _original(detail: Element, currency: str) -> int | None:
    """What was collected, of a return."""
    for path in ("AmtDtls/InstdAmt/Amt", "RtrInf/OrgnlAmt"):
        found = detail.find(path)
        if found is not None and found.get("Ccy") == currency:
            return amount_of(found.text or "", currency, line=found.sourceline or 0)
    return None


def _return_reason(entry: Element, detail: Element) -> str:
    reason = _text(detail, "RtrInf/Rsn/Cd") or _text(detail, "RtrInf/Rsn/Prtry")
    if reason:
        return reason[:35]
    for element in (detail, entry):
        code = _text(element, "BkTxCd/Domn/Fmly/SubFmlyCd")
        german = _GERMAN_RETURN.search(_text(element, "BkTxCd/Prtry/Cd"))
        if code in _RETURN_CODES or german or element.find("RtrInf") is not None:
            return UNKNOWN_REASON
    return ""


def _other_party(detail: Element, own: str, *, is_payer: bool) -> tuple[str, str]:
    """The name and the IBAN of the other party."""
    order = ("Dbtr", "Cdtr") if is_payer else ("Cdtr", "Dbtr")
    for role in order:
        parties = f"RltdPties/{role}"
        iban = _text(detail, f"{parties}Acct/Id/IBAN") or _text(detail, f"{parties}Acct/Id/Othr/Id")
        name = _name(detail, parties)
        if (name or iban) and not (iban and iban == own):
            return name, iban
    return "", ""


def _name(detail: Element, party: str) -> str:
    return _text(detail, f"{party}/Pty/Nm") or _text(detail, f"{party}/Nm")


def _remittance(detail: Element) -> str:
    """What the payer wrote, free or structured."""
    parts = [each.text or "" for each in detail.findall("RmtInf/Ustrd")]
    parts += [each.text or "" for each in detail.findall("RmtInf/Strd/CdtrRefInf/Ref")]
    parts += [each.text or "" for each in detail.findall("RmtInf/Strd/RfrdDocInf/Nb")]
    parts += [each.text or "" for each in detail.findall("RmtInf/Strd/AddtlRmtInf")]
    return " ".join(filter(None, map(str.strip, parts))) or _text(detail, "AddtlTxInf")


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()
