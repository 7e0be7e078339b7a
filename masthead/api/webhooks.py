"""The endpoints of `/v1/webhooks/`."""

from datetime import timedelta

from masthead.api.context import RequestContext, page_request
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right
from masthead.model.inputs import NoFields, Query
from masthead.model.pagination import Page
from masthead.model.webhooks.inputs import (
    DEFAULT_OVERLAP,
    MessageQuery,
    WebhookCreate,
    WebhookQuery,
    WebhookResend,
    WebhookRotate,
    WebhookUpdate,
)
from masthead.model.webhooks.resources import Webhook, WebhookDelivery, WebhookResent, WebhookSecret
from masthead.services.webhooks import endpoints as service
from masthead.store.webhooks import endpoints as store, messages


async def list_webhooks(context: RequestContext[WebhookQuery, None]) -> Page[Webhook]:
    """The webhooks, newest first."""
    return await store.list_webhooks(context.db, context.account_id, page_request(context))


async def create_webhook(context: RequestContext[Query, WebhookCreate]) -> WebhookSecret:
    """Create a webhook. Raises: Invalid, also `invalid_url`."""
    return await service.create_webhook(
        context.db,
        context.account_id,
        context.body,
        resolved=context.resolved,
        allow_private=context.allow_private_webhooks,
        by=context.principal.actor,
    )


async def get_webhook(context: RequestContext[Query, None]) -> Webhook:
    """One webhook. Raises: NotFound."""
    return (await store.get_endpoint(context.db, context.account_id, context.id)).resource()


async def update_webhook(context: RequestContext[Query, WebhookUpdate]) -> Webhook:
    """Change a webhook. Raises: NotFound, Invalid `invalid_url`."""
    return await service.update_webhook(
        context.db,
        context.account_id,
        context.id,
        context.body,
        resolved=context.resolved,
        allow_private=context.allow_private_webhooks,
        by=context.principal.actor,
    )


async def rotate_webhook_secret(context: RequestContext[Query, WebhookRotate]) -> WebhookSecret:
    """Replace the secret. Raises: NotFound."""
    hours = context.body.overlap_hours
    return await service.rotate_secret(
        context.db,
        context.account_id,
        context.id,
        overlap=timedelta(hours=DEFAULT_OVERLAP if hours is None else hours),
        by=context.principal.actor,
    )


async def send_webhook_test(context: RequestContext[Query, NoFields]) -> WebhookDelivery:
    """Send a test. Raises: NotFound, Invalid `webhook_disabled`."""
    return await service.send_test(
        context.db, context.account_id, context.id, by=context.principal.actor
    )


async def list_webhook_deliveries(
    context: RequestContext[MessageQuery, None],
) -> Page[WebhookDelivery]:
    """Messages that match the filters, those of the newest events first. Raises: NotFound."""
    async with context.db.read(aside=True) as db:
        await store.get_endpoint(db, context.account_id, context.id)
        return await messages.list_messages(
            db, context.account_id, context.id, context.query, page_request(context)
        )


async def resend_webhook_events(context: RequestContext[Query, WebhookResend]) -> WebhookResent:
    """Send events again. Raises: NotFound, Invalid `unknown_event`, `webhook_disabled`."""
    count = await service.send_again(
        context.db, context.account_id, context.id, context.body, by=context.principal.actor
    )
    return WebhookResent(count)


async def delete_webhook(context: RequestContext[Query, NoFields]) -> Webhook:
    """Delete a webhook. Raises: NotFound."""
    return await service.delete_webhook(
        context.db, context.account_id, context.id, by=context.principal.actor
    )


_WEBHOOKS = Endpoints("/v1/webhooks/", rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS))

WEBHOOK_ROUTES = (
    _WEBHOOKS.get("", list_webhooks, follows_revision=False),
    _WEBHOOKS.post("", create_webhook, status=201, names_host=True),
    _WEBHOOKS.get("{id}/", get_webhook),
    _WEBHOOKS.patch("{id}/", update_webhook, names_host=True),
    _WEBHOOKS.post("{id}/rotate/", rotate_webhook_secret, requires_body=False),
    _WEBHOOKS.post("{id}/test/", send_webhook_test),
    _WEBHOOKS.get("{id}/deliveries/", list_webhook_deliveries, follows_revision=False),
    _WEBHOOKS.post("{id}/resend/", resend_webhook_events),
    _WEBHOOKS.post("{id}/delete/", delete_webhook),
)
