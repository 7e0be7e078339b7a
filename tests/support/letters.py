"""Subscribers whose subscriptions end, and the letters that are written to them."""

from datetime import UTC, datetime
from typing import Any

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.write import WrittenBatch, write_letters
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.factories import import_rows, make_issue
from tests.support.own_service import SITE

ADDRESS = {"address1": "Hafenweg 1", "postcode": "20095", "city": "Hamburg"}


async def set_up(cast: Cast, *, current: int = 3, first: int = 1) -> None:
    """Create issues up to the current one; stages count from it."""
    today = datetime.now(UTC).date().isoformat()
    for number in range(first, current + 1):
        await make_issue(
            cast, number, date_as_start_issue=today if number == current else "2026-01-01"
        )


async def add_subscribers(
    cast: Cast, count: int, *, length: int | str = 3, prefix: str = "ada", **columns: str
) -> None:
    """Import subscribers whose subscriptions begin with issue 1: ada0@example.test and so on."""
    common = {"start_issue": "1", "length": str(length), **columns}
    rows = [
        {"last_name": f"No. {number}", "email": f"{prefix}{number}@example.test", **common}
        for number in range(count)
    ]
    await import_rows(cast, *rows)


async def write(
    cast: Cast,
    stage: RenewalStage = RenewalStage.LAST,
    channel: LetterChannel = LetterChannel.EMAIL,
) -> WrittenBatch:
    """Write the letters of a stage."""
    return await write_letters(cast.db, cast.account_id, stage, channel, site=SITE, by=BY)


async def letters_of(cast: Cast) -> list[dict[str, Any]]:
    """The rows of the letters, oldest first."""
    rows = await cast.db.fetch_all(
        "SELECT * FROM renewal_letter WHERE account_id = :id ORDER BY id", {"id": cast.account_id}
    )
    return [dict(row) for row in rows]


async def emails_of(cast: Cast) -> list[dict[str, Any]]:
    """The rows of the outbox, oldest first."""
    rows = await cast.db.fetch_all(
        "SELECT * FROM outbox WHERE account_id = :id ORDER BY id", {"id": cast.account_id}
    )
    return [dict(row) for row in rows]


async def execute(cast: Cast, sql: str, **parameters: object) -> None:
    """Run a statement directly on the database."""

    async def work(tx: Transaction) -> None:
        await tx.execute_many(sql, [{"account_id": cast.account_id, **parameters}])

    await cast.db.write(work)
