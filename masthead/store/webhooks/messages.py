"""Messages to webhooks: those that are due, what became of them, and their list."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct, structs

from masthead.model.clock import now
from masthead.model.events.resources import Event
from masthead.model.ids import first_copy_id
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.webhooks.inputs import MessageQuery
from masthead.model.webhooks.messages import TEST_NUMBER, message_id
from masthead.model.webhooks.resources import MessageStatus, WebhookDelivery
from masthead.model.webhooks.retries import LONGEST_WAIT
from masthead.store.engine import rows
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.log import find_events

_SELECT = """
    SELECT
        number,
        status,
        attempts,
        created_at,
        attempted_at,
        next_attempt_at,
        duration_ms,
        answer_status,
        answer,
        error
    FROM webhook_delivery
    WHERE account_id = :account_id AND webhook_id = :webhook_id
"""


class StoredMessage(Struct, frozen=True, kw_only=True):
    """A message as it is stored. number: of its event, 0 for a test.

    error: `reason` of `WebhookDelivery`, which has the other fields, too.
    """

    number: int
    status: MessageStatus
    attempts: int
    created_at: datetime
    attempted_at: datetime | None = None
    next_attempt_at: datetime | None
    duration_ms: int | None = None
    answer_status: int | None = None
    answer: str | None = None
    error: str | None = None

    def resource(self, account_id: int, events: Mapping[int, Event]) -> WebhookDelivery:
        """The message as the API shows it. events: by number."""
        return WebhookDelivery(
            id=message_id(first_copy_id(account_id), self.number, self.created_at),
            event=events.get(self.number),
            status=self.status,
            attempts=self.attempts,
            created_at=self.created_at,
            attempted_at=self.attempted_at,
            next_attempt_at=self.next_attempt_at,
            duration_ms=self.duration_ms,
            answer_status=self.answer_status,
            answer=self.answer,
            reason=self.error,
        )


async def list_due(
    db: Connection, account_id: int, webhook_id: str, *, limit: int
) -> list[StoredMessage]:
    """The messages that are tried again now. Queries: one. Index: webhook_delivery_by_time."""
    moment = now()
    return await rows.fetch_all(
        db,
        f"""
        {_SELECT}
          AND next_attempt_at IS NOT NULL
          AND (next_attempt_at <= :now OR next_attempt_at > :too_late)
        ORDER BY next_attempt_at
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "webhook_id": webhook_id,
            "now": moment,
            "too_late": moment + LONGEST_WAIT,
            "limit": limit,
        },
        into=StoredMessage,
    )


async def write_messages(
    tx: Transaction, account_id: int, webhook_id: str, messages: Sequence[StoredMessage]
) -> None:
    """Store what became of messages. Queries: one for each."""
    await tx.execute_many(
        """
        INSERT INTO webhook_delivery (
            account_id, webhook_id, number, status, attempts, created_at, attempted_at,
            next_attempt_at, duration_ms, answer_status, answer, error
        )
        VALUES (
            :account_id, :webhook_id, :number, :status, :attempts, :created_at, :attempted_at,
            :next_attempt_at, :duration_ms, :answer_status, :answer, :error
        )
        ON CONFLICT (account_id, webhook_id, number) DO UPDATE
        SET status = excluded.status,
            attempts = excluded.attempts,
            created_at = excluded.created_at,
            attempted_at = excluded.attempted_at,
            next_attempt_at = excluded.next_attempt_at,
            duration_ms = excluded.duration_ms,
            answer_status = excluded.answer_status,
            answer = excluded.answer,
            error = excluded.error
        """,
        [
            {
                **structs.asdict(message),
                "status": message.status.value,
                "account_id": account_id,
                "webhook_id": webhook_id,
            }
            for message in messages
        ],
    )


async def send_test(tx: Transaction, account_id: int, webhook_id: str) -> None:
    """Let a test be sent. It replaces the test before."""
    moment = now()
    test = StoredMessage(
        number=TEST_NUMBER,
        status=MessageStatus.WAITING,
        attempts=0,
        created_at=moment,
        next_attempt_at=moment,
    )
    await write_messages(tx, account_id, webhook_id, [test])


async def send_again(
    tx: Transaction,
    account_id: int,
    webhook_id: str,
    *,
    first: int,
    last: int,
    types: Sequence[str],
) -> int:
    """Let events of these types be sent again, as if they were new; returns how many.

    first, last: numbers of events. types: none for all. Queries: one.
    """
    return await tx.execute(
        f"""
        INSERT INTO webhook_delivery (
            account_id, webhook_id, number, status, attempts, created_at, next_attempt_at
        )
        SELECT
            account_id,
            :webhook_id,
            number,
            'waiting',
            0,
            :now,
            :now
        FROM event
        WHERE account_id = :account_id
          AND number BETWEEN :first AND :last
          {"AND type IN (:types...)" if types else ""}
        ON CONFLICT (account_id, webhook_id, number) DO UPDATE
        SET status = 'waiting',
            attempts = 0,
            created_at = excluded.created_at,
            next_attempt_at = excluded.next_attempt_at
        """,  # noqa: S608 - a constant
        {
            "account_id": account_id,
            "webhook_id": webhook_id,
            "first": first,
            "last": last,
            "types": list(types),
            "now": now(),
        },
    )


async def list_messages(
    db: Connection, account_id: int, webhook_id: str, query: MessageQuery, page: PageRequest
) -> Page[WebhookDelivery]:
    """Messages that match the filters, the newest events first, then the test.

    Queries: two. Index: the primary key, or webhook_delivery_by_status.
    """
    found = await rows.fetch_all(
        db,
        f"""
        {_SELECT}
          AND number < :after
          {"AND status = :status" if query.status is not None else ""}
        ORDER BY number DESC
        LIMIT :fetch
        """,
        {
            "account_id": account_id,
            "webhook_id": webhook_id,
            "after": page.after_number,
            "status": query.status,
            "fetch": page.fetch,
        },
        into=StoredMessage,
    )
    listed = cut_page(found, page, key="number")
    events = await find_events(db, account_id, [each.number for each in listed.items])
    return Page(
        items=[each.resource(account_id, events) for each in listed.items],
        has_more=listed.has_more,
        cursor=listed.cursor,
    )


async def find_message(
    db: Connection, account_id: int, webhook_id: str, number: int
) -> WebhookDelivery | None:
    """A message, or None. Queries: two."""
    message = await rows.fetch_one(
        db,
        _SELECT + " AND number = :number",
        {"account_id": account_id, "webhook_id": webhook_id, "number": number},
        into=StoredMessage,
    )
    if message is None:
        return None
    return message.resource(account_id, await find_events(db, account_id, [number]))
