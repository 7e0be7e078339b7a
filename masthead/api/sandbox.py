"""The endpoints of `/v1/sandbox/`. Those of other accounts are refused: their time is real."""

from typing import Any

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery, NoFields, Query
from masthead.model.pagination import Page
from masthead.model.sandboxes import KeptEmail, NotSandbox, SandboxClock, SandboxMove
from masthead.services.sandboxes import clock, create
from masthead.store.sandboxes import emails


async def get_sandbox_clock(context: RequestContext[Query, None]) -> SandboxClock:
    """The clock. Raises: NotSandbox."""
    return await clock.get_clock(context.db, context.account_id)


async def move_sandbox_clock(context: RequestContext[Query, SandboxMove]) -> SandboxClock:
    """Store where the clock moves to, after the end of a move that was interrupted.

    Raises: NotSandbox, Invalid.
    """
    _require_sandbox(context)
    await finish_move(context)
    by = context.principal.actor
    return await clock.set_goal(context.db, context.account_id, context.body, by=by)


async def finish_move(context: RequestContext[Query, SandboxMove]) -> None:
    """Do everything up to the day that was stored, in a transaction for each day."""
    await clock.move_to_goal(
        context.db, context.account_id, site=context.site, by=context.principal.actor
    )


async def reset_sandbox(context: RequestContext[Query, NoFields]) -> SandboxClock:
    """Delete all records, and begin again; a move that was interrupted ends with them.

    Raises: NotSandbox.
    """
    _require_sandbox(context)
    domain, by = context.site.domain, context.principal.actor
    await create.reset_sandbox(context.db, context.account_id, placeholder_domain=domain, by=by)
    return await clock.get_clock(context.db, context.account_id)


async def list_sandbox_emails(context: RequestContext[ListQuery, None]) -> Page[KeptEmail]:
    """The emails that the sandbox kept, newest first. Raises: NotSandbox."""
    _require_sandbox(context)
    return await emails.list_kept(context.db, context.account_id, page_request(context))


def _require_sandbox(context: RequestContext[Any, Any]) -> None:
    if context.principal.daily_date is None:
        raise NotSandbox


_SANDBOX = Endpoints("/v1/sandbox/", rights=())

SANDBOX_ROUTES = (
    _SANDBOX.get("clock/", get_sandbox_clock),
    _SANDBOX.post(
        "clock/",
        move_sandbox_clock,
        Right.SETTINGS,
        is_long=True,
        afterwards=finish_move,
    ),
    _SANDBOX.post("reset/", reset_sandbox, Right.SETTINGS, is_long=True),
    _SANDBOX.get("emails/", list_sandbox_emails, Right.SEE_MONEY, Right.DOWNLOAD),
)
