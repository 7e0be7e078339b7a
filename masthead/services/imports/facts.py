"""What rows of an import are read with: the issues, products and sources of the account."""

from datetime import datetime
from functools import partial

from masthead.model.clock import account_now
from masthead.model.imports.plan import AccountFacts, IssueDates
from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import all_pages
from masthead.store import accounts, products, sources
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues


async def load_facts(db: Connection, account_id: int, defaults: OrderDefaults) -> AccountFacts:
    """The facts of an account, as they are now. Queries: a few, and one for each 200 issues."""
    account = await accounts.get_account(db, account_id)
    named = [each for each in await products.list_products(db, account_id) if each.is_active]
    shops = await _list_sources(db, account_id)
    moment: datetime = account_now()
    return AccountFacts(
        defaults=defaults,
        time_zone=account.time_zone,
        country=account.country,
        today=account.date_of(moment),
        issues=await _list_issues(db, account_id),
        products={key: each.id for each in named for key in (each.name, each.id)},
        sources=dict(shops),
    )


async def _list_issues(db: Connection, account_id: int) -> list[IssueDates]:
    return [
        IssueDates(each.number, each.release_date_actual, each.date_as_start_issue)
        async for page in all_pages(partial(issues.list_issues, db, account_id))
        for each in page
    ]


async def _list_sources(db: Connection, account_id: int) -> list[tuple[str, str]]:
    """Names and ids of the active sources, each with the id."""
    return [
        (key, each.id)
        async for page in all_pages(partial(sources.list_sources, db, account_id))
        for each in page
        if each.is_active
        for key in (each.name, each.id)
    ]
