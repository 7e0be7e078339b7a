"""Login throttling: which attempts must wait, and which are counted."""

import asyncio
import secrets
import threading
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.model.identity.login_throttling import ATTACK, BROWSER_FAILURES
from masthead.model.identity.sign_ins import Client
from masthead.services.identity import login_throttling, passwords, sign_in
from masthead.services.identity.known_browsers import MOST, is_known
from masthead.services.identity.passwords import AT_ONCE
from tests.conftest import BY, Cast
from tests.services.identity.people import HOME, begin, enter, fail, let_in, owner_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def networks(count: int) -> list[str]:
    """Addresses in different networks, which no other test uses for failed sign-ins."""
    first = f"2001:db8:{secrets.randbelow(2**16):x}"
    return [f"{first}:{number:x}::1" for number in range(count)]


# --- A user who knows the password is never locked out --------------------------------------------


@pytest.mark.slow
async def test_the_owner_can_sign_in_while_many_networks_guess(acme: Cast) -> None:
    """A thousand networks try passwords while the owner signs in, in new browsers."""
    await owner_of(acme)
    attackers, homes = networks(1_000), iter(networks(40))
    for number, address in enumerate(attackers):
        await fail(acme, address)
        if number % 50 == 49:
            assert await enter(acme, address=next(homes)), f"after {number} guesses"
    with pytest.raises(Invalid):  # one mistake under attack
        await enter(acme, "wrong", address=HOME)
    assert await enter(acme, address=HOME)


async def test_under_attack_each_network_has_two_attempts_and_then_waits_longer(acme: Cast) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        for address in networks(ATTACK):
            await fail(acme, address)
        (address,) = networks(1)
        await fail(acme, address, times=2)
        for seconds in (15, 30, 60):
            with pytest.raises(TooManyAttempts) as refusal:
                await enter(acme, address=address)
            assert refusal.value.retry_after == seconds
            clock.shift(timedelta(seconds=seconds))
            await fail(acme, address)


async def test_a_sign_in_of_the_owner_does_not_end_the_stricter_limit_for_other_networks(
    acme: Cast,
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False):
        for address in networks(ATTACK):
            await fail(acme, address)
        attacker, home = networks(2)
        await fail(acme, home)
        assert await enter(acme, address=home)
        await fail(acme, attacker, times=2)
        with pytest.raises(TooManyAttempts):
            await enter(acme, "wrong", address=attacker)


