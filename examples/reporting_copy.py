"""Keep a copy of the issues, subscribers and subscriptions in a PostgreSQL database, for reports.

    MASTHEAD_URL=… MASTHEAD_KEY=… REPORTING_DATABASE=postgresql://… python reporting_copy.py

The first run copies everything, the next ones what has changed since; run it every 15 minutes. A
read-only key is enough. The schema `reporting` has a table for each list, with `id` and the JSON of
the API in `data`: `SELECT data->>'status', count(*) FROM reporting.subscriptions GROUP BY 1`.
"""

import asyncio
import json
import os

import asyncpg

from masthead_client import AsyncMasthead, CursorExpired

LISTS = {"issue": "issues", "subscriber": "subscribers", "subscription": "subscriptions"}
TABLE = "CREATE TABLE IF NOT EXISTS reporting.{} (id text PRIMARY KEY, data jsonb NOT NULL)"
PLACES = "CREATE TABLE IF NOT EXISTS reporting.places (name text PRIMARY KEY, place text NOT NULL)"
PUT = """
    INSERT INTO reporting.{} VALUES ($1, $2)
    ON CONFLICT (id) DO UPDATE SET data = excluded.data
"""
PUT_PLACE = """
    INSERT INTO reporting.places VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET place = excluded.place
"""


class Copy:
    """A copy in a database. places: the cursor of the events, and a moment for each list."""

    def __init__(self, client: AsyncMasthead, database: asyncpg.Connection) -> None:
        self.client, self.database = client, database

    async def update(self) -> None:
        """Bring the copy up to date."""
        async with self.database.transaction():
            await self.database.execute("CREATE SCHEMA IF NOT EXISTS reporting")
            for statement in (PLACES, *map(TABLE.format, LISTS.values())):
                await self.database.execute(statement)
        try:
            await self.follow_deletions()
        except CursorExpired:  # some were missed: copy everything again
            async with self.database.transaction():
                for name in ("places", *LISTS.values()):
                    await self.database.execute(f"DELETE FROM reporting.{name}")
            await self.follow_deletions()
        for name in LISTS.values():
            await self.copy_changes(name)

    async def follow_deletions(self) -> None:
        """Delete the records that no list has any more, such as subscribers who were merged."""
        cursor = await self.find_place("events")
        async for event in self.client.events(cursor, save=self.save_cursor):
            id, table = event["record"]["id"], LISTS.get(event["record"]["type"])
            is_gone = event["type"].endswith(".deleted")
            if event["type"] == "subscriber.merged":  # the id leads to the one that was kept
                is_gone = (await self.client.subscribers.get(id))["id"] != id
            if is_gone and table:
                await self.database.execute(f"DELETE FROM reporting.{table} WHERE id = $1", id)

    async def copy_changes(self, name: str) -> None:
        """Copy the records of a list that have changed, in one transaction with the moment."""
        moment = await self.find_place(name) or "1970-01-01"
        changes = getattr(self.client, name).list(updated_since=moment)
        async with self.database.transaction():
            async for page in changes.pages():
                rows = [(record["id"], json.dumps(record)) for record in page["items"]]
                await self.database.executemany(PUT.format(name), rows)
            await self.database.execute(PUT_PLACE, name, changes.next_updated_since)

    async def find_place(self, name: str) -> str | None:
        """The cursor or the moment of a list; None at the beginning."""
        statement = "SELECT place FROM reporting.places WHERE name = $1"
        place: str | None = await self.database.fetchval(statement, name)
        return place

    async def save_cursor(self, cursor: str) -> None:
        """Store the place after the events that are handled."""
        await self.database.execute(PUT_PLACE, "events", cursor)


async def main() -> None:
    """Update the copy once."""
    database = await asyncpg.connect(os.environ["REPORTING_DATABASE"])
    async with AsyncMasthead(os.environ["MASTHEAD_URL"], os.environ["MASTHEAD_KEY"]) as client:
        await Copy(client, database).update()
    await database.close()


if __name__ == "__main__":
    asyncio.run(main())
