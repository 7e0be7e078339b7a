"""All routes of the API. The router, the OpenAPI document and the access tests use this table."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from masthead.api import copies, issues, me, sources, subscribers, subscriptions
from masthead.api.authentication import Access
from masthead.api.context import RequestContext
from masthead.model import inputs, resources
from masthead.model.inputs import Query
from masthead.model.pagination import Page

Handler = Callable[[RequestContext[Any, Any]], Awaitable[Struct | bytes]]


class Route(Struct, frozen=True, kw_only=True):
    """One operation of the API.

    summary: its title in the documentation. response, query, body: the structs that it returns and
    accepts; body is None if it takes none. requires_body: whether the body may not be empty.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    response: Any
    access: Access = Access.READ
    status: int = 200
    query: type[Query] = Query
    body: type[inputs.Creation | inputs.Change] | None = None
    requires_body: bool = True

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def name(self) -> str:
        """The name of the operation: the name of its handler."""
        return self.handler.__name__


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
        query=inputs.SubscriberQuery,
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
        query=inputs.SubscriptionQuery,
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
        method="GET",
        path="/v1/subscriptions/{id}/status/",
        handler=subscriptions.get_subscription_status,
        summary="Retrieve the status of a subscription (no API key needed)",
        access=Access.PUBLIC,
        response=resources.SubscriptionState,
    ),
    Route(
        method="GET",
        path="/v1/issues/",
        handler=issues.list_issues,
        summary="List issues, highest number first",
        query=inputs.ListQuery,
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
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/copies/",
        handler=issues.list_issue_copies,
        summary="List the copies of an issue, newest first",
        query=inputs.IssueCopyQuery,
        response=Page[resources.Copy],
    ),
    Route(
        method="GET",
        path="/v1/copies/",
        handler=copies.list_copies,
        summary="List copies, newest first",
        query=inputs.CopyQuery,
        response=Page[resources.Copy],
    ),
    Route(
        method="POST",
        path="/v1/copies/mark-sent/",
        handler=copies.mark_copies_sent,
        summary="Mark copies as sent",
        access=Access.WRITE,
        body=inputs.MarkSent,
        response=resources.MarkedSent,
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
    ),
)
