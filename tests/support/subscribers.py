"""Create, correct and merge subscribers, and ask what became of them."""

from collections.abc import Mapping
from typing import Any

from masthead.model.subscribers.corrections import SubscriberCorrection
from masthead.services.check.accounts import check_account
from masthead.services.subscribers.correct import Corrected, correct_subscriber
from masthead.services.subscribers.merge import merge_subscribers
from masthead.store.engine.interface import Row, Transaction
from masthead.store.update_statement import update_columns
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row, make_subscription


async def make_subscriber(cast: Cast, email: str, **fields: object) -> str:
    """A subscriber with a new subscription; returns their id."""
    made = await make_subscription(cast, email=email, **fields)
    return str(made["subscriber"]["id"])


async def make_gift(cast: Cast, *, giver: str, **columns: str) -> dict[str, Any]:
    """A subscription that a subscriber gave to another one. giver: the id of the subscriber."""
    asked = {"is_gift": "true", "gifter_name": "Ada", "gifter_email": "ada@giver.test"}
    made = await import_row(cast, start_issue="1", length="1", **asked, **columns)
    await set_columns(cast, "subscription", made["id"], gifter_id=giver)
    return made


async def set_columns(cast: Cast, table: str, id: str, **columns: object) -> None:
    """Set columns of a row, as no service does."""

    async def work(tx: Transaction) -> None:
        await tx.execute(
            update_columns(table, columns), {**columns, "account_id": cast.account_id, "id": id}
        )

    await cast.db.write(work)


async def correct(
    cast: Cast,
    id: str,
    *,
    seen: Mapping[str, object] | None = None,
    with_subscriptions: bool = False,
    **fields: Any,
) -> Corrected:
    """Correct fields of a subscriber."""
    return await correct_subscriber(
        cast.db,
        cast.account_id,
        id,
        SubscriberCorrection(**fields),
        seen=seen,
        with_subscriptions=with_subscriptions,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def merge(cast: Cast, kept: str, merged: str) -> str:
    """Merge two subscribers; returns the id of the merge."""
    return await merge_subscribers(cast.db, cast.account_id, kept_id=kept, merged_id=merged, by=BY)


async def subscriber(cast: Cast, id: str) -> dict[str, Any]:
    """A subscriber as the API shows it."""
    response = await cast.get(f"/v1/subscribers/{id}/")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def found_by(cast: Cast, text: str) -> list[str]:
    """The ids of the subscribers that a search finds."""
    response = await cast.get("/v1/subscribers/", search=text)
    return [each["id"] for each in response.json()["items"]]


async def rows(cast: Cast, sql: str, **values: object) -> list[Row]:
    """The rows of a query in the account."""
    return await cast.db.fetch_all(sql, {"account_id": cast.account_id, **values})


async def require_sound(cast: Cast) -> None:
    """Check that no invariant of the account is broken."""
    faults = [fault async for fault in check_account(cast.db, cast.subdomain)]
    assert not faults, faults
