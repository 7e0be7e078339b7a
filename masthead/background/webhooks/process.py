"""The process that sends to webhooks."""

import asyncio
import signal
from concurrent.futures import ThreadPoolExecutor

from masthead.background.lease import HeldLease
from masthead.background.webhooks.client import OutboundClient
from masthead.background.webhooks.job import SendTask
from masthead.background.webhooks.sender import WebhookSender
from masthead.store.engine.database import open_database
from masthead.supervision import run_task

LEASE = "webhooks"
RESOLVERS = 64  # threads that resolve names; one that waits for a name delays no other webhook


async def send(task: SendTask) -> None:
    """Send what is due, until nothing has been for a while. SIGTERM ends it."""
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(RESOLVERS))
    async with (
        open_database(task.database_url) as db,
        OutboundClient(allow_private=task.allow_private) as client,
    ):
        sender = WebhookSender(db, HeldLease(db, LEASE), client, task.site)
        running = asyncio.ensure_future(sender.run(idle_seconds=task.idle_seconds))
        loop.add_signal_handler(signal.SIGTERM, sender.end)
        await running


def main() -> None:
    """Send what is due."""
    run_task(SendTask, send)


if __name__ == "__main__":
    main()
