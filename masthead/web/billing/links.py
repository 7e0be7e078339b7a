"""Links to invoices after a message."""

from collections.abc import Sequence

from starlette.responses import Response

from masthead.model.billing.lists import Shown
from masthead.model.identity.rights import Right
from masthead.model.translations import counted, gettext as _
from masthead.services.billing.old_addresses import list_with_old_address
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext


def link_to_newest(context: PageContext, issued: Sequence[StoredInvoice]) -> tuple[str, str]:
    """The address of the newest document, which comes after its credit note, and the link's text.

    issued: oldest first.
    """
    newest = issued[-1]
    label = _("Show {number}").format(number=newest.document.number)
    return context.url("money", "invoices", newest.id), label


async def redirect_after_correction(
    context: PageContext, db: Database, subscriber_id: str, message: str
) -> Response:
    """Redirect to a subscriber whose name or address was corrected.

    The message says how many open invoices have the old address, and links to replace them.
    """
    page = context.url("subscribers", subscriber_id)
    may = context.membership.may
    if not (may(Right.BILL) and may(Right.SEE_MONEY)):
        return context.redirect(page, message=message)
    async with db.read() as connection:
        found = await list_with_old_address(connection, context.account_id, subscriber_id)
    if not found:
        return context.redirect(page, message=message)
    text = counted(
        "{count} open invoice still has the old address.",
        "{count} open invoices still have the old address.",
        len(found),
    )
    link = context.url("money", "invoices", found[0], "replace"), _("Replace it")
    if len(found) > 1:
        listed = context.url("money", "invoices", show=Shown.OPEN.value, payer=subscriber_id)
        link = listed, _("Show the open invoices")
    message = f"{message} {text}"
    return context.redirect(page, message=message, link=link)
