"""What rows of an import are read with: the issues, products and sources of the account."""

from datetime import datetime
from zoneinfo import ZoneInfo

from masthead.model.clock import now
from masthead.model.imports.plan import AccountFacts, IssueDates
from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import PageRequest
from masthead.store import accounts, products, sources
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues

PAGE = 200  # issues or sources that are read at a time


async def load_facts(db: Connection, account_id: int, defaults: OrderDefaults) -> AccountFacts:
    """The facts of an account, as they are now. Queries: a few, and one for each 200 issues."""
    account = await accounts.get_account(db, account_id)
    named = [each for each in await products.list_products(db, account_id) if each.is_active]
    shops = await _list_sources(db, account_id)
    moment: datetime = now()
    return AccountFacts(
        defaults=defaults,
        time_zone=account.time_zone,
        country=account.country,
        today=moment.astimezone(ZoneInfo(account.time_zone)).date(),
        issues=await _list_issues(db, account_id),
        products={key: each.id for each in named for key in (each.name, each.id)},
        sources=dict(shops),
    )


async def _list_issues(db: Connection, account_id: int) -> list[IssueDates]:
    found: list[IssueDates] = []
    request = PageRequest(PAGE, None, b"")
    while True:
        page = await issues.list_issues(db, account_id, request)
        found += [
            IssueDates(each.number, each.release_date_actual, each.date_as_start_issue)
            for each in page.items
        ]
        if not page.has_more:
            return found
        request = PageRequest(PAGE, str(found[-1].number), b"")


async def _list_sources(db: Connection, account_id: int) -> list[tuple[str, str]]:
    """Names and ids of the active sources, each with the id."""
    found: list[tuple[str, str]] = []
    request = PageRequest(PAGE, None, b"")
    while True:
        page = await sources.list_sources(db, account_id, request)
        for each in page.items:
            if each.is_active:
                found += [(each.name, each.id), (each.id, each.id)]
        if not page.has_more:
            return found
        request = PageRequest(PAGE, page.items[-1].id, b"")
