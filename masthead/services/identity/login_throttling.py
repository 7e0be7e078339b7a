"""Password attempts, counted before any work is spent on them. decision 0032.

The known browsers of a person are counted separately. All others are counted by network, by
person and network, and by person. The last count refuses no attempt; it only makes the second
one stricter.
"""

import hashlib
import math
from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.errors import TooManyAttempts
from masthead.model.identity.login_throttling import (
    ATTACK,
    BROWSER_FAILURES,
    BY_NETWORK,
    BY_PAIR,
    BY_PAIR_UNDER_ATTACK,
    failures_left,
)
from masthead.model.identity.sign_ins import Client
from masthead.model.ip_addresses import network_of
from masthead.model.types.email_addresses import email_key
from masthead.services.identity.known_browsers import is_known
from masthead.store import users
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import login_throttling as store
from masthead.store.users import Person


class Attempt(Struct, frozen=True):
    """An attempt that is counted as failed until it succeeds.

    person: with that email address, if there is one. before: the times of the failures before
    this one, by the name of the count. begins_attack: whether the stricter rule applies from
    this failure on.
    """

    person: Person | None
    moment: datetime
    before: dict[str, datetime]
    is_known_browser: bool
    begins_attack: bool


class _Count(Struct, frozen=True):
    failures: int
    failed_at: datetime


async def count_attempt(db: Database, email: str, client: Client) -> Attempt:
    """Count an attempt. Raises: TooManyAttempts; then the attempt is not counted."""

    async def work(tx: Transaction) -> Attempt:
        person = None if "\0" in email else await users.find_person(tx, email)
        moment, user_id = now(), person.id if person else ""
        if await is_known(tx, client.device, user_id):
            name = _known(user_id)
            count = await _lock(tx, name, moment)
            if count.failures < BROWSER_FAILURES:
                return await _add(tx, person, moment, {name: count}, is_known_browser=True)
        # always in this order, because another attempt may wait for these rows
        names = _network(client.address), _pair(email, client.address), _person(email)
        counts = {name: await _lock(tx, name, moment) for name in names}
        network, pair, anywhere = counts.values()
        rule = BY_PAIR_UNDER_ATTACK if anywhere.failures >= ATTACK else BY_PAIR
        wait = max(
            BY_NETWORK.wait(network.failures, network.failed_at, moment),
            rule.wait(pair.failures, pair.failed_at, moment),
        )
        if wait > timedelta():
            raise TooManyAttempts(math.ceil(wait.total_seconds()))
        begins_attack = anywhere.failures + 1 == ATTACK
        return await _add(tx, person, moment, counts, begins_attack=begins_attack)

    return await db.write(work)


async def _lock(tx: Transaction, name: str, moment: datetime) -> _Count:
    """The failures that still count under a name; the rows stay locked."""
    failures, failed_at = await store.lock_failures(tx, name)
    return _Count(failures_left(failures, moment - failed_at), failed_at)


async def _add(
    tx: Transaction,
    person: Person | None,
    moment: datetime,
    counts: dict[str, _Count],
    *,
    is_known_browser: bool = False,
    begins_attack: bool = False,
) -> Attempt:
    for name, count in counts.items():
        await store.update_failures(tx, name, count.failures + 1, failed_at=moment)
    before = {name: count.failed_at for name, count in counts.items()}
    return Attempt(person, moment, before, is_known_browser, begins_attack)


async def forgive(tx: Transaction, attempt: Attempt, email: str, client: Client) -> None:
    """Uncount an attempt that succeeded, and the person's failures in the same network."""
    own = await store.count_failures(tx, _own(attempt, email, client))
    for name, before in attempt.before.items():
        await store.take_back_failures(
            tx, name, count=own, failed_at=before, unless_after=attempt.moment
        )
    await forget_failures(tx, email, client)


def _own(attempt: Attempt, email: str, client: Client) -> str:
    """The name of the count for the failures of one person in one place."""
    if attempt.is_known_browser:
        assert attempt.person is not None
        return _known(attempt.person.id)
    return _pair(email, client.address)


async def forget_failures(tx: Transaction, email: str, client: Client) -> None:
    """Forget the failures for a person from one network."""
    await store.delete_failures(tx, _pair(email, client.address))


def _digest(*parts: str) -> str:
    """Part of the name of a count: a digest, since people type passwords as email addresses."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def _network(address: str) -> str:
    return f"network {network_of(address)}"


def _pair(email: str, address: str) -> str:
    return f"pair {_digest(email_key(email), network_of(address))}"


def _person(email: str) -> str:
    return f"person {_digest(email_key(email))}"


def _known(user_id: str) -> str:
    """One count for all known browsers of a person: a sign-in of another person in one of them
    replaces its token, but does not give them more guesses.
    """
    return f"known {user_id}"
