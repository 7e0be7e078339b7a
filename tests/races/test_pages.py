"""Two users save the same page on two workers, and a user sends the same form to both."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.sources import list_all_sources
from tests.conftest import Cast, make_account, serving
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS
from tests.support.protections import PROTECTIONS
from tests.web.conftest import Person, fields_of, signed_in

pytestmark = pytest.mark.races


@asynccontextmanager
async def two_people(url: str) -> AsyncIterator[tuple[Cast, Person, Person]]:
    """An account, and its owner on a page of each of two workers."""
    settings = Settings(database_url=url)
    async with (
        serving(settings) as (app, client),
        serving(settings) as (other, _),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://masthead.test") as a,
        httpx.AsyncClient(
            transport=httpx.ASGITransport(other), base_url="http://masthead.test"
        ) as b,
    ):
        cast = await make_account(client, app.state.db, "Acme")
        one = await signed_in(app, cast, cast.owner, a)
        two = await signed_in(other, cast, cast.owner, b)
        yield cast, one, two


async def name_an_issue(cast: Cast, people: tuple[Person, Person], number: int) -> None:
    """Two users rename an issue at once: one name is saved, and the other user must confirm."""
    made = (await cast.post("/v1/issues/", {"number": number, "name": "Tide"})).json()
    address = people[0].address("issues", made["id"], "edit")
    pages = [fields_of((await person.http.get(address)).text) for person in people]
    names = ["Low tide", "High tide"]
    sent = [
        person.post(address, {**page, "name": name})
        for person, page, name in zip(people, pages, names, strict=True)
    ]
    answers = await asyncio.gather(*sent)
    assert sorted(answer.status_code for answer in answers) == [303, 400]
    saved = next(name for name, answer in zip(names, answers, strict=True) if answer.is_redirect)
    refused = next(answer for answer in answers if answer.status_code == 400)
    assert f"“{saved}”" in refused.text
    assert (await cast.get(f"/v1/issues/{made['id']}/")).json()["name"] == saved


async def add_a_source(cast: Cast, people: tuple[Person, Person], number: int) -> None:
    """The same form is sent to both workers at once: it is saved once, and both redirect."""
    address, name = people[0].address("settings", "sources", "new"), f"Kiosk {number}"
    form = {**fields_of((await people[0].http.get(address)).text), "name": name}
    answers = await asyncio.gather(*(person.post(address, form) for person in people))
    assert [answer.status_code for answer in answers] == [303, 303]
    assert len({answer.headers["Location"] for answer in answers}) == 1
    stored = await list_all_sources(cast.db, cast.account_id)
    assert [source.name for source in stored].count(name) == 1


PageRace = Callable[[Cast, tuple[Person, Person], int], Awaitable[None]]


async def run(race: PageRace, url: str, times: int) -> None:
    """Repeat the race."""
    async with two_people(url) as (cast, *people):
        one, two = people
        for number in range(1, times + 1):
            await race(cast, (one, two), number)
        assert [fault async for fault in check(cast.db)] == []


async def test_one_of_two_concurrent_issue_edits_is_a_conflict(scratch_url: str) -> None:
    await run(name_an_issue, scratch_url, ROUNDS)


@pytest.mark.slow
async def test_without_the_comparison_in_the_transaction_a_change_is_lost(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["comparison of issues"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(name_an_issue, scratch_url, CONTROL_ROUNDS)


async def test_a_form_that_is_sent_to_two_workers_is_saved_once(scratch_url: str) -> None:
    await run(add_a_source, scratch_url, ROUNDS)


@pytest.mark.slow
async def test_without_its_key_it_is_saved_twice(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["idempotency keys"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(add_a_source, scratch_url, 1)
