"""Hash and verify passwords with argon2id, in threads, so that other requests do not wait."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from masthead.model.identity.passwords import MAX_PASSWORD, plain_password

AT_ONCE = 2
NICENESS = 10  # of the threads, so that API requests go before sign-ins


def _lower_priority() -> None:
    with suppress(OSError, OverflowError):  # only on Linux threads have a niceness
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


_threads = ThreadPoolExecutor(AT_ONCE, "password", _lower_priority)
# known browsers do not queue behind the attempts of a thousand networks
_known_thread = ThreadPoolExecutor(1, "known password", _lower_priority)
# 46 MiB and about 50 ms of one core: the first choice of OWASP, and fast enough for a page
_hasher = PasswordHasher(time_cost=1, memory_cost=47104, parallelism=1)


async def hash_password(password: str) -> str:
    """The stored hash of a password, with its parameters. Raises: ValueError if too long."""
    if len(password) > MAX_PASSWORD:
        raise ValueError("The length of a password was not checked.")
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, password)


async def matches(password_hash: str | None, password: str, *, is_known: bool = False) -> bool:
    """Whether the password matches the hash. Without a hash: False, after the same work.

    is_known: whether the password was typed in a known browser, which has its own queue.
    """
    loop, threads = asyncio.get_running_loop(), _known_thread if is_known else _threads
    return await loop.run_in_executor(threads, _matches, password_hash, plain_password(password))


def is_outdated(password_hash: str) -> bool:
    """Whether the hash was created with other parameters than the current ones."""
    return _hasher.check_needs_rehash(password_hash)


@cache
def _dummy_hash() -> str:
    """A hash to verify against if there is no user or no password."""
    return _hasher.hash("")


def _matches(password_hash: str | None, password: str) -> bool:
    dummy = _dummy_hash()
    try:
        _hasher.verify(password_hash or dummy, password[: MAX_PASSWORD + 1])
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None
