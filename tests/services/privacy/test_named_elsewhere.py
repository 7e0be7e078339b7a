"""What an erasure does not change by itself is searched, and named before it begins."""

from masthead.model.privacy.columns import LEFT
from masthead.model.privacy.erasures import NamedElsewhere, describe_place
from masthead.services.privacy.named_elsewhere import list_named_elsewhere
from tests.conftest import Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.letters import execute
from tests.support.privacy import make_known
from tests.support.rich_account import make_rich
from tests.support.subscribers import make_subscriber, rows
from tests.support.webhooks import make_webhook

NAMES = {"first_name": "Zebedee", "last_name": "Quuxley"}


async def look(cast: Cast, id: str) -> list[NamedElsewhere]:
    async with cast.db.read() as db:
        return await list_named_elsewhere(
            db, cast.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN
        )


async def test_every_column_is_searched(acme: Cast, rival: Cast) -> None:
    await make_rich(acme)
    await make_webhook(acme, "https://hooks.example.test/")
    await make_known(rival)
    casts = {table: rival if table == "dispatch_file" else acme for table in LEFT}
    names = {table: f"Sesquipedal{table.replace('_', '')}" for table in LEFT}
    ids = {
        table: await make_subscriber(cast, f"{table}@example.test", last_name=names[table])
        for table, cast in casts.items()
    }
    for table, cast in casts.items():
        await require_searched(cast, table, ids[table], names[table])


async def require_searched(cast: Cast, table: str, id: str, name: str) -> None:
    """Write the name of a subscriber into each column of a table, and look for it."""
    assert not [each for each in await look(cast, id) if each.table == table]
    account = "id" if table == "account" else "account_id"
    where = f"{account} = :account_id"
    owner = "id" if table == "subscriber" else "subscriber_id"
    where += f" AND {owner} <> :id" if "address1" in LEFT[table] else ""
    sql = f"SELECT * FROM {table} WHERE {where}"  # noqa: S608 - the names above
    assert await rows(cast, sql, id=id), f"no row of {table}"
    for column in LEFT[table].split():
        text = f"c/o {name}, {column}"
        one = f"{where} AND number = 1" if table == "issue" else where
        sql = f"UPDATE {table} SET {column} = :text WHERE {one}"  # noqa: S608 - the names above
        await execute(cast, sql, id=id, text=text)
        found = [each for each in await look(cast, id) if each.table == table]
        assert text in {each.text for each in found}, f"{table}.{column}"
    assert describe_place(table)


async def test_namesakes_and_parts_of_words_are_not_named(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "zebedee@example.test", **NAMES)
    await make_subscriber(acme, "ada@example.test", last_name="Quuxley", address2="Quuxleyweg 7")
    assert await look(acme, id) == []
    other = await make_subscriber(acme, "bob@example.test", last_name="Bob", address2="c/o quuxley")
    (found,) = await look(acme, id)
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
