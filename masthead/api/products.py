"""The endpoints of `/v1/products/`."""

from datetime import date

from msgspec import structs

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery, Query
from masthead.model.orders.price_lists import PriceLists, list_on, next_list
from masthead.model.orders.product_resources import OfferedProduct, price_list
from masthead.model.pagination import Page
from masthead.store import products as store
from masthead.store.moments import get_daily_date
from masthead.store.orders.product_prices import list_price_lists
from masthead.store.products import AccountProduct


async def list_products(context: RequestContext[ListQuery, None]) -> Page[OfferedProduct]:
    """Products, newest first."""
    currency = context.principal.currency
    async with context.db.read() as db:
        page = await store.list_page(db, context.account_id, page_request(context))
        lists = await list_price_lists(db, context.account_id, currency=currency)
        today = await get_daily_date(db, context.account_id)
    items = [_resource(each, lists.get(each.id, []), currency, today) for each in page.items]
    return Page(items=items, has_more=page.has_more, cursor=page.cursor)


async def get_product(context: RequestContext[Query, None]) -> OfferedProduct:
    """One product. Raises: NotFound."""
    currency = context.principal.currency
    async with context.db.read() as db:
        product = await store.get_product(db, context.account_id, context.id)
        lists = await list_price_lists(db, context.account_id, currency=currency)
        today = await get_daily_date(db, context.account_id)
    return _resource(product, lists.get(product.id, []), currency, today)


def _resource(
    product: AccountProduct, lists: PriceLists, currency: str, today: date
) -> OfferedProduct:
    fields = structs.asdict(product)
    del fields["is_imported"]
    held, coming = list_on(lists, today), next_list(lists, today)
    return OfferedProduct(
        **fields,
        prices=price_list(held.prices, currency),
        prices_from=held.first_day,
        next_prices=price_list(coming.prices, currency) if coming else [],
        next_prices_from=coming.first_day if coming else None,
    )


_PRODUCTS = Endpoints("/v1/products/", rights=(Right.SEE_MONEY,))

PRODUCT_ROUTES = (
    _PRODUCTS.get("", list_products),
    _PRODUCTS.get("{id}/", get_product, is_composed=True),
)
