"""One recovery code sent to two workers at once signs in once; without protection, twice."""

import asyncio

import pytest

from masthead.model.errors import Invalid
from masthead.services.check.accounts import check
from masthead.services.identity import second_factors, second_step
from masthead.store.engine.interface import Transaction
from masthead.store.identity import recovery_codes
from tests.conftest import Cast
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, two_workers
from tests.services.identity.factors import add_app, pending
from tests.services.identity.people import owner_of

pytestmark = pytest.mark.races


async def only_look(tx: Transaction, user_id: str, digest: str) -> bool:
    """Whether a code exists; the code stays valid."""
    row = await tx.fetch_one(
        "SELECT digest FROM recovery_code WHERE user_id = :user_id AND digest = :digest",
        {"user_id": user_id, "digest": digest},
    )
    return row is not None


async def race(one: Cast, two: Cast, code: str) -> None:
    """Check that one of four concurrent sign-ins with the same code, on two workers, succeeds."""
    workers = (one, two, one, two)
    tokens = [await pending(cast) for cast in workers]
    outcomes = await asyncio.gather(
        *(
            second_step.finish_by_recovery_code(cast.db, token, code, site=None)
            for cast, token in zip(workers, tokens, strict=True)
        ),
        return_exceptions=True,
    )
    assert sorted(isinstance(each, Invalid) for each in outcomes) == [False, True, True, True]


async def run(url: str, times: int) -> None:
    """Repeat the race, each time with another code."""
    async with two_workers(url) as (one, two):
        owner = await owner_of(one)
        await add_app(one, owner)
        codes: list[str] = []
        for _ in range(times):
            codes = codes or await second_factors.create_recovery_codes(one.db, owner, site=None)
            await race(one, two, codes.pop())
        assert [fault async for fault in check(one.db)] == []


async def test_a_recovery_code_sent_to_two_workers_signs_in_once(scratch_url: str) -> None:
    await run(scratch_url, ROUNDS)


@pytest.mark.slow
async def test_without_its_protection_a_recovery_code_signs_in_twice(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery_codes, "take_code", only_look)
    with pytest.raises(AssertionError):
        await run(scratch_url, CONTROL_ROUNDS)
