"""The rows of subscribers as they are stored, and what depends on their name and email."""

from collections.abc import Collection, Mapping
from datetime import datetime
from operator import attrgetter

from masthead.model.errors import NotFound
from masthead.model.subscribers.corrections import CORRECTABLE
from masthead.model.subscribers.greetings import Addressed
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.full_names import Named
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one
from masthead.store.update_statement import update_columns


class StoredSubscriber(Addressed, frozen=True, kw_only=True):
    """A subscriber, merged or not. email: a placeholder if they have none.

    language: of what they get, None for none. latest_country: of their latest order.
    created_at: when the record was created, also if the API says only the day in UTC.
    """

    id: str
    email_key: str
    is_placeholder: bool
    merged_into: str | None
    unsubscribed_at: datetime | None
    language: str | None
    latest_country: str | None
    created_at: datetime

    def locale_in(self, account: Account) -> str:
        """The locale of what they get from an account."""
        return account.locale_for(self.language, self.country or self.latest_country)

    @property
    def shown_email(self) -> str | None:
        """The email address, without a placeholder."""
        return None if self.is_placeholder else self.email

    @property
    def shown(self) -> dict[str, str | None]:
        """What a form can correct, by the name of its column."""
        values = {name: getattr(self, name) for name in CORRECTABLE}
        return {**values, "email": self.shown_email}


class NamedSubscription(Named, frozen=True, kw_only=True):
    """The names on a subscription."""

    id: str


_SUBSCRIBER = "SELECT * FROM subscriber WHERE account_id = :account_id "


async def get_subscriber(db: Connection, account_id: int, id: str) -> StoredSubscriber:
    """A subscriber, merged or not. Queries: one. Raises: NotFound."""
    sql = _SUBSCRIBER + "AND id = :id"
    return await get_one(db, account_id, id, sql, into=StoredSubscriber, noun="subscriber")


async def get_kept_id(db: Connection, account_id: int, id: str) -> str:
    """The id of a subscriber, or of the one that they were merged into. Queries: one.

    Raises: NotFound.
    """
    row = await db.fetch_one(
        """
        SELECT coalesce(merged_into, id) AS id
        FROM subscriber
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    if row is None:
        raise NotFound("subscriber", id)
    return str(row["id"])


async def find_by_key(
    db: Connection, account_id: int, email_key: str, *, other_than: str = ""
) -> StoredSubscriber | None:
    """The subscriber with an email address, merged or not; of several, the oldest one.

    other_than: the id of a subscriber who is not found. Queries: one.
    """
    found = await fetch_all(
        db,
        _SUBSCRIBER + "AND email_key IN (:keys...)",
        {"account_id": account_id, "keys": stored_keys(email_key)},
        into=StoredSubscriber,
    )
    others = (each for each in found if each.id != other_than)
    return min(others, key=attrgetter("id"), default=None)


async def update_subscriber(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a subscriber, and the moment of the change. Queries: one."""
    await tx.execute(
        update_columns("subscriber", columns, has_moment=True),
        {**columns, "account_id": account_id, "id": id},
    )


async def list_subscription_ids(db: Connection, account_id: int, id: str) -> list[str]:
    """The ids of a subscriber's subscriptions. Queries: one. Index: subscription_by_subscriber."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id = :id
        ORDER BY id
        """,
        {"account_id": account_id, "id": id},
    )
    return [row["id"] for row in rows]


async def list_names(db: Connection, account_id: int, id: str) -> list[NamedSubscription]:
    """The names on all subscriptions of a subscriber, oldest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT id, first_name, last_name, company
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id = :id
        ORDER BY id
        """,
        {"account_id": account_id, "id": id},
        into=NamedSubscription,
    )


async def update_names(
    tx: Transaction, account_id: int, ids: Collection[str], columns: Mapping[str, object]
) -> None:
    """Set the names of subscriptions. columns: the new values by column. Queries: one."""
    await tx.execute(
        update_columns(
            "subscription", columns, where="account_id = :account_id AND id IN (:ids...)"
        ),
        {**columns, "account_id": account_id, "ids": list(ids)},
    )


async def list_gifts(db: Connection, account_id: int, giver_id: str) -> dict[str, str]:
    """The subscribers of the subscriptions that a subscriber gave, by id. Index: by giver."""
    rows = await db.fetch_all(
        """
        SELECT id, subscriber_id
        FROM subscription
        WHERE account_id = :account_id AND gifter_id = :giver
        ORDER BY id
        """,
        {"account_id": account_id, "giver": giver_id},
    )
    return {row["id"]: row["subscriber_id"] for row in rows}


async def update_giver(
    tx: Transaction, account_id: int, giver_id: str, *, name: str, email: str
) -> None:
    """Show another name and email of a giver on the subscriptions that they gave. Queries: one."""
    await tx.execute(
        """
        UPDATE subscription
        SET gifter_name = :name, gifter_email = :email
        WHERE account_id = :account_id AND gifter_id = :giver
        """,
        {"account_id": account_id, "giver": giver_id, "name": name, "email": email},
    )


# The emails to a subscriber that wait or failed
_UNSENT_EMAILS = """WHERE account_id = :account_id
          AND status IN ('waiting', 'failed')
          AND (
              subscriber_id = :id
              OR letter_id IN (
                  SELECT l.id
                  FROM renewal_letter l
                  WHERE l.account_id = :account_id AND l.subscriber_id = :id
              )
          )"""


async def redirect_emails(tx: Transaction, account_id: int, id: str, *, email: str) -> int:
    """Send a subscriber's emails that wait or failed to another address; returns how many.

    An email that is being sent now still goes to the old one. Queries: one.
    Index: outbox_by_account.
    """
    return await tx.execute(
        f"""
        UPDATE outbox
        SET recipient = :email
        {_UNSENT_EMAILS}
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "id": id, "email": email},
    )


async def cancel_emails(tx: Transaction, account_id: int, id: str, *, reason: str) -> int:
    """Cancel a subscriber's emails that wait or failed; returns how many. Queries: one."""
    return await tx.execute(
        f"""
        UPDATE outbox
        SET status = 'cancelled', last_error = :reason
        {_UNSENT_EMAILS}
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "id": id, "reason": reason},
    )
