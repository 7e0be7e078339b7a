"""Login throttling: counts password attempts before the password is checked (decision 0032).

The known browsers of a user are counted separately. All other attempts are counted by network, by
user and network, and by user. The count by user refuses no attempt, but makes the limit by user
and network stricter.
"""

import hashlib
import math
from datetime import datetime, timedelta

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.errors import TooManyAttempts
from masthead.model.identity.ip_addresses import network_of
from masthead.model.identity.login_throttling import (
    ATTACK,
    BROWSER_FAILURES,
    BY_NETWORK,
    BY_PAIR,
    BY_PAIR_UNDER_ATTACK,
    Throttle,
    failures_left,
)
from masthead.model.identity.sign_ins import Client
from masthead.model.types.email_addresses import email_key
from masthead.services.identity.known_browsers import is_known
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import login_throttling as store, people
from masthead.store.identity.people import Person


class LoginAttempt(Struct, frozen=True):
    """An attempt that is counted as failed until it succeeds.

    person: the user with that email address, if there is one.
    before: the times of the failures before this one, by the name of the count.
    begins_attack: whether the stricter limit applies from this failure on.
    """

    person: Person | None
    moment: datetime
    before: dict[str, datetime]
    is_known_browser: bool
    begins_attack: bool


class _FailureCount(Struct, frozen=True):
    failures: int
    failed_at: datetime


async def count_attempt(db: Database, email: str, client: Client) -> LoginAttempt:
    """Count an attempt. Raises: TooManyAttempts, without counting it."""

    async def work(tx: Transaction) -> LoginAttempt:
        person = None if "\0" in email else await people.find_person(tx, email)
        moment, user_id = now(), person.id if person else ""
        if await is_known(tx, client.device, user_id):
            name = _known(user_id)
            count = await _lock(tx, name, moment)
            if count.failures < BROWSER_FAILURES:
                return await _add(tx, person, moment, {name: count}, is_known_browser=True)
        # always locked in this order, so that two attempts cannot block each other
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


async def _lock(tx: Transaction, name: str, moment: datetime) -> _FailureCount:
    """The failures that still count under a name. Their row stays locked."""
    failures, failed_at = await store.lock_failures(tx, name)
    return _FailureCount(failures_left(failures, moment - failed_at), failed_at)


async def _add(
    tx: Transaction,
    person: Person | None,
    moment: datetime,
    counts: dict[str, _FailureCount],
    *,
    is_known_browser: bool = False,
    begins_attack: bool = False,
) -> LoginAttempt:
    for name, count in counts.items():
        await store.update_failures(tx, name, count.failures + 1, failed_at=moment)
    before = {name: count.failed_at for name, count in counts.items()}
    return LoginAttempt(person, moment, before, is_known_browser, begins_attack)


async def uncount_attempt(
    tx: Transaction, attempt: LoginAttempt, email: str, client: Client
) -> None:
    """Remove a successful attempt, and the user's failures in the same network, from the counts."""
    own = await store.count_failures(tx, _own(attempt, email, client))
    for name, before in attempt.before.items():
        await store.take_back_failures(
            tx, name, count=own, failed_at=before, unless_after=attempt.moment
        )
    await forget_failures(tx, email, client)


def _own(attempt: LoginAttempt, email: str, client: Client) -> str:
    """The name of the count for the user in this browser or network."""
    if attempt.is_known_browser:
        assert attempt.person is not None
        return _known(attempt.person.id)
    return _pair(email, client.address)


async def forget_failures(tx: Transaction, email: str, client: Client) -> None:
    """Forget the failures for a user from one network."""
    await store.delete_failures(tx, _pair(email, client.address))


async def count_link(db: Database, name: str, limit: Throttle) -> timedelta:
    """Count a request for a link under a name; returns the wait if it is refused, uncounted."""

    async def work(tx: Transaction) -> timedelta:
        moment = now()
        count = await _lock(tx, name, moment)
        wait = limit.wait(count.failures, count.failed_at, moment)
        if wait > timedelta():
            return wait
        await store.update_failures(tx, name, count.failures + 1, failed_at=moment)
        return timedelta()

    return await db.write(work)


async def require_few(db: Database, name: str, limit: Throttle) -> None:
    """Count a request under a name. Raises: TooManyAttempts, without counting it."""
    wait = await count_link(db, name, limit)
    if wait > timedelta():
        raise TooManyAttempts(math.ceil(wait.total_seconds()))


def links_by_network(address: str) -> str:
    """The name of the count of requests for links from a network."""
    return f"links {network_of(address)}"


def links_to(user_id: str) -> str:
    """The name of the count of links that a user was sent."""
    return f"links to {user_id}"


def _digest(*parts: str) -> str:
    """Part of the name of a count. A digest, because users may type a password as the email."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _network(address: str) -> str:
    return f"network {network_of(address)}"


def _pair(email: str, address: str) -> str:
    return f"pair {_digest(email_key(email), network_of(address))}"


def _person(email: str) -> str:
    return f"person {_digest(email_key(email))}"


def _known(user_id: str) -> str:
    """One count for all known browsers of a user.

    A sign-in of another user in one of them replaces its token, but allows no more attempts.
    """
    return f"known {user_id}"
