"""Countries by their names in any language, their codes and what else people call them."""

import re
from collections.abc import Callable
from functools import cache
from gettext import translation
from typing import TYPE_CHECKING

from babel.core import get_global
from babel.localedata import locale_identifiers

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.countries import COUNTRIES, country_in_words, read_names
from masthead.model.types.messages import similar
from masthead.model.types.text import MAX_TEXT, fold, fold_letters

if TYPE_CHECKING:
    import pycountry
else:
    pycountry = LazyModule("pycountry")

# The letters on cars, which many lists of addresses have
_ON_CARS = {"a": "AT", "b": "BE", "d": "DE", "e": "ES", "f": "FR", "h": "HU", "i": "IT", "l": "LU"}
_ON_CARS |= {"n": "NO", "p": "PT", "s": "SE"}
# The languages whose names are looked up first; a name of theirs wins over one of the others
_FIRST = "en de fr es it nl pt da sv no fi pl cs".split()
TRANSLATED = "de fr es it nl pt da sv nb_NO fi pl cs".split()  # by pycountry; the image has them
_OTHERS = {
    "GB": "UK, England, Scotland, Wales, Northern Ireland, Great Britain, Britain, "
    "Grossbritannien, Schottland, Groot-Brittannië, Grande-Bretagne, Gran Bretaña, N. Ireland, "
    "Nordirland, Vereinigtes Königreich von Großbritannien und Nordirland",
    "US": "America, US of A, Amerika, Hawaii",
    "DE": "BRD, West Germany, German Democratic Republic, Deutsche Demokratische Republik, "
    "F.R.G., Fed. Rep. of Germany, GER",
    "KR": "S. Korea, ROK, Korea Rep.",
    "KP": "DPRK, N. Korea, Korea Dem. People's Rep.",
    "IE": "Eire, Irish Republic, Irish Free State",
    "RU": "Russian Fed.",
    "CN": "PRC, P.R. China, VR China",
    "TW": "Taiwan China, Chinese Taipei, Formosa",
    "HK": "Hong Kong China",
    "MO": "Macao China, Macau China, Macau SAR",
    "CI": "Ivory Coast, Elfenbeinküste",
    "CD": "Congo Democratic Republic of the, DR Congo, DRC, Congo DRC, Congo DR, DR Kongo, Zaire, "
    "RDC, Democratic Republic of Congo, Congo Dem. Rep., Dem. Rep. of the Congo, "
    "Kongo Demokratische Republik",
    "CG": "Republic of Congo, Congo Republic of the, Congo Rep.",
    "MK": "Macedonia, Mazedonien, FYROM, Former Yugoslav Republic of Macedonia, "
    "Macedonia the former Yugoslav Republic of",
    "XK": "XKX",
    "AE": "UAE, VAE, Emirates, Emirate",
    "LY": "Libyan Arab Jamahiriya",
    "TR": "Turkey",
    "VA": "Vatican, Holy See, Heiliger Stuhl, Saint-Siège",
    "TC": "Îles Turks-et-Caïcos",
    "HM": "Île Heard-et-Îles MacDonald",
    "SJ": "Svalbard et l'Île Jan Mayen",
    "PS": "Palestine, Occupied Palestinian Territory, Palästina, Palestinian Territory Occupied",
    "VG": "BVI",
    "VI": "United States Virgin Islands, USVI",
    "SX": "Saint Martin Dutch part",
    "FK": "Malvinas, Falkland (les Îles)/Malouines (les Îles)",
    "CC": "Cocos (les Îles)/ Keeling (les Îles)",
    "FO": "Faeroe Islands",
    "KY": "Caymans",
    "BA": "Bosnia, Bosnien",
    "AG": "Antigua",
    "TT": "Trinidad",
    "KN": "St. Kitts",
    "VC": "St. Vincent",
    "ST": "Sao Tome",
    "DO": "Dom. Rep.",
    "BY": "Weißrussland, Byelorussia, Belorussia",
    "KG": "Kirgisien, Kirghizia, Kirgizia",
    "MM": "Birma",
    "BF": "Upper Volta, Obervolta",
    "BJ": "Dahomey",
    "LK": "Ceylon",
    "IR": "Persia, Persien",
    "ZW": "Rhodesia, Rhodesien",
    "KH": "Kampuchea",
    "WS": "Western Samoa",
    "SA": "KSA",
    "ZA": "RSA",
    "IN": "Bharat",
    "ES": "Canary Islands, Kanarische Inseln",
    "PT": "Madeira, Azores, Azoren",
}
# Names that several countries have, or that parted since
_SEVERAL = {
    "CD CG": "Congo, Kongo, Le Congo",
    "KR KP": "Korea, Corea, Corée, Coree",
    "TW CN": "Republic of China, ROC, R.O.C.",
    "VG VI": "Virgin Islands, Jungferninseln",
    "GG JE": "Channel Islands, Kanalinseln",
    "CZ SK": "Czechoslovakia, Tschechoslowakei",
    "RS ME": "Serbia and Montenegro, Serbien und Montenegro",
    "CW SX BQ": "Netherlands Antilles, Niederländische Antillen",
}
_SIGNS = re.compile(r"[\W_]+")
_AND = re.compile(r"(?<=\s)(?:and|und|et|y|e|en|og|och|i)(?=\s)")
# What an official name adds to the usual one: `Moldova, Republic of`
_FORM = re.compile(
    r"\b(?:the|of|republic|kingdom|state|states|sultanate|principality|commonwealth|federa(?:l|ted)"
    r"|democratic|socialist|islamic|arab|people'?s|plurinational|bolivarian|united|union|independent"
    r"|co-?operative|grand duchy|hashemite|oriental|republik|konigreich|staat|furstentum"
    r"|grossherzogtum|bundesrepublik|volksrepublik|republique|royaume|republica|repubblica"
    r"|republiek|de|du|di|la|l)\b"
)
_PARTS = re.compile(r"[(),/]+")
# `Bahamas (the)`, `Andorre (l')` and `the Kyrgyz Republic`, as in lists of ISO 3166
# (but `Vientiane (LA)` ends with a code)
_ARTICLE = re.compile(
    r"\((?i:the|die|der|das|les?|l['’]|los|las|gli|het|[Ll](?-i:a)|[Ee](?-i:l)|[Ii](?-i:l))\)"
    r"|^(?i:the |die |der |das |les? |la |l['’])"
)
# `Bolivie (État plurinational de)`, `Salomon, Îles`: the second part is read first
_TURNED = re.compile(r"(.+), (.+)|([^()]+)\(([^()]+)\)")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_CODE_BESIDE = re.compile(r".*\(([A-Za-z]{2,3})\)")


