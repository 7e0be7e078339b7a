"""The routes of the API for sandboxes."""

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.sandbox import handlers
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page
from masthead.model.sandboxes import KeptEmail, SandboxClock, SandboxMove

SANDBOX_ROUTES = (
    Route(
        method="GET",
        path="/v1/sandbox/clock/",
        handler=handlers.get_sandbox_clock,
        summary="Retrieve the clock of a sandbox",
        rights=(),
        response=SandboxClock,
    ),
    Route(
        method="POST",
        path="/v1/sandbox/clock/",
        handler=handlers.move_sandbox_clock,
        summary="Move the clock of a sandbox forward",
        rights=(Right.SETTINGS,),
        access=Access.WRITE,
        body=SandboxMove,
        response=SandboxClock,
        is_long=True,
        afterwards=handlers.finish_move,
    ),
    Route(
        method="POST",
        path="/v1/sandbox/reset/",
        handler=handlers.reset_sandbox,
        summary="Reset a sandbox: delete its records, and begin again",
        rights=(Right.SETTINGS,),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=SandboxClock,
        is_long=True,
    ),
    Route(
        method="GET",
        path="/v1/sandbox/emails/",
        handler=handlers.list_sandbox_emails,
        summary="List the emails that a sandbox kept, newest first",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD),
        query=ListQuery,
        response=Page[KeptEmail],
    ),
)
