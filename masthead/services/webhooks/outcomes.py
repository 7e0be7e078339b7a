"""What is due for a webhook, and what became of the messages that were sent."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.emails import EmailTemplate, Site
from masthead.model.events.resources import Event
from masthead.model.ids import first_copy_id
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import Role
from masthead.model.webhooks.messages import (
    TEST_NUMBER,
    Answer,
    Message,
    body_of,
    body_of_test,
    message_id,
)
from masthead.model.webhooks.resources import DisabledReason, MessageStatus, WebhookStatus
from masthead.model.webhooks.retries import parse_retry_after, retry_delay
from masthead.services.emails.notices import notify
from masthead.services.webhooks.endpoints import set_status
from masthead.store import users
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events import log
from masthead.store.webhooks import endpoints as store, messages
from masthead.store.webhooks.endpoints import Endpoint
from masthead.store.webhooks.messages import StoredMessage

FAILED = EmailTemplate(
    gettext_noop("Events could not be sent to a webhook"),
    gettext_noop(
        "Hello,\n\nmasthead has tried for days to send events to a webhook, and does not try again "
        "by itself:\n\nAddress: {url}\nLast error: {error}\nTime: {moment} ({zone})\n\nCorrect the "
        "cause, then send them again in the settings under Webhooks.\n"
    ),
)
DISABLED = EmailTemplate(
    gettext_noop("A webhook was disabled"),
    gettext_noop(
        "Hello,\n\nmasthead has disabled a webhook, because it asked for no more events or failed "
        "for days:\n\nAddress: {url}\nLast error: {error}\nTime: {moment} ({zone})\n\nThe events "
        "since then wait. Correct the cause, then enable the webhook in the settings under "
        "Webhooks. There you can also send events again that have failed.\n"
    ),
)


BY = Actor(kind="command", id="webhooks")
MAIL_AGAIN = timedelta(days=1)  # the shortest time between emails about failed messages
GONE = 410

logger = structlog.get_logger()


class Round(Struct, frozen=True):
    """What is due. last_number: of the last event that was looked at. missed: deleted ones."""

    endpoint: Endpoint
    messages: Sequence[Message]
    last_number: int
    missed: int


async def read_round(
    db: Database, account_id: int, id: str, *, retries: int, events: int
) -> Round | None:
    """The messages that are due, at most so many; None if nothing is to be done.

    Queries: at most five, in one snapshot.
    """
    async with db.read() as snapshot:
        endpoint = await store.find_endpoint(snapshot, account_id, id)
        if endpoint is None or endpoint.status is not WebhookStatus.ENABLED:
            return None
        due = await messages.list_due(snapshot, account_id, id, limit=retries)
        again = await log.find_events(snapshot, account_id, [each.number for each in due])
        new = await log.list_new_events(
            snapshot, account_id, after=endpoint.last_number, limit=events
        )
        last = new[-1].number if new else (await log.get_span(snapshot, account_id)).newest
    if not due and not new and last <= endpoint.last_number:
        return None
    first, moment = new[0].number if new else last + 1, now()
    to_send = [_message(account_id, each, again.get(each.number)) for each in due]
    to_send += [
        Message(event.number, str(event.id), body_of(event), 0, moment)
        for event in new
        if endpoint.wants(event.type)
    ]
    return Round(endpoint, to_send, last, max(first - endpoint.last_number - 1, 0))


def _message(account_id: int, stored: StoredMessage, event: Event | None) -> Message:
    """A message that is tried again. event: None for a test, or if it was deleted."""
    number, created_at = stored.number, stored.created_at
    id = message_id(first_copy_id(account_id), number, created_at)
    body = None if event is None else body_of(event)
    if number == TEST_NUMBER:
        body = body_of_test(id, created_at)
    return Message(number, id, body, stored.attempts, created_at)


def outcome_of(
    message: Message, answer: Answer, *, attempted_at: datetime, chance: float
) -> StoredMessage:
    """What became of a message. chance: at least 0, below 1, for the time of the next attempt."""
    attempts, delay = message.attempts + 1, None
    if answer.error and message.body is not None and answer.status != GONE:
        after = parse_retry_after(answer.retry_after, attempted_at)
        delay = retry_delay(attempts, chance=chance, retry_after=after)
    status = MessageStatus.FAILED if answer.error else MessageStatus.DELIVERED
    return StoredMessage(
        number=message.number,
        status=status if delay is None else MessageStatus.WAITING,
        attempts=attempts,
        created_at=message.created_at,
        attempted_at=attempted_at,
        next_attempt_at=None if delay is None else attempted_at + delay,
        duration_ms=answer.duration_ms,
        answer_status=answer.status,
        answer=answer.text if answer.error and answer.text else None,
        error=answer.error or None,
    )


async def record_round(
    db: Database,
    round: Round,
    outcomes: Sequence[StoredMessage],
    *,
    last_number: int,
    site: Site | None,
) -> None:
    """Store what became of messages, after they were answered.

    last_number: of the last event that has an outcome, or needs none. Disables the webhook after
    the answer 410, or if a message has failed for good and none was accepted since its first
    attempt. Queries: three, and one for each message.
    """
    account_id, id = round.endpoint.account_id, round.endpoint.id

    async def work(tx: Transaction) -> None:
        endpoint = await store.hold_endpoint(tx, account_id, id)
        if endpoint is None:
            return
        await messages.write_messages(tx, account_id, id, outcomes)
        changes: dict[str, object] = {
            "last_number": max(endpoint.last_number, last_number),
            "missed": endpoint.missed + round.missed,
        }
        is_accepted = any(each.status is MessageStatus.DELIVERED for each in outcomes)
        failed = [each for each in outcomes if each.error is not None]
        failing_at = endpoint.failing_at
        if is_accepted:
            failing_at = None
        elif failed and failing_at is None:
            failing_at = min(map(_failed_at, failed))
        await store.update_endpoint(tx, account_id, id, {**changes, "failing_at": failing_at})
        if endpoint.status is WebhookStatus.ENABLED:
            await _react(tx, endpoint, failed, failing_at, site)

    await db.write(work, account_id=account_id, is_durable=False)
    if round.missed:
        logger.warning("events deleted before they were sent", webhook=id, events=round.missed)


def _failed_at(outcome: StoredMessage) -> datetime:
    """When the attempt was due: the first one when its message was."""
    return outcome.created_at if outcome.attempts == 1 else outcome.attempted_at or now()


async def _react(
    tx: Transaction,
    endpoint: Endpoint,
    failed: Sequence[StoredMessage],
    failing_at: datetime | None,
    site: Site | None,
) -> None:
    """Disable the webhook if it is gone or has failed for days; tell the owners."""
    ended = [each for each in failed if each.status is MessageStatus.FAILED]
    reason = None
    if any(each.answer_status == GONE for each in failed):
        reason = DisabledReason.GONE
    elif failing_at is not None and any(failing_at <= each.created_at for each in ended):
        reason = DisabledReason.FAILING
    if reason is not None:
        await set_status(tx, endpoint, WebhookStatus.DISABLED, reason=reason, by=BY)
    elif not ended or (endpoint.mailed_at and _is_recent(endpoint.mailed_at)):
        return
    account_id, error = endpoint.account_id, failed[-1].error or ""
    await store.update_endpoint(tx, account_id, endpoint.id, {"mailed_at": now()})
    for user in await users.list_users(tx, account_id):
        if user.role is Role.OWNER and not user.is_pending:
            await notify(
                tx, user.id, DISABLED if reason else FAILED, site, url=endpoint.url, error=error
            )


def _is_recent(mailed_at: datetime) -> bool:
    """Whether the last email is less than a day old; one of the future is not."""
    return timedelta() <= now() - mailed_at < MAIL_AGAIN
