"""The routes of the API for orders, products, refunds and corrections."""

from masthead.api import products
from masthead.api.endpoints import Endpoints
from masthead.api.orders import handlers
from masthead.model.identity.rights import Right

_PRODUCTS = Endpoints("/v1/products/", rights=(Right.SEE_MONEY,))
_ORDERS = Endpoints("/v1/orders/", rights=(Right.SEE_MONEY,))
_SUBSCRIPTIONS = Endpoints("/v1/subscriptions/", rights=(Right.SEE_MONEY,))

ORDER_ROUTES = (
    _PRODUCTS.get("", products.list_products),
    _PRODUCTS.get("{id}/", products.get_product, is_composed=True),
    _ORDERS.post("", handlers.create_order, status=201),
    _ORDERS.post("bulk/", handlers.create_orders, is_long=True),
    _SUBSCRIPTIONS.post("{id}/terms/", handlers.update_terms, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/reopen/", handlers.reopen_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/move/", handlers.move_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/price/", handlers.change_price, Right.CORRECT),
    _SUBSCRIPTIONS.get("{id}/refunds/", handlers.list_refunds, Right.DOWNLOAD, is_composed=True),
    _SUBSCRIPTIONS.post("{id}/refunds/", handlers.create_refund, Right.CORRECT, status=201),
)
