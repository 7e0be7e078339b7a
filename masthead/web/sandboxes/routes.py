"""The routes of the pages of sandboxes."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.kit.router import PageAccess
from masthead.web.sandboxes import outbox, pages

_SANDBOX = DeskPages("settings/sandbox/", rights=(), access=PageAccess.OWNER)
_DESK = DeskPages("", rights=(Right.SEE_MONEY,))

SANDBOX_PAGES = (
    _SANDBOX.form("", pages.edit_sandbox),
    _SANDBOX.form("reset/", pages.reset),
    _SANDBOX.confirmation("delete/", pages.delete_sandbox),
    _DESK.page("outbox/", outbox.list_emails),
    _DESK.page("outbox/{id}/", outbox.show_email),
)
