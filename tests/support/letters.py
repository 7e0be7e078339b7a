"""Subscribers whose subscriptions end, and the letters that are written to them."""

from datetime import UTC, datetime
from typing import Any

from masthead.model.letters.outcomes import LetterChannel
from masthead.model.orders.order import OrderDefaults
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.write import WrittenBatch, write_letters
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support import order_lines as imports
from tests.support.factories import PLACEHOLDER_DOMAIN, fresh_order_id, make_issue
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
    lines = [
        imports.OrderLine(
            number=2 + number,
            cells={
                "order_id": fresh_order_id(),
                "first_name": "Ada",
                "last_name": f"No. {number}",
                "email": f"{prefix}{number}@example.test",
                "country": "DE",
                "order_date": "2026-01-15",
                "start_issue": "1",
                "length": str(length),
                "price": "42.00",
                **columns,
            },
        )
        for number in range(count)
    ]
    how = imports.Import(
        account_id=cast.account_id,
        source_id=cast.imported,
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )
    rejects: list[imports.Reject] = []
    summary = await imports.import_lines(cast.db, lines, how, on_reject=rejects.append)
    assert summary.imported == count, rejects[:3]


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
