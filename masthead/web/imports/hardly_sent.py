"""The last issue that is out, while most of its copies are still to send.

Those of an import are then still to send too, although all that are out count as sent by default.
"""

from datetime import date

from msgspec import Struct

from masthead.model.orders.released_issues import RELEASED
from masthead.services.issues.released import find_sent_through
from masthead.store.engine.interface import Connection
from masthead.store.reports.fulfilment import Sending, count_sending


class HardlySentIssue(Struct, frozen=True):
    """An issue most of whose copies are to send. before: the number of the issue before; or 0."""

    number: int
    sending: Sending
    before: int = 0


async def find_unsent(
    db: Connection, account_id: int, number: int, *, before: int = 0
) -> HardlySentIssue | None:
    """The issue with a number; None if most of its copies were sent. Queries: one."""
    sending = await count_sending(db, account_id, number)
    return HardlySentIssue(number, sending, before) if sending.waits else None


async def find_last_unsent(db: Connection, account_id: int, day: date) -> HardlySentIssue | None:
    """The last issue that is out on a day; None if most of its copies were sent.

    Queries: four at most.
    """
    released = (await find_sent_through(db, account_id, RELEASED, day=day)).issues
    number, before = (*sorted(released, reverse=True), 0, 0)[:2]
    return await find_unsent(db, account_id, number, before=before) if number else None
