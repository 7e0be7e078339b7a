"""All routes of the API. The router, the OpenAPI document and the access tests use this table."""

from masthead.api.addresses import ADDRESS_ROUTES
from masthead.api.billing import BILLING_ROUTES
from masthead.api.claims import CLAIM_ROUTES, WHY_ROUTE
from masthead.api.copies import COPY_ROUTES
from masthead.api.dispatch import DISPATCH_ROUTES
from masthead.api.events import EVENT_ROUTE
from masthead.api.issues import ISSUE_ROUTES
from masthead.api.me import ME_ROUTES
from masthead.api.orders import ORDER_ROUTES
from masthead.api.products import PRODUCT_ROUTES
from masthead.api.returns import DELIVERY_REPORT_ROUTES
from masthead.api.sandbox import SANDBOX_ROUTES
from masthead.api.sources import SOURCE_ROUTES
from masthead.api.subscribers import SUBSCRIBER_ROUTES
from masthead.api.subscriptions import SUBSCRIPTION_ROUTES
from masthead.api.webhooks import WEBHOOK_ROUTES

ROUTES = (
    *ME_ROUTES,
    *SUBSCRIBER_ROUTES,
    *SOURCE_ROUTES,
    *SUBSCRIPTION_ROUTES,
    *ISSUE_ROUTES,
    WHY_ROUTE,
    *COPY_ROUTES,
    *DISPATCH_ROUTES,
    *DELIVERY_REPORT_ROUTES,
    *CLAIM_ROUTES,
    *BILLING_ROUTES,
    *PRODUCT_ROUTES,
    *ORDER_ROUTES,
    *ADDRESS_ROUTES,
    EVENT_ROUTE,
    *WEBHOOK_ROUTES,
    *SANDBOX_ROUTES,
)
