"""The routes of the API for webhooks."""

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.webhooks import webhooks
from masthead.model.dispatch.run_inputs import NoFields
from masthead.model.identity.rights import Right
from masthead.model.pagination import Page
from masthead.model.webhooks.inputs import (
    DeliveryQuery,
    WebhookCreate,
    WebhookQuery,
    WebhookResend,
    WebhookRotate,
    WebhookUpdate,
)
from masthead.model.webhooks.resources import (
    Webhook,
    WebhookDelivery,
    WebhookResent,
    WebhookSecret,
)

WEBHOOK_ROUTES = (
    Route(
        method="GET",
        path="/v1/webhooks/",
        handler=webhooks.list_webhooks,
        summary="List webhooks, newest first",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        query=WebhookQuery,
        response=Page[Webhook],
        follows_revision=False,
    ),
    Route(
        method="POST",
        path="/v1/webhooks/",
        handler=webhooks.create_webhook,
        summary="Create a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=WebhookCreate,
        response=WebhookSecret,
        status=201,
        names_host=True,
    ),
    Route(
        method="GET",
        path="/v1/webhooks/{id}/",
        handler=webhooks.get_webhook,
        summary="Retrieve a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        response=Webhook,
    ),
    Route(
        method="PATCH",
        path="/v1/webhooks/{id}/",
        handler=webhooks.update_webhook,
        summary="Change, enable or disable a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=WebhookUpdate,
        response=Webhook,
        names_host=True,
    ),
    Route(
        method="POST",
        path="/v1/webhooks/{id}/rotate/",
        handler=webhooks.rotate_webhook_secret,
        summary="Replace the secret of a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=WebhookRotate,
        requires_body=False,
        response=WebhookSecret,
    ),
    Route(
        method="POST",
        path="/v1/webhooks/{id}/test/",
        handler=webhooks.send_webhook_test,
        summary="Send a test to a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=WebhookDelivery,
    ),
    Route(
        method="GET",
        path="/v1/webhooks/{id}/deliveries/",
        handler=webhooks.list_webhook_deliveries,
        summary="List the messages that were sent to a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        query=DeliveryQuery,
        response=Page[WebhookDelivery],
        follows_revision=False,
    ),
    Route(
        method="POST",
        path="/v1/webhooks/{id}/resend/",
        handler=webhooks.resend_webhook_events,
        summary="Send events to a webhook again",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=WebhookResend,
        response=WebhookResent,
    ),
    Route(
        method="POST",
        path="/v1/webhooks/{id}/delete/",
        handler=webhooks.delete_webhook,
        summary="Delete a webhook",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
        access=Access.WRITE,
        body=NoFields,
        requires_body=False,
        response=Webhook,
    ),
)
