"""Remove a person from texts: from the JSON of their own records, and from texts of others."""

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from masthead.model.ids import is_id
from masthead.model.privacy.columns import ERASED_TEXT
from masthead.model.types.text import APOSTROPHES, HYPHENS, Form, normalize

NORMAL_FORMS: tuple[Form, ...] = ("NFC", "NFD")
ENOUGH_ASCII = 4  # letters of a pattern

# Texts of audit entries that name no person, such as `{"status": "Active"}`
SAFE_KEYS = frozenset(
    "number corrects method "
    "status country medium currency type kind stage channel actor_kind code role scope".split()
)
PERSONAL_KEYS = frozenset(
    "salutation title first_name last_name company address1 address2 city state postcode phone "
    "notes email text full_name gifter_name gifter_email reason recipient payer".split()
)
_SAFE_TEXT = re.compile(r"|-?[0-9][0-9.,]*|[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+(Z|[+-][0-9:]+))?")

# A name in a text may be typed with other signs than in the record: `O’Brien`, `O'Brien`, `OBrien`
_SIGNS = {
    **dict.fromkeys(APOSTROPHES, f"[{re.escape(APOSTROPHES)}]?"),
    **dict.fromkeys(HYPHENS, rf"(?:[{re.escape(HYPHENS)}]|\s)"),  # banks write a blank
    " ": r"\s+",
}
_LIKE_PART = re.compile(r"\\.|.", re.DOTALL)  # of a pattern: a letter, or a wildcard
_SIGNS_OF_LIKE = str.maketrans(
    {**dict.fromkeys(APOSTROPHES, "%"), **dict.fromkeys(HYPHENS, "_"), " ": "_"}
)


def redact_json(text: str | None) -> str | None:
    """The JSON of a record of an erased person: numbers, dates, ids and statuses stay."""
    if text is None:
        return None
    return msgspec.json.encode(_redact(msgspec.json.decode(text), "")).decode()


