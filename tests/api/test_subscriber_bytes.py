"""GET /v1/subscribers/: the database writes the JSON, and with the same bytes as the encoder."""

from datetime import UTC, date, datetime
from itertools import product

import msgspec
import pytest

from masthead.model.ids import new_ids
from masthead.model.resources import Subscriber
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_text
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.subscribers.records import insert_subscribers
from tests.conftest import Client, make_account

PATH = "/v1/subscribers/"
CONTROLS = "".join(map(chr, [*range(1, 0x20), 0x7F, 0x80, 0x9F, 0x2028, 0x2029, 0xFEFF]))
NAMES = (None, "", "Ada", 'O"Neil \\ </b> %s {} :id', "Łucja 漢字 👩\u200d🚀", CONTROLS)
AMOUNTS = (0, 7, 99, 100, 12_345_678, -1, -4200, 2**62)
DAYS = (None, date(2, 1, 1), date(9999, 12, 31))
MOMENTS = (
    datetime(2026, 11, 23, 0, 0, 0, 1, UTC),
    datetime(2026, 11, 22, 23, 59, 59, 999_999, UTC),
)


def rows_of(account_id: int) -> list[Row]:
    """Subscribers with every pair of names, and each other value in turn."""
    names = list(product(NAMES, NAMES, NAMES[:4]))
    return [
        {
            "id": id,
            "email": f'"{n}"@\u00e9.test',
            "email_key": f"{n}@e.test",
            "is_placeholder": False,
            "first_name": first,
            "last_name": last,
            "company": company,
            "subscription_count": n,
            "has_active_subscription": n % 2 == 0,
            "latest_order_date": DAYS[n % len(DAYS)],
            "latest_country": (None, "DE")[n % 2],
            "ltv": AMOUNTS[n % len(AMOUNTS)],
            "created_at": MOMENTS[n % len(MOMENTS)],
        }
        for n, (id, (first, last, company)) in enumerate(
            zip(new_ids(account_id, len(names), after=""), names, strict=True)
        )
    ]


def encoded(row: Row, currency: str) -> bytes:
    """The subscriber of a row as JSON."""
    name = full_name(row["first_name"], row["last_name"], row["company"], row["email"])
    amount, day = money_text(row["ltv"], currency), row["created_at"].date()
    values = {field: row[field] for field in Subscriber.__struct_fields__ if field in row}
    subscriber = msgspec.convert(
        {
            **values,
            "full_name": name,
            "ltv": amount,
            "ltv_currency": currency,
            "date_created": day,
        },
        Subscriber,
    )
    return msgspec.json.encode(subscriber)


@pytest.mark.parametrize("currency", ["EUR", "JPY", "KWD", "CLF"])
async def test_the_database_writes_what_the_encoder_would(
    client: Client, db: Database, currency: str
) -> None:
    cast = await make_account(client, db, "Bytes", currency)
    rows = rows_of(cast.account_id)

    async def work(tx: Transaction) -> None:
        await insert_subscribers(tx, cast.account_id, rows, moment=MOMENTS[0])

    await db.write(work, account_id=cast.account_id)
    newest_first = sorted(rows, key=lambda row: str(row["id"]), reverse=True)
    lines = [encoded(row, currency) for row in newest_first]
    body = (await cast.get(PATH, limit=200)).content
    assert body.startswith(b'{"items":[' + b",".join(lines) + b'],"has_more":false')
    for row, line in zip(newest_first[:12], lines, strict=False):
        assert (await cast.get(f"{PATH}{row['id']}/")).content == line
