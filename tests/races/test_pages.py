"""Two users save the same page on two workers: one change is saved, one is a conflict."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
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


async def run(url: str, times: int) -> None:
    """Repeat the race."""
    async with two_people(url) as (cast, *people):
        one, two = people
        for number in range(1, times + 1):
            await name_an_issue(cast, (one, two), number)
        assert [fault async for fault in check(cast.db)] == []


async def test_one_of_two_concurrent_issue_edits_is_a_conflict(scratch_url: str) -> None:
    await run(scratch_url, ROUNDS)


@pytest.mark.slow
async def test_without_the_comparison_in_the_transaction_a_change_is_lost(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for replacement in PROTECTIONS["comparison of issues"]:
        monkeypatch.setattr(*replacement)
    with pytest.raises(AssertionError):
        await run(scratch_url, CONTROL_ROUNDS)