def _redact(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return {name: _redact(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [_redact(each, key) for each in value]
    if not isinstance(value, str) or key in SAFE_KEYS:
        return value
    if key not in PERSONAL_KEYS and (is_id(value) or _SAFE_TEXT.fullmatch(value)):
        return value
    return ERASED_TEXT if value else value


class Mentions:
    """Finds and replaces the names and email addresses of a person in texts about others.

    others: emails of other people that contain one of theirs; they stay.
    """

    def __init__(self, terms: Collection[str], others: Collection[str] = ()) -> None:
        self._others = {other.lower() for other in others}
        self.terms = _in_texts(terms)
        known = "|".join(rf"\b{re.escape(other)}\b" for other in _in_texts(others))
        bounded = "|".join(rf"(?<![^\W_]){_pattern(term)}(?![^\W_])" for term in self.terms)
        self._pattern = re.compile(f"{known}|{bounded}" if known else bounded, re.IGNORECASE)
        self._anywhere = re.compile("|".join(map(_pattern, self.terms)), re.IGNORECASE)
        re.purge()  # it would keep the patterns, and so the names, as long as this process runs

    def replace(self, text: str | None) -> str | None:
        """The text without the terms. `joanna@…` does not contain `anna@…`; `pay_anna@…` does."""
        return self._pattern.sub(self._new, text) if text and self.terms else text

    def replace_anywhere(self, text: str | None) -> str | None:
        """The text of one of their records without the terms, also inside words."""
        return self._anywhere.sub(ERASED_TEXT, text) if text and self.terms else text

    def _new(self, found: re.Match[str]) -> str:
        is_other = found[0].lower().replace("%40", "@") in self._others
        return found[0] if is_other else ERASED_TEXT


def _pattern(term: str) -> str:
    """The regular expression of a term; a name has any apostrophes, hyphens and blanks.

    Emails with other signs are other emails.
    """
    if "@" in term or "%40" in term or not any(map(str.isalnum, term)):
        return re.escape(term)
    names = [
        "".join(_SIGNS.get(each) or re.escape(each) for each in name) for name in term.split(", ")
    ]
    return r"[,;]?\s*".join(names)  # `Last, First`, which banks write without the comma


def _in_texts(terms: Collection[str]) -> list[str]:
    """Terms as they are in texts, in JSON and in addresses of pages, the longest first."""
    forms = {form for term in terms for form in _forms(term)}
    forms |= {form.replace("@", "%40") for form in forms}
    escaped = {msgspec.json.encode(form).decode()[1:-1] for form in forms}
    return sorted({*forms, *escaped}, key=len, reverse=True)


def patterns_of(terms: Sequence[str]) -> list[str]:
    """Patterns for LIKE that find texts with a term. Use them on both forms of lower case."""
    forms = lower_forms([*terms, *(term.replace("@", "%40") for term in terms)])
    return _widest({_with_wildcards(_with_signs(escape_like(form))) for form in forms})


def _widest(patterns: Collection[str]) -> list[str]:
    """The patterns for texts around them, without those of which another finds all texts.

    So `dahl` stands for `ida_dahl`, and `_da` for `ida`: each pattern reads the whole table again.
    """
    parts = {pattern: _LIKE_PART.findall(pattern) for pattern in patterns}
    return sorted(
        f"%{pattern}%"
        for pattern, own in parts.items()
        if not any(_covers(other, own) for name, other in parts.items() if name != pattern)
    )


def _covers(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Whether all texts that have one pattern have another. `%` only covers itself."""
    return any(
        all(
            one == other or (one == "_" and other != "%")
            for one, other in zip(wide, narrow[start:], strict=False)
        )
        for start in range(len(narrow) - len(wide) + 1)
    )


def name_pattern(name: str) -> str:
    """A pattern for LIKE that finds a name with any apostrophes, hyphens and blanks."""
    return _with_signs(escape_like(name))


def _with_signs(pattern: str) -> str:
    if "@" in pattern or "\\%40" in pattern:
        return pattern
    return pattern.replace(", ", "%").translate(_SIGNS_OF_LIKE)


def lower_forms(terms: Iterable[str]) -> set[str]:
    """Terms in the usual forms, as SQLite and PostgreSQL write them in lower case.

    PostgreSQL does so as the locale of the database says. So `Σ` at the end of a word is `ς` or
    `σ`, and `I` may be the Turkish `ı`.
    """
    forms = {form for term in terms for form in _forms(term)}
    whole = {form.lower() for form in forms}
    by_letter = {_lower_letters(form) for form in forms}
    turkish = {_lower_letters(form.replace("I", "ı")) for form in forms}
    return whole | by_letter | turkish | {_ascii_lower(form) for form in forms}


def _lower_letters(text: str) -> str:
    """The text in lower case, each letter by itself: `σ` for `Σ` everywhere, and `i` for `İ`."""
    return "".join(letter.lower()[0] for letter in text)


def _forms(term: str) -> set[str]:
    """A term in the usual forms of case, with composed and with separate accents."""
    title = term.title()
    first, _, others = title.partition(" ")
    cases = (
        *(term, title, term.lower(), term.upper()),
        *(f"{first.upper()} {others}", f"{first} {others.upper()}"),  # `DOE, Jane`; `Jane DOE`
    )
    return {normalize(form, each.rstrip()) for each in cases for form in NORMAL_FORMS}


def escape_like(text: str) -> str:
    """A text for LIKE without its wildcards; the escape character is a backslash."""
    return re.sub(r"([%_\\])", r"\\\1", text)


def _with_wildcards(pattern: str) -> str:
    """The pattern for any mixture of case, if it has enough ASCII letters to tell texts apart."""
    if sum(map(str.isascii, pattern)) < ENOUGH_ASCII:
        return pattern
    return "".join(letter if letter.isascii() else "_" for letter in pattern)


def _ascii_lower(text: str) -> str:
    """The text with its ASCII letters in lower case, as `lower` of SQLite does."""
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _spellings(term: str) -> set[str]:
    """A term with the usual apostrophes and hyphens."""
    hyphened = term.translate(dict.fromkeys(map(ord, HYPHENS), "-"))
    apostrophes = ("'",) if "@" in term else ("'", "’", "")
    usual = (hyphened.translate(dict.fromkeys(map(ord, APOSTROPHES), sign)) for sign in apostrophes)
    return {term, *usual}


def encoded_forms(terms: Collection[str]) -> list[bytes]:
    """The bytes of terms in the encodings of uploaded files, in the usual forms."""
    found = set[bytes]()
    spellings = {spelling for term in terms for spelling in _spellings(term)}
    for form in {form for spelling in spellings for form in _forms(spelling)} - {""}:
        for encoding in ("utf-8", "cp1252", "utf-16-le", "utf-16-be"):
            with suppress(UnicodeEncodeError):  # a file in this encoding cannot contain it
                found.add(form.encode(encoding))
    return sorted(found)
