"""A database with data of all kinds that texts and columns may have."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import apsw

from masthead.settings import Settings
from masthead.store.engine.interface import Transaction
from masthead.store.engine.moving.snapshots import connect_for_moving
from tests.conftest import Cast, make_account, serving
from tests.support.citus import not_on_citus
from tests.support.factories import make_issue, make_subscription

ODD_TEXT = "a\\N tab\there\nline\r\\x41 \b\f\v 'quotes\" ü 漢 😀"

NOT_IN_USE = not_on_citus("a database in use is not backed up")


@asynccontextmanager
async def filled(url: str, subscriptions: int = 3) -> AsyncIterator[Cast]:
    """An account with a few subscriptions, a text with every special character, and bytes."""
    async with serving(Settings(database_url=url)) as (app, client):
        acme = await make_account(client, app.state.db, "Acme")
        await make_issue(acme, 1)
        for number in range(subscriptions):
            await make_subscription(acme, notes=f"note {number}", last_name="Lovelace")

        async def work(tx: Transaction) -> None:
            await tx.execute(
                "INSERT INTO secret (name, value) VALUES ('odd', :text)", {"text": ODD_TEXT}
            )

        await acme.db.write(work)
        yield acme


async def add_guest_table(url: str) -> None:
    """Create a table that is not one of masthead's."""
    statement = "CREATE TABLE guest (name text)"
    if url.startswith("sqlite:"):
        connection = apsw.Connection(url.removeprefix("sqlite:///"))
        connection.execute(statement)
        connection.close()
    else:
        postgres = await connect_for_moving(url)
        await postgres.execute(statement)
        await postgres.close()
