"""The messages to webhooks: their ids and bodies, and what is answered."""

from datetime import datetime
from enum import StrEnum

import msgspec
from msgspec import Struct

from masthead.model.events.resources import Event
from masthead.model.translations import gettext_noop

TEST_NUMBER = 0  # of a test, which has no event
TEST_TYPE = "webhook.test"
_encode = msgspec.json.Encoder().encode


class Message(Struct, frozen=True):
    """A message to send. number: of its event. attempts: the number of those that have failed.

    created_at: when the first attempt was due. body: None if the event was deleted.
    """

    number: int
    id: str
    body: bytes | None
    attempts: int
    created_at: datetime


class Answer(Struct, frozen=True):
    """The answer to a request, or why there is none.

    status: None without an answer. text: the beginning of its body. error: empty if the status is
    2xx. retry_after: the header of that name.
    """

    status: int | None
    text: str
    error: str
    retry_after: str | None
    duration_ms: int


class NoAnswer(StrEnum):
    """Why there is no complete answer. The page of a webhook translates it."""

    PRIVATE = gettext_noop("The host has only addresses in private networks.")
    NOT_FOUND = gettext_noop("The host was not found.")
    CERTIFICATE = gettext_noop("The certificate of the host is not valid for this address.")
    NO_ENCRYPTION = gettext_noop("The host accepts no encrypted connection.")
    REFUSED = gettext_noop("The host refused the connection.")
    CUT_OFF = gettext_noop("The host closed the connection before its answer was complete.")
    NO_HTTP = gettext_noop("The answer is not valid HTTP.")
    UNREACHABLE = gettext_noop("The host cannot be reached.")
    INTERNAL = gettext_noop("An internal error occurred. The log of the server has more.")
    TOO_SLOW = gettext_noop("No complete answer in time.")


class _Test(Struct, frozen=True):
    """The body of a test."""

    id: str
    type: str
    happened_at: datetime
    data: None = None


def message_id(first_event: int, number: int, created_at: datetime) -> str:
    """The `webhook-id`: the id of the event, or that of a test. It never changes.

    first_event: the number before the id of the account's first event.
    """
    if number == TEST_NUMBER:
        return f"test_{int(created_at.timestamp() * 1000)}"
    return str(first_event + number)


def body_of(event: Event) -> bytes:
    """The body of the message about an event: the event as `GET /v1/events/` shows it."""
    return _encode(event)


def body_of_test(id: str, created_at: datetime) -> bytes:
    """The body of a test."""
    return _encode(_Test(id, TEST_TYPE, created_at))
