"""Several changes of one version at the same time: exactly one of them is made."""

import asyncio
from typing import Any

import pytest

from masthead.api import router
from masthead.api.http.response import JsonResponse
from masthead.api.preconditions.entity_tags import Condition
from masthead.api.preconditions.writes import Respond
from masthead.model.errors import PreconditionFailed
from masthead.store.engine.interface import Database
from tests.api.preconditions.test_writes import RENAME, tag_of
from tests.conftest import Cast
from tests.support.keyed_requests import REQUESTS, new_key, send

RACERS = 8


async def race(cast: Cast, path: str, tag: str) -> list[int]:
    """The statuses of several changes of one version at the same time, sorted."""
    requests = [
        send(cast, "PATCH", path, {"name": new_key()}, None, **{"If-Match": tag})
        for _ in range(RACERS)
    ]
    return sorted(each.status_code for each in await asyncio.gather(*requests))


async def test_of_several_changes_of_one_version_exactly_one_is_made(acme: Cast) -> None:
    path, _ = await REQUESTS[RENAME](acme)
    for _ in range(5):
        assert await race(acme, path, await tag_of(acme, path)) == [200] + [412] * (RACERS - 1)


async def test_control_if_it_is_compared_before_the_transaction_several_are_made(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_have_compared = asyncio.Barrier(RACERS)

    async def compare_before(
        db: Database, *, condition: Condition, read: Respond, write: Respond, **_: Any
    ) -> JsonResponse:
        """Like `respond_if_match`, but others compare between the comparison and the write."""
        if not condition.matches((await read(db)).tag):
            raise PreconditionFailed
        await all_have_compared.wait()
        return await write(db)

    path, _ = await REQUESTS[RENAME](acme)
    monkeypatch.setattr(router, "respond_if_match", compare_before)
    assert await race(acme, path, await tag_of(acme, path)) == [200] * RACERS
