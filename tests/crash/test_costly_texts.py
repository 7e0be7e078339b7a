"""A worker keeps answering while it processes an expensive text."""

import asyncio
import time
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from masthead.store.engine.migrate import migrate
from tests.support.serving import Server, serve
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.crash, pytest.mark.slow]

MIB = 1_048_576
BOUND = 2.0  # seconds; an idle machine responds within some milliseconds
MARKS = "\u0315\u0316".encode()
WITHOUT = 2 * 45_000  # bytes of marks that keep a worker without the guard busy for seconds


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database in a file; these tests do not query it."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    return url


def form(field: str, size: int) -> bytes:
    """A sign-in form with one costly field. size: of the form, in bytes."""
    other = {"email": "password", "password": "email"}[field]
    start = f"{other}=ann%40acme.test&{field}=a".encode()
    half = (size - len(start)) // len(MARKS)
    return start + MARKS[:2] * half + MARKS[2:] * half


async def longest_wait(server: Server, content: bytes) -> float:
    """The longest time, in seconds, that `/health` takes to respond during a sign-in."""
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
    async with httpx.AsyncClient(
        base_url=server.url, timeout=10 * PATIENCE, trust_env=False
    ) as http:
        for _ in range(3):
            await http.get("/health")
        sent = asyncio.create_task(http.post("/sign-in/", content=content, headers=headers))
        longest = 0.0
        while not sent.done():
            began = time.monotonic()
            assert (await http.get("/health")).is_success
            longest = max(longest, time.monotonic() - began)
        assert (await sent).status_code == 400
    return longest


@pytest.mark.parametrize("field", ["email", "password"])
async def test_a_worker_responds_during_the_most_expensive_sign_in(
    url: str, tmp_path: Path, field: str
) -> None:
    with serve(url, tmp_path / "log") as server:
        assert await longest_wait(server, form(field, MIB)) < BOUND
        escaped = quote(form(field, MIB // 3), safe="=&%").encode()
        assert await longest_wait(server, escaped[:MIB]) < BOUND


async def test_without_the_limits_a_worker_does_not_respond(url: str, tmp_path: Path) -> None:
    with serve(url, tmp_path / "log", without="cost of texts") as server:
        assert await longest_wait(server, form("email", WITHOUT)) > BOUND
