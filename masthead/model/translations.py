"""Translate the texts of pages, emails and PDFs.

The code has the texts in English; `masthead/locale/<language>/LC_MESSAGES/masthead.po` has them in
another language. The language belongs to the running task or thread: a page sets it to the
language of its user, and an email to that of the account. The API and the command line are in
English.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import date
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.dates import format_date
from babel.numbers import format_decimal

from masthead.lazy_modules import LazyModule
from masthead.temporary_files import TemporaryFile, shared_folder

if TYPE_CHECKING:
    from babel.messages import mofile, pofile
else:
    mofile, pofile = LazyModule("babel.messages.mofile"), LazyModule("babel.messages.pofile")

CATALOGUES = Path(__file__).parent.parent / "locale"
ENGLISH = "en"

_current: ContextVar[NullTranslations | None] = ContextVar("translations", default=None)
_locale: ContextVar[str] = ContextVar("locale", default=ENGLISH)


def gettext(text: str) -> str:
    """The text in the current language; the English text if it has no translation."""
    translations = _current.get()
    return text if translations is None else translations.gettext(text)


def ngettext(one: str, many: str, count: int) -> str:
    """The text for a number of things, in the current language."""
    translations = _current.get()
    if translations is None:
        return one if count == 1 else many
    return translations.ngettext(one, many, count)


def counted(one: str, many: str, count: int, **values: object) -> str:
    """The text for a number of things, with the number as `{count}` or `{n}`, and other values."""
    number = format_number(count)
    return ngettext(one, many, count).format(count=number, n=number, **values)


def pgettext(context: str, text: str) -> str:
    """The text in the current language, of words that mean different things in it.

    context: what the text is about: a `copy` that is Cancelled is not translated like an order.
    """
    translations = _current.get()
    return text if translations is None else translations.pgettext(context, text)


def gettext_noop(text: str) -> str:
    """The text itself, marked for the catalogue. It is translated where it is shown."""
    return text


def ngettext_noop(one: str, many: str) -> tuple[str, str]:
    """Both forms of a text for a number of things, marked for the catalogue."""
    return one, many


def set_language(locale: str) -> None:
    """Choose the language of the running task, and how it writes amounts. locale: as `de_AT`."""
    _current.set(load_catalogue(locale.partition("_")[0]))
    _locale.set(locale)


def current_language() -> str:
    """The language of the running task, such as `de`."""
    translations = _current.get()
    return ENGLISH if translations is None else translations.info()["language"]


def current_locale() -> str:
    """The locale of the running task, such as `de_AT`; it can be one without translations."""
    return _locale.get()


def format_number(value: float) -> str:
    """A number with the separators of the language of the running task, such as `4,320`."""
    return with_minus_sign(format_decimal(value, locale=current_language()))


def with_minus_sign(number: str) -> str:
    """A number as pages write it: most languages of Babel have a hyphen before it."""
    return number.replace("-", "\N{MINUS SIGN}")


def format_day(value: date) -> str:
    """A day in the language of the running task, such as `1 July 2026`."""
    language = current_language()
    return str(format_date(value, "long", locale="en_GB" if language == ENGLISH else language))


def is_translated(locale: str) -> bool:
    """Whether there are texts in the language of a locale."""
    return locale.partition("_")[0] in list_languages()


def language_of(locale: str) -> str:
    """The language of the texts in a locale: English, unless they are translated."""
    return locale.partition("_")[0] if is_translated(locale) else ENGLISH


@contextmanager
def in_language(locale: str) -> Iterator[None]:
    """Choose the language for a block, such as one that writes an email."""
    tokens = _current.set(load_catalogue(locale.partition("_")[0])), _locale.set(locale)
    try:
        yield
    finally:
        _current.reset(tokens[0])
        _locale.reset(tokens[1])


@cache
def list_languages() -> frozenset[str]:
    """The languages of the texts."""
    files = CATALOGUES.glob("*/LC_MESSAGES/masthead.po")
    return frozenset({ENGLISH, *(file.parent.parent.name for file in files)})


@cache
def load_catalogue(language: str) -> NullTranslations | None:
    """The translations into a language such as `de`; None for English and unknown languages.

    Takes about 20 ms for 5,000 texts, once for each language of a process. The first process of
    this user compiles them for all, in about 500 ms.
    """
    if language == ENGLISH or language not in list_languages():
        return None
    source = (CATALOGUES / language / "LC_MESSAGES" / "masthead.po").read_bytes()
    with suppress(OSError, ValueError):
        return GNUTranslations(BytesIO(_read_compiled(language, source)))
    compiled = _compile(language, source)
    with suppress(OSError):  # such as a full disk: then each process compiles them
        _write_compiled(language, source, compiled)
    return GNUTranslations(BytesIO(compiled))


def _compile(language: str, source: bytes) -> bytes:
    """The file of gettext for the texts of a catalogue."""
    compiled = BytesIO()
    mofile.write_mo(compiled, pofile.read_po(BytesIO(source), locale=language))
    return compiled.getvalue()


def _compiled_file(language: str) -> Path:
    return shared_folder("catalogues") / f"{language}.mo"


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _read_compiled(language: str, source: bytes) -> bytes:
    """What another process compiled. Raises: OSError, ValueError if it is of other texts."""
    content = _compiled_file(language).read_bytes()
    compiled = content[64:]
    if content[:64] != _digest(source) + _digest(compiled):
        raise ValueError("of other texts, or damaged")
    return compiled


def _write_compiled(language: str, source: bytes, compiled: bytes) -> None:
    """Keep compiled texts for other processes, after digests. Raises: OSError."""
    unfinished = TemporaryFile()
    unfinished.path.write_bytes(_digest(source) + _digest(compiled) + compiled)
    unfinished.path.replace(_compiled_file(language))
