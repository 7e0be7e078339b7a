"""Webhooks: their addresses, keys and state."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct, json

from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.events.types import PublicEventType
from masthead.model.ids import RowKey, first_copy_id, new_id
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.webhooks.resources import DisabledReason, Webhook, WebhookStatus
from masthead.model.webhooks.retries import LONGEST_WAIT
from masthead.model.webhooks.signatures import SigningKeys
from masthead.store.engine import rows
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.update_statement import update_row


class Endpoint(Struct, frozen=True):
    """A webhook as it is stored.

    types: of the events that it gets; none for all. last_number: of the last event that was looked
    at. missed: events that were deleted before that. failing_at: since when no request has been
    accepted. mailed_at: when the owners last got an email about failed messages.
    """

    account_id: int
    id: str
    url: str
    types: list[PublicEventType]
    status: WebhookStatus
    disabled_reason: DisabledReason | None
    signing_keys: list[SigningKeys]
    last_number: int
    missed: int
    failing_at: datetime | None
    mailed_at: datetime | None
    created_at: datetime

    def wants(self, type: PublicEventType) -> bool:
        """Whether it gets events of a type."""
        return not self.types or type in self.types

    def resource(self) -> Webhook:
        """The webhook as the API shows it."""
        return Webhook(
            id=self.id,
            url=self.url,
            types=self.types,
            status=self.status,
            disabled_reason=self.disabled_reason,
            failing_since=self.failing_at,
            public_key=self.signing_keys[0].public,
            last_event=first_copy_id(self.account_id) + self.last_number,
            missed=self.missed,
            created_at=self.created_at,
        )


_SELECT = """
    SELECT
        account_id,
        id,
        url,
        types,
        status,
        disabled_reason,
        signing_keys,
        last_number,
        missed,
        failing_at,
        mailed_at,
        created_at
    FROM webhook
    WHERE account_id = :account_id
"""


async def list_webhooks(db: Connection, account_id: int, page: PageRequest) -> Page[Webhook]:
    """The webhooks of an account, newest first. Queries: one. Index: the primary key."""
    found = await rows.fetch_all(
        db,
        _SELECT + " AND id < :after ORDER BY id DESC LIMIT :fetch",
        {"account_id": account_id, "after": page.after_id, "fetch": page.fetch},
        into=Endpoint,
    )
    return cut_page([each.resource() for each in found], page)


async def find_endpoint(db: Connection, account_id: int, id: str) -> Endpoint | None:
    """A webhook as it is stored, or None. Queries: one."""
    values = {"account_id": account_id, "id": id}
    return await rows.fetch_one(db, _SELECT + " AND id = :id", values, into=Endpoint)


async def get_endpoint(db: Connection, account_id: int, id: str) -> Endpoint:
    """A webhook as it is stored. Queries: one. Raises: NotFound."""
    endpoint = await find_endpoint(db, account_id, id)
    if endpoint is None:
        raise NotFound("webhook", id)
    return endpoint


async def count_webhooks(db: Connection, account_id: int) -> int:
    """The number of webhooks of an account."""
    row = await db.fetch_one(
        "SELECT count(*) AS count FROM webhook WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


async def insert_endpoint(
    tx: Transaction,
    account_id: int,
    *,
    url: str,
    types: Sequence[PublicEventType],
    keys: SigningKeys,
    last_number: int,
) -> str:
    """Store a webhook; returns its id. last_number: of the last event that it does not get."""
    id = new_id(account_id)
    await rows.insert_row(
        tx,
        "webhook",
        account_id=account_id,
        id=id,
        url=url,
        types=_stored(types),
        status=WebhookStatus.ENABLED.value,
        signing_keys=_stored([keys]),
        last_number=last_number,
        missed=0,
        created_at=now(),
    )
    return id


def _stored(value: object) -> object:
    """The value of a column: sequences are stored as JSON."""
    return json.encode(value).decode() if isinstance(value, list | tuple) else value


async def update_endpoint(
    tx: Transaction, account_id: int, id: str, changes: Mapping[str, object]
) -> None:
    """Change columns of a webhook. Queries: one."""
    stored = {name: _stored(value) for name, value in changes.items()}
    await update_row(tx, account_id, "webhook", id, **stored)


async def delete_endpoint(tx: Transaction, account_id: int, id: str) -> None:
    """Delete a webhook and its messages."""
    values = {"account_id": account_id, "id": id}
    await tx.execute(
        "DELETE FROM webhook_delivery WHERE account_id = :account_id AND webhook_id = :id", values
    )
    await tx.execute("DELETE FROM webhook WHERE account_id = :account_id AND id = :id", values)


async def list_due_endpoints(db: Connection) -> list[RowKey]:
    """The enabled webhooks of all active accounts that have something to send."""
    moment = now()
    return await rows.fetch_all(
        db,
        """
        SELECT w.account_id, w.id
        FROM webhook w
        JOIN account a ON a.id = w.account_id
        JOIN account_state s ON s.account_id = w.account_id
        WHERE w.status = 'enabled'
          AND a.is_active
          AND (
              s.last_event > w.last_number
              OR EXISTS (
                  SELECT 1
                  FROM webhook_delivery d
                  WHERE d.account_id = w.account_id
                    AND d.webhook_id = w.id
                    AND d.next_attempt_at IS NOT NULL
                    AND (d.next_attempt_at <= :now OR d.next_attempt_at > :too_late)
              )
          )
        ORDER BY w.account_id, w.id
        """,
        {"now": moment, "too_late": moment + LONGEST_WAIT},
        into=RowKey,
    )


async def hold_endpoint(tx: Transaction, account_id: int, id: str) -> Endpoint | None:
    """A webhook that no other transaction changes until the commit; None if it was deleted."""
    await tx.execute(
        "UPDATE webhook SET url = url WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    return await find_endpoint(tx, account_id, id)
