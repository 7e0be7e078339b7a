"""A download is sent while its rows are read: its first bytes come at once."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.types import Message, Receive, Scope, Send

from masthead.model.pagination import all_pages
from masthead.web.downloads import list_file
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from tests.conftest import Cast
from tests.support.billing import make_billing
from tests.support.rich_account import make_rich
from tests.web.conftest import Person
from tests.web.downloads.test_hostile_texts import queries


async def test_the_first_bytes_are_sent_before_the_second_page_is_read(
    acme: Cast, owner: Person, app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_rich(acme)
    await make_billing(acme)
    asked = await queries(acme)
    read, at_first = Counter[tuple[str, ...]](), dict[tuple[str, ...], int]()
    path: tuple[str, ...] = ()

    async def counted(*arguments: Any, **options: Any) -> AsyncIterator[Any]:
        async for page in all_pages(*arguments, **options):
            read[path] += 1
            yield page

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        async def noted(message: Message) -> None:
            if message.get("body"):
                at_first.setdefault(path, read[path])
            await send(message)

        await app(scope, receive, noted)

    monkeypatch.setattr(list_file, "ROWS", 1)
    monkeypatch.setattr(list_file, "all_pages", counted)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(watched),
        base_url="http://masthead.test",
        cookies=owner.http.cookies,
    ) as http:
        person = Person(http, owner.at)
        paths = [
            (*folder, "downloads", name, ending)
            for folder, lists in (((), LISTS), (("settings",), SETTINGS_LISTS))
            for name in lists
            for ending in ("csv", "xlsx")
        ]
        for path in paths:
            answer = await person.see(*path, **asked.get(path[-2], {}))
            assert answer.status_code == 200, path
    assert {path: count for path, count in at_first.items() if count > 1} == {}
    assert len([path for path, count in read.items() if count > 1]) > 20
