"""Passkeys on the pages: the requests of the script, without a browser."""

import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import time_machine
from starlette.applications import Starlette

from masthead.settings import Settings
from tests.conftest import Cast, serving
from tests.services.identity.authenticator import PARTY, Authenticator, text_of
from tests.services.identity.factors import add_passkey
from tests.services.identity.people import owner_of
from tests.services.identity.test_second_factors import require
from tests.web.conftest import Browsers, Person
from tests.web.identity.test_sign_in import PASSWORD, alert_of, guest, set_password, try_to_sign_in
from tests.web.identity.test_two_step import SECOND_STEP, codes_of

NEW = "/you/two-step/passkeys/new/"


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[Starlette]:
    """The service at an address where passkeys work."""
    settings = Settings(database_url=database_url, public_url=PARTY.origin)
    async with serving(settings) as (app, _):
        yield app


@pytest.fixture
async def person(site: Starlette, acme: Cast) -> AsyncIterator[Person]:
    """The owner of Acme, with a password, in a browser without cookies."""
    await set_password(acme)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(site), base_url=PARTY.origin, headers={"Accept": "text/html"}
    ) as http:
        yield Person(http, acme.subdomain, acme.owner)


async def enter(person: Person) -> None:
    """Sign in with the password only."""
    assert (await try_to_sign_in(person, PASSWORD)).headers["Location"] == "/desk/"


async def add(person: Person, key: Authenticator, name: str = "Phone") -> httpx.Response:
    """Add a passkey, as the script does."""
    options = await person.post("/you/two-step/passkeys/options/")
    assert options.headers["Content-Type"] == "application/json"
    return await person.send(NEW, {"name": name, "answer": key.create(options.text)})


async def test_a_passkey_is_added_renamed_and_removed(person: Person) -> None:
    await enter(person)
    key = Authenticator()
    assert f'data-origin="{PARTY.origin}"' in (await person.http.get(NEW)).text
    assert len(codes_of((await add(person, key)).text)) == 10
    answer = await add(person, Authenticator(), "Key ring")
    assert answer.headers["Location"] == "/you/two-step/"
    overview = (await person.http.get("/you/two-step/")).text
    assert re.findall(r"<bdi>(.*?)</bdi>", overview) == ["Phone", "Key ring"]
    place = f"/you/two-step/passkeys/{text_of(key.id)}/"
    assert 'value="Phone"' in (await person.http.get(place)).text
    assert (await person.send(place, {"name": " Blue "})).status_code == 303
    answer = await person.send(place, {"name": "x" * 300})
    assert (answer.status_code, "255" in alert_of(answer)) == (400, True)
    assert (await person.send(place, {"name": ""})).status_code == 400
    assert "Remove the passkey “Blue”" in (await person.http.get(f"{place}remove/")).text
    assert (await person.post(f"{place}remove/")).status_code == 303
    assert (await person.http.get(place)).status_code == 404
    assert "Blue" not in re.findall(
        r"<bdi>(.*?)</bdi>", (await person.http.get("/you/two-step/")).text
    )


async def test_the_last_passkey_stays_if_the_account_requires_one(
    acme: Cast, person: Person
) -> None:
    await enter(person)
    key = Authenticator()
    await add(person, key)
    await require(acme)
    answer = await person.post(f"/you/two-step/passkeys/{text_of(key.id)}/remove/")
    assert answer.status_code == 400
    assert "Acme requires two-step sign-in" in alert_of(answer)


async def test_without_an_answer_from_the_browser_nothing_is_added(person: Person) -> None:
    await enter(person)
    answer = await person.send(NEW, {"name": "Phone"})
    assert answer.status_code == 400
    assert "Your browser sent no passkey" in alert_of(answer)
    answer = await person.send(NEW, {"name": "", "answer": "{}"})
    assert "Give the passkey a name" in alert_of(answer)
    answer = await person.send(NEW, {"name": "Phone", "answer": "{}"})
    assert "was refused" in alert_of(answer)
    assert "{}" not in answer.text


async def test_a_sign_in_with_a_passkey_opens_the_requested_page(
    acme: Cast, person: Person
) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    target = person.address("issues")
    assert "Sign in with a passkey" in (await person.http.get("/sign-in/")).text
    options = await person.post("/sign-in/passkey/options/")
    assert options.headers["Set-Cookie"].startswith("__Host-masthead_step=")
    assert "; secure" in options.headers["Set-Cookie"].lower()
    answer = key.get(options.text)
    response = await person.post("/sign-in/passkey/", {"answer": answer, "next": target})
    assert response.headers["Location"] == target
    assert (await person.http.get(target)).status_code == 200
    response = await person.post("/sign-in/passkey/", {"answer": answer})
    assert response.status_code == 400
    assert "Your browser sent no passkey" in alert_of(response)


