"""Countries and their ISO 3166-1 alpha-2 codes."""

import pickle
from functools import cache
from pathlib import Path

from babel import Locale
from babel.core import get_global
from babel.localedata import resolve_locale_filename

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import current_language, gettext as _

# Two-letter regions of Babel that are not in ISO 3166-1; XK (Kosovo) is allowed, as it is in use
_OTHER_REGIONS = frozenset("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split())
UNKNOWN_COUNTRY = "ZZ"  # that of a digital order which does not name any; it cannot be entered


def read_names(language: str) -> dict[str, str]:
    """The names that a language has for countries and other regions, by code.

    Babel itself would read all that it knows about the language, and keep it: for all languages
    together, 130 MB.
    """
    content = Path(resolve_locale_filename(language)).read_bytes()
    names: dict[str, str] = pickle.loads(content).get("territories", {})  # noqa: S301 - of Babel
    return names


_NAMES = read_names("en")
COUNTRIES = {
    code: name for code, name in _NAMES.items() if len(code) == 2 and code not in _OTHER_REGIONS
}
_READ = "en de fr es it nl".split()  # languages whose names get a hint at the code


def country_code(field: str, text: str) -> str:
    """The ISO 3166-1 code in capitals. Raises: Invalid."""
    code = text.upper() if text.isascii() else text  # "ß" would become SS, South Sudan
    if code in COUNTRIES:
        return code
    hint = _("the United Kingdom is `GB`") if code == "UK" else _("for example `DE`, `GB` or `US`")
    if meant := _codes().get(text.lower()):
        hint = _("`{code}` for {country}").format(code=meant, country=country_in_words(meant))
    raise Invalid(
        _("`{field}` is `{text}`; expected a two-letter ISO 3166-1 country code, {hint}.").format(
            field=field, text=excerpt(text), hint=hint
        ),
        field=field,
        value=text,
    )


@cache
def _codes() -> dict[str, str]:
    """The codes by what is written instead: names, and alpha-3 codes; takes 10 ms, once."""
    found = dict[str, str]()
    for code, name in ((code, name) for each in _READ for code, name in read_names(each).items()):
        if code in COUNTRIES:
            found.setdefault(name.lower(), code)
    for alias, codes in get_global("territory_aliases").items():
        if len(alias) == 3 and alias.isalpha() and len(codes) == 1 and codes[0] in COUNTRIES:
            found[alias.lower()] = codes[0]
    return found


def country_name(code: str) -> str:
    """The English name of a country, or of the unknown one."""
    return str(_NAMES[code])


def country_in_words(code: str) -> str:
    """The name of a country in the language of the running task; the code of an unknown one."""
    return str(Locale(current_language()).territories.get(code, code))


def known_country(code: str | None) -> str:
    """The code of a country for a file; "" if the country is not known."""
    return "" if code is None or code == UNKNOWN_COUNTRY else code