def _key(text: str) -> str:
    return _SIGNS.sub("", _AND.sub(" ", fold(text)))


@cache
def _names(language: str) -> dict[str, str]:
    """The codes by the names of a language."""
    found = dict[str, str]()
    for code, name in read_names(language).items():
        if code in COUNTRIES:
            found.setdefault(_key(name), code)
            if language == "de":
                found.setdefault(_key(name.translate(_UMLAUTS)), code)
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
def _several() -> dict[str, tuple[str, ...]]:
    return {
        _key(name): tuple(codes.split())
        for codes, names in _SEVERAL.items()
        for name in names.split(", ")
    }


@cache
def _all_languages() -> dict[str, tuple[str, ...]]:
    """The codes by the names of all languages; takes a quarter of a second, once."""
    found = dict[str, tuple[str, ...]]()
    for language in sorted(each for each in locale_identifiers() if "_" not in each):
        for name, code in _names(language).items():
            if code not in found.setdefault(name, (code,)):
                found[name] += (code,)
    return found


@cache
def _iso_names() -> dict[str, str]:
    """The codes by the short and official names of ISO 3166; takes 40 ms, once.

    They are in English, and translated into the first languages.
    """
    translations = [
        translation("iso3166-1", pycountry.LOCALES_DIR, [language]) for language in TRANSLATED
    ]
    found = dict[str, str]()
    for country in pycountry.countries:
        for attribute in ("name", "official_name", "common_name"):
            if name := getattr(country, attribute, ""):
                for text in (name, *(each.gettext(name) for each in translations)):
                    for written in (text, _in_turn(text)):
                        found.setdefault(_key(_ARTICLE.sub("", written)), country.alpha_2)
    return found


