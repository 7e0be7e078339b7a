"""What subscribers did on their page, and what waits for a user of the desk."""

from starlette.responses import Response

from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Invalid
from masthead.model.ids import LAST_ID, is_id
from masthead.model.self_service.requests import REQUEST_CLOSED
from masthead.model.translations import gettext as _
from masthead.services.self_service import decide as service
from masthead.store.self_service.requests import list_requests, list_waiting
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import ALREADY_DONE

MAX_WAITING = 100
PAGE = 50


async def show_requests(context: PageContext) -> Response:
    """The requests that wait, and everything that subscribers did, newest first."""
    before = context.query.get("before", "")
    async with context.db.read(aside=True) as db:
        waiting = await list_waiting(db, context.account_id, MAX_WAITING)
        found = await list_requests(
            db, context.account_id, before=before if is_id(before) else LAST_ID, limit=PAGE + 1
        )
    return context.render(
        "self_service/requests.html",
        waiting=[] if before else waiting,
        listed=found[:PAGE],
        older=found[PAGE - 1].id if len(found) > PAGE else "",
        reasons={reason.value: reason.label for reason in ClaimReason},
    )


async def send_replacement(context: PageContext) -> Response:
    """Send a copy again that did not arrive. Raises: NotFound, Invalid."""
    return await _decide(context, is_sent=True)


async def close_request(context: PageContext) -> Response:
    """Close a request. Raises: NotFound, Invalid."""
    return await _decide(context, is_sent=False)


async def _decide(context: PageContext, *, is_sent: bool) -> Response:
    account_id, id, by = context.account_id, context.path["id"], context.actor
    message = _("The request is closed.")
    try:
        if is_sent:
            await service.send_replacement(
                context.db, account_id, id, domain=context.web.placeholder_domain, by=by
            )
            message = _("The replacement is in the next mailing of the issue.")
        else:
            await service.close_request(context.db, account_id, id, by=by)
    except Invalid as reason:
        if reason.code != REQUEST_CLOSED:
            raise
        message = _(ALREADY_DONE)
    return context.redirect(context.url("requests"), message=message)
