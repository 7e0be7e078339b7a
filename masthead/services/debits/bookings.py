"""Find the direct debits that bank lines book: one by one, or all of a collection as one sum."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from masthead.model.billing.bank_lines import FIRST_DAY, LAST_DAY
from masthead.model.billing.statements import StoredLine
from masthead.model.debits.rules import Collection, Debit, DebitStatus, ids_in
from masthead.store.debits import collections as store, records as debit_store
from masthead.store.engine.interface import Connection

_EARLY, _LATE = timedelta(days=1), timedelta(days=6)  # of a sum without an id, around its day


class Booking(Struct, frozen=True, kw_only=True):
    """The debits that a bank line books. is_safe: whether the line names them."""

    collection: Collection
    debits: Sequence[Debit]
    is_safe: bool

    @property
    def is_batch(self) -> bool:
        """Whether it is more than one debit."""
        return len(self.debits) > 1


async def find_bookings(
    db: Connection, account_id: int, lines: Iterable[StoredLine]
) -> Mapping[str, Booking]:
    """The bookings of lines that came in, by id of the line.

    Queries: two or three, and two for each collection that is meant.
    """
    credits = [each for each in lines if each.amount > 0 and not each.return_reason]
    if not credits:
        return {}
    named = {each.id: ids_in((each.reference, each.text)) for each in credits}
    ids = {id for found in named.values() for id in found}
    single = {each.id: each for each in await debit_store.find_debits(db, account_id, ids)}
    days = [min(max(each.booking_date, FIRST_DAY), LAST_DAY) for each in credits]
    near = await store.find_unbooked(
        db, account_id, first=min(days) - _LATE, last=max(days) + _EARLY
    )
    wanted = ids | {each.collection_id for each in single.values() if each.collection_id}
    listed = await store.find_collections(db, account_id, wanted) if wanted else []
    collections = {each.id: each for each in (*near, *listed)}
    groups = {id: await _groups(db, account_id, id) for id in collections}
    found = {}
    for line in credits:
        booking = _single(line, named[line.id], single, collections) or _batch(
            line, named[line.id], collections, groups
        )
        if booking:
            found[line.id] = booking
    return found


async def _groups(db: Connection, account_id: int, id: str) -> list[list[Debit]]:
    """The debits of a collection that are not booked: of each sequence type, and all."""
    debits = [
        each
        for each in await debit_store.list_of_collection(db, account_id, id)
        if each.status is DebitStatus.COLLECTED
    ]
    by_type: defaultdict[str, list[Debit]] = defaultdict(list)
    for each in debits:
        by_type[each.sequence_type].append(each)
    return [*by_type.values(), *([debits] if len(by_type) > 1 else [])]


def _single(
    line: StoredLine,
    named: set[str],
    debits: Mapping[str, Debit],
    collections: Mapping[str, Collection],
) -> Booking | None:
    found = [debits[id] for id in named if id in debits]
    if len(found) != 1:
        return None
    [debit] = found
    if debit.status is not DebitStatus.COLLECTED or debit.amount != line.amount:
        return None
    assert debit.collection_id is not None
    return Booking(collection=collections[debit.collection_id], debits=found, is_safe=True)


def _batch(
    line: StoredLine,
    named: set[str],
    collections: Mapping[str, Collection],
    groups: Mapping[str, Sequence[Sequence[Debit]]],
) -> Booking | None:
    """The sum of a collection: one that is named, or the only one with this amount and day."""
    fitting = [
        (id, debits)
        for id, listed in groups.items()
        for debits in listed
        if sum(each.amount or 0 for each in debits) == line.amount
    ]
    sure = [each for each in fitting if each[0] in named]
    near = [
        each
        for each in fitting
        if -_LATE <= collections[each[0]].collect_date - line.booking_date <= _EARLY
    ]
    chosen = sure[:1] or (near if len(near) == 1 and not (line.name or line.reference) else [])
    if not chosen:
        return None
    [(id, debits)] = chosen
    return Booking(collection=collections[id], debits=debits, is_safe=bool(sure))
