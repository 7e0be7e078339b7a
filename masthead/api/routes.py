"""All routes of the API. The router, the OpenAPI document and the access tests use this table."""

from masthead.api import copies, issues, me, sources, subscribers, subscriptions
from masthead.api.addresses.routes import ADDRESS_ROUTES
from masthead.api.authentication import Access
from masthead.api.claims.routes import CLAIM_ROUTES, WHY_ROUTE
from masthead.api.dispatch.routes import DISPATCH_ROUTES
from masthead.api.events.routes import EVENT_ROUTE
from masthead.api.orders.routes import ORDER_ROUTES
from masthead.api.returns.routes import DELIVERY_REPORT_ROUTES
from masthead.api.router import Route
from masthead.api.webhooks.routes import WEBHOOK_ROUTES
from masthead.model import inputs, queries, resources
from masthead.model.dispatch.line_resources import IssueAddress
from masthead.model.dispatch.run_inputs import IssueAddressQuery
from masthead.model.pagination import Page
from masthead.model.subscribers.corrections import SubscriberUpdate
from masthead.model.subscriptions.renewals import RenewalCreate

ROUTES = (
    Route(
        method="GET",
        path="/v1/me/",
        handler=me.get_me,
        summary="Retrieve the user, account and scope of the API key",
        response=resources.Me,
    ),
    Route(
        method="GET",
        path="/v1/subscribers/",
        handler=subscribers.list_subscribers,
        summary="List subscribers, newest first",
        query=queries.SubscriberLookup,
        response=Page[resources.Subscriber],
    ),
    Route(
        method="GET",
        path="/v1/subscribers/{id}/",
        handler=subscribers.get_subscriber,
        summary="Retrieve a subscriber",
        response=resources.Subscriber,
    ),
    Route(
        method="PATCH",
        path="/v1/subscribers/{id}/",
        handler=subscribers.update_subscriber,
        summary="Update a subscriber",
        access=Access.WRITE,
        body=SubscriberUpdate,
        response=resources.Subscriber,
    ),
    Route(
        method="GET",
        path="/v1/sources/",
        handler=sources.list_sources,
        summary="List sources, newest first",
        query=inputs.ListQuery,
        response=Page[resources.Source],
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/",
        handler=subscriptions.list_subscriptions,
        summary="List subscriptions, newest first",
        query=queries.SubscriptionLookup,
        response=Page[resources.Subscription],
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/",
        handler=subscriptions.create_subscription,
        summary="Create a manual subscription",
        access=Access.WRITE,
        body=inputs.SubscriptionCreate,
        response=resources.Subscription,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/{id}/",
        handler=subscriptions.get_subscription,
        summary="Retrieve a subscription",
        response=resources.Subscription,
    ),
    Route(
        method="PATCH",
        path="/v1/subscriptions/{id}/",
        handler=subscriptions.update_subscription,
        summary="Update a subscription",
        access=Access.WRITE,
        body=inputs.SubscriptionUpdate,
        response=resources.Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/cancel/",
        handler=subscriptions.cancel_subscription,
        summary="Cancel a subscription or stop its renewals",
        access=Access.WRITE,
        body=inputs.SubscriptionCancel,
        response=resources.Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/renewals/",
        handler=subscriptions.renew_subscription,
        summary="Renew a subscription",
        access=Access.WRITE,
        body=RenewalCreate,
        response=resources.Subscription,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/{id}/status/",
        handler=subscriptions.get_subscription_status,
        summary="Retrieve the status of a subscription (no API key needed)",
        access=Access.PUBLIC,
        allows_any_origin=True,
        response=resources.SubscriptionState,
    ),
    Route(
        method="GET",
        path="/v1/issues/",
        handler=issues.list_issues,
        summary="List issues, highest number first",
        query=queries.IssueQuery,
        response=Page[resources.Issue],
    ),
    Route(
        method="POST",
        path="/v1/issues/",
        handler=issues.create_issue,
        summary="Create an issue and its copies",
        access=Access.WRITE,
        body=inputs.IssueCreate,
        response=resources.Issue,
        status=201,
        is_long=True,
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/",
        handler=issues.get_issue,
        summary="Retrieve an issue",
        response=resources.Issue,
    ),
    Route(
        method="PATCH",
        path="/v1/issues/{id}/",
        handler=issues.update_issue,
        summary="Update an issue",
        access=Access.WRITE,
        body=inputs.IssueUpdate,
        response=resources.Issue,
        is_long=True,
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/copies/",
        handler=issues.list_issue_copies,
        summary="List the copies of an issue, newest first",
        query=queries.IssueCopyQuery,
        response=Page[resources.Copy],
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/addresses/",
        handler=issues.list_issue_addresses,
        summary="List the addresses of the unsent copies of an issue that no run holds",
        query=IssueAddressQuery,
        response=Page[IssueAddress],
    ),
    WHY_ROUTE,
    Route(
        method="GET",
        path="/v1/copies/",
        handler=copies.list_copies,
        summary="List copies, newest first",
        query=queries.CopyQuery,
        response=Page[resources.Copy],
    ),
    Route(
        method="GET",
        path="/v1/copies/{copy_id}/",
        handler=copies.get_copy,
        summary="Retrieve a copy",
        response=resources.Copy,
    ),
    Route(
        method="POST",
        path="/v1/copies/mark-sent/",
        handler=copies.mark_copies_sent,
        summary="Mark copies as sent",
        access=Access.WRITE,
        body=inputs.MarkSent,
        response=resources.MarkedSent,
        is_long=True,
    ),
    Route(
        method="POST",
        path="/v1/copies/{copy_id}/mark-sent/",
        handler=copies.mark_copy_sent,
        summary="Mark one copy as sent",
        access=Access.WRITE,
        body=inputs.MarkSentDate,
        requires_body=False,
        response=resources.MarkedSent,
        is_long=True,
    ),
    *DISPATCH_ROUTES,
    *DELIVERY_REPORT_ROUTES,
    *CLAIM_ROUTES,
    *ORDER_ROUTES,
    *ADDRESS_ROUTES,
    EVENT_ROUTE,
    *WEBHOOK_ROUTES,
)