async def test_an_answer_to_the_challenge_of_another_browser_is_rejected(
    acme: Cast, person: Person
) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    theirs = await person.post("/sign-in/passkey/options/")
    await person.post("/sign-in/passkey/options/")
    response = await person.post("/sign-in/passkey/", {"answer": key.get(theirs.text)})
    assert response.status_code == 400
    assert "was refused" in alert_of(response)


async def test_an_answer_is_accepted_for_ten_minutes(acme: Cast, person: Person) -> None:
    key = Authenticator()
    await add_passkey(acme, await owner_of(acme), key)
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC), tick=False) as clock:
        options = await person.post("/sign-in/passkey/options/")
        cookie = options.headers["Set-Cookie"].partition(";")[0]
        clock.shift(timedelta(seconds=601))
        person.http.headers["Cookie"] = cookie  # although the browser should have deleted it
        response = await person.post("/sign-in/passkey/", {"answer": key.get(options.text)})
    assert response.status_code == 400
    assert "Your browser sent no passkey" in alert_of(response)


async def test_a_passkey_finishes_the_second_step(acme: Cast, person: Person) -> None:
    key = Authenticator()
    assert (await person.post(f"{SECOND_STEP}options/")).status_code == 401
    await add_passkey(acme, await owner_of(acme), key)
    response = await try_to_sign_in(person, "seven quiet lighthouses")
    place = response.headers["Location"]
    assert "Use a passkey" in (await person.http.get(place)).text
    response = await person.post(place, {"passkey": "{}"})
    assert (response.status_code, "was refused" in alert_of(response)) == (400, True)
    options = await person.post(f"{SECOND_STEP}options/")
    assert text_of(key.id) in options.text
    response = await person.post(place, {"passkey": key.get(options.text)})
    assert response.headers["Location"] == "/desk/"
    assert acme.name in await person.text()


@pytest.mark.parametrize("counts", [True, False])
async def test_a_recorded_answer_signs_nobody_in_again(
    acme: Cast, site: Starlette, person: Person, *, counts: bool
) -> None:
    key = Authenticator(counts=counts)
    await add_passkey(acme, await owner_of(acme), key)
    options = await person.post("/sign-in/passkey/options/")
    cookie = options.headers["Set-Cookie"].partition(";")[0]
    first = {"answer": key.get(options.text)}
    assert (await person.post("/sign-in/passkey/", first)).status_code == 303
    await person.post("/sign-out/")
    place = (await try_to_sign_in(person, PASSWORD)).headers["Location"]
    options = await person.post(f"{SECOND_STEP}options/")
    second = {"passkey": key.get(options.text)}
    assert (await person.post(place, second)).status_code == 303
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(site), base_url=PARTY.origin, headers={"Accept": "text/html"}
    ) as http:
        thief = Person(http, acme.subdomain, acme.owner)
        http.headers["Cookie"] = cookie  # the whole request, as it was sent
        answers = [await thief.post("/sign-in/passkey/", first)]
        del http.headers["Cookie"]
        await thief.post("/sign-in/passkey/options/")  # another challenge
        answers.append(await thief.post("/sign-in/passkey/", first))
        answers.append(await thief.post("/sign-in/passkey/", {"answer": second["passkey"]}))
        place = (await try_to_sign_in(thief, PASSWORD)).headers["Location"]
        for recorded in (first["answer"], second["passkey"]):
            await thief.post(f"{SECOND_STEP}options/")
            answers.append(await thief.post(place, {"passkey": recorded}))
        assert "/sign-in/" in (await http.get(thief.address("issues"))).headers["Location"]
    assert [each.status_code for each in answers] == [400] * 5
    assert all("passkey" in alert_of(each) for each in answers)


async def test_without_passkeys_the_pages_say_so_and_codes_still_work(
    acme: Cast, owner: Person, browsers: Browsers
) -> None:
    assert "they require an https address" in (await owner.http.get("/you/two-step/")).text
    for answer in (await owner.http.get(NEW), await owner.post("/sign-in/passkey/options/")):
        assert answer.status_code == 400
        assert "need an https address" in answer.text
    assert "Sign in with a passkey" not in (await browsers().get("/sign-in/")).text
    codes = await add_passkey(acme, await owner_of(acme), Authenticator())
    person = guest(acme, browsers)
    place = (await try_to_sign_in(person, "seven quiet lighthouses")).headers["Location"]
    assert "cannot be used at this address" in (await person.http.get(place)).text
    response = await person.post(place, {"passkey": "{}"})
    assert "Type a code" in alert_of(response)
    assert (await person.post(place, {"recovery_code": codes[0]})).status_code == 303
