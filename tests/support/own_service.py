"""A service for one test, with one account, background work and an email server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from masthead.background.worker import Background
from masthead.mail import Mailer
from masthead.model.emails import Site
from masthead.services.key_usage import KeyUsage
from masthead.settings import Settings
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast, make_account, serving
from tests.support.factories import make_issue, make_subscription
from tests.support.mailbox import Mailbox, open_mailbox
from tests.support.replica import read_url_of

SENDER = "Acme <hello@acme.test>"
SITE = Site("https://desk.acme.test", "placeholder.example")


@dataclass
class OwnService:
    """A service for one test, with one account and an email server."""

    cast: Cast
    mailbox: Mailbox
    database_url: str = ""

    def background(
        self,
        mailer: Mailer | None = None,
        *,
        is_mute: bool = False,
        sender: str = SENDER,
        db: Any = None,
        **options: Any,
    ) -> Background:
        """The background work of a worker. is_mute: without an email server."""
        sends_by = None if is_mute else mailer or self.mailbox.mailer()
        return Background(
            db or self.cast.db,
            KeyUsage(),
            mailer=sends_by,
            mail_from=sender,
            database_url=self.database_url,
            read_url=read_url_of(self.database_url),
            site=SITE,
            **options,
        )

    async def welcome(self, email: str = "ada@example.test", **fields: object) -> None:
        """Create a subscription with a welcome email."""
        await make_subscription(self.cast, email=email, send_welcome_email=True, **fields)

    async def outbox(self) -> list[dict[str, Any]]:
        """The rows of the outbox, oldest first."""
        async with self.cast.db.read() as connection:
            rows = await connection.fetch_all("SELECT * FROM outbox ORDER BY id", {})
            return [dict(row) for row in rows]

    async def execute(self, sql: str, **parameters: object) -> None:
        """Run a statement directly on the database."""

        async def work(tx: Transaction) -> None:
            await tx.execute_many(sql, [parameters])

        await self.cast.db.write(work)


@asynccontextmanager
async def open_own_service(database_url: str) -> AsyncIterator[OwnService]:
    """A service with an account that has issue 1, and an email server."""
    settings = Settings(database_url=database_url)
    async with open_mailbox() as mailbox, serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast)
        yield OwnService(cast, mailbox, database_url)
