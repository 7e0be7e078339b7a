"""Texts about others that name an erased subscriber lose the name, in every table."""

from typing import Any

import pytest

from masthead.model.privacy.columns import KEPT, NOT_PERSONAL
from masthead.store.privacy.mentions import TEXTS
from tests.conftest import Cast
from tests.support.letters import execute
from tests.support.privacy import erase
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


async def texts(cast: Cast, table: str) -> list[dict[str, Any]]:
    """The texts of a table that are searched."""
    columns = ", ".join(TEXTS[table][1])
    sql = f"SELECT {columns} FROM {table} WHERE account_id = :account_id"  # noqa: S608 - constants
    return [dict(row) for row in await rows(cast, sql)]
