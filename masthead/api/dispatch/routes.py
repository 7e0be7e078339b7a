"""The routes of the API for sending out an issue; `routes` has them with the others."""

from masthead.api.authentication import Access
from masthead.api.dispatch import handlers as dispatches
from masthead.api.route import Route
from masthead.model.dispatch.line_resources import DispatchRunLine
from masthead.model.dispatch.run_inputs import (
    DispatchCreate,
    DispatchLineQuery,
    DispatchQuery,
    NoFields,
)
from masthead.model.dispatch.run_resources import DispatchRun, DispatchRunDetail
from masthead.model.identity.rights import Right
from masthead.model.inputs import MarkSentDate
from masthead.model.pagination import Page

DISPATCH_ROUTES = (
    Route(
        method="GET",
        path="/v1/dispatches/",
        handler=dispatches.list_dispatches,
        summary="List dispatch runs, newest first",
        rights=(Right.DISPATCH,),
        query=DispatchQuery,
        response=Page[DispatchRun],
    ),
    Route(
        method="POST",
        path="/v1/dispatches/",
        handler=dispatches.create_dispatch,
        summary="Freeze a dispatch run",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=DispatchCreate,
        response=DispatchRunDetail,
        status=201,
        is_long=True,
    ),
    Route(
        method="GET",
        path="/v1/dispatches/{id}/",
        handler=dispatches.get_dispatch,
        summary="Retrieve a dispatch run",
        rights=(Right.DISPATCH,),
        response=DispatchRunDetail,
        is_composed=True,
    ),
    Route(
        method="GET",
        path="/v1/dispatches/{id}/lines/",
        handler=dispatches.list_dispatch_lines,
        summary="List the lines of a dispatch run, in the order of its files",
        rights=(Right.DISPATCH,),
        query=DispatchLineQuery,
        response=Page[DispatchRunLine],
    ),
    Route(
        method="POST",
        path="/v1/dispatches/{id}/mark-sent/",
        handler=dispatches.mark_dispatch_sent,
        summary="Mark the copies of a dispatch run as sent",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=MarkSentDate,
        requires_body=False,
        response=DispatchRunDetail,
        is_long=True,
    ),
    Route(
        method="POST",
        path="/v1/dispatches/{id}/undo/",
        handler=dispatches.undo_dispatch,
        summary="Take back the marking of a dispatch run",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=DispatchRunDetail,
        is_long=True,
    ),
    Route(
        method="POST",
        path="/v1/dispatches/{id}/discard/",
        handler=dispatches.discard_dispatch,
        summary="Discard a frozen dispatch run",
        rights=(Right.DISPATCH,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=DispatchRunDetail,
        is_long=True,
    ),
)
