"""The emails that a sandbox kept instead of sending them."""

from starlette.responses import Response

from masthead.model.inputs import ListQuery
from masthead.store.sandboxes import emails as store
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.sandboxes.pages import require_sandbox


async def list_emails(context: PageContext) -> Response:
    """List the emails, newest first. Raises: PageNotFound outside sandboxes; Invalid."""
    require_sandbox(context)
    _query, request = decode_filters(context, ListQuery)
    page = await store.list_kept(context.db, context.account_id, request)
    filters = read_filters(context, ListQuery)
    return context.render("sandboxes/outbox.html", page=page, filters=filters)


async def show_email(context: PageContext) -> Response:
    """Show an email. Raises: PageNotFound outside sandboxes; NotFound."""
    require_sandbox(context)
    email = await store.get_kept(context.db, context.account_id, context.path["id"])
    return context.render("sandboxes/email.html", email=email)
