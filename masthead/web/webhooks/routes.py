"""The routes of the pages about webhooks."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.webhooks import messages, webhooks

# webhooks send all data elsewhere
_WEBHOOKS = DeskPages(
    "settings/webhooks/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS)
)

WEBHOOK_PAGES = (
    _WEBHOOKS.page("", webhooks.list_webhooks),
    _WEBHOOKS.form("new/", webhooks.create_webhook),
    _WEBHOOKS.page("{id}/", messages.show_webhook),
    _WEBHOOKS.form("{id}/edit/", webhooks.edit_webhook),
    _WEBHOOKS.form("{id}/rotate/", webhooks.rotate_secret),
    _WEBHOOKS.confirmation("{id}/delete/", webhooks.delete_webhook),
    _WEBHOOKS.button("{id}/enable/", webhooks.enable_webhook),
    _WEBHOOKS.button("{id}/disable/", webhooks.disable_webhook),
    _WEBHOOKS.button("{id}/test/", messages.send_test),
    _WEBHOOKS.change("{id}/resend/", messages.send_again),
)
