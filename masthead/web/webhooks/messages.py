"""Settings: a webhook with the messages that were sent to it; tests, and sending again."""

import msgspec
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.translations import counted, gettext as _, gettext_noop
from masthead.model.types.text import is_digits
from masthead.model.webhooks.inputs import MAX_EVENT, MessageQuery, WebhookResend
from masthead.model.webhooks.messages import body_of
from masthead.model.webhooks.resources import MessageStatus, WebhookDelivery
from masthead.services.webhooks import endpoints as service
from masthead.store.webhooks import endpoints as store, messages
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.webhooks.pages import redirect_to

STATUSES = {
    MessageStatus.WAITING.value: gettext_noop("Waiting"),
    MessageStatus.DELIVERED.value: gettext_noop("Delivered"),
    MessageStatus.FAILED.value: gettext_noop("Failed"),
}


async def show_webhook(context: PageContext) -> Response:
    """A webhook, and the messages that match the filter. Raises: NotFound, Invalid."""
    id = context.path["id"]
    query, request = decode_filters(context, MessageQuery)
    async with context.db.read(aside=True) as db:
        endpoint = await store.get_endpoint(db, context.account_id, id)
        page = await messages.list_messages(db, context.account_id, id, query, request)
    return context.render(
        "webhooks/webhook.html",
        webhook=endpoint.resource(),
        page=page,
        filters=read_filters(context, MessageQuery),
        statuses=STATUSES,
        body_of=_body_of,
    )


def _body_of(message: WebhookDelivery) -> str:
    """The body of the request, in lines."""
    if message.event is None:
        return ""
    return msgspec.json.format(body_of(message.event), indent=2).decode()


async def send_test(context: PageContext) -> Response:
    """Let a test be sent. Raises: NotFound, Invalid if the webhook is disabled."""
    id = context.path["id"]
    await service.send_test(context.db, context.account_id, id, by=context.actor)
    message = _("A test is sent. Load this page again to see the answer.")
    return redirect_to(context, id, message)


async def send_again(context: PageContext) -> Response:
    """Send an event, or those of a range, again. Raises: NotFound, Invalid."""
    id = context.path["id"]
    first, last = (str(context.fields.get(name, "")).strip() for name in ("first", "last"))
    for text in (first, last or first):
        if not is_digits(text, at_most=16) or not 0 < int(text) <= MAX_EVENT:
            raise Invalid(_("Type the ids of events: the numbers in the list of messages."))
    count = await service.send_again(
        context.db,
        context.account_id,
        id,
        WebhookResend(first=int(first), last=int(last or first)),
        by=context.actor,
    )
    text = counted(
        "{count} event is sent again. Load this page again to see the answer.",
        "{count} events are sent again. Load this page again to see the answers.",
        count,
    )
    return redirect_to(context, id, text)
