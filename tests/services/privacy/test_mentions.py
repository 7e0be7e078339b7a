"""Texts about others that name an erased subscriber lose the name, in every table."""

from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.privacy.columns import KEPT
from masthead.store.privacy.mentions import TEXTS
from tests.conftest import Cast
from tests.services.privacy.columns import NOT_PERSONAL
from tests.support.factories import import_row, make_issue
from tests.support.letters import execute
from tests.support.privacy import erase, find_traces
from tests.support.rich_account import make_rich
from tests.support.subscribers import make_subscriber, rows

# Of billing and what came with it, which `make_rich` fills
TABLES = (
    "bank_line bank_statement billed_order mandate payer payment reminder reminder_term "
    "settlement subscription_hold"
).split()


@pytest.mark.parametrize("lists", [KEPT, NOT_PERSONAL])
def test_what_is_searched_is_in_no_list_of_what_stays(lists: dict[str, str]) -> None:
    assert [
        f"{table}.{column}"
        for table, (_keys, columns) in TEXTS.items()
        for column in columns
        if column in lists.get(table, "").split()
    ] == []


async def test_every_text_of_billing_is_searched(acme: Cast) -> None:
    await make_rich(acme)
    id = await make_subscriber(acme, "zed@example.test", first_name="Zebedee", last_name="Quuxley")
    for table in TABLES:
        assert await texts(acme, table), f"no row of {table}"
        for column in TEXTS[table][1]:
            sql = f"UPDATE {table} SET {column} = :text WHERE account_id = :account_id"  # noqa: S608 - constants
            await execute(acme, sql, text=f"of QUUXLEY ZEBEDEE, {column}")
    await erase(acme, id)
    for table in TABLES:
        for row in await texts(acme, table):
            assert row == {column: f"of [erased], {column}" for column in TEXTS[table][1]}, table


async def test_texts_of_other_subscribers_are_searched(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "zed@example.test", first_name="Zebedee", last_name="Quuxley")
    other = await make_subscriber(acme, "other@example.test")
    gift = await import_row(
        acme,
        email="kid@example.test",
        is_gift="true",
        gifter_name="Zebedee Quuxley",
        gifter_email="uncle@example.test",
        start_issue="1",
        length="1",
    )
    await execute(
        acme,
        "UPDATE subscriber SET bounce_reason = 'ask zed@example.test'"
        " WHERE account_id = :account_id AND id = :id",
        id=other,
    )
    request = {
        "account_id": acme.account_id,
        "id": new_id(acme.account_id),
        "subscriber_id": other,
        "action": "claim",
        "status": "waiting",
        "notes": "Zebedee Quuxley has taken it",
        "created_at": now(),
        "actor_kind": "subscriber",
        "actor_id": other,
    }
    await acme.db.write(lambda tx: tx.insert_rows("subscriber_request", [request]))
    await erase(acme, id)
    assert await find_traces(acme, ["zed@example", "zebedee", "quuxley"]) == []
    shown = (await acme.get(f"/v1/subscriptions/{gift['id']}/")).json()
    assert shown["gifter"]["full_name"] == "[erased]"


async def texts(cast: Cast, table: str) -> list[dict[str, Any]]:
    """The texts of a table that are searched."""
    columns = ", ".join(TEXTS[table][1])
    sql = f"SELECT {columns} FROM {table} WHERE account_id = :account_id"  # noqa: S608 - constants
    return [dict(row) for row in await rows(cast, sql)]
