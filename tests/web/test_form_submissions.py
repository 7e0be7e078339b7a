"""Forms that are sent twice, or while the database is unavailable."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
from msgspec import structs
from starlette.applications import Starlette

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Database, Work
from masthead.web.kit.client_request import WebDependencies
from tests.conftest import Cast
from tests.web.conftest import Person, fields_of

T = TypeVar("T")


class Failing:
    """A database whose writes fail after some have been made."""

    def __init__(self, db: Database, writes: int) -> None:
        self._db, self._left = db, writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    async def write(self, work: Work[T], **options: Any) -> T:
        self._left -= 1
        if self._left < 0:
            raise Unavailable
        return await self._db.write(work, **options)


@asynccontextmanager
async def failing(app: Starlette, after: int) -> AsyncIterator[None]:
    """Make the pages' database fail after a number of writes."""
    whole: WebDependencies = app.state.web
    app.state.web = structs.replace(whole, db=Failing(whole.db, after))
    try:
        yield
    finally:
        app.state.web = whole


async def names_of(cast: Cast) -> list[str]:
    rows = await cast.db.fetch_all(
        "SELECT name FROM source WHERE account_id = :account_id", {"account_id": cast.account_id}
    )
    return [row["name"] for row in rows]


async def test_a_form_that_is_sent_twice_is_saved_once(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "sources", "new")
    first = await owner.send(address, {"name": "Kiosk"})
    second = await owner.post(address, owner.sent)
    assert first.status_code == second.status_code == 303
    assert (await names_of(acme)).count("Kiosk") == 1


async def test_a_form_that_is_sent_again_with_other_values_is_saved_again(
    owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "sources", "new")
    await owner.send(address, {"name": "Kiosk"})
    await owner.post(address, {**owner.sent, "name": "Fair"})
    assert {"Kiosk", "Fair"} <= set(await names_of(acme))


async def test_the_input_is_kept_while_the_database_is_unavailable(
    app: Starlette, owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "sources", "new")
    async with failing(app, 0):
        refused = await owner.send(address, {"name": "Kiosk"})
        page = await owner.see("downloads", "issues", "csv")
    for answer in (refused, page):
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "2"
    assert fields_of(refused.text)["name"] == "Kiosk"
    assert "Nothing has been saved yet" in refused.text
    assert (await owner.post(address, fields_of(refused.text))).status_code == 303
    assert (await names_of(acme)).count("Kiosk") == 1


async def test_a_form_and_where_it_redirects_are_saved_by_one_write(
    app: Starlette, owner: Person, acme: Cast
) -> None:
    address = owner.address("issues", "new")
    async with failing(app, 1):
        first = await owner.send(address, {"number": "7"})
        second = await owner.post(address, owner.sent)
    assert (first.status_code, second.status_code) == (303, 503)
    third = await owner.post(address, owner.sent)
    assert third.status_code == 303
    assert third.headers["Location"] == first.headers["Location"] != owner.address()


async def test_a_form_that_saves_nothing_can_be_sent_again(owner: Person) -> None:
    address = owner.address("settings", "welcome-email")
    preview = {"subject": "Hello", "text": "Welcome", "do": "preview"}
    shown = [await owner.send(address, preview), await owner.post(address, owner.sent)]
    assert [each.status_code for each in shown] == [200, 200]
    assert shown[0].text == shown[1].text


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "é" * 30])
async def test_a_form_without_an_idempotency_key_is_saved_each_time(
    owner: Person, acme: Cast, key: str
) -> None:
    address = owner.address("settings", "sources", "new")
    for _ in range(2):
        await owner.post(address, {"name": "Kiosk", "type": "shop", "idempotency_key": key})
    assert (await names_of(acme)).count("Kiosk") == 2
