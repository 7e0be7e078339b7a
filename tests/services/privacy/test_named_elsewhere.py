"""What an erasure does not change by itself is searched, and named before it begins."""

import pytest

from masthead.model.privacy.columns import LEFT
from masthead.model.privacy.erasures import ErasurePreview, describe_place
from masthead.services.privacy.erase import preview_erasure
from tests.conftest import Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.letters import execute
from tests.support.privacy import make_known
from tests.support.rich_account import make_rich
from tests.support.subscribers import make_subscriber, rows

NAMES = {"first_name": "Zebedee", "last_name": "Quuxley"}


async def look(cast: Cast, id: str) -> ErasurePreview:
    async with cast.db.read() as db:
        return await preview_erasure(db, cast.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)


@pytest.mark.parametrize("table", LEFT)
async def test_every_column_is_searched(acme: Cast, table: str) -> None:
    await (make_known if table == "dispatch_file" else make_rich)(acme)
    id = await make_subscriber(acme, "ada@example.test", last_name="Sesquipedal")
    assert not [each for each in (await look(acme, id)).named_elsewhere if each.table == table]
    account = "id" if table == "account" else "account_id"
    where = f"{account} = :account_id"
    where += " AND subscriber_id <> :id" if "address1" in LEFT[table] else ""
    sql = f"SELECT * FROM {table} WHERE {where}"  # noqa: S608 - the names above
    assert await rows(acme, sql, id=id), f"no row of {table}"
    for column in LEFT[table].split():
        text = f"c/o Sesquipedal, {column}"
        one = f"{where} AND number = 1" if table == "issue" else where
        sql = f"UPDATE {table} SET {column} = :text WHERE {one}"  # noqa: S608 - the names above
        await execute(acme, sql, id=id, text=text)
        found = [each for each in (await look(acme, id)).named_elsewhere if each.table == table]
        assert text in {each.text for each in found}
    assert describe_place(table)


async def test_namesakes_and_parts_of_words_are_not_named(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "zebedee@example.test", **NAMES)
    await make_subscriber(acme, "ada@example.test", last_name="Quuxley", address2="Quuxleyweg 7")
    assert (await look(acme, id)).named_elsewhere == []
    other = await make_subscriber(acme, "bob@example.test", last_name="Bob", address2="c/o quuxley")
    (found,) = (await look(acme, id)).named_elsewhere
    (subscription,) = await rows(
        acme,
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id",
        id=other,
    )
    assert (found.table, found.id, found.text) == (
        "subscription",
        subscription["id"],
        "c/o quuxley",
    )
