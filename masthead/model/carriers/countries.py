"""The country that a carrier writes: as a code, or as a name in one of several languages."""

from functools import cache

from babel import Locale

from masthead.model.errors import Invalid, excerpt
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.text import MAX_TEXT, fold

_LANGUAGES = ("en", "de", "fr", "nl", "es", "it", "da", "sv", "pl")
_OTHERS = {
    "uk": "GB",
    "great britain": "GB",
    "england": "GB",
    "scotland": "GB",
    "wales": "GB",
    "usa": "US",
    "united states of america": "US",
    "holland": "NL",
    "brd": "DE",
    "d": "DE",
    "a": "AT",
    "f": "FR",
    "b": "BE",
}


@cache
def _codes() -> dict[str, str]:
    """The codes by names, folded."""
    codes = dict(_OTHERS)
    for language in _LANGUAGES:
        names = Locale(language).territories
        codes |= {fold(names[code]): code for code in COUNTRIES if code in names}
    return codes | {code.lower(): code for code in COUNTRIES}


def country_of(text: str) -> str | None:
    """The code of a country; None if the text is empty. Raises: Invalid if it is not known."""
    plain = fold(text[:MAX_TEXT].strip())
    if not plain:
        return None
    code = _codes().get(plain)
    if code is None:
        raise Invalid(
            f"The country `{excerpt(text)}` is not known; write its name or its two-letter code.",
            field="country",
            value=excerpt(text),
        )
    return code
