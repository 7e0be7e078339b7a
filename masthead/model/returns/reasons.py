"""What carriers say of a copy, in their words: did somebody move, or can they not be reached?"""

import re

from masthead.model.errors import Invalid, excerpt
from masthead.model.returns.delivery_reports import ReportKind
from masthead.model.types.text import MAX_TEXT, fold

# The letters with which the US Postal Service says in its ACS files why it did not deliver
_ACS_CODES = {
    "A": "Attempted, not known",
    "B": "Returned for better address",
    "D": "Outside delivery limits",
    "E": "In dispute",
    "G": "PO box closed, no forwarding order",
    "I": "Insufficient address",
    "K": "Moved, left no address",
    "L": "Illegible",
    "M": "No mail receptacle",
    "N": "No such number",
    "P": "Deceased",
    "Q": "Not deliverable as addressed, or forwarding order expired",
    "R": "Refused",
    "S": "No such street",
    "U": "Unclaimed",
    "V": "Vacant",
    "W": "Temporarily away",
    "X": "No such office",
    "Z": "No such ZIP code",
}
_SHORT = {
    "ank": "Attempted, not known",
    "utf": "Unable to forward",
    "foe": "Forwarding order expired",
    "mlna": "Moved, left no address",
    "nsn": "No such number",
    "nss": "No such street",
    "nmr": "No mail receptacle",
    "bcno": "PO box closed, no forwarding order",
    "dec": "Deceased",
    "ref": "Refused",
    "unc": "Unclaimed",
    "vac": "Vacant",
    "ia": "Insufficient address",
    "ill": "Illegible",
}
# As `fold` returns them. The first list that matches decides
_DELIVERED = re.compile(
    r"\b(?:delivered|zugestellt|ausgeliefert|distribue|livre|bezorgd|afgeleverd|"
    r"shipped|versandt|versendet|expedie|verzonden)\b"
)
_NOT = re.compile(
    r"\b(?:un|in|non|not|nicht|no|kein\w*|pas|niet|could|konnte\w*)\s*-?(?:\w+\s+)?"
    r"(?:deliver|zustell|zugestell|ausgeliefert|distribu|livr|bezorg|afgeleverd)"
)
_UNREACHABLE = re.compile(
    r"unbekannt verzogen|verzogen,? unbekannt|ohne nachsende|left no address|"
    r"no forward|without (?:a )?(?:new|forwarding)|no (?:new )?address|not? longer forward|"
    r"forwarding (?:order )?expired|unable to forward|gone away|sans laisser|"
    r"partis? sans|onbekend (?:vertrokken|verhuisd)|vertrokken,? onbekend|new address unknown|"
    r"neue (?:adresse|anschrift) unbekannt|adresse inconnue"
)
_MOVED = re.compile(
    r"\b(?:moved?|moving|change of address|coa|forward(?:ed|able)?|relocated|new address|"
    r"umzug|umgezogen|verzogen|nachgesandt|nachsendung|neue (?:adresse|anschrift)|"
    r"demenage(?:ment|e)?|changement d.adresse|nouvelle adresse|"
    r"verhuis(?:d|ing)|nieuw adres|trasferito|mudado)\b"
)


def classify(kind: str, reason: str, *, has_new_address: bool) -> tuple[ReportKind, str | None]:
    """The kind of a report, and the reason in words, None if the carrier gave none.

    kind, reason: the texts of these columns; either can be empty, and either can hold a code.
    Words that are not known are kept as the reason. A subscriber who moved without a new address is
    undeliverable. Raises: Invalid if the text says that the copy was delivered.
    """
    reasons = list(dict.fromkeys(_in_words(text.strip()) for text in (kind, reason)))
    words = ": ".join(text for text in reasons if text) or None
    if words is not None and len(words) > MAX_TEXT:
        words = words[: MAX_TEXT - 1] + "…"
    plain = fold(words or "")
    if _DELIVERED.search(plain) and not _NOT.search(plain):
        raise Invalid(f"`{excerpt(words)}` is not a problem with the delivery.")
    is_said = kind.strip().lower() == ReportKind.UNDELIVERABLE
    if not has_new_address or is_said or _UNREACHABLE.search(plain):
        return ReportKind.UNDELIVERABLE, words
    return ReportKind.MOVED, words


def says_moved(text: str) -> bool:
    """Whether a text says that the subscriber moved, with or without a new address."""
    return bool(_MOVED.search(fold(text[:MAX_TEXT])))


def _in_words(text: str) -> str:
    """A code of the US Postal Service in words; other texts as they are."""
    if len(text) == 1:
        return _ACS_CODES.get(text.upper(), text)
    if text.lower() in ("undeliverable", "moved"):
        return ""
    return _SHORT.get(text.lower(), text)
