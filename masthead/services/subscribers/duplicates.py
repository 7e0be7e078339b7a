"""Likely duplicates among all subscribers of an account."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field

from masthead.model.clock import now
from masthead.model.orders.known_subscribers import (
    KnownSubscriber,
    Likeness,
    name_key,
    postcode_key,
    street_key,
)
from masthead.model.types.email_addresses import stored_keys
from masthead.model.types.phone_numbers import phone_keys
from masthead.services.orders.subscribers import list_subscribers
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.orders.known_subscribers import ComparedPerson, list_all_compared
from masthead.store.subscribers.dismissed_pairs import Pair, list_dismissed

READ = 2_000  # rows read at a time
SLICE = 40  # rows compared at a time, about 1 ms
KEPT_FOR = timedelta(hours=1)
MOST_PAIRS = 1_000
MOST_OF_A_GROUP = 10  # subscribers; more of them are a place for many, such as a school


class LikelyPair(Struct, frozen=True):
    """Two subscribers who are likely the same, the older one first, and why."""

    one: KnownSubscriber
    other: KnownSubscriber
    reasons: Sequence[Likeness]


class _Address(NamedTuple):
    """The fields of a subscription that are compared, besides the name and the phone number."""

    subscriber_id: str
    address1: str | None
    postcode: str | None
    country: str


class FoundPairs(Struct, frozen=True):
    """The likely duplicates of an account. pairs: the surest ones first."""

    found_at: datetime
    pairs: Mapping[Pair, Sequence[Likeness]]


class DuplicateFinder(Struct):
    """Finds the likely duplicates of accounts, and keeps them for an hour.

    Comparing takes about 20 µs for each subscription, on the event loop in slices of a millisecond.
    """

    _found: dict[int, FoundPairs] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def find(self, db: Database, account_id: int, *, is_fresh: bool = False) -> FoundPairs:
        """The likely duplicates, at most an hour old. is_fresh: whether to compare again now."""
        async with self._lock:
            known = self._found.get(account_id)
            if known is None or is_fresh or now() - known.found_at > KEPT_FOR:
                known = FoundPairs(now(), await _find_pairs(db, account_id))
                self._found[account_id] = known
            return known


async def list_pairs(
    db: Database, account_id: int, found: FoundPairs, limit: int
) -> list[LikelyPair]:
    """The first pairs of which no one was merged or dismissed meanwhile. Queries: two."""
    async with db.read(aside=True) as connection:
        dismissed = {each.pair for each in await list_dismissed(connection, account_id)}
        likely = (each for each in found.pairs.items() if each[0] not in dismissed)
        wanted = list(islice(likely, limit))
        ids = {id for pair, _ in wanted for id in pair}
        known = {each.id: each for each in await list_subscribers(connection, account_id, ids)}
    return [
        LikelyPair(known[one], known[other], reasons)
        for (one, other), reasons in wanted
        if one in known and other in known
    ]


async def _find_pairs(db: Database, account_id: int) -> dict[Pair, Sequence[Likeness]]:
    """All pairs with the reasons, those with the most reasons first, then the newest."""
    named = defaultdict[int, list[_Address]](list)  # by the hash of a name
    phones = defaultdict[int, set[str]](set)  # subscribers by the hash of phone and family name
    emails = defaultdict[str, set[str]](set)  # those who earlier versions may have stored twice
    name_of, keys_of = lru_cache(maxsize=10_000)(name_key), lru_cache(maxsize=10_000)(phone_keys)
    after = ""
    async with db.read(is_long=True) as connection:
        dismissed = {each.pair for each in await list_dismissed(connection, account_id)}
        home = (await accounts.get_account(connection, account_id)).country
        while rows := await list_all_compared(connection, account_id, after=after, limit=READ):
            after = rows[-1].id
            for start in range(0, len(rows), SLICE):
                for row in rows[start : start + SLICE]:
                    address = _Address(*(getattr(row, name) for name in _Address._fields))
                    if len(keys := stored_keys(row.own_email)) > 1:
                        emails[keys[0]].add(row.subscriber_id)
                    for name in _names_of(row, name_of):
                        named[hash(name)].append(address)
                    for phone in keys_of(row.phone, row.country, home):
                        family = name_of(row.last_name) or name_of(row.company)
                        phones[hash((phone, family))].add(row.subscriber_id)
                await asyncio.sleep(0)
    reasons = defaultdict[Pair, set[Likeness]](set)
    for ids in emails.values():
        _note(reasons, ids, Likeness.EMAIL, dismissed)
    for ids in phones.values():
        _note(reasons, ids, Likeness.PHONE, dismissed)
    for place, namesakes in enumerate(named.values()):
        if len({each.subscriber_id for each in namesakes}) > 1:
            for kind, ids in _same_address(namesakes):
                _note(reasons, ids, kind, dismissed)
        if place % SLICE == 0:
            await asyncio.sleep(0)
    best = sorted(reasons, key=lambda pair: (len(reasons[pair]), pair[1]), reverse=True)
    return {pair: sorted(reasons[pair]) for pair in best[:MOST_PAIRS]}


def _note(
    reasons: Mapping[Pair, set[Likeness]],
    ids: Collection[str],
    kind: Likeness,
    dismissed: Collection[Pair],
) -> None:
    """Add the pairs of some subscribers who have something in common.

    Each one is with the oldest one, of those who are not dismissed as another person.
    """
    if 1 < len(ids) <= MOST_OF_A_GROUP:
        older = list[str]()
        for id in sorted(ids):
            first = next((each for each in older if (each, id) not in dismissed), None)
            if first is not None:
                reasons[first, id].add(kind)
            older.append(id)


def _same_address(addresses: Sequence[_Address]) -> Iterator[tuple[Likeness, set[str]]]:
    """The subscribers of one name who share a postcode, and those who share a street."""
    groups = defaultdict[tuple[Likeness, str, str], set[str]](set)
    for each in addresses:
        for kind, key in (
            (Likeness.NAME, postcode_key(each.postcode)),
            (Likeness.STREET, street_key(each.address1)),
        ):
            if key:
                groups[kind, key, each.country].add(each.subscriber_id)
    for (kind, _key, _country), ids in groups.items():
        yield kind, ids


def _names_of(row: ComparedPerson, name_of: Callable[..., str]) -> set[str]:
    """The names of a subscriber and of the subscription, or those of the companies.

    name_of: `name_key`, cached.
    """
    own = name_of(row.own_first_name, row.own_last_name)
    names = {own, name_of(row.first_name, row.last_name)} - {""}
    return names or {name_of(row.company), name_of(row.own_company)} - {""}
