"""Record what a fault test measures, for the table in docs/reliability.md."""

import contextlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator

NOTES: dict[str, str] = {}
"""Notes of the running test: `client` (what a client sees) and `recovery`."""


@contextlib.contextmanager
def recovery_noted(what: str = "") -> Iterator[None]:
    """Record how many seconds the block takes until the service works again."""
    began = time.monotonic()
    yield
    NOTES["recovery"] = f"{time.monotonic() - began:.1f} s{what}"


def note_answers(statuses: Iterable[int], seconds: float) -> None:
    """Record the statuses of responses, and the longest time that they took."""
    counted = ", ".join(f"{number} × {status}" for status, number in Counter(statuses).items())
    slowest = max(seconds, float(NOTES.get("slowest", "0")))
    NOTES["slowest"] = str(slowest)
    NOTES["client"] = f"{counted} within {slowest:.1f} s"
