"""Handlers of `/v1/products/`."""

from msgspec import structs

from masthead.api.context import RequestContext, page_request
from masthead.model.inputs import ListQuery, Query
from masthead.model.orders.offers import Prices
from masthead.model.orders.product_resources import OfferedProduct, price_list
from masthead.model.pagination import Page
from masthead.store import products as store
from masthead.store.orders.product_prices import list_prices
from masthead.store.products import AccountProduct


async def list_products(context: RequestContext[ListQuery, None]) -> Page[OfferedProduct]:
    """Products, newest first."""
    currency = context.principal.currency
    async with context.db.read() as db:
        page = await store.list_page(db, context.account_id, page_request(context))
        prices = await list_prices(db, context.account_id, currency=currency)
    items = [_resource(each, prices.get(each.id, {}), currency) for each in page.items]
    return Page(items=items, has_more=page.has_more, cursor=page.cursor)


async def get_product(context: RequestContext[Query, None]) -> OfferedProduct:
    """One product. Raises: NotFound."""
    currency = context.principal.currency
    async with context.db.read() as db:
        product = await store.get_product(db, context.account_id, context.id)
        prices = await list_prices(db, context.account_id, currency=currency)
    return _resource(product, prices.get(product.id, {}), currency)


def _resource(product: AccountProduct, prices: Prices, currency: str) -> OfferedProduct:
    fields = structs.asdict(product)
    del fields["is_imported"]
    return OfferedProduct(**fields, prices=price_list(prices, currency))
