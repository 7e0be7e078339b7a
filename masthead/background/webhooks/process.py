"""The process that sends to webhooks: how it is started, and what it does."""

import asyncio
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct

from masthead.background.lease import HeldLease
from masthead.background.webhooks.client import OutboundClient
from masthead.background.webhooks.sender import IDLE_SECONDS, WebhookSender
from masthead.services.emails.notices import Site
from masthead.store.engine.database import connect
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.webhooks.process"
LEASE = "webhooks"
RESOLVERS = 64  # threads that resolve names; one that waits for a name delays no other webhook


class SendTask(Struct, frozen=True):
    """What the process reads from its standard input. site: for emails to owners."""

    database_url: str
    allow_private: bool
    site: Site
    idle_seconds: float = IDLE_SECONDS


def start_process(task: SendTask) -> subprocess.Popen[bytes]:
    """Start a process that sends until nothing is due."""
    return start_task(MODULE, task)


async def send(task: SendTask) -> None:
    """Send what is due, until nothing has been for a while. SIGTERM ends it."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(RESOLVERS))
    db = await connect(task.database_url, is_command=True)
    try:
        async with OutboundClient(allow_private=task.allow_private) as client:
            sender = WebhookSender(db, HeldLease(db, LEASE), client, task.site)
            running = asyncio.ensure_future(sender.run(idle_seconds=task.idle_seconds))
            loop.add_signal_handler(signal.SIGTERM, sender.end)
            await running
    finally:
        await db.close()


def main() -> None:
    """Send what is due."""
    run_task(SendTask, send)


if __name__ == "__main__":
    main()
