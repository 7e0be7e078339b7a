"""Damaged texts: what programs leave in names and addresses.

Such as codes of HTML, `NULL`, the errors of spreadsheets, and text that was decoded wrongly. The
time is proportional to the length of a text.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from html import unescape
from html.entities import html5
from itertools import chain

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.clean_text import has_invisible, one_line, several_lines
from masthead.model.types.text import MAX_LONG_TEXT

_NAMES = frozenset("first_name last_name full_name name holder".split())
_DATELESS = _NAMES | frozenset("address1 address2 city state postcode phone".split())
_CHECKED = _DATELESS | {"company"}

# A quick look at all texts of a row or a body: whether one of them may be damaged
_SUSPECT = ("&", "#", "\ufffd", "\\N", "NULL", "null", "undefined", "[object", "NaN", "Err:")
_SEVERAL_LINES = frozenset(["address1", "notes"])
_SUSPECT_LETTERS = re.compile(r"\xc3|[\xc2\xc4\xc5\xe2][^\x00-\x7f]")
_SUSPECT_LINE = re.compile(
    r"\n(?:[^\w\n+]|_|\+(?![0-9])|(?:[Nn]one|nan|[Nn]/[Aa])[^\S\n]*(?![^\n]))"
)
_DATE_LIKE = re.compile(r"\n[^\S\n]*(?:[0-9]{1,2}[./:-]|[0-9]{4}-[0-9]|[^\W\d_]{3,4}-[0-9])")
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});", re.ASCII)
_BLANKS = re.compile(r"[ \xa0]{2,}|\xa0")
# A person can be called that, and is rather called Null or Nan
_AS_A_NAME = re.compile(r"NULL|null|[Nn]one|nan")
_EMPTY_PART = re.compile(r"[Nn]one|nan|[Nn]/[Aa]")  # of a name or an address; elsewhere a word
_EMPTY = re.compile(
    r"NULL|null|\\N|undefined|NaN|\(null\)|\(NULL\)|<null>|<NULL>|\[NULL\]|\[object \w+\]"
    r"|(?:undefined|null)(?: (?:undefined|null))+|#N/A(?: N/A)?|#N/[BDV]|#NV"
    r"|#N/D!|#Н/Д|#I/T|#YOK|#SAKNAS!|#PUUTTUU!|#HIÁNYZIK"
)
_FIRST_OF_EMPTY = "Nn\\u(<[#"
_ERROR = re.compile(
    r"#[¡¿]?(?:REF|NAME|VALUE|DIV/0|NUM|NULL|SPILL|CALC|FIELD|BLOCKED|CONNECT|UNKNOWN|BUSY|ERROR"
    r"|BEZUG|WERT|ZAHL|ÜBERLAUF|KALK|VALEUR|NOM(?:BRE|E)?|VALORE?|RIF|VERW|WAARDE|NAAM|GETAL"
    r"|DEEL/0|OVERLOOP|NULL?O|NUL|NÚM|DESBORDAMIENTO|ESPANSIONE|PROPAGATION|NÁZEV|NAMN"
    r"|NAVN|V[ÆE]RDI|VÄRDEFEL|REFEREN(?:CE|S)|DIVISION/0|OGILTIGT|NIMI|ARVO|VIITTAUS|LUKU|JAKO/0"
    r"|HODNOTA|ODKAZ|ČÍSLO|DĚLENÍ_NULOU|NAZWA|ARG|ADR|LICZBA|DZIEL/0|NÉV|ÉRTÉK|HIV|SZÁM"
    r"|ZÉRÓOSZTÓ|AD|DEĞER|BAŞV|SAYI(?:/0)?|ИМЯ|ЗНАЧ|ССЫЛКА|ЧИСЛО|ДЕЛ/0|ПУСТО)[!?]"
    r"|#GETTING_DATA|#{3,}|Err:5[0-9]{2}"
)
_MONTHS = "jan feb mar mär mrz apr may mai jun jul aug sep sept oct okt nov dec dez".split()
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])"
_DATE = re.compile(
    rf"(?:(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    rf"|{_DAY}([./]){_DAY}\1(?:19|20)[0-9]{{2}}"
    rf"|{_DAY}-(?:{'|'.join(_MONTHS)})(?:-(?:[0-9]{{2}}|[0-9]{{4}}))?"
    rf"|(?:{'|'.join(_MONTHS)})-[0-9]{{2}}|(?:0[1-9]|[12][0-9]|3[01])\. (?:{'|'.join(_MONTHS)}))"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}[0-9:.,]*(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|[+-][0-9:]{4,5}))?)?",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"[!-/:-@\[-`{-~\s\xb7\u2010-\u2015\u2026]+")  # `-`, `...`: fields to fill in
_TIME = re.compile(r"[0-2]?[0-9]:[0-5][0-9]:[0-5][0-9](?:[.,][0-9]+)?(?: ?[AaPp][Mm])?")
# Bytes of UTF-8 as Windows-1252 shows them: the letters before them stay
_BYTES = re.compile(r"[^\x00-\x7f]+")
_CUT = re.compile(r"(?<=[a-zß-ÿ])Ã(?=$| )")  # of an `à`, without the blank after it
_LEADS = "\xc2\xc3\xc4\xc5\xe2"
# After a capital letter, these may also be signs that a person typed: `“SMÅ”`, `IRMÃ` and a blank
_SIGNS = "\xa0’‘“”‚„–—…«»‹›®©™°´"


class DamageKind(StrEnum):
    """The kinds of damage. The value ends a sentence that begins with the text."""

    ENTITIES = gettext_noop("which has codes of HTML")
    ENCODED_TWICE = gettext_noop("which was encoded twice")
    EMPTY = gettext_noop("which programs write for an empty field")
    ERROR = gettext_noop("which is an error of a spreadsheet")
    LOST = gettext_noop("in which � stands for a character that was lost")
    DATE = gettext_noop("which is a date")
    TIME = gettext_noop("which is a time of day")
    INVISIBLE = gettext_noop("which has invisible characters")
    NOTHING = gettext_noop("which has no letter and no digit")

    @property
    def reason(self) -> str:
        """The end of a sentence, in the language of the page."""
        return _(self.value)


class Damage(Struct, frozen=True):
    """What is wrong with a text. meant: what it was, "" if it is empty; None if unknown."""

    kind: DamageKind
    meant: str | None = None

    @property
    def is_unsure(self) -> bool:
        """Whether the text may be right: a person or a town may be called that."""
        return self.kind is DamageKind.EMPTY and self.meant is None


def may_be_damaged(texts: Iterable[str]) -> bool:
    """Whether `find_damage` may find something in a text of a row, but dates and times. Quick."""
    return _is_suspect("\n".join(["", *texts]))


def list_suspects(
    rows: Sequence[Sequence[str | None]], start: int = 0, end: int | None = None
) -> Iterator[int]:
    """The positions of the rows with a text in which `find_damage` may find something.

    Takes 1 µs for a row if few are suspect: rows are looked at together, then by halves.
    """
    end = len(rows) if end is None else end
    joined = "\n".join(["", *filter(None, chain.from_iterable(rows[start:end]))])
    if not (_is_suspect(joined) or _DATE_LIKE.search(joined)):
        return
    if end - start < 2:
        yield start
        return
    middle = (start + end) // 2
    yield from list_suspects(rows, start, middle)
    yield from list_suspects(rows, middle, end)


def _is_suspect(text: str) -> bool:
    return (
        any(mark in text for mark in _SUSPECT)
        or bool(_SUSPECT_LINE.search(text))
        or has_invisible(text)
        or (not text.isascii() and bool(_SUSPECT_LETTERS.search(text)))
    )


def is_checked(field: str) -> bool:
    """Whether a field is a part of a name or an address, which get printed."""
    return _plain(field) in _CHECKED


def _plain(field: str) -> str:
    """The field without whose it is: `billing_city` is `city`."""
    return field.removeprefix("billing_").removeprefix("gifter_").removeprefix("payer_")


def cleaner_of(field: str) -> Callable[[str], str]:
    """The function that cleans the text of a field of an import."""
    return several_lines if _plain(field) in _SEVERAL_LINES else one_line


def find_damage(field: str, text: str, country: str = "") -> Damage | None:
    """What is wrong with the text of a field, None if nothing is.

    What a name `NULL` was is unknown, and so is a town `None`, unless the country is known. `Null`
    and `null GmbH` are names. country: the code of the address, empty if it is not known.
    """
    field, first = _plain(field), text[:1]
    if first in _FIRST_OF_EMPTY and (
        _EMPTY.fullmatch(text) or (field in _CHECKED and _EMPTY_PART.fullmatch(text))
    ):
        is_town = field == "city" and text == "None"  # one is in Italy
        if is_town and country == "IT":
            return None
        can_be_meant = (is_town and not country) or (field in _NAMES and _AS_A_NAME.fullmatch(text))
        return Damage(DamageKind.EMPTY, None if can_be_meant else "")
    if first in "#E" and _ERROR.fullmatch(text):
        return Damage(DamageKind.ERROR)
    is_date_like = first.isdigit() or text[3:4] == "-"
    if is_date_like and field in _DATELESS and _DATE.fullmatch(text):
        return Damage(DamageKind.DATE)
    if is_date_like and field in _DATELESS and _TIME.fullmatch(text):
        return Damage(DamageKind.TIME)
    if field in ("address1", "city") and _NOTHING.fullmatch(text):
        return Damage(DamageKind.NOTHING, "")
    repaired, kind = text, DamageKind.ENTITIES
    for _again in range(2 if "&" in text else 0):  # `&amp;amp;` was written twice
        if (decoded := _ENTITY.sub(_character, repaired)) != repaired:
            repaired = decoded
    for _again in range(2):
        if (decoded := _decoded(repaired)) != repaired:
            repaired, kind = decoded, DamageKind.ENCODED_TWICE
    if repaired == text:
        kind = DamageKind.INVISIBLE
    if has_invisible(repaired):
        repaired = cleaner_of(field)(repaired)
    if "\ufffd" in repaired:
        return Damage(DamageKind.LOST)
    if repaired == text:
        return None
    return Damage(kind, _BLANKS.sub(" ", repaired).strip())


def repair_texts(
    values: Mapping[str, object], fields: Iterable[str]
) -> tuple[dict[str, str], list[Invalid]]:
    """What the texts of a record become, if it is something else, and the errors of lost texts.

    values: by field. fields: those with a part of a name or an address. A name that a program may
    write for an empty field stays, unless another field has the same text.
    """
    texts = {name: text for name in fields if isinstance(text := values.get(name), str)}
    joined = "\n".join(["", *texts.values()])
    if not (_is_suspect(joined) or _DATE_LIKE.search(joined)):
        return {}, []
    repaired, lost = dict[str, str](), list[Invalid]()
    texts = {name: text.strip() for name, text in texts.items() if len(text) <= MAX_LONG_TEXT}
    for name, text in texts.items():
        country = values.get(f"{name.removesuffix('city')}country") if name[-4:] == "city" else ""
        code = country.upper() if isinstance(country, str) else ""
        damage = find_damage(name, text, code)
        if damage is None:
            continue
        again = find_damage(name, damage.meant, code) if damage.meant else None  # `&nbsp;NULL`
        damage = again if again and not again.is_unsure else damage
        if damage.meant is not None:
            repaired[name] = damage.meant
        elif not damage.is_unsure:
            lost.append(refusal_of(name, text, damage, _("Correct it, or leave it empty.")))
        elif [*texts.values()].count(text) > 1:
            repaired[name] = ""
    return repaired, lost


def refusal_of(field: str, text: str, damage: Damage, advice: str) -> Invalid:
    """The error of a damaged text. advice: a sentence that says what to do."""
    message = _("`{field}` is `{text}`, {reason}. {advice}").format(
        field=field, text=excerpt(text), reason=damage.kind.reason, advice=advice
    )
    return Invalid(message, field=field, value=text)


def _character(found: re.Match[str]) -> str:
    """The character of an entity, the entity itself if it is none: `&OUML;` is `Ö`."""
    name = found[1]
    if name[0] == "#":
        character = unescape(found[0])
        return character if character.isprintable() or character == "\xa0" else found[0]
    for spelling in (name, name.capitalize(), name.lower()) if name.isupper() else (name,):
        if (character := html5.get(f"{spelling};", "")) and character != "\n":
            return character
    return found[0]


def _decoded(given: str) -> str:
    """The text before UTF-8 was read as Windows-1252; the text itself if that is not certain."""
    if given.isascii() or not _SUSPECT_LETTERS.search(given):
        return given
    text, is_certain = _CUT.sub("\xc3\xa0", given), False
    parts, end = list[str](), 0
    for found in _BYTES.finditer(text):
        run = found[0]
        try:
            letters = b"".join(map(_byte, run)).decode()
        except ValueError:
            return given
        if run[0] not in _LEADS or not all(map(_is_plausible, letters)):
            return given
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        is_certain |= (
            len(run) > 2
            or run[1] not in _SIGNS
            or before.islower()
            or (after.islower() and not before.isalpha())
            or (after.isalpha() and run[0] == "\xc3" and run[1] != "\xa0")
        )
        parts += (text[end : found.start()], letters)
        end = found.end()
    return "".join([*parts, text[end:]]) if is_certain else given


def _byte(character: str) -> bytes:
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")


def _is_plausible(character: str) -> bool:
    """Whether a character is of a European language in Latin letters, or one of its signs."""
    return "\xa0" <= character <= "\u024f" or "\u2010" <= character <= "\u203a" or character in "€™"