async def test_after_five_failures_a_user_waits_in_that_network_for_a_limited_time(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        await fail(acme, network, times=5)
        for seconds in (1, 2, 4):
            with pytest.raises(TooManyAttempts) as refusal:
                await enter(acme, address=network)
            assert refusal.value.retry_after == seconds
            clock.shift(timedelta(seconds=seconds))
            await fail(acme, network)
        clock.shift(timedelta(minutes=1))
        assert await enter(acme, address=network)
        await fail(acme, network, times=5)


# --- A network that many users share --------------------------------------------------------------


async def fail_at_many(cast: Cast, network: str, clock: time_machine.Traveller) -> None:
    """Fail for many users until the network has to wait, and let that time pass."""
    for number in range(30):
        try:
            await fail(cast, network, email=f"{number}@{cast.subdomain}.test")
        except TooManyAttempts as refusal:
            clock.shift(timedelta(seconds=refusal.retry_after))
            await fail(cast, network, email=f"{number}@{cast.subdomain}.test")
    with pytest.raises(TooManyAttempts) as refused:
        await enter(cast, address=network)
    assert refused.value.retry_after == 300
    clock.shift(timedelta(seconds=300))


async def test_after_a_success_no_other_user_in_the_network_waits(acme: Cast, network: str) -> None:
    await owner_of(acme)
    colleagues = [await let_in(acme, f"colleague-{number}") for number in range(5)]
    with time_machine.travel(NOON, tick=False) as clock:
        await fail_at_many(acme, network, clock)
        for colleague in colleagues:
            assert await enter(acme, email=colleague.email, address=network)
        assert await enter(acme, address=network)


async def test_a_successful_sign_in_deletes_the_failures_of_its_user(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False):
        for _ in range(10):
            await fail(acme, network, times=4)
            assert await enter(acme, address=network)


async def test_a_successful_sign_in_keeps_the_failures_of_other_users(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False):
        for number in range(20):
            if number % 5 == 4:
                assert await enter(acme, address=network)
            await fail(acme, network, email=f"{number}@{acme.subdomain}.test")
        with pytest.raises(TooManyAttempts):
            await enter(acme, address=network)


async def test_a_failure_after_the_start_of_a_successful_sign_in_still_counts(
    acme: Cast, network: str
) -> None:
    """The time of the last failure is restored only if no other failure followed."""
    await owner_of(acme)
    client = Client(network)
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(19):
            await fail(acme, network, email=f"{number}@{acme.subdomain}.test")
        clock.shift(timedelta(seconds=1))
        attempt = await login_throttling.count_attempt(acme.db, acme.owner, client)
        clock.shift(timedelta(seconds=1))
        await fail(acme, network, email=f"late@{acme.subdomain}.test")
        await acme.db.write(
            lambda tx: login_throttling.uncount_attempt(tx, attempt, acme.owner, client)
        )
        with pytest.raises(TooManyAttempts) as refusal:
            await enter(acme, address=network)
        assert refusal.value.retry_after == 1


# --- Known browsers -------------------------------------------------------------------------------


async def test_a_known_browser_does_not_wait_because_of_others(acme: Cast, network: str) -> None:
    await owner_of(acme)
    session = await begin(acme, client=Client(network))
    with time_machine.travel(NOON, tick=False) as clock:
        for address in networks(ATTACK):
            await fail(acme, address)
        await fail_at_many(acme, network, clock)
        await fail(acme, network, times=1)
        with pytest.raises(TooManyAttempts):
            await enter(acme, address=network)
        assert (await begin(acme, client=Client(network, device=session.device))).token


async def test_a_known_browser_does_not_wait_behind_attempts_of_other_networks(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    known = Client(network, device=(await begin(acme, client=Client(network))).device)
    is_over = threading.Event()
    try:
        for _ in range(AT_ONCE):
            passwords._threads.submit(is_over.wait)  # as many guesses as are hashed at once
        unknown = asyncio.create_task(enter(acme, address=HOME))
        assert (await begin(acme, client=known)).token
        assert not unknown.done()  # the positive control: this one has to wait
    finally:
        is_over.set()
    assert await unknown


async def test_a_known_browser_has_ten_attempts_and_then_counts_as_unknown(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    session = await begin(acme, client=Client(network))
    stolen = Client(network, device=session.device)
    with time_machine.travel(NOON, tick=False) as clock:
        for _ in range(BROWSER_FAILURES + 5):
            with pytest.raises(Invalid):
                await begin(acme, "wrong", client=stolen)
        with pytest.raises(TooManyAttempts):
            await begin(acme, client=stolen)
        assert await enter(acme, address=HOME)  # only the network of the cookie waits
        clock.shift(timedelta(hours=1))
        assert (await begin(acme, client=stolen)).token


async def test_a_sign_in_of_another_user_in_the_same_browser_allows_no_more_attempts(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    colleague = await let_in(acme, "colleague")
    device = (await begin(acme, client=Client(network))).device
    with time_machine.travel(NOON, tick=False):
        for _ in range(BROWSER_FAILURES + 5):
            shared = Client(network, device=device)
            with pytest.raises(Invalid):
                await begin(acme, "wrong", client=shared)
            device = (await begin(acme, email=colleague.email, client=shared)).device
        with pytest.raises(TooManyAttempts):
            await begin(acme, "wrong", client=Client(network, device=device))


async def test_failures_of_a_known_browser_are_not_counted_against_its_network(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False):
        for number in range(4):
            colleague = await let_in(acme, f"colleague-{number}")
            session = await begin(acme, email=colleague.email, client=Client(network))
            known = Client(network, device=session.device)
            for _ in range(BROWSER_FAILURES):
                with pytest.raises(Invalid):
                    await begin(acme, "wrong", email=colleague.email, client=known)
        assert await enter(acme, address=network)


async def test_a_browser_is_known_only_for_users_who_signed_in_with_it(
    acme: Cast, network: str
) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob")
    first = await begin(acme, client=Client(network))
    assert not await is_known(acme.db, first.device, bob.user_id)
    second = await begin(acme, email=bob.email, client=Client(network, device=first.device))
    for person in (owner, bob):
        assert await is_known(acme.db, second.device, person.user_id)
        assert not await is_known(acme.db, first.device, person.user_id)


async def test_a_planted_device_cookie_is_useless_after_the_sign_in(
    acme: Cast, network: str
) -> None:
    owner, thief = await owner_of(acme), await let_in(acme, "thief")
    planted = await begin(acme, email=thief.email, client=Client(network))
    await begin(acme, client=Client(HOME, device=planted.device))
    for person in (owner, thief):
        assert not await is_known(acme.db, planted.device, person.user_id)


async def test_browsers_are_forgotten_after_a_year_and_when_the_password_changes(
    acme: Cast, network: str
) -> None:
    owner = await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        first = await begin(acme, client=Client(network))
        clock.shift(timedelta(days=364))
        assert await is_known(acme.db, first.device, owner.user_id)
        clock.shift(timedelta(days=1))
        assert not await is_known(acme.db, first.device, owner.user_id)
    second = await begin(acme, client=Client(network))
    assert await is_known(acme.db, second.device, owner.user_id)
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    third = await sign_in.use_link(acme.db, link, "another harbour, at dusk", client=Client(HOME))
    assert not await is_known(acme.db, second.device, owner.user_id)
    assert await is_known(acme.db, third.device, owner.user_id)


async def test_only_the_newest_browsers_of_a_user_are_remembered(acme: Cast, network: str) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        owner = await owner_of(acme)
        made = []
        for _ in range(MOST + 2):
            clock.shift(timedelta(seconds=1))
            made.append(await begin(acme, client=Client(network)))
        known = [await is_known(acme.db, each.device, owner.user_id) for each in made]
    assert known == [False] * 2 + [True] * MOST


# --- What is counted ------------------------------------------------------------------------------


async def test_a_throttled_attempt_is_not_counted_and_needs_no_hash(
    acme: Cast, network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        await fail(acme, network, times=5)

        async def no_hash(*_: object, **__: object) -> bool:
            pytest.fail("hashed")

        with monkeypatch.context() as patched:
            patched.setattr(sign_in, "matches", no_hash)
            for _ in range(10):
                with pytest.raises(TooManyAttempts) as refusal:
                    await enter(acme, address=network)
                assert refusal.value.retry_after == 1
        clock.shift(timedelta(seconds=1))
        assert await enter(acme, address=network)


async def test_concurrent_attempts_are_limited_like_sequential_ones(
    acme: Cast, network: str
) -> None:
    outcomes = await asyncio.gather(
        *(enter(acme, "wrong", address=network) for _ in range(12)), return_exceptions=True
    )
    kinds = [type(each) for each in outcomes]
    assert kinds.count(Invalid) == 5
    assert kinds.count(TooManyAttempts) == 7


async def test_a_network_waits_after_twenty_failures_of_any_users(acme: Cast, network: str) -> None:
    await owner_of(acme)
    with time_machine.travel(NOON, tick=False) as clock:
        for number in range(20):
            await fail(acme, network, email=f"{number}@{acme.subdomain}.test")
        with pytest.raises(TooManyAttempts):
            await enter(acme, address=network)
        assert await enter(acme, address="203.0.113.77")
        clock.shift(timedelta(seconds=1))
        assert await enter(acme, address=network)


async def test_correct_passwords_do_not_count_against_their_network(
    acme: Cast, network: str
) -> None:
    await owner_of(acme)
    for _ in range(23):
        assert await enter(acme, address=network)


async def test_failures_are_forgotten_after_a_day(acme: Cast, network: str) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        await fail(acme, network, times=5)
        clock.shift(timedelta(days=1))
        await fail(acme, network, times=5)
        with pytest.raises(TooManyAttempts):
            await enter(acme, address=network)


async def test_attempts_to_confirm_the_current_password_are_counted_too(
    acme: Cast, network: str
) -> None:
    owner = await owner_of(acme)
    for refused in [Invalid] * 5 + [TooManyAttempts]:
        with pytest.raises(refused):
            await sign_in.change_password(
                acme.db, owner, current="wrong", new="another harbour", client=Client(network)
            )


@pytest.mark.parametrize("seconds, words", [(1, "in a second"), (2, "in 2 seconds")])
def test_the_error_message_says_how_long_to_wait(seconds: int, words: str) -> None:
    assert words in str(TooManyAttempts(seconds))
