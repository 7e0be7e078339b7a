"""The background work writes search texts of earlier versions again."""

import re

from msgspec import structs

from masthead.model.search import END, SearchTexts
from masthead.services.check.accounts import check_account
from masthead.store.engine.interface import Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.search import text_index
from tests.support.factories import make_subscription
from tests.support.own_service import OwnService
from tests.support.walk import walk


async def count_found(own: OwnService, search: str) -> tuple[int, int]:
    """How many subscribers and subscriptions a search finds."""
    subscribers = await walk(own.cast, "/v1/subscribers/", search=search)
    subscriptions = await walk(own.cast, "/v1/subscriptions/", search=search)
    return len(subscribers), len(subscriptions)


async def test_texts_of_an_earlier_version_are_written_again(own: OwnService) -> None:
    account_id, db = own.cast.account_id, own.cast.db
    for name in ("O’Brien", "Schmidt‑Rottluff", "Plain"):
        await make_subscription(own.cast, last_name=name, phone="0421/123456")
    numbers = await text_index.list_outdated(db, account_id, after=0, limit=100)
    assert numbers == {}

    async def age(tx: Transaction) -> None:
        """Write the texts as the version before did."""
        rows = await fetch_all(
            tx,
            "SELECT * FROM searchable WHERE account_id = :account_id",
            {"account_id": account_id},
            into=SearchTexts,
        )
        await text_index.delete_texts(tx, account_id, [row.n for row in rows])
        older = [
            structs.replace(
                row,
                **{
                    name: re.sub("o'?brien", "o’brien", value).replace(END, "\n\n")
                    for name, value in structs.asdict(row).items()
                    if name.endswith("_text")
                },
            )
            for row in rows
        ]
        await text_index.insert_texts(tx, account_id, older)

    await db.write(age)
    assert await count_found(own, "O'Brien") == (0, 0)
    assert len(await text_index.list_outdated(db, account_id, after=0, limit=100)) == 3
    assert [fault async for fault in check_account(db, own.cast.subdomain)] == []  # it waits
    worker = own.background()
    for _ in range(2):
        await worker.work_once()
    assert await count_found(own, "O'Brien") == (1, 1)
    assert await count_found(own, "+49 421 123456") == (3, 3)
    assert [fault async for fault in check_account(db, own.cast.subdomain)] == []
    assert await text_index.list_outdated(db, account_id, after=0, limit=100) == {}
