"""What files are called that people download or receive by email, in the language of the page.

These names have only small letters without accents, digits, `-` and `.`, because some email
programs and archives damage others. Files whose names programs or rules read keep them in all
languages: those for DATEV, exports of an account, and documents, which are called by their number.
"""

import re

from masthead.model.translations import current_language, pgettext
from masthead.model.types.text import WITHOUT_UMLAUTS, fold

_UMLAUTS = str.maketrans(WITHOUT_UMLAUTS)


def file_name(name: str, **parts: object) -> str:
    """The name in the current language, with its parts filled in: `abonnements-2026-11-29.xlsx`.

    name: in English, such as `subscriptions-{day}.{ending}`. It is marked for the catalogue.
    """
    return pgettext("file name", name).format(**parts)


def file_name_noop(name: str) -> str:
    """The name itself, marked for the catalogue. `file_name` translates it."""
    return name


def words_of_name(text: str) -> str:
    """A name as a part of that of a file: `joerg-mueller`. Empty if no letter remains."""
    if current_language() == "de":
        text = text.translate(_UMLAUTS)
    return re.sub(r"[^a-z0-9]+", "-", fold(text)).strip("-")[:40].strip("-")
