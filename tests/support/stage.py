"""A service with its background work at hand, one account, and a mail server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from masthead.background.worker import Background
from masthead.mail import Mailer
from masthead.services.key_usage import KeyUsage
from masthead.settings import Settings
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast, make_account, serving
from tests.support.factories import make_issue, make_subscription
from tests.support.mailbox import Mailbox, open_mailbox

SENDER = "Acme <hello@acme.test>"


@dataclass
class Stage:
    """A service of the test's own, with one account, and a mail server."""

    cast: Cast
    mailbox: Mailbox

    def background(
        self,
        mailer: Mailer | None = None,
        *,
        is_mute: bool = False,
        sender: str = SENDER,
        db: Any = None,
    ) -> Background:
        """A worker, that sends by the mail server unless it is mute."""
        sends_by = None if is_mute else mailer or self.mailbox.mailer()
        return Background(db or self.cast.db, KeyUsage(), mailer=sends_by, mail_from=sender)

    async def welcome(self, email: str = "ada@example.test", **fields: object) -> None:
        """Subscribe somebody who is to be welcomed."""
        await make_subscription(self.cast, email=email, send_welcome_email=True, **fields)

    async def outbox(self) -> list[dict[str, Any]]:
        """The letters, oldest first."""
        async with self.cast.db.read() as connection:
            rows = await connection.fetch_all("SELECT * FROM outbox ORDER BY id", {})
            return [dict(row) for row in rows]

    async def execute(self, sql: str, **parameters: object) -> None:
        """Run a statement behind the service's back."""

        async def work(tx: Transaction) -> None:
            await tx.execute_many(sql, [parameters])

        await self.cast.db.write(work)


@asynccontextmanager
async def open_stage(database_url: str) -> AsyncIterator[Stage]:
    """A service with an account that has issue 1, and a mail server."""
    settings = Settings(database_url=database_url)
    async with open_mailbox() as mailbox, serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast)
        yield Stage(cast, mailbox)