def _usual_or_iso(key: str) -> tuple[str, ...]:
    if found := _usual(key):
        return found
    code = _iso_names().get(key)
    return (code,) if code else ()


def _usual(key: str) -> tuple[str, ...]:
    """The codes that a name stands for in the first languages."""
    if key in _several():
        return _several()[key]
    for names in (_codes_and_others(), *map(_names, _FIRST)):
        if key in names:
            return (names[key],)
    return ()


def _find(text: str) -> tuple[str, ...]:
    """The codes that a text can stand for."""
    if code := _codes_and_others().get(text.lower()):
        return (code,)
    key = _key(text)
    if found := _usual(key):
        return found
    without = _ARTICLE.sub("", text).strip()
    for each in (without, _ARTICLE.sub("", _in_turn(without))):
        if found := _usual_or_iso(_key(each)):
            return found
    if beside := _CODE_BESIDE.fullmatch(without):
        code = _codes_and_others().get(beside[1].lower())
        if code:
            return (code,)
    short = _key(_FORM.sub(" ", fold_letters(text)))
    if len(short) > 3 and (found := _usual(short)):
        return found
    parts = [_usual_or_iso(_key(part)) for part in _PARTS.split(text) if part.strip()]
    if len(parts) > 1 and len(set(parts)) == 1 and parts[0]:
        return parts[0]
    return _all_languages().get(key, ())


def _in_turn(text: str) -> str:
    """A text whose second part, after a comma or in brackets, comes first."""
    match = _TURNED.fullmatch(text)
    return text if match is None else " ".join(filter(None, reversed(match.groups())))


def similar_name(key: str) -> str | None:
    """The name of a country with the same first letter that is similar to an unknown one."""
    names = [*_names("en"), *_names("de")]
    return similar(key, [name for name in names if name[:1] == key[:1]], at_least=0.75)


def read_country(
    field: str, text: str, find_similar: Callable[[str], str | None] = similar_name
) -> str:
    """The ISO 3166-1 code of a country: by code, alpha-3 code or name. Raises: Invalid.

    find_similar: may be cached for a file: a million rows may have the same wrong name.
    """
    found = _find(text) if len(text) <= MAX_TEXT else ()
    if len(found) == 1:
        return found[0]
    if found:
        choices = ", ".join(f"`{country_in_words(code)}` ({code})" for code in found)
        message = _(
            "`{field}` is `{text}`, which can be several countries: {choices}. Write the code of "
            "one of them."
        )
        message = message.format(field=field, text=excerpt(text), choices=choices)
        raise Invalid(message, field=field, value=text)
    message = _(
        "`{field}` is `{text}`; expected the name of a country or its two-letter code, for "
        "example `DE`, `GB` or `US`.{hint}"
    )
    words = {"field": field, "text": excerpt(text), "hint": _hint(text, find_similar)}
    raise Invalid(message.format(**words), field=field, value=text)


def similar_country(
    text: str, find_similar: Callable[[str], str | None] = similar_name
) -> str | None:
    """The code of the country whose name is similar to an unknown text."""
    close = find_similar(_key(text)) if len(text) >= 4 else None
    return close and (_names("en").get(close) or _names("de")[close])


def _hint(text: str, find_similar: Callable[[str], str | None]) -> str:
    """The country that may be meant."""
    code = similar_country(text, find_similar)
    if code is None:
        return ""
    return " " + _("Did you mean `{name}` ({code})?").format(name=country_in_words(code), code=code)
