"""What a write does last: after its own work, and before the commit."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Finish = Callable[[Any, Sequence[Any]], Awaitable[None]]


class AtEnd:
    """The functions to call at the end of a transaction, each with all that it was given."""

    def __init__(self) -> None:
        self._left: dict[Finish, tuple[Any, list[Any]]] = {}

    def add(self, tx: Any, finish: Finish, items: Sequence[Any]) -> None:
        """Call `finish` once, with the transaction, these items, and those of other calls."""
        self._left.setdefault(finish, (tx, []))[1].extend(items)

    async def run(self) -> None:
        """Call the functions."""
        for finish, (tx, items) in self._left.items():
            await finish(tx, items)


class WithEnd(Protocol):
    """A transaction that remembers what to do at its end."""

    ending: AtEnd


async def run_to_end(work: Callable[[Any], Awaitable[T]], tx: WithEnd) -> T:
    """The result of `work`, after what it leaves for the end of the transaction."""
    tx.ending = AtEnd()
    outcome = await work(tx)
    await tx.ending.run()
    return outcome
