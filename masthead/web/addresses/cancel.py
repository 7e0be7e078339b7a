"""Cancel a planned change of address."""

from starlette.responses import Response

from masthead.model.addresses.changes import ALREADY_CANCELLED
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.addresses import changes as service
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import ALREADY_DONE


async def cancel_change(context: PageContext) -> Response:
    """Cancel the changes that were planned together. Raises: NotFound, Invalid."""
    id = context.path["id"]
    message = _("The change of address is cancelled. The subscriptions keep their address.")
    try:
        await service.cancel_changes(
            context.db, context.account_id, id, context.path["group"], by=context.actor
        )
    except Invalid as reason:
        if reason.code != ALREADY_CANCELLED:
            raise
        message = ALREADY_DONE
    return context.redirect(context.url("subscribers", id), message=message)
