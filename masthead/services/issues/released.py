"""Which issues are released, and through which of them copies count as sent."""

from collections.abc import Iterable
from datetime import date

from msgspec import Struct

from masthead.model.orders.period_coverage import DatedIssue
from masthead.model.orders.released_issues import NONE, RELEASED, released_numbers, require_released
from masthead.model.types.fields import MAX_NUMBER
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as store


class SentThrough(Struct, frozen=True):
    """Copies of issues that are out count as sent up to an issue.

    number: that of the last one; 0 for none. issues: the numbers of all of them.
    """

    number: int = 0
    issues: frozenset[int] = frozenset()


async def find_released(
    db: Connection, account_id: int, issues: Iterable[DatedIssue], *, day: date
) -> frozenset[int]:
    """The numbers of those of the issues that are out on a day.

    Queries: none if all issues have a release date, else one or two.
    """
    issues, current = list(issues), None
    if any(each.date is None for each in issues):
        current = await store.find_current(db, account_id, day)
    return released_numbers(issues, day=day, current=current.number if current else None)


async def find_sent_through(
    db: Connection, account_id: int, wanted: int | str, *, day: date
) -> SentThrough:
    """The issues whose copies count as sent. wanted: a number, `released` (all) or `none`.

    Queries: three at most. Raises: Invalid if the issue with that number does not exist, or is not
    out.
    """
    if wanted == NONE:
        return SentThrough()
    every = await store.find_issues(db, account_id, 1, MAX_NUMBER)
    out = await find_released(db, account_id, every, day=day)
    number = max(out, default=0) if wanted == RELEASED else int(wanted)
    if number:
        require_released(number, known={each.number for each in every}, out=out)
    return SentThrough(number, frozenset(each for each in out if each <= number))
