"""Webhooks as the API shows them."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from masthead.model.events.resources import Event
from masthead.model.events.types import PublicEventType
from masthead.model.resources import Moment
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum


class WebhookStatus(StrEnum):
    """Whether events are sent to a webhook."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class DisabledReason(LabelledEnum):
    """Why a webhook is disabled: by a change, by the answer 410, or after days of failures."""

    REQUEST = "request", gettext_noop("An owner or a program disabled it.")
    GONE = "gone", gettext_noop("The program asked for no more events (410).")
    FAILING = "failing", gettext_noop("No request was accepted for days.")


class MessageStatus(StrEnum):
    """What became of a message: it waits for an attempt, was accepted, or is not tried again."""

    WAITING = "waiting"
    DELIVERED = "delivered"
    FAILED = "failed"


class Webhook(Struct, frozen=True):
    """An address to which the events of the account are sent.

    id: id of the webhook.
    url: the address that gets the requests.
    types: the types of the events that it gets; empty for all.
    status: whether events are sent to it.
    disabled_reason: why it is disabled; null while it is enabled.
    failing_since: since when no request has been accepted; null if the last one was.
    public_key: `whpk_…`, to check the `v1a` signatures.
    last_event: id of the last event that was looked at; those after it wait.
    missed: the number of events that were deleted before they could be sent.
    created_at: when it was created.
    """

    id: str
    url: str
    types: Sequence[PublicEventType]
    status: WebhookStatus
    disabled_reason: DisabledReason | None
    failing_since: Moment | None
    public_key: str
    last_event: int
    missed: int
    created_at: Moment


class WebhookSecret(Struct, frozen=True):
    """A new secret of a webhook. It is shown only here.

    id: id of the webhook.
    secret: `whsec_…`, to check the `v1` signatures.
    public_key: `whpk_…`, to check the `v1a` signatures.
    old_secret_until: until when messages are also signed with the secret before; null if there was
        none.
    """

    id: str
    secret: str
    public_key: str
    old_secret_until: Moment | None


class WebhookDelivery(Struct, frozen=True):
    """A message to a webhook, and what became of it.

    id: the header `webhook-id`: the id of the event, or that of a test.
    event: the event, which is the body of the request; null for a test, and if it was deleted.
    status: what became of the message.
    attempts: the number of attempts.
    created_at: when the first attempt was due.
    attempted_at: when the last attempt began.
    next_attempt_at: when the next attempt is due; null if there is none.
    duration_ms: milliseconds until the last attempt was answered or had failed.
    answer_status: the HTTP status of the last answer.
    answer: the beginning of the last answer that was not accepted; it is deleted when a subscriber
        is erased.
    reason: why the last attempt failed.
    """

    id: str
    event: Event | None
    status: MessageStatus
    attempts: int
    created_at: Moment
    attempted_at: Moment | None
    next_attempt_at: Moment | None
    duration_ms: int | None
    answer_status: int | None
    answer: str | None
    reason: str | None


class WebhookResent(Struct, frozen=True):
    """What is sent again.

    count: the number of messages.
    """

    count: int
