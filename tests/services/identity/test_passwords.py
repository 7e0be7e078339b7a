"""Hashing and verifying passwords."""

import asyncio
import os
import sys
import threading

import pytest
from argon2 import PasswordHasher

from masthead.services.identity import passwords
from masthead.services.identity.passwords import hash_password, is_outdated, matches

PASSWORD = "seven quiet lighthouses"


@pytest.fixture(autouse=True)
def as_in_service(monkeypatch: pytest.MonkeyPatch, real_passwords: PasswordHasher) -> None:
    """Hash like the service; other tests use faster parameters."""
    monkeypatch.setattr(passwords, "_hasher", real_passwords)
    passwords._dummy_hash.cache_clear()


async def test_a_hash_is_a_salted_argon2id_hash_and_matches_only_its_password() -> None:
    first, second = await asyncio.gather(hash_password(PASSWORD), hash_password(PASSWORD))
    assert first != second
    assert first.startswith("$argon2id$v=19$m=47104,t=1,p=1$")
    assert PASSWORD not in first
    assert await matches(first, PASSWORD)
    assert not await matches(first, PASSWORD + "!")
    assert not await matches(first, "")


async def test_a_password_that_is_too_long_is_never_hashed() -> None:
    with pytest.raises(ValueError, match="length"):
        await hash_password("x" * 129)
    assert not await matches(await hash_password("x" * 128), "x" * 1_000_000)


async def test_passwords_match_in_any_unicode_normal_form() -> None:
    kept = await hash_password("z\u00e9ro degr\u00e9 celsius")
    assert await matches(kept, "ze\u0301ro degre\u0301 celsius")


@pytest.mark.parametrize("password", ["", PASSWORD])
async def test_without_a_stored_hash_no_password_matches(password: str) -> None:
    assert not await matches(None, password)
    assert not await matches("no hash at all", password)


async def test_an_attempt_without_a_stored_hash_takes_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verified = []

    class Counting(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
            verified.append(str(hash).split("$")[:4])
            return super().verify(hash, password)

    monkeypatch.setattr(passwords, "_hasher", Counting(1, 47104, 1))
    kept = await hash_password(PASSWORD)
    await matches(kept, "wrong")
    await matches(None, "wrong")
    assert len(verified) == 2
    assert verified[0] == verified[1]


async def test_at_most_two_passwords_are_hashed_at_once() -> None:
    assert passwords._threads._max_workers == passwords.AT_ONCE == 2


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no niceness of their own here")
async def test_hashing_runs_with_a_lower_priority_than_the_api() -> None:
    await hash_password(PASSWORD)
    (niceness,) = {
        os.getpriority(os.PRIO_PROCESS, thread.native_id)
        for thread in threading.enumerate()
        if thread.native_id and thread.name.startswith("password")
    }
    assert niceness >= passwords.NICENESS


async def test_a_hash_with_other_parameters_is_outdated() -> None:
    assert not is_outdated(await hash_password(PASSWORD))
    assert is_outdated(PasswordHasher(time_cost=2).hash(PASSWORD))
