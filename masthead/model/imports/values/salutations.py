"""Salutations and titles in a file: `Frau`, `Mr.`, `Herr Dr.`, and columns that mix them."""

import re

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Salutation
from masthead.model.types.fields import MAX_TITLE
from masthead.model.types.messages import shown
from masthead.model.types.text import fold, short_text

_MS = "ms mrs miss frau fr w f female weiblich mme mlle madame mevr mevrouw sra sig.ra pani bayan"
_MR = "mr mister herr herrn hr m male mannlich monsieur dhr dhr. meneer sr sig pan bay"
_WORDS = dict.fromkeys(_MS.split(), Salutation.MS) | dict.fromkeys(_MR.split(), Salutation.MR)
# A company, several people, or somebody without a salutation
_NONE = frozenset(
    "none keine ohne neutral divers d mx firma company familie family eheleute ehepaar verein "
    "institution organisation - an".split()
)
_SEVERAL = re.compile(r"\b(?:und|and|u|et)\b|[&/+]")
_GREETING = re.compile(r"^(?:sehr geehrter?|liebe[r]?|dear)\s+", re.IGNORECASE)


def read_salutation(field: str, text: str) -> tuple[Salutation | None, str | None]:
    """The salutation and the title of a text. Raises: Invalid if it has no known salutation."""
    salutation, title = _split(text)
    if salutation is None and title and not _is_none(text):
        message = _(
            "`{field}` is {value}; expected `ms`, `mr` or a word such as Mrs, Frau or Herr. Leave "
            "it empty if there is none."
        )
        raise Invalid(message.format(field=field, value=shown(text)), field=field, value=text)
    return (None, None) if _is_none(text) else (salutation, title)


def read_title(field: str, text: str) -> tuple[Salutation | None, str | None]:
    """The salutation and the title of a text in a column of titles. Raises: Invalid."""
    salutation, title = _split(text)
    if _is_none(text):
        return None, None
    return salutation, short_text(field, title, MAX_TITLE) if title else None


def _split(text: str) -> tuple[Salutation | None, str | None]:
    """The salutation at the beginning, and the rest."""
    text = _GREETING.sub("", text.strip())
    first, _blank, rest = text.partition(" ")
    found = _WORDS.get(fold(first).strip(".,"))
    return (found, rest.strip() or None) if found else (None, text or None)


def _is_none(text: str) -> bool:
    """Whether a text says that there is no salutation, or names several people."""
    return fold(text).strip(" .") in _NONE or bool(_SEVERAL.search(fold(text)))
