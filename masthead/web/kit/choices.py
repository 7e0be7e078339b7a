"""The options of select fields that several pages share."""

from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache

from msgspec import structs

from masthead.model.pagination import PageRequest
from masthead.model.resources import Source
from masthead.model.translations import current_language, gettext as _, gettext_noop, list_languages
from masthead.model.types.collation import collation_key
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import CURRENCIES
from masthead.model.types.recipient_languages import name_language
from masthead.model.types.source_names import shown_source
from masthead.store import sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import country_in, get_locale

MAX_SOURCES = 200
# How long an old key or secret stays valid
OVERLAPS = {
    "0": (gettext_noop("Immediately"), timedelta()),
    "1": (gettext_noop("After 1 hour"), timedelta(hours=1)),
    "24": (gettext_noop("After 1 day"), timedelta(days=1)),
    "168": (gettext_noop("After 7 days"), timedelta(days=7)),
}


@lru_cache(maxsize=64)
def list_countries(locale: str) -> tuple[tuple[str, str], ...]:
    """Codes and names of all countries, ordered by name as the language of the locale does."""
    return tuple(name_countries(COUNTRIES, locale))


def name_countries(codes: Iterable[str], locale: str) -> list[tuple[str, str]]:
    """Codes of some countries with their names, in the order of `list_countries`."""
    own = get_locale(locale)
    named = [(code, country_in(code, own)) for code in codes]
    return sorted(named, key=lambda country: collation_key(country[1], own.language))


def list_languages_of_texts() -> list[tuple[str, str]]:
    """The languages that masthead has texts in, with their names in the language of the page."""
    named = [(each, name_language(each)) for each in list_languages()]
    return sorted(named, key=lambda each: collation_key(each[1], current_language()))


def list_currencies(locale: str) -> list[tuple[str, str]]:
    """Codes of all currencies, and how a list shows them: `CHF · Swiss Franc`."""
    names = get_locale(locale).currencies
    return [(code, f"{code} · {names.get(code, code)}") for code in sorted(CURRENCIES)]


def list_payment_methods() -> list[tuple[str, str]]:
    """The ways to pay, with their names in the language of the page."""
    return [
        (PaymentMethod.CHEQUE.value, _("Cheque")),
        (PaymentMethod.BANK_TRANSFER.value, _("Bank transfer")),
        (PaymentMethod.CARD.value, _("Card")),
        (PaymentMethod.CASH.value, _("Cash")),
        (PaymentMethod.DIRECT_DEBIT.value, _("Direct debit")),
        (PaymentMethod.OTHER.value, _("Other")),
    ]


async def list_sources(context: PageContext) -> list[Source]:
    """The newest sources of the account, with names in the language of the page."""
    page = await sources.list_sources(
        context.db, context.account_id, PageRequest(MAX_SOURCES, None, b"")
    )
    return [structs.replace(each, name=shown_source(each.name)) for each in page.items]


async def name_sources(context: PageContext) -> list[tuple[str, str]]:
    """Ids and names of the newest sources of the account."""
    return [(each.id, each.name) for each in await list_sources(context)]
