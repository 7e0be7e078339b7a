"""`kill -9` around the commit of a request or form with a key: the retry gets the answer."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from masthead.settings import Settings
from tests.conftest import Client, make_account, serving
from tests.support.expect import refused
from tests.support.factories import make_issue, manual
from tests.support.keyed_requests import new_key, send
from tests.support.serving import account_at, launch, serve
from tests.support.waiting import PATIENCE
from tests.support.walk import walk
from tests.web.conftest import Person, fields_of, signed_in

pytestmark = pytest.mark.crash

SUBSCRIPTIONS = "/v1/subscriptions/"


async def retry_after_kill(
    url: str, log: Path, *, moment: str, has_key: bool = True
) -> tuple[httpx.Response, str]:
    """The answer of a new server to the retry of an order, during which the old one was killed.

    And the id of the only subscription afterwards.
    """
    dying = launch(url, log, program="tests.support.die_in_request", environment={"DIE": moment})
    with dying as server:
        server.wait("/ready")
        async with account_at(server, url) as cast:
            await make_issue(cast)
            body, key = manual(cast), new_key()
            with pytest.raises(httpx.TransportError):
                await send(cast, "POST", SUBSCRIPTIONS, body, key)
    with serve(url, log) as again:
        async with httpx.AsyncClient(base_url=again.url, timeout=PATIENCE, trust_env=False) as http:
            here = replace(cast, client=Client(http))
            answer = await send(here, "POST", SUBSCRIPTIONS, body, key if has_key else None)
            [created] = await walk(here, SUBSCRIPTIONS)
            return answer, created["id"]


async def test_a_retry_gets_the_answer_of_a_killed_server(scratch_url: str, tmp_path: Path) -> None:
    answer, id = await retry_after_kill(scratch_url, tmp_path / "log", moment="after")
    assert (answer.status_code, answer.json()["id"]) == (201, id)
    assert answer.headers["Idempotent-Replayed"] == "true"


async def test_a_retry_does_what_a_killed_server_did_not_commit(
    scratch_url: str, tmp_path: Path
) -> None:
    answer, id = await retry_after_kill(scratch_url, tmp_path / "log", moment="before")
    assert (answer.status_code, answer.json()["id"]) == (201, id)
    assert "Idempotent-Replayed" not in answer.headers


@pytest.mark.slow
async def test_without_the_key_a_retry_is_refused(scratch_url: str, tmp_path: Path) -> None:
    answer, id = await retry_after_kill(
        scratch_url, tmp_path / "log", moment="after", has_key=False
    )
    refused(answer, "duplicate_order_id", id=id)


async def form_after_kill(url: str, log: Path, *, moment: str, has_key: bool = True) -> int:
    """The status of the second response to the form of an issue; a kill prevented the first.

    It redirects to the only issue afterwards.
    """
    dying = launch(url, log, program="tests.support.die_in_request", environment={"DIE": moment})
    with dying as server:
        server.wait("/ready")
        async with (
            serving(Settings(database_url=url)) as (app, client),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://masthead.test"
            ) as a,
            httpx.AsyncClient(base_url=server.url, timeout=PATIENCE, trust_env=False) as b,
        ):
            cast = await make_account(client, app.state.db, "Acme")
            person = await signed_in(app, cast, cast.owner, a)
            b.cookies = httpx.Cookies(dict(a.cookies))
            address = person.address("issues", "new")
            form = {**fields_of((await a.get(address)).text), "number": "7"}
            if not has_key:
                del form["idempotency_key"]
            with pytest.raises(httpx.TransportError):
                await Person(b, person.at).post(address, form)
            answer = await person.post(address, form)
            [issue] = (await cast.get("/v1/issues/")).json()["items"]
            if answer.is_redirect:
                assert answer.headers["Location"] == person.address("issues", issue["id"])
            return answer.status_code


@pytest.mark.parametrize("moment", ["after", "before"])
async def test_a_form_takes_effect_once_despite_a_kill(
    scratch_url: str, tmp_path: Path, moment: str
) -> None:
    assert await form_after_kill(scratch_url, tmp_path / "log", moment=moment) == 303


@pytest.mark.slow
async def test_without_its_key_a_form_is_refused_after_a_kill(
    scratch_url: str, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    assert await form_after_kill(scratch_url, log, moment="after", has_key=False) == 400
