"""The renewal letters of a month: written as emails, and sent to a server that keeps none."""

import asyncio

from aiosmtpd.smtp import SMTP

from bench.databases import BY
from masthead.background.emails import EmailSender
from masthead.background.lease import HeldLease
from masthead.background.worker import LEASE
from masthead.mail import Mailer
from masthead.model.emails import Site
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.write import write_letters
from masthead.store.engine.interface import Database

DOMAIN = "bench.test"
SITE = Site(public_url=f"https://{DOMAIN}", domain=DOMAIN)


class _Sink:
    """Accepts every email."""

    async def handle_DATA(  # noqa: N802 - aiosmtpd calls it so
        self, _server: object, _session: object, _envelope: object
    ) -> str:
        """Accept an email, and keep nothing of it."""
        return "250 OK"


async def write(db: Database, account_id: int) -> int:
    """Put the letters to subscribers whose last issue is out into the outbox; returns how many."""
    stage, channel = RenewalStage.LAST, LetterChannel.EMAIL
    batch = await write_letters(db, account_id, stage, channel, site=SITE, by=BY)
    return batch.letters


async def send(db: Database) -> None:
    """Send all emails of the outbox to a server in this process."""
    lease = HeldLease(db, LEASE)
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(_Sink(), enable_SMTPUTF8=True), "127.0.0.1", 0
    )
    async with server:
        port = server.sockets[0].getsockname()[1]
        mailer = Mailer(host="127.0.0.1", port=port, security="none", user="", password="")
        sender = EmailSender(db, lease, mailer=mailer, mail_from=f"letters@{DOMAIN}")
        while await lease.renew() and await sender.run_once():
            pass
        await lease.release()
