"""The page that cancels a planned change of address."""

from starlette.responses import Response

from masthead.model.addresses.changes import (
    ALREADY_CANCELLED,
    TEMPORARY_PLANNED,
    TemporaryAddresses,
    describe_issues,
)
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.addresses import changes as service
from masthead.services.addresses.groups import list_groups_within
from masthead.store.subscribers import records as subscriber_store
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import ALREADY_DONE


async def cancel_change(context: PageContext) -> Response:
    """Cancel the changes that were planned together. Raises: NotFound, Invalid.

    If an address for some issues is planned within them, a page asks what becomes of it.
    """
    id, group = context.path["id"], context.path["group"]
    message = _("The change of address is cancelled. The subscriptions keep their address.")
    typed = str(context.fields.get("temporary", ""))
    temporary = TemporaryAddresses(typed) if typed in list(TemporaryAddresses) else None
    try:
        await service.cancel_changes(
            context.db, context.account_id, id, group, temporary=temporary, by=context.actor
        )
    except Invalid as reason:
        if reason.code == TEMPORARY_PLANNED:
            return await _ask_about_temporary(context, id, group)
        if reason.code != ALREADY_CANCELLED:
            raise
        message = ALREADY_DONE
    return context.redirect(context.url("subscribers", id), message=message)


async def _ask_about_temporary(context: PageContext, id: str, group: str) -> Response:
    async with context.db.read(aside=True) as db:
        subscriber = await subscriber_store.get_subscriber(db, context.account_id, id)
        within = await list_groups_within(db, context.account_id, id, group)
    return context.render(
        "addresses/cancel.html",
        subscriber=subscriber,
        group_id=group,
        within=within,
        describe_issues=describe_issues,
    )
