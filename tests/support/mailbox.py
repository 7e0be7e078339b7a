"""An email server on loopback that keeps every email, and can be set to refuse them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP

from masthead.mail import Mailer
from tests.support.ports import open_until_end

TAKEN = "250 OK"


def _cut(server: SMTP) -> None:
    """Close a connection without a response."""
    assert isinstance(server.transport, asyncio.Transport)
    server.transport.abort()


class Mailbox:
    """The received emails, and the responses to the next ones.

    answers: by step (`MAIL`, `RCPT`, `DATA`), the response instead of accepting the email.
    on_data: awaited after each complete email, before it is confirmed.
    cuts_after_data: whether the connection is closed instead of confirming it.
    """

    def __init__(self) -> None:
        self.port = 0
        self.emails: list[EmailMessage] = []
        self.envelopes: list[tuple[str, list[str]]] = []
        self.answers: dict[str, str] = {}
        self.on_data: Callable[[], Awaitable[None]] | None = None
        self.cuts_after_data = False

    @property
    def ids(self) -> list[str]:
        """The Message-IDs of the received emails."""
        return [email["Message-ID"] for email in self.emails]

    def mailer(self, **options: Any) -> Mailer:
        """A mailer that sends to this server."""
        given = {"host": "127.0.0.1", "port": self.port, "security": "none"}
        return Mailer(**{**given, "user": "", "password": "", **options})

    async def handle_MAIL(  # noqa: N802 - aiosmtpd calls it so
        self, _server: SMTP, _session: object, envelope: Any, address: str, options: list[str]
    ) -> str:
        """Start an email, or refuse it."""
        if "MAIL" in self.answers:
            return self.answers["MAIL"]
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return TAKEN

    async def handle_RCPT(  # noqa: N802 - aiosmtpd calls it so
        self, _server: SMTP, _session: object, envelope: Any, address: str, _options: list[str]
    ) -> str:
        """Accept a recipient, or refuse it."""
        if "RCPT" in self.answers:
            return self.answers["RCPT"]
        envelope.rcpt_tos.append(address)
        return TAKEN

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, server: SMTP, _session: object, envelope: Any
    ) -> str:
        """Keep an email, or refuse it."""
        if "DATA" in self.answers:
            return self.answers["DATA"]
        email = message_from_bytes(envelope.content, policy=policy.SMTPUTF8)
        assert isinstance(email, EmailMessage)
        self.emails.append(email)
        self.envelopes.append((envelope.mail_from, envelope.rcpt_tos))
        if self.on_data is not None:
            await self.on_data()
        if self.cuts_after_data:
            _cut(server)
        return TAKEN

    async def handle_QUIT(  # noqa: N802 - aiosmtpd calls it so
        self, server: SMTP, _session: object, _envelope: object
    ) -> str:
        """Answer QUIT as configured, or disconnect."""
        answer = self.answers.get("QUIT", "221 Bye")
        if not answer:
            _cut(server)
        return answer


@asynccontextmanager
async def open_mailbox(**options: Any) -> AsyncIterator[Mailbox]:
    """An email server during the block. options: of aiosmtpd's SMTP."""
    mailbox = Mailbox()
    options = {"enable_SMTPUTF8": True, "hostname": "mail.test", **options}
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(mailbox, **options), "127.0.0.1", 0
    )
    async with open_until_end(server) as mailbox.port:
        yield mailbox
