"""A database with data of all kinds that texts and columns may have."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from masthead.settings import Settings
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast, make_account, serving
from tests.support.factories import make_issue, make_subscription

ODD_TEXT = "a\\N tab\there\nline\r\\x41 \b\f\v 'quotes\" ü 漢 😀"


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
