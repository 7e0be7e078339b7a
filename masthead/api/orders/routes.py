"""The routes of the API for orders, products, refunds and corrections."""

from masthead.api import products
from masthead.api.authentication import Access
from masthead.api.orders import handlers
from masthead.api.route import Route
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery
from masthead.model.orders.entry import OrderCreate, OrderResults, OrdersCreate, PlacedOrder
from masthead.model.orders.product_resources import OfferedProduct
from masthead.model.pagination import Page
from masthead.model.resources import Subscription
from masthead.model.subscriptions.billed_changes import PriceChange, SubscriptionMove
from masthead.model.subscriptions.refunds import RefundCreate, RefundList
from masthead.model.subscriptions.terms import TermsUpdate

ORDER_ROUTES = (
    Route(
        method="GET",
        path="/v1/products/",
        handler=products.list_products,
        summary="List products, newest first",
        rights=(Right.SEE_MONEY,),
        query=ListQuery,
        response=Page[OfferedProduct],
    ),
    Route(
        method="GET",
        path="/v1/products/{id}/",
        handler=products.get_product,
        summary="Retrieve a product",
        rights=(Right.SEE_MONEY,),
        response=OfferedProduct,
        is_composed=True,
    ),
    Route(
        method="POST",
        path="/v1/orders/",
        handler=handlers.create_order,
        summary="Place an order: a subscription, a membership, a gift, or several copies",
        rights=(Right.SEE_MONEY,),
        access=Access.WRITE,
        body=OrderCreate,
        response=PlacedOrder,
        status=201,
    ),
    Route(
        method="POST",
        path="/v1/orders/bulk/",
        handler=handlers.create_orders,
        summary="Place up to 500 orders",
        rights=(Right.SEE_MONEY,),
        access=Access.WRITE,
        body=OrdersCreate,
        response=OrderResults,
        is_long=True,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/terms/",
        handler=handlers.update_terms,
        summary="Correct the medium, the start issue or the length",
        rights=(Right.SEE_MONEY, Right.CORRECT),
        access=Access.WRITE,
        body=TermsUpdate,
        response=Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/reopen/",
        handler=handlers.reopen_subscription,
        summary="Reopen a cancelled subscription",
        rights=(Right.SEE_MONEY, Right.CORRECT),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/move/",
        handler=handlers.move_subscription,
        summary="Give a subscription to another subscriber",
        rights=(Right.SEE_MONEY, Right.CORRECT),
        access=Access.WRITE,
        body=SubscriptionMove,
        response=Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/price/",
        handler=handlers.change_price,
        summary="Change the price of an order",
        rights=(Right.SEE_MONEY, Right.CORRECT),
        access=Access.WRITE,
        body=PriceChange,
        response=Subscription,
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/{id}/refunds/",
        handler=handlers.list_refunds,
        summary="List the refunds of a subscription",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD),
        response=RefundList,
        is_composed=True,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/refunds/",
        handler=handlers.create_refund,
        summary="Record a refund",
        rights=(Right.SEE_MONEY, Right.CORRECT),
        access=Access.WRITE,
        body=RefundCreate,
        response=RefundList,
        status=201,
    ),
)
