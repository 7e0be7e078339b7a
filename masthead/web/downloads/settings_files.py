"""The files of the lists in the settings, which only owners see."""

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from masthead.model.audit_entries import label_of
from masthead.model.clock import now
from masthead.model.file_names import file_name_noop
from masthead.model.history.entries import Value
from masthead.model.identity.rights import names_of, role_in_words
from masthead.model.inputs import ListQuery
from masthead.model.orders.price_lists import list_on
from masthead.model.pagination import Page, PageRequest
from masthead.model.queries import AuditLogQuery
from masthead.model.resources import Source
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.money import money_text
from masthead.store import keys, products, sources, users
from masthead.store.audit import log
from masthead.store.audit.choices import list_actors
from masthead.store.engine.interface import Connection
from masthead.store.orders import product_prices
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext
from masthead.web.kit.words import actor_name
from masthead.web.settings.audit_log import PEOPLE, NamedEntry, filter_of, in_words, kind_named
from masthead.web.settings.keys import status_of

_AUDIT_LOG = "entry created_at who what kind name record_id before after".split()
_SOURCES = "source_id source type is_active".split()
_PRODUCTS = "product_id product type length interval_months prices benefits is_active".split()
_USERS = "email full_name role rights seen_at two_step".split()
_KEYS = "key_id name prefix scope status user created_at last_used_at expires_at".split()


def _read_audit_log(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, AuditLogQuery)

    async def list_page(db: Connection, request: PageRequest) -> Page[NamedEntry]:
        actors = await list_actors(db, context.account_id) if query.who == PEOPLE else []
        asked = filter_of(query, context.zone, context.user.user_id, actors)
        page = await log.list_log(db, context.account_id, asked, request)
        items = await in_words(context, db, page.items)
        return Page(items, page.has_more, page.cursor)

    return read_pages(context, list_page, _entry_row)


def _entry_row(named: NamedEntry) -> dict[str, Any]:
    entry = named.entry
    return {
        "entry": entry.id,
        "created_at": entry.happened_at,
        "who": actor_name(entry.actor),
        "what": label_of(entry.action),
        "kind": kind_named(entry.subject_type),
        "name": named.record,
        "record_id": entry.subject_id,
        "before": _lines((each.label, each.before) for each in named.changes),
        "after": _lines((each.label, each.after) for each in named.changes),
    }


def _lines(values: Iterable[tuple[str, Value | None]]) -> str:
    """The fields that have a value, one in a line."""
    return "\n".join(f"{label}: {value}" for label, value in values if value not in (None, ""))


def _read_sources(context: PageContext) -> Parts:
    read_query(context, ListQuery)

    async def list_page(db: Connection, request: PageRequest) -> Page[Source]:
        return await sources.list_sources(db, context.account_id, request)

    def row(item: Source) -> dict[str, Any]:
        return {
            "source_id": item.id,
            "source": item.name,
            "type": _(item.type.value),
            "is_active": item.is_active,
        }

    return read_pages(context, list_page, row)


async def _read_products(context: PageContext) -> Parts:
    async with context.db.read(aside=True) as db:
        found = await products.list_products(db, context.account_id)
        currency = context.membership.currency
        lists = await product_prices.list_price_lists(db, context.account_id, currency=currency)
    today = context.membership.daily_date
    yield [
        {
            **structs.asdict(item),
            "product_id": item.id,
            "product": item.name,
            "type": _(item.type.value),
            "prices": "\n".join(
                f"{_(medium)}, {_(place)}: {money_text(price, currency)}"
                for (medium, place), price in list_on(lists.get(item.id, ()), today).prices.items()
            ),
            "benefits": "\n".join(item.benefits),
            "is_active": item.is_active,
        }
        for item in found
    ]


async def _read_users(context: PageContext) -> Parts:
    async with context.db.read(aside=True) as db:
        found = await users.list_users(db, context.account_id)
    yield [
        {
            **structs.asdict(user),
            "role": role_in_words(user.role, user.chosen_rights),
            "rights": names_of(user.rights),
            "two_step": user.has_second_factor,
        }
        for user in found
    ]


async def _read_keys(context: PageContext) -> Parts:
    async with context.db.read(aside=True) as db:
        found = await keys.list_keys(db, context.account_id)
    moment = now()
    yield [
        {
            **structs.asdict(key),
            "key_id": key.id,
            "scope": key.scope.words,
            "status": _(status_of(key, moment)),
        }
        for key in found
    ]


SETTINGS_FILES = {
    "audit-log": ListFile(
        gettext_noop("Audit log"),
        file_name_noop("audit-log-{day}.{ending}"),
        _AUDIT_LOG,
        _read_audit_log,
    ),
    "sources": ListFile(
        gettext_noop("Sources"), file_name_noop("sources-{day}.{ending}"), _SOURCES, _read_sources
    ),
    "products": ListFile(
        gettext_noop("Products"),
        file_name_noop("products-{day}.{ending}"),
        _PRODUCTS,
        _read_products,
    ),
    "users": ListFile(
        gettext_noop("Users"), file_name_noop("users-{day}.{ending}"), _USERS, _read_users
    ),
    "keys": ListFile(
        gettext_noop("API keys"), file_name_noop("keys-{day}.{ending}"), _KEYS, _read_keys
    ),
}
