"""All routes of the API. The router, the OpenAPI document and the access tests use this table."""

from masthead.api import copies, issues, me, sources, subscribers, subscriptions
from masthead.api.addresses.routes import ADDRESS_ROUTES
from masthead.api.billing.routes import BILLING_ROUTES
from masthead.api.claims.routes import CLAIM_ROUTES, WHY_ROUTE
from masthead.api.dispatch.routes import DISPATCH_ROUTES
from masthead.api.endpoints import Endpoints
from masthead.api.events.routes import EVENT_ROUTE
from masthead.api.orders.routes import ORDER_ROUTES
from masthead.api.returns.routes import DELIVERY_REPORT_ROUTES
from masthead.api.sandbox.routes import SANDBOX_ROUTES
from masthead.api.webhooks.routes import WEBHOOK_ROUTES
from masthead.model import resources
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page

_ME = Endpoints("/v1/me/", rights=())
_SUBSCRIBERS = Endpoints("/v1/subscribers/", rights=(Right.SEE_MONEY,))
_SOURCES = Endpoints("/v1/sources/", rights=())
_SUBSCRIPTIONS = Endpoints("/v1/subscriptions/", rights=(Right.SEE_MONEY,))
_PUBLIC = Endpoints("/v1/subscriptions/", rights=None)
_ISSUES = Endpoints("/v1/issues/", rights=())
_COPIES = Endpoints("/v1/copies/", rights=())

ROUTES = (
    _ME.get("", me.get_me),
    _SUBSCRIBERS.get(
        "", subscribers.list_subscribers, Right.DOWNLOAD, response=Page[resources.Subscriber]
    ),
    _SUBSCRIBERS.get("{id}/", subscribers.get_subscriber, Right.DOWNLOAD),
    _SUBSCRIBERS.patch("{id}/", subscribers.update_subscriber, Right.CORRECT),
    _SOURCES.get("", sources.list_sources),
    _SUBSCRIPTIONS.get(
        "", subscriptions.list_subscriptions, Right.DOWNLOAD, response=Page[resources.Subscription]
    ),
    _SUBSCRIPTIONS.post("", subscriptions.create_subscription, status=201),
    _SUBSCRIPTIONS.get(
        "{id}/", subscriptions.get_subscription, Right.DOWNLOAD, response=resources.Subscription
    ),
    _SUBSCRIPTIONS.patch("{id}/", subscriptions.update_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post("{id}/cancel/", subscriptions.cancel_subscription, Right.CORRECT),
    _SUBSCRIPTIONS.post(
        "{id}/renewals/", subscriptions.renew_subscription, Right.CORRECT, status=201
    ),
    _PUBLIC.get("{id}/status/", subscriptions.get_subscription_status, allows_any_origin=True),
    _ISSUES.get("", issues.list_issues),
    _ISSUES.post("", issues.create_issue, Right.CORRECT, status=201, is_long=True),
    _ISSUES.get("{id}/", issues.get_issue),
    _ISSUES.patch("{id}/", issues.update_issue, Right.CORRECT, is_long=True),
    _ISSUES.get(
        "{id}/copies/", issues.list_issue_copies, Right.DOWNLOAD, response=Page[resources.Copy]
    ),
    _ISSUES.get("{id}/addresses/", issues.list_issue_addresses, Right.DOWNLOAD),
    WHY_ROUTE,
    _COPIES.get("", copies.list_copies, Right.DOWNLOAD, response=Page[resources.Copy]),
    _COPIES.get("{copy_id}/", copies.get_copy, Right.DOWNLOAD, response=resources.Copy),
    _COPIES.post("mark-sent/", copies.mark_copies_sent, Right.DISPATCH, is_long=True),
    _COPIES.post(
        "{copy_id}/mark-sent/",
        copies.mark_copy_sent,
        Right.DISPATCH,
        is_long=True,
        requires_body=False,
    ),
    *DISPATCH_ROUTES,
    *DELIVERY_REPORT_ROUTES,
    *CLAIM_ROUTES,
    *BILLING_ROUTES,
    *ORDER_ROUTES,
    *ADDRESS_ROUTES,
    EVENT_ROUTE,
    *WEBHOOK_ROUTES,
    *SANDBOX_ROUTES,
)
