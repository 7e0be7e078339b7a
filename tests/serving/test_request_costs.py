"""What a request costs: how many functions of Python it calls, which no other process changes.

Those of tests, which watch its statements, do not count.

A layer that each request passes adds calls to all of these, so that none comes unnoticed.
"""

import sys
from pathlib import Path
from types import FrameType

import pytest
from starlette.applications import Starlette
from starlette.types import Message

from tests.api.http.test_request import http_scope, saying
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.support.read_model import render_all

TESTS = str(Path(__file__).parents[1])
# Functions that may be called, by path; Python 3.11 calls one for each comprehension, too
MOST = {
    "/v1/me/": 29,
    "/v1/subscriptions/{}/status/": 37,
    "/v1/subscriptions/{}/": 43,
    "/v1/subscriptions/": 59,
}


async def count_calls(app: Starlette, cast: Cast, path: str) -> int:
    """The functions of Python that one request calls, which succeeds, after an equal one."""
    said, calls = list[Message](), 0

    async def send(message: Message) -> None:
        said.append(message)

    def note(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "call" and not frame.f_code.co_filename.startswith(TESTS)

    receive = saying()
    await app(http_scope(cast, "GET", path), receive, send)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        await app(http_scope(cast, "GET", path), receive, send)
    finally:
        sys.setprofile(before)
    assert [message.get("status") for message in said] == [200, None] * 2
    return calls


@pytest.mark.parametrize("path", MOST)
async def test_a_request_calls_few_functions(app: Starlette, acme: Cast, path: str) -> None:
    if app.state.db.dialect != "sqlite":
        pytest.skip("the driver of PostgreSQL calls functions of its own")
    await make_issue(acme, 1)
    made = await make_subscription(acme)
    await render_all(acme)
    called = await count_calls(app, acme, path.format(made["id"]))
    assert called <= MOST[path], called
