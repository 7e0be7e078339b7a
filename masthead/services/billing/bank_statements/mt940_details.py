"""The field `:86:` of MT940: who paid, and what for. Each country writes it in its own way.

German banks write subfields, `?20` to `?63`, with tags of SEPA such as `EREF+` inside. Dutch banks
write tags between slashes, such as `/EREF/`. Others write plain text.
"""

import re
from collections.abc import Iterable
from itertools import pairwise

from msgspec import Struct

from masthead.model.billing.bank_lines import UNKNOWN_REASON
from masthead.model.debits.rules import ids_in

_GERMAN = re.compile(r"([0-9]{3})([?~<@>!+])(?=[0-9]{2})")
_FULL = 27  # characters of a subfield
_RETURN_CODES = frozenset({"108", "109", "159"})  # of German banks: a transaction comes back
_PURPOSE = frozenset(
    [*(f"{each}" for each in range(20, 30)), *(f"{each}" for each in range(60, 64))]
)
_SEPA = re.compile(r"(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC|RTRN)\+")
_DUTCH = re.compile(
    r"/(TRTP|IBAN|BIC|NAME|REMI|EREF|MARF|CSID|CNTP|ORDP|BENM|ID|RTRN|RREF|PREF|KREF|USTD|STRD|"
    r"TRCD|ISDT|ADDR|UCRD|UDTR|PURP|SUM|OCMT|CODE|REASON)/"
)
_KIND_OF_REMITTANCE = re.compile(r"USTD//|STRD/[A-Z]*/")
_REASON = re.compile(r"\b([A-Z]{2}[0-9]{2})\b")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{10,30}")
_NONE = frozenset({"NOTPROVIDED", "NONREF", "NICHT ANGEGEBEN"})
# Text keys of German banks that stand for a reason: 34 and three digits of the transaction
_GERMAN_REASONS = {
    "901": "AC01",
    "902": "AC04",
    "903": "AC06",
    "904": "AG01",
    "905": "AG02",
    "906": "AM04",
    "907": "AM05",
    "909": "BE05",
    "910": "MD01",
    "911": "MD02",
    "912": "MD06",
    "913": "MD07",
    "914": "MS02",
    "915": "MS03",
    "916": "RC01",
    "917": "RR01",
}


class Details(Struct, frozen=True, kw_only=True):
    """What a field says. original_amount: as the bank writes it; empty if it does not."""

    name: str = ""
    ultimate_name: str = ""
    iban: str = ""
    reference: str = ""
    text: str = ""
    return_reason: str = ""
    original_amount: str = ""


def read_details(text: str) -> Details:
    """What a field says, in any dialect."""
    if match := _GERMAN.match(text):
        return _german(match[1], match[2], text[match.end() - 1 :].replace("\n", ""))
    if _DUTCH.search(text.replace("\n", "")):
        return _dutch(text.replace("\n", ""))
    joined = " ".join(text.split())
    iban = _IBAN.search(joined.replace(" ", "")) if "IBAN" in joined else None
    tags = _tags(_SEPA, joined)
    return Details(
        ultimate_name=tags.get("ABWA", ""),
        iban=iban[0] if iban else "",
        reference=_known(tags.get("EREF", "")),
        text=tags.get("SVWZ") or joined,
        return_reason=_reason(joined) if _is_return(joined) else "",
    )


def _german(code: str, mark: str, text: str) -> Details:
    """code: of the transaction. mark: which sign begins a subfield, mostly `?`."""
    found: dict[str, str] = {}
    for part in text.split(mark)[1:]:
        key, value = part[:2], part[2:]
        found[key] = found.get(key, "") + value
    purpose = _joined(found[key] for key in sorted(found.keys() & _PURPOSE))
    tags = _tags(_SEPA, purpose)
    free = _SEPA.split(purpose, maxsplit=1)[0]
    is_return = code in _RETURN_CODES or "RTRN" in tags
    reason = _german_reason(found.get("34", ""), purpose) if is_return else ""
    iban = found.get("31", "").strip() or tags.get("IBAN", "")
    return Details(
        name=_joined(found.get(key, "") for key in ("32", "33")) or tags.get("ABWA", ""),
        ultimate_name=tags.get("ABWA", ""),
        iban=iban,
        reference=_known(tags.get("EREF", "").replace(" ", "")) or _of_batch(tags.get("KREF", "")),
        text=tags.get("SVWZ", free).strip(),
        return_reason=reason,
        original_amount=tags.get("OAMT", "").strip() if is_return else "",
    )


def _joined(parts: Iterable[str]) -> str:
    """The text of subfields. One that is not full ends with a blank, which banks leave out."""
    return " ".join("".join(f"{each:<{_FULL}}" for each in parts).split())


def _german_reason(key: str, purpose: str) -> str:
    return _GERMAN_REASONS.get(key.strip()[-3:], "") or _reason(purpose)


def _dutch(text: str) -> Details:
    tags = _tags(_DUTCH, text)
    name, iban, remittance = tags.get("NAME", ""), tags.get("IBAN", ""), tags.get("REMI", "")
    if "CNTP" in tags:  # IBAN/BIC/name/city, of ING
        iban, _bic, name, *_city = [*tags["CNTP"].split("/"), "", "", ""]
    remittance = _KIND_OF_REMITTANCE.sub("", remittance) or tags.get("USTD", "")
    reason = tags.get("RTRN", "")
    return Details(
        name=name.strip("/ "),
        iban=iban.strip("/ "),
        reference=_known(tags.get("EREF", "")),
        text=remittance.strip("/ "),
        return_reason=_reason(reason) if "RTRN" in tags else "",
    )


def _tags(pattern: re.Pattern[str], text: str) -> dict[str, str]:
    """The texts after tags, up to the next one. Of two equal tags, the first counts."""
    starts = list(pattern.finditer(text))
    found: dict[str, str] = {}
    for tag, following in pairwise([*starts, None]):
        assert tag is not None
        value = text[tag.end() : following.start() if following else len(text)]
        found.setdefault(tag[1], value.strip())
    return found


def _is_return(text: str) -> bool:
    return any(each in text.upper() for each in ("RUECKLAST", "RÜCKLAST", "RETURN", "RTRN"))


def _reason(text: str) -> str:
    found = _REASON.search(text)
    return found[1] if found else UNKNOWN_REASON


def _of_batch(reference: str) -> str:
    """The id of a file of ours, of which the bank books one sum; empty for other references."""
    return reference.strip() if ids_in([reference]) else ""


def _known(reference: str) -> str:
    reference = reference.strip("/ ")
    return "" if reference.upper() in _NONE else reference
