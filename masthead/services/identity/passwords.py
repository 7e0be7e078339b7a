"""Passwords: hashed by argon2id in two threads, so that requests go on meanwhile."""

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
NICENESS = 10  # of the threads: where cores are few, a list of the API goes before a sign-in


def _step_back() -> None:
    with suppress(OSError, OverflowError):  # elsewhere than on Linux threads have no niceness
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


_threads = ThreadPoolExecutor(AT_ONCE, "password", _step_back)
# so that a known browser does not queue behind the guesses of a thousand networks
_known_thread = ThreadPoolExecutor(1, "known password", _step_back)
# 46 MiB and some 50 ms of one core: what OWASP advises first, and a sign-in stays a quick page
_hasher = PasswordHasher(time_cost=1, memory_cost=47104, parallelism=1)


async def hash_password(password: str) -> str:
    """The stored hash of a password, with its parameters. Raises: ValueError if too long."""
    if len(password) > MAX_PASSWORD:
        raise ValueError("The length of a password was not checked.")
    return await asyncio.get_running_loop().run_in_executor(_threads, _hasher.hash, password)


async def matches(password_hash: str | None, password: str, *, is_known: bool = False) -> bool:
    """Whether the password matches the hash; without a hash False, after the same work.

    is_known: whether the password was typed in a known browser, which has its own queue.
    """
    loop, threads = asyncio.get_running_loop(), _known_thread if is_known else _threads
    return await loop.run_in_executor(threads, _matches, password_hash, plain_password(password))


def is_outdated(password_hash: str) -> bool:
    """Whether it was made with other parameters than those used by now."""
    return _hasher.check_needs_rehash(password_hash)


@cache
def _nobodys() -> str:
    """The hash of those who are not there, or have no password; nothing matches it."""
    return _hasher.hash("")


def _matches(password_hash: str | None, password: str) -> bool:
    nobodys = _nobodys()
    try:
        _hasher.verify(password_hash or nobodys, password[: MAX_PASSWORD + 1])
    except (VerificationError, InvalidHashError):
        return False
    return password_hash is not None
