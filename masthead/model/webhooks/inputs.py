"""The input of webhooks."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from masthead.model.events.types import PublicEventType
from masthead.model.inputs import Change, Creation, ListQuery
from masthead.model.types.fields import required_text
from masthead.model.webhooks.addresses import MAX_URL
from masthead.model.webhooks.resources import MessageStatus, WebhookStatus

MAX_EVENT = 2**53 - 1
MAX_OVERLAP = 168  # hours
DEFAULT_OVERLAP = 24

# A host with or without a port, and a path: printable ASCII without `#`
URL_PATTERN = r"^https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?([/?][!\x22$-~]*)?$"
UrlText = Annotated[
    str,
    Meta(
        extra_json_schema={"pattern": URL_PATTERN, "maxLength": MAX_URL},
        extra={"rule": required_text, "max_length": MAX_URL},
    ),
]
Types = Annotated[list[PublicEventType], Meta(min_length=0, max_length=len(PublicEventType))]
EventId = Annotated[int, Meta(ge=1, le=MAX_EVENT)]


class WebhookCreate(Creation, kw_only=True):
    """A webhook.

    url: the address that gets the requests; it begins with `https://`.
    types: the types of the events that it gets; all if there are none.
    """

    url: UrlText
    types: Types | None = None


class WebhookUpdate(Change, kw_only=True):
    """Changes of a webhook.

    url: the address that gets the requests; it begins with `https://`.
    types: the types of the events that it gets; an empty list for all.
    status: `enabled` sends the events since it was disabled, too.
    """

    url: UrlText | UnsetType = UNSET
    types: Types | UnsetType = UNSET
    status: WebhookStatus | UnsetType = UNSET


class WebhookRotate(Creation, kw_only=True):
    """How to replace a secret.

    overlap_hours: for how long messages are signed with both secrets; 24 hours by default.
    """

    overlap_hours: Annotated[int, Meta(ge=0, le=MAX_OVERLAP)] | None = None


class WebhookResend(Creation, kw_only=True):
    """The events to send again, whether or not they were accepted.

    first: id of the first event.
    last: id of the last event; the first one if it is left out.
    """

    first: EventId
    last: EventId | None = None


class WebhookQuery(ListQuery, kw_only=True, frozen=True):
    """Webhooks have no filters."""


class MessageQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the messages of a webhook."""

    status: Annotated[MessageStatus, Meta(description="status of the messages")] | None = None
