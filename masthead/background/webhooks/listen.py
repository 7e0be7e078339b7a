"""Send the new events of an account to an address on this machine, for development."""

import asyncio
from collections.abc import Callable, Collection

from masthead.background.webhooks.client import OutboundClient
from masthead.model.clock import now
from masthead.model.webhooks.addresses import check_url
from masthead.model.webhooks.messages import body_of
from masthead.model.webhooks.signatures import new_keys, sign
from masthead.store.engine.interface import Database
from masthead.store.events import log

POLL_SECONDS = 0.5
EVENTS = 100  # at once


async def forward(
    db: Database, account_id: int, url: str, *, types: Collection[str], say: Callable[[str], None]
) -> None:
    """Send each new event once, until this is cancelled. types: none for all. Raises: Invalid.

    say: gets a line for each event.
    """
    check_url(url, allow_private=True)
    keys = new_keys()
    last = (await log.get_span(db, account_id)).newest
    say(f"Secret: {keys.secret}")
    say(f"Events of this account go to {url} from now on. Ctrl+C ends it.")
    async with OutboundClient(allow_private=True) as client:
        while True:
            events = await log.list_new_events(db, account_id, after=last, limit=EVENTS)
            for event in events:
                last = event.number
                if types and event.type not in types:
                    continue
                id, body = str(event.id), body_of(event)
                answer = await client.post(url, body, sign([keys], id, now(), body))
                outcome = answer.error or f"{answer.status} in {answer.duration_ms} ms"
                say(f"{event.type} {id}: {outcome}")
            await asyncio.sleep(0 if events else POLL_SECONDS)
