"""The routes of the pages about webhooks."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.webhooks import messages, pages

# webhooks send all data elsewhere
_WEBHOOKS = DeskPages(
    "settings/webhooks/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS)
)

WEBHOOK_PAGES = (
    _WEBHOOKS.page("", pages.list_webhooks),
    _WEBHOOKS.form("new/", pages.create_webhook),
    _WEBHOOKS.page("{id}/", messages.show_webhook),
    _WEBHOOKS.form("{id}/edit/", pages.edit_webhook),
    _WEBHOOKS.form("{id}/rotate/", pages.rotate_secret),
    _WEBHOOKS.confirmation("{id}/delete/", pages.delete_webhook),
    _WEBHOOKS.button("{id}/enable/", pages.enable_webhook),
    _WEBHOOKS.button("{id}/disable/", pages.disable_webhook),
    _WEBHOOKS.button("{id}/test/", messages.send_test),
    _WEBHOOKS.change("{id}/resend/", messages.send_again),
)
