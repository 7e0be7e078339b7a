"""Attempts at passwords, counted by person and by network before any work is spent on them."""

import hashlib
import math
from datetime import timedelta

from masthead.model.errors import TooManyAttempts
from masthead.model.throttling import BY_NETWORK, BY_PERSON, failures_left, network_of
from masthead.model.values import email_key
from masthead.store import sign_in as store
from masthead.store.connection import Database, Transaction, now


async def count_attempt(db: Database, email: str, address: str) -> None:
    """Count an attempt as failed until it is known better. Raises: TooManyAttempts, uncounted."""
    # Whoever tries a second one meanwhile waits for these rows: always in this order
    counted = (_network(address), BY_NETWORK), (_person(email), BY_PERSON)

    async def work(tx: Transaction) -> None:
        moment, wait, failures = now(), timedelta(), {}
        for name, throttle in counted:
            count, failed_at = await store.lock_failures(tx, name)
            failures[name] = failures_left(count, moment - failed_at)
            wait = max(wait, throttle.wait(failures[name], failed_at, moment))
        if wait:
            raise TooManyAttempts(math.ceil(wait.total_seconds()))
        for name, count in failures.items():
            await store.update_failures(tx, name, count + 1)

    await db.write(work)


async def forgive(tx: Transaction, email: str, address: str) -> None:
    """The password was right: the person starts anew, and for the network it was no failure."""
    await store.take_back_failure(tx, _network(address))
    await forget_person(tx, email)


async def forget_person(tx: Transaction, email: str) -> None:
    """Let a person start anew."""
    await store.delete_failures(tx, _person(email))


def _person(email: str) -> str:
    """Under which name a person is counted: a digest, as people type passwords there too."""
    return f"person {hashlib.sha256(email_key(email).encode()).hexdigest()}"


def _network(address: str) -> str:
    return f"network {network_of(address)}"
