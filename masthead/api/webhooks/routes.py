"""The routes of the API for webhooks."""

from masthead.api.endpoints import Endpoints
from masthead.api.webhooks import webhooks
from masthead.model.identity.rights import Right

_WEBHOOKS = Endpoints("/v1/webhooks/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS))

WEBHOOK_ROUTES = (
    _WEBHOOKS.get("", webhooks.list_webhooks, follows_revision=False),
    _WEBHOOKS.post("", webhooks.create_webhook, status=201, names_host=True),
    _WEBHOOKS.get("{id}/", webhooks.get_webhook),
    _WEBHOOKS.patch("{id}/", webhooks.update_webhook, names_host=True),
    _WEBHOOKS.post("{id}/rotate/", webhooks.rotate_webhook_secret, requires_body=False),
    _WEBHOOKS.post("{id}/test/", webhooks.send_webhook_test),
    _WEBHOOKS.get("{id}/deliveries/", webhooks.list_webhook_deliveries, follows_revision=False),
    _WEBHOOKS.post("{id}/resend/", webhooks.resend_webhook_events),
    _WEBHOOKS.post("{id}/delete/", webhooks.delete_webhook),
)
