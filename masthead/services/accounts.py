"""Create and change accounts."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, Unpack
from zoneinfo import ZoneInfo

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.clean_text import several_lines
from masthead.model.types.countries import country_code
from masthead.model.types.email_addresses import email_address
from masthead.model.types.enums import Role
from masthead.model.types.fields import required_text
from masthead.model.types.money import currency_code
from masthead.model.types.recipient_languages import ELSEWHERE, language_code, write_rule
from masthead.model.types.regional_formats import locale_code
from masthead.model.types.text import short_text
from masthead.model.types.time_zones import UTC, time_zone as known_zone
from masthead.services.identity.memberships import add_member
from masthead.services.reminders.own_texts import translate_own_texts
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts as store, products
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.identity import people
from masthead.store.subscribers import records as subscriber_store

MAX_SPARE_PERCENT = 100
MAX_SPARE_COPIES = 100_000
MAX_GRACE_COPIES = 2
SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")


def require_subdomain(subdomain: str) -> str:
    """The same text, if an account can have it as its subdomain. Raises: Invalid."""
    if not SUBDOMAIN.fullmatch(subdomain):
        raise Invalid(
            f"`subdomain` is `{excerpt(subdomain)}`; expected 1 to 63 lowercase "
            "letters, digits and hyphens.",
            field="subdomain",
            value=subdomain,
        )
    return subdomain


async def create_account(
    db: Database,
    *,
    name: str,
    subdomain: str,
    currency: str,
    owner: str,
    by: Actor,
    time_zone: str = UTC,
    country: str | None = None,
) -> Account:
    """Create an account with its owner and its product for imported subscriptions.

    currency: ISO code of the selling currency. time_zone: such as `Europe/Berlin`.
    country: ISO code of the publisher's country, if it is known.
    Raises: Invalid, also if the subdomain is taken.
    """
    name, owner = required_text("name", name.strip()), email_address("owner", owner.strip())
    currency = currency_code("currency", currency.strip())
    time_zone = known_zone("time_zone", time_zone.strip())
    country = country_code("country", country.strip()) if country else None
    require_subdomain(subdomain)

    async def work(tx: Transaction) -> Account:
        await require_free(tx, subdomain)
        account = await store.insert_account(
            tx,
            name=name,
            subdomain=subdomain,
            currency=currency,
            today=now().astimezone(ZoneInfo(time_zone)).date(),
            time_zone=time_zone,
            country=country,
        )
        await products.insert_imported_product(tx, account.id)
        await add_owner(tx, account, owner, by=by)
        return account

    return await db.write(work)


async def require_free(tx: Transaction, subdomain: str) -> None:
    """Raises: Invalid if an account has the subdomain."""
    if await store.is_subdomain_taken(tx, subdomain):
        raise Invalid(
            _(
                "The subdomain `{subdomain}` is taken by another account. Choose another one."
            ).format(subdomain=subdomain),
            field="subdomain",
            value=subdomain,
        )


async def add_owner(tx: Transaction, account: Account, owner: str, *, by: Actor) -> None:
    """Give a new account its owner, and record that it was created. owner: their email address."""
    user_id = await people.match_or_insert_user(tx, owner)
    await add_member(tx, account.id, user_id, role=Role.OWNER)
    after: dict[str, object] = {
        "name": account.name,
        "subdomain": account.subdomain,
        "currency": account.currency,
        "owner": owner,
    }
    if account.is_sandbox:
        after["is_sandbox"] = True
    entry = NewEntry(EntryType.ACCOUNT_CREATE, account.id, None, after)
    await trail.record(tx, account.id, by, [entry])


class AccountSettings(TypedDict, total=False):
    """The settings that an account can change; what is missing stays as it is.

    currency: a change recalculates the lifetime value of every subscriber, from the orders in the
    new currency. requires_second_factor: whether only users with two-step sign-in can open its
    pages. country: ISO code of the publisher's country, from where issues are sent, if it is known.
    postal_address: of the publisher, in lines. time_zone: of moments on pages and in emails, and in
    which moments of imported files become days. spare_percent, spare_copies: in the forecast, as a
    part of what is printed and as a number.
    grace_copies: how many issues a subscription gets after its last paid one: 0, 1 or 2.
    country_languages: languages of recipients by country, and by `ELSEWHERE` for all others.
    """

    name: str
    currency: str
    locale: str
    requires_second_factor: bool
    country: str | None
    postal_address: str
    time_zone: str
    spare_percent: int
    spare_copies: int
    grace_copies: int
    country_languages: Mapping[str, str]


_READ: Mapping[str, Callable[[Any], object]] = {
    "name": lambda text: required_text("name", text.strip()),
    "currency": lambda text: currency_code("currency", text.strip()),
    "locale": lambda text: locale_code("locale", text.strip()),
    "requires_second_factor": bool,
    "country": lambda text: country_code("country", text.strip()) if text else None,
    "postal_address": lambda text: short_text("postal_address", _without_empty_lines(text)),
    "time_zone": lambda text: known_zone("time_zone", text.strip()),
    "spare_percent": lambda percent: _spare_percent(percent),
    "spare_copies": lambda count: _spare_copies(count),
    "grace_copies": lambda count: _grace_copies(count),
    "country_languages": lambda rule: _country_languages(rule),
}


@in_long_transaction
async def update_account(
    tx: Transaction, account_id: int, *, by: Actor, **settings: Unpack[AccountSettings]
) -> None:
    """Change settings of an account. Raises: Invalid, also if `by` would lose access."""
    given = {name: _READ[name](value) for name, value in settings.items()}
    account = await store.lock_account(tx, account_id)
    spare = await store.get_spare(tx, account_id)
    before = {
        "spare_percent": spare.percent,
        "spare_copies": spare.copies,
        "grace_copies": await store.get_grace_copies(tx, account_id),
        "name": account.name,
        "currency": account.currency,
        "locale": await store.get_locale(tx, account_id),
        "requires_second_factor": account.requires_second_factor,
        "country": account.country,
        "postal_address": account.postal_address,
        "time_zone": account.time_zone,
        "country_languages": account.country_languages,
    }
    changed = {field: to for field, to in given.items() if before[field] != to}
    if changed:
        if changed.get("requires_second_factor"):
            await _require_own_factor(tx, by)
        await store.update_account(tx, account_id, changed)
        if "locale" in changed:
            await translate_own_texts(
                tx, account_id, before=str(before["locale"]), after=str(changed["locale"])
            )
        if "currency" in changed:
            await subscriber_store.update_lifetime_values(
                tx, account_id, currency=str(given["currency"])
            )
        old = {field: before[field] for field in changed}
        entry = NewEntry(EntryType.ACCOUNT_UPDATE, account_id, old, changed)
        await trail.record(tx, account_id, by, [entry])


def _without_empty_lines(text: str) -> str:
    return "\n".join(filter(None, map(str.strip, several_lines(text).splitlines())))


def _country_languages(rule: Mapping[str, str]) -> str:
    """The rule as it is stored. Raises: Invalid."""
    for country, language in rule.items():
        language_code("country_languages", language)
        if country != ELSEWHERE:
            country_code("country_languages", country)
    return write_rule(rule)


def _spare_percent(percent: int) -> int:
    """The percentage. Raises: Invalid."""
    if not 0 <= percent <= MAX_SPARE_PERCENT:
        raise Invalid(
            _("Type a whole number of percent from 0 to {most}.").format(most=MAX_SPARE_PERCENT),
            field="spare_percent",
            value=percent,
        )
    return percent


def _spare_copies(count: int) -> int:
    """The number of spare copies. Raises: Invalid."""
    if not 0 <= count <= MAX_SPARE_COPIES:
        raise Invalid(
            _("Type a whole number of copies from 0 to {most}.").format(
                most=format_number(MAX_SPARE_COPIES)
            ),
            field="spare_copies",
            value=count,
        )
    return count


def _grace_copies(count: int) -> int:
    """The number of grace copies. Raises: Invalid."""
    if not 0 <= count <= MAX_GRACE_COPIES:
        raise Invalid(
            _("Choose 0, 1 or 2 grace copies, not {count}.").format(count=count),
            field="grace_copies",
            value=count,
        )
    return count


async def _require_own_factor(tx: Connection, by: Actor) -> None:
    """Raises: Invalid if the user has no second factor and would lose access."""
    if by.kind == "user" and not (await people.get_person(tx, by.id)).has_second_factor:
        raise Invalid(
            _(
                "Set up two-step sign-in for yourself first, on your own page. Otherwise, you "
                "would lose access to this account."
            ),
            field="requires_second_factor",
        )


@with_locked_account
async def set_account_active(
    tx: Transaction, account: Account, *, is_active: bool, by: Actor
) -> None:
    """Activate or deactivate an account. An inactive account keeps its data."""
    if account.is_active == is_active:
        return
    await store.update_account(tx, account.id, {"is_active": is_active})
    action = EntryType.ACCOUNT_ACTIVATE if is_active else EntryType.ACCOUNT_DEACTIVATE
    states = {"is_active": account.is_active}, {"is_active": is_active}
    await trail.record(tx, account.id, by, [NewEntry(action, account.id, *states)])
