"""Every address of the API on one screen: doors, access tests and documents are made from it."""

from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import Struct

from masthead.api import authentication, copies, issues, sources, subscribers, subscriptions
from masthead.api.authentication import Access
from masthead.api.context import RequestContext
from masthead.model import inputs, resources
from masthead.model.inputs import Query
from masthead.model.pagination import Page

Handler = Callable[[RequestContext[Any, Any]], Awaitable[Struct | bytes]]


class Route(Struct, frozen=True, kw_only=True):
    """One operation. body: what it takes, None for nothing; summary: its line in the documents."""

    method: str
    path: str
    handler: Handler
    summary: str
    answer: Any
    access: Access = Access.READ
    status: int = 200
    query: type[Query] = Query
    body: type[inputs.Creation | inputs.Change] | None = None
    needs_body: bool = True

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def name(self) -> str:
        """The operation's name: that of its handler."""
        return self.handler.__name__


ROUTES = (
    Route(
        method="GET",
        path="/v1/me/",
        handler=authentication.get_me,
        summary="Verify the key: who it stands for and what it may do",
        answer=resources.Me,
    ),
    Route(
        method="GET",
        path="/v1/subscribers/",
        handler=subscribers.list_subscribers,
        summary="List subscribers, newest first",
        query=inputs.SubscriberQuery,
        answer=Page[resources.Subscriber],
    ),
    Route(
        method="GET",
        path="/v1/subscribers/{id}/",
        handler=subscribers.get_subscriber,
        summary="Get a subscriber",
        answer=resources.Subscriber,
    ),
    Route(
        method="GET",
        path="/v1/sources/",
        handler=sources.list_sources,
        summary="List sources, newest first",
        query=inputs.ListQuery,
        answer=Page[resources.Source],
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/",
        handler=subscriptions.list_subscriptions,
        summary="List subscriptions, newest first",
        query=inputs.SubscriptionQuery,
        answer=Page[resources.Subscription],
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/",
        handler=subscriptions.create_subscription,
        summary="Create a manual subscription, with its subscriber and copies",
        access=Access.WRITE,
        body=inputs.SubscriptionCreate,
        answer=resources.Subscription,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/{id}/",
        handler=subscriptions.get_subscription,
        summary="Get a subscription",
        answer=resources.Subscription,
    ),
    Route(
        method="PATCH",
        path="/v1/subscriptions/{id}/",
        handler=subscriptions.update_subscription,
        summary="Change names, address or notes of a subscription",
        access=Access.WRITE,
        body=inputs.SubscriptionUpdate,
        answer=resources.Subscription,
    ),
    Route(
        method="POST",
        path="/v1/subscriptions/{id}/cancel/",
        handler=subscriptions.cancel_subscription,
        summary="Stop the renewals of a subscription, or end it",
        access=Access.WRITE,
        body=inputs.SubscriptionCancel,
        answer=resources.Subscription,
    ),
    Route(
        method="GET",
        path="/v1/subscriptions/{id}/status/",
        handler=subscriptions.get_subscription_status,
        summary="Get the status of a subscription, without a key",
        access=Access.PUBLIC,
        answer=resources.SubscriptionState,
    ),
    Route(
        method="GET",
        path="/v1/issues/",
        handler=issues.list_issues,
        summary="List issues, highest number first",
        query=inputs.ListQuery,
        answer=Page[resources.Issue],
    ),
    Route(
        method="POST",
        path="/v1/issues/",
        handler=issues.create_issue,
        summary="Create an issue, with a copy for each subscription that includes it",
        access=Access.WRITE,
        body=inputs.IssueCreate,
        answer=resources.Issue,
        status=201,
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/",
        handler=issues.get_issue,
        summary="Get an issue",
        answer=resources.Issue,
    ),
    Route(
        method="PATCH",
        path="/v1/issues/{id}/",
        handler=issues.update_issue,
        summary="Change name, dates or EAN of an issue",
        access=Access.WRITE,
        body=inputs.IssueUpdate,
        answer=resources.Issue,
    ),
    Route(
        method="GET",
        path="/v1/issues/{id}/copies/",
        handler=issues.list_issue_copies,
        summary="List the copies of an issue, newest first",
        query=inputs.IssueCopyQuery,
        answer=Page[resources.Copy],
    ),
    Route(
        method="GET",
        path="/v1/copies/",
        handler=copies.list_copies,
        summary="List copies, newest first",
        query=inputs.CopyQuery,
        answer=Page[resources.Copy],
    ),
    Route(
        method="POST",
        path="/v1/copies/mark-sent/",
        handler=copies.mark_copies_sent,
        summary="Mark copies as sent",
        access=Access.WRITE,
        body=inputs.MarkSent,
        answer=resources.MarkedSent,
    ),
    Route(
        method="POST",
        path="/v1/copies/{copy_id}/mark-sent/",
        handler=copies.mark_copy_sent,
        summary="Mark one copy as sent",
        access=Access.WRITE,
        body=inputs.MarkSentDate,
        needs_body=False,
        answer=resources.MarkedSent,
    ),
)
