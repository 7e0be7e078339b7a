"""Countries by their names in any language, their codes and what else people call them."""

import re
from functools import cache, lru_cache

from babel import Locale
from babel.core import get_global
from babel.localedata import locale_identifiers

from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.messages import similar
from masthead.model.types.text import MAX_TEXT, fold

# The letters on cars, which many lists of addresses have
_ON_CARS = {"a": "AT", "b": "BE", "d": "DE", "e": "ES", "f": "FR", "h": "HU", "i": "IT", "l": "LU"}
_ON_CARS |= {"n": "NO", "p": "PT", "s": "SE"}
# The languages whose names are looked up first; a name of theirs wins over one of the others
_FIRST = "en de fr es it nl pt da sv nb fi pl cs".split()
_OTHERS = {
    "GB": "UK, England, Scotland, Wales, Northern Ireland, Great Britain, Britain, Großbritannien, "
    "Grossbritannien, GBR, Schottland, Groot-Brittannië, Grande-Bretagne, Gran Bretaña",
    "US": "USA, U.S.A., U.S., United States of America, The United States, America, Etats Unis",
    "DE": "BRD, Federal Republic of Germany, Bundesrepublik Deutschland, Allemagne",
    "NL": "Holland, The Netherlands",
    "CZ": "Czech Republic, Tschechische Republik",
    "KR": "Korea, Republic of Korea, Korea Republic of, Republik Korea",
    "IE": "Republic of Ireland, Eire",
    "RU": "Russian Federation",
    "CN": "PRC, People's Republic of China",
    "CI": "Ivory Coast",
    "MK": "Macedonia",
    "XK": "XKX",
    "AE": "UAE",
    "VN": "Viet Nam",
    "TW": "Taiwan, Province of China",
    "HK": "Hong Kong",
    "MO": "Macau",
    "CH": "Schweizerische Eidgenossenschaft",
    "BO": "Bolivia Plurinational State of",
    "VE": "Venezuela Bolivarian Republic of",
    "IR": "Iran Islamic Republic of",
    "TR": "Turkey",
    "SZ": "Swaziland",
    "VA": "Vatican, Holy See",
}
_SIGNS = re.compile(r"[\W_]+")
_AND = re.compile(r"\b(?:and|und|et|y|e|en|og|och|i)\b")
_CODE_BESIDE = re.compile(r".*\(([A-Za-z]{2,3})\)")


def _key(text: str) -> str:
    return _SIGNS.sub("", _AND.sub(" ", fold(text)))


@cache
def _names(language: str) -> dict[str, str]:
    """The codes by the names of a language."""
    found = dict[str, str]()
    for code, name in Locale.parse(language).territories.items():
        if code in COUNTRIES:
            found.setdefault(_key(name), code)
    return found


@cache
def _codes_and_others() -> dict[str, str]:
    found = {code.lower(): code for code in COUNTRIES} | _ON_CARS
    for alias, codes in get_global("territory_aliases").items():
        if len(alias) == 3 and alias.isalpha() and codes[0] in COUNTRIES:
            found[alias.lower()] = codes[0]
    for code, names in _OTHERS.items():
        found |= {_key(name): code for name in names.split(", ")}
    return found


@cache
def _all_languages() -> dict[str, str]:
    """The codes by the names of all languages; takes half a second, once."""
    found = dict[str, str]()
    for language in sorted(each for each in locale_identifiers() if "_" not in each):
        for name, code in _names(language).items():
            found.setdefault(name, code)
    return found


def read_country(field: str, text: str) -> str:
    """The ISO 3166-1 code of a country: by code, alpha-3 code or name. Raises: Invalid."""
    if len(text) <= MAX_TEXT:
        if code := _codes_and_others().get(text.lower()):
            return code
        key = _key(text)
        for names in (_codes_and_others(), *map(_names, _FIRST)):
            if key in names:
                return names[key]
        if beside := _CODE_BESIDE.fullmatch(text):
            key = beside[1].lower()
            if key in _codes_and_others():
                return _codes_and_others()[key]
        if code := _all_languages().get(key):
            return code
    message = _(
        "`{field}` is `{text}`; expected the name of a country or its two-letter code, for "
        "example `DE`, `GB` or `US`.{hint}"
    )
    words = {"field": field, "text": excerpt(text), "hint": _hint(text)}
    raise Invalid(message.format(**words), field=field, value=text)


@lru_cache(maxsize=4096)  # a million rows may have the same wrong name
def _similar(key: str) -> str | None:
    """The name of a country with the same first letter that is similar to an unknown one."""
    names = [*_names("en"), *_names("de")]
    return similar(key, [name for name in names if name[:1] == key[:1]])


def _hint(text: str) -> str:
    """The country that may be meant."""
    if len(text) < 4:
        return ""
    close = _similar(_key(text))
    if close is None:
        return ""
    code = _names("en").get(close) or _names("de")[close]
    return " " + _("Did you mean `{name}` ({code})?").format(name=COUNTRIES[code], code=code)
