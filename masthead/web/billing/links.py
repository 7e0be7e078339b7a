"""Links to invoices after a message."""

from collections.abc import Sequence

from masthead.model.translations import gettext as _
from masthead.store.billing.invoices import StoredInvoice
from masthead.web.kit.context import PageContext


def link_to_newest(context: PageContext, issued: Sequence[StoredInvoice]) -> tuple[str, str]:
    """The address of the newest document, which comes after its credit note, and the link's text.

    issued: oldest first.
    """
    newest = issued[-1]
    label = _("Show {number}").format(number=newest.document.number)
    return context.url("money", "invoices", newest.id), label
