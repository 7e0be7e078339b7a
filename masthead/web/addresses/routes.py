"""The routes of the pages that change addresses."""

from masthead.model.identity.rights import Right
from masthead.web.addresses import cancel, change
from masthead.web.kit.desk_pages import DeskPages

_ADDRESS = DeskPages("subscribers/{id}/address/", rights=(Right.CORRECT,))

_SUBSCRIPTION = DeskPages("subscriptions/{id}/", rights=(Right.CORRECT,))

ADDRESS_PAGES = (
    _SUBSCRIPTION.page("address/", change.open_change),
    _ADDRESS.form("", change.change_address),
    _ADDRESS.button("{group}/cancel/", cancel.cancel_change),
)
