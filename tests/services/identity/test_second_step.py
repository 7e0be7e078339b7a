"""The second step of signing in: codes and passkeys, limits, and the end of a pending sign-in."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.model.identity.sign_ins import Client
from masthead.services.identity import passkeys, second_factors, second_step, sessions, sign_in
from masthead.services.identity.second_step import ATTEMPTS, BY_USER, VALID, find_second_step
from tests.conftest import BY, Cast
from tests.services.identity.authenticator import PARTY, Authenticator
from tests.services.identity.factors import SITE, add_app, add_passkey, code_of, pending, verified
from tests.services.identity.people import HOME, PASSWORD, enter, owner_of
from tests.services.identity.test_second_factors import notices, trail

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
OTHER = "another harbour, at dusk"


async def by_code(cast: Cast, token: str, code: str) -> str:
    """Finish a sign-in with a code; returns the token of the session."""
    passed = await second_step.finish_by_code(cast.db, token, code, site=SITE)
    return (await sessions.begin_session(cast.db, passed, Client(HOME))).token


async def by_recovery_code(cast: Cast, token: str, code: str) -> str:
    """Finish a sign-in with a recovery code; returns the token of the session."""
    passed = await second_step.finish_by_recovery_code(cast.db, token, code, site=SITE)
    return (await sessions.begin_session(cast.db, passed, Client(HOME))).token


def wrong(code: str) -> str:
    """Another code. The chance that it belongs to a neighbouring step is 1 in 500,000."""
    return f"{(int(code) + 500_000) % 10**6:06}"


# --- The password alone -------------------------------------------------------------------------


async def test_the_password_alone_does_not_start_a_session(acme: Cast) -> None:
    await add_app(acme, await owner_of(acme))
    with pytest.raises(Invalid, match="Sign in again"):
        await enter(acme)


async def test_a_link_sets_the_password_and_still_asks_for_the_second_step(acme: Cast) -> None:
    secret, _ = await add_app(acme, await owner_of(acme))
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    with pytest.raises(sign_in.SecondStepNeeded) as needed:
        await sign_in.use_link(acme.db, link, OTHER)
    assert await sign_in.find_link(acme.db, link) is None
    token = await second_step.begin_second_step(acme.db, needed.value.verified)
    assert await by_code(acme, token, code_of(secret))


# --- Codes of the app ----------------------------------------------------------------------------


async def test_the_code_of_the_app_finishes_the_sign_in_once(acme: Cast) -> None:
    owner = await owner_of(acme)
    secret, _ = await add_app(acme, owner)
    token = await pending(acme)
    step = await find_second_step(acme.db, token)
    assert step is not None
    assert (step.user_id, step.factors.app is not None) == (owner.user_id, True)
    session = await by_code(acme, token, code_of(secret))
    assert await sessions.find_signed_in_user(acme.db, session)
    assert await find_second_step(acme.db, token) is None
    with pytest.raises(Invalid, match="Start again"):
        await by_code(acme, token, code_of(secret))


async def test_a_code_that_was_used_is_refused_at_the_next_sign_in(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        secret, _ = await add_app(acme, await owner_of(acme))
        code = code_of(secret, NOON)
        assert await by_code(acme, await pending(acme), code)
        token = await pending(acme)
        with pytest.raises(Invalid, match="Each code works once"):
            await by_code(acme, token, code)
        clock.shift(timedelta(seconds=30))
        with pytest.raises(Invalid):
            await by_code(acme, token, code)
        assert await by_code(acme, token, code_of(secret, NOON + timedelta(seconds=30)))


async def test_the_code_that_confirmed_the_app_cannot_sign_in(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False):
        secret, _ = await add_app(acme, await owner_of(acme))
        with pytest.raises(Invalid, match="does not match"):
            await by_code(acme, await pending(acme), code_of(secret, NOON, steps=-1))


async def test_one_code_sent_many_times_at_once_starts_one_session(acme: Cast) -> None:
    secret, _ = await add_app(acme, await owner_of(acme))
    tokens = [await pending(acme) for _ in range(4)]
    code = code_of(secret)
    outcomes = await asyncio.gather(
        *(by_code(acme, token, code) for token in tokens), return_exceptions=True
    )
    assert sorted(isinstance(each, Invalid) for each in outcomes) == [False, True, True, True]


async def test_a_user_without_an_app_cannot_use_a_code(acme: Cast) -> None:
    await add_passkey(acme, await owner_of(acme), Authenticator())
    with pytest.raises(Invalid, match="does not match"):
        await by_code(acme, await pending(acme), "123456")


# --- Recovery codes ------------------------------------------------------------------------------


async def test_a_recovery_code_finishes_one_sign_in_and_sends_an_email(acme: Cast) -> None:
    owner = await owner_of(acme)
    _, codes = await add_app(acme, owner)
    assert await by_recovery_code(acme, await pending(acme), codes[3].lower())
    assert (await second_factors.get_second_factors(acme.db, owner.user_id)).codes_left == 9
    with pytest.raises(Invalid) as refusal:
        await by_recovery_code(acme, await pending(acme), codes[3])
    assert refusal.value.field == "recovery_code"
    assert ("user.use_recovery_code", {"left": 9}) in await trail(acme, owner.user_id)
    assert "A recovery code was used. Left: 9." in (await notices(acme, acme.owner))[-1]


@pytest.mark.parametrize("typed", ["", "nonsense", "000000-000000-000000-000000"])
async def test_an_unknown_recovery_code_is_refused(acme: Cast, typed: str) -> None:
    await add_app(acme, await owner_of(acme))
    with pytest.raises(Invalid, match="not one of your unused recovery codes"):
        await by_recovery_code(acme, await pending(acme), typed)


async def test_a_recovery_code_of_another_user_is_refused(acme: Cast, rival: Cast) -> None:
    await add_app(acme, await owner_of(acme))
    _, codes = await add_app(rival, await owner_of(rival))
    with pytest.raises(Invalid, match="not one of your unused recovery codes"):
        await by_recovery_code(acme, await pending(acme), codes[0])


# --- Passkeys ------------------------------------------------------------------------------------


@pytest.mark.parametrize("names_person", [True, False])
async def test_a_passkey_finishes_the_sign_in(acme: Cast, names_person: bool) -> None:
    owner, key = await owner_of(acme), Authenticator()
    await add_passkey(acme, owner, key)
    key.handle = key.handle if names_person else None
    token = await pending(acme)
    step = await find_second_step(acme.db, token)
    assert step is not None
    options = await passkeys.request_options(acme.db, PARTY, step.factors.passkeys, browser=token)
    assert step.factors.passkeys[0].id in options
    answer = key.get(options)
    passed = await second_step.finish_by_passkey(acme.db, token, PARTY, answer, site=SITE)
    assert (await sessions.begin_session(acme.db, passed, Client(HOME))).token
    (used,) = (await second_factors.get_second_factors(acme.db, owner.user_id)).passkeys
    assert (used.sign_count, used.used_at is not None) == (1, True)


async def test_a_passkey_of_another_user_is_refused(acme: Cast, rival: Cast) -> None:
    await add_app(acme, await owner_of(acme))
    key = Authenticator()
    await add_passkey(rival, await owner_of(rival), key)
    token = await pending(acme)
    answer = key.get(await passkeys.request_options(acme.db, PARTY, [], browser=token))
    with pytest.raises(Invalid, match="does not belong to you") as refusal:
        await second_step.finish_by_passkey(acme.db, token, PARTY, answer, site=SITE)
    assert refusal.value.field == "passkey"


async def test_an_answer_to_the_challenge_of_another_browser_is_refused(acme: Cast) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    theirs, mine = await pending(acme), await pending(acme)
    answer = key.get(await passkeys.request_options(acme.db, PARTY, [], browser=theirs))
    with pytest.raises(Invalid):
        await second_step.finish_by_passkey(acme.db, mine, PARTY, answer, site=SITE)


# --- Limits of attempts and time -----------------------------------------------------------------


async def test_after_five_wrong_codes_the_sign_in_must_start_again_and_the_user_is_notified(
    acme: Cast,
) -> None:
    owner = await owner_of(acme)
    secret, _ = await add_app(acme, owner)
    token = await pending(acme)
    for number in range(1, ATTEMPTS + 1):
        with pytest.raises(Invalid) as refusal:
            await by_code(acme, token, wrong(code_of(secret)))
        assert bool(refusal.value.field) is (number < ATTEMPTS)
    with pytest.raises(Invalid, match="Start again"):
        await by_code(acme, token, code_of(secret))
    assert ("user.fail_second_step", {"attempts": 5}) in await trail(acme, owner.user_id)
    assert "and then 5 wrong codes" in (await notices(acme, acme.owner))[-1]
    assert await by_code(acme, await pending(acme), code_of(secret))


async def test_concurrent_attempts_are_counted_one_by_one(acme: Cast) -> None:
    _, codes = await add_app(acme, await owner_of(acme))
    token = await pending(acme)
    guesses = ["000000-000000-000000-00000" + each for each in "0123456789"]
    outcomes = await asyncio.gather(
        *(by_recovery_code(acme, token, guess) for guess in guesses), return_exceptions=True
    )
    fields = [each.field for each in outcomes if isinstance(each, Invalid)]
    assert sorted(fields) == [""] * 6 + ["recovery_code"] * 4
    with pytest.raises(Invalid, match="Start again"):
        await by_recovery_code(acme, token, codes[0])


async def test_after_wrong_codes_in_many_sign_ins_codes_wait_and_recovery_codes_do_not(
    acme: Cast,
) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        secret, codes = await add_app(acme, await owner_of(acme))
        bad = wrong(code_of(secret, NOON))
        for _ in range(BY_USER.free // ATTEMPTS):
            token = await pending(acme)
            for _ in range(ATTEMPTS):
                with pytest.raises(Invalid):
                    await by_code(acme, token, bad)
        token = await pending(acme)
        with pytest.raises(TooManyAttempts) as refusal:
            await by_code(acme, token, code_of(secret, NOON))
        assert refusal.value.retry_after == 1
        assert await by_recovery_code(acme, await pending(acme), codes[0])
        clock.shift(timedelta(seconds=2))
        assert await by_code(acme, token, code_of(secret, NOON))
        assert await by_code(acme, await pending(acme), code_of(secret, NOON, steps=1))


async def test_a_sign_in_has_ten_minutes_for_its_second_step(acme: Cast) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        _, codes = await add_app(acme, await owner_of(acme))
        token = await pending(acme)
        clock.shift(VALID - timedelta(seconds=1))
        assert await find_second_step(acme.db, token)
        clock.shift(timedelta(seconds=1))
        assert await find_second_step(acme.db, token) is None
        with pytest.raises(Invalid, match="Start again"):
            await by_recovery_code(acme, token, codes[0])
        await sign_in.purge(acme.db)
    rows = await acme.db.fetch_all(
        "SELECT digest FROM pending_sign_in WHERE user_id = :id",
        {"id": (await verified(acme)).user_id},
    )
    assert rows == []


async def test_a_changed_password_ends_unfinished_sign_ins(acme: Cast) -> None:
    owner = await owner_of(acme)
    secret, _ = await add_app(acme, owner)
    token = await pending(acme)
    await sign_in.change_password(acme.db, owner, current=PASSWORD, new=OTHER, client=Client(HOME))
    assert await find_second_step(acme.db, token) is None
    with pytest.raises(Invalid):
        await by_code(acme, token, code_of(secret))


async def test_an_unknown_token_is_refused(acme: Cast) -> None:
    assert await find_second_step(acme.db, "made up") is None
