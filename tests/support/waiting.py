"""How long a test waits for an event that always comes, such as the start of a server."""

import asyncio
from collections.abc import Callable

# Ends a wait in which something hangs, before pytest ends the test. It is no deadline: no test
# judges masthead by it, and a machine on which everything takes ten times as long keeps to it
PATIENCE = 240.0  # seconds


async def until(is_true: Callable[[], object]) -> None:
    """Return when that is true: what another process does tells nothing else."""
    async with asyncio.timeout(PATIENCE):
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
