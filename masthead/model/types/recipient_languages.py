"""The language of what a person gets: invoices, reminders, letters, emails and their data.

It is decided here alone: the language of the person, or else what the account says about their
country, or else that of the account.
"""

from collections.abc import Mapping
from functools import cache, lru_cache

from babel import Locale
from babel.languages import get_official_languages

from masthead.model.errors import Invalid
from masthead.model.translations import (
    current_language,
    gettext as _,
    is_translated,
    language_of,
    list_languages,
)
from masthead.model.types.regional_formats import DEFAULT, LOCALES

ELSEWHERE = "*"  # stands for all countries that are not named


@lru_cache(maxsize=4096)
def recipient_locale(own: str, rule: str, language: str | None, country: str | None) -> str:
    """The locale of what a person gets, such as `de_AT`.

    own: the locale of the account. rule: its languages by country, as they are stored. language:
    of the person, None for none. country: of their address, None if it is not known.
    """
    by_country = read_rule(rule)
    wanted = language or by_country.get(country or ELSEWHERE) or by_country.get(ELSEWHERE)
    return locale_in(wanted, own, country) if wanted else own


def locale_in(language: str, own: str, country: str | None = None) -> str:
    """A locale of a language: that of the account if it has it, else as the country writes it."""
    if language == language_of(own) or not is_translated(language):
        return own
    there = f"{language}_{country}"
    return there if there in LOCALES else _usual_locale(language)


@cache
def spoken_in(country: str) -> str | None:
    """The first language of a country, if masthead has texts in it: `de` for Austria."""
    official = get_official_languages(country, de_facto=True)
    return official[0] if official and is_translated(official[0]) else None


@cache
def _usual_locale(language: str) -> str:
    return next(each for each in (DEFAULT, *LOCALES) if each.partition("_")[0] == language)


@cache
def read_rule(rule: str) -> Mapping[str, str]:
    """The languages by country of a rule as it is stored, such as `*=en AT=de DE=de`."""
    pairs = (each.partition("=") for each in rule.split())
    return {country: language for country, _sign, language in pairs}


def write_rule(by_country: Mapping[str, str]) -> str:
    """The rule as it is stored. by_country: languages, also of `ELSEWHERE`."""
    return " ".join(f"{country}={by_country[country]}" for country in sorted(by_country))


def language_code(field: str, text: str) -> str:
    """A language that masthead has texts in, such as `de`. Raises: Invalid."""
    if text not in list_languages():
        raise Invalid(
            _("`{field}` is `{text}`; expected one of {known}.").format(
                field=field, text=text, known=", ".join(sorted(list_languages()))
            ),
            field=field,
            value=text,
        )
    return text


def name_language(language: str) -> str:
    """The name of a language, or of that of a locale, in the language of the page: `German`."""
    name = Locale(language_of(language)).get_language_name(current_language())
    return str(name)[:1].upper() + str(name)[1:]
