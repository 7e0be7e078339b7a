"""Passkeys: the options for browsers, and which of their answers are accepted."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from masthead.model.errors import Invalid
from masthead.model.identity.sign_ins import Client
from masthead.model.ids import new_token
from masthead.services.identity import passkeys, sessions, sign_in
from masthead.services.identity.passkeys import MOST_PASSKEYS, VALID
from masthead.services.identity.second_factors import get_second_factors, remove_passkey
from masthead.services.identity.webauthn_answers import MAX_ANSWER
from tests.conftest import Cast
from tests.services.identity.authenticator import PARTY, Authenticator, bytes_of, text_of
from tests.services.identity.factors import SESSION, add_app, add_passkey
from tests.services.identity.people import HOME, let_in, owner_of, user_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def sign_in_with(cast: Cast, key: Authenticator) -> str:
    """Sign in with only a passkey; returns the token of the session."""
    browser = new_token()
    answer = key.get(passkeys.sign_in_options(PARTY, browser=browser))
    return await answered(cast, answer, browser=browser)


async def answered(cast: Cast, answer: str, *, browser: str = "") -> str:
    person = await passkeys.sign_in_by_passkey(cast.db, PARTY, answer, browser=browser)
    return (await sessions.begin_session(cast.db, person, Client(HOME))).token


def changed(answer: str, **response: str) -> str:
    """A response with some fields changed."""
    fields = json.loads(answer)
    fields["response"] |= response
    return json.dumps(fields)


# --- Adding --------------------------------------------------------------------------------------


async def test_a_passkey_gets_a_random_handle_and_must_verify_the_user(acme: Cast) -> None:
    owner = await owner_of(acme)
    ask = [await passkeys.creation_options(acme.db, owner, PARTY, browser=SESSION) for _ in "12"]
    first, second = map(json.loads, ask)
    assert first["rp"]["id"] == PARTY.id
    assert first["user"]["id"] == second["user"]["id"]
    assert first["challenge"] != second["challenge"]
    assert owner.user_id not in bytes_of(first["user"]["id"]).decode(errors="replace")
    assert first["authenticatorSelection"] == {
        "residentKey": "required",
        "requireResidentKey": True,
        "userVerification": "required",
    }
    assert first["attestation"] == "none"


async def test_an_added_passkey_is_listed_and_not_offered_again(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator()
    codes = await add_passkey(acme, owner, key, name=" Phone ")
    assert len(codes) == 10
    (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
    assert (passkey.id, passkey.name, passkey.used_at) == (text_of(key.id), "Phone", None)
    options = json.loads(await passkeys.creation_options(acme.db, owner, PARTY, browser=SESSION))
    assert [each["id"] for each in options["excludeCredentials"]] == [passkey.id]
    with pytest.raises(Invalid, match="already been added"):
        await add_passkey(acme, owner, key)


async def test_a_passkey_added_after_an_app_creates_no_recovery_codes(acme: Cast) -> None:
    owner = await owner_of(acme)
    await add_app(acme, owner)
    assert await add_passkey(acme, owner, Authenticator()) == []


async def test_a_challenge_can_be_answered_once_in_time_and_only_by_its_browser(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator()

    async def add(answer: str, session: str = SESSION) -> None:
        await passkeys.add_passkey(
            acme.db, owner, PARTY, answer=answer, name="Phone", session=session, site=None
        )

    with time_machine.travel(NOON, tick=False) as clock:
        answer = key.create(await passkeys.creation_options(acme.db, owner, PARTY, browser=SESSION))
        with pytest.raises(Invalid, match="refused"):
            await add(answer, "another session")
        clock.shift(VALID)
        with pytest.raises(Invalid, match="refused"):
            await add(answer)
        clock.shift(-timedelta(seconds=1))
        await add(answer)
        with pytest.raises(Invalid, match="refused"):
            await add(answer)
        clock.shift(VALID)
        await sign_in.purge(acme.db)
    row = await acme.db.fetch_one("SELECT count(*) AS count FROM passkey_challenge", {})
    assert row is not None


@pytest.mark.parametrize(
    "amiss",
    [
        {"origin": "https://evil.test"},
        {"origin": "http://desk.acme.test"},
        {"party_id": "evil.test"},
        {"is_verifying": False},
        {"id": bytes(1100)},
    ],
    ids=str,
)
async def test_a_passkey_for_another_site_or_without_user_verification_is_refused(
    acme: Cast, amiss: dict[str, Any]
) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid, match="refused"):
        await add_passkey(acme, owner, Authenticator(**amiss))
    assert (await get_second_factors(acme.db, owner.user_id)).passkeys == []


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        "{}",
        "[" * MAX_ANSWER,
        "x" * (MAX_ANSWER + 1),
        '{"id": "a", "rawId": "a", "type": "public-key", "response": {}}',
        json.dumps(
            {
                "id": "YQ",
                "rawId": "YQ",
                "type": "public-key",
                "response": {"clientDataJSON": "e30", "attestationObject": "_w"},
            }
        ),
    ],
    ids=lambda text: text[:20],
)
async def test_a_malformed_answer_is_refused(acme: Cast, answer: str) -> None:
    owner = await owner_of(acme)
    with pytest.raises(Invalid, match="refused"):
        await passkeys.add_passkey(
            acme.db, owner, PARTY, answer=answer, name="Phone", session=SESSION, site=None
        )
    with pytest.raises(Invalid):
        await answered(acme, answer)


async def test_a_passkey_has_a_name(acme: Cast) -> None:
    with pytest.raises(Invalid):
        await add_passkey(acme, await owner_of(acme), Authenticator(), name="  ")


async def test_a_user_has_at_most_twenty_passkeys(acme: Cast) -> None:
    owner = await owner_of(acme)
    for _ in range(MOST_PASSKEYS):
        await add_passkey(acme, owner, Authenticator())
    with pytest.raises(Invalid, match="You have 20 passkeys"):
        await add_passkey(acme, owner, Authenticator())


# --- Signing in ----------------------------------------------------------------------------------


async def test_a_passkey_signs_its_user_in_without_a_password(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator()
    await add_app(acme, owner)
    await add_passkey(acme, owner, key)
    for count in (1, 2):
        session = await sign_in_with(acme, key)
        assert (await user_of(acme, session)).user_id == owner.user_id
        (passkey,) = (await get_second_factors(acme.db, owner.user_id)).passkeys
        assert passkey.sign_count == count


async def test_a_passkey_without_a_counter_works_repeatedly(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator(counts=False)
    await add_passkey(acme, owner, key)
    assert await sign_in_with(acme, key)
    assert await sign_in_with(acme, key)


async def test_a_lower_count_indicates_a_copied_passkey_and_is_refused(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator()
    await add_passkey(acme, owner, key)
    await sign_in_with(acme, key)
    key.count = 0
    with pytest.raises(Invalid, match="refused"):
        await sign_in_with(acme, key)


async def test_an_answer_works_once_and_only_in_its_browser(acme: Cast) -> None:
    key, browser = Authenticator(counts=False), new_token()
    await add_passkey(acme, await owner_of(acme), key)
    answer = key.get(passkeys.sign_in_options(PARTY, browser=browser))
    with pytest.raises(Invalid, match="refused"):
        await answered(acme, answer, browser="another one")
    assert await answered(acme, answer, browser=browser)
    with pytest.raises(Invalid, match="refused"):
        await answered(acme, answer, browser=browser)


async def test_only_one_of_two_concurrent_answers_with_the_same_count_signs_in(acme: Cast) -> None:
    key, browsers = Authenticator(counts=False, count=7), [new_token(), new_token()]
    await add_passkey(acme, await owner_of(acme), key)
    key.count = 8
    answers = [key.get(passkeys.sign_in_options(PARTY, browser=each)) for each in browsers]
    outcomes = await asyncio.gather(
        *(
            answered(acme, answer, browser=browser)
            for answer, browser in zip(answers, browsers, strict=True)
        ),
        return_exceptions=True,
    )
    assert sorted(isinstance(each, Invalid) for each in outcomes) == [False, True]


async def test_an_answer_sent_many_times_at_once_signs_in_once(acme: Cast) -> None:
    key, browser = Authenticator(counts=False), new_token()
    await add_passkey(acme, await owner_of(acme), key)
    answer = key.get(passkeys.sign_in_options(PARTY, browser=browser))
    outcomes = await asyncio.gather(
        *(answered(acme, answer, browser=browser) for _ in range(4)), return_exceptions=True
    )
    assert sorted(isinstance(each, Invalid) for each in outcomes) == [False, True, True, True]


async def test_nothing_is_stored_for_an_unknown_user_before_an_answer(acme: Cast) -> None:
    count = "SELECT count(*) AS count FROM passkey_challenge"
    before = await acme.db.fetch_one(count, {})
    passkeys.sign_in_options(PARTY, browser=new_token())
    assert await acme.db.fetch_one(count, {}) == before


@pytest.mark.parametrize(
    "amiss",
    [
        {"origin": "https://evil.test"},
        {"party_id": "evil.test"},
        {"is_verifying": False},
        {"handle": text_of(b"somebody else")},
        {"key": Authenticator().key},
    ],
    ids=lambda amiss: next(iter(amiss)),
)
async def test_an_answer_that_proves_something_else_is_refused(
    acme: Cast, amiss: dict[str, Any]
) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    for name, value in amiss.items():
        setattr(key, name, value)
    with pytest.raises(Invalid, match="refused"):
        await sign_in_with(acme, key)


async def test_a_passkey_without_a_user_handle_cannot_sign_in_by_itself(acme: Cast) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    key.handle = None
    with pytest.raises(Invalid, match="refused"):
        await sign_in_with(acme, key)


async def test_a_challenge_that_was_never_issued_is_refused(acme: Cast) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    with pytest.raises(Invalid, match="refused"):
        await answered(acme, key.get(json.dumps({"challenge": text_of(bytes(32))})))


async def test_the_answer_that_adds_a_passkey_does_not_sign_in(acme: Cast) -> None:
    key, browser = Authenticator(), new_token()
    await add_passkey(acme, await owner_of(acme), key)
    options = json.loads(passkeys.sign_in_options(PARTY, browser=browser))
    answer = key.create(json.dumps({**options, "user": {"id": key.handle}}))
    with pytest.raises(Invalid, match="refused"):
        await answered(acme, answer, browser=browser)


async def test_malformed_client_data_is_refused(acme: Cast) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    answer = key.get(passkeys.sign_in_options(PARTY, browser=""))
    with pytest.raises(Invalid, match="refused"):
        await answered(acme, changed(answer, clientDataJSON=text_of(b"not json")))


async def test_an_unknown_passkey_and_one_with_a_very_long_id_are_refused(acme: Cast) -> None:
    for id in (b"unknown", bytes(1100)):
        with pytest.raises(Invalid, match="unknown"):
            await sign_in_with(acme, Authenticator(id=id))


async def test_a_removed_passkey_cannot_sign_in(acme: Cast) -> None:
    owner, key = await owner_of(acme), Authenticator()
    await add_passkey(acme, owner, key)
    options = passkeys.sign_in_options(PARTY, browser="")
    await remove_passkey(acme.db, owner, text_of(key.id), site=None)
    with pytest.raises(Invalid, match="unknown"):
        await answered(acme, key.get(options))


async def test_each_user_has_a_separate_handle(acme: Cast) -> None:
    one, other = Authenticator(), Authenticator()
    await add_passkey(acme, await owner_of(acme), one)
    await add_passkey(acme, await let_in(acme, "cleo"), other)
    assert one.handle != other.handle
