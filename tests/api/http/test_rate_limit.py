"""The rate limits: what is admitted, the headers that say what is left, and shared memory."""

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from math import ceil
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from masthead.api.http.rate_limit import Admission, RateLimiter
from masthead.serving import shared_times
from masthead.serving.shared_memory import shared_memory
from masthead.serving.shared_times import ALONE, BUCKETS, BYTES, MEMORY, PLACES, SharedTimes
from masthead.settings import Settings
from tests.conftest import make_account, serving
from tests.support.expect import refused
from tests.support.serving import account_at, serve
from tests.support.waiting import PATIENCE

ACCOUNT, KEY = 7, "0000701KEY"


class Clock:
    """The moment that the test sets."""

    def __init__(self) -> None:
        self.moment = 1_000.0

    def __call__(self) -> float:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


def left(admission: Admission) -> str:
    """The header `RateLimit`."""
    return dict(admission.headers)[b"ratelimit"].decode()


def test_a_burst_is_admitted_and_then_one_request_after_the_other(clock: Clock) -> None:
    limiter = RateLimiter(6, clock=clock)
    found = [limiter.count(KEY, ACCOUNT) for _ in range(7)]
    assert [each.refusal is None for each in found] == [True] * 6 + [False]
    assert [left(each) for each in found] == [
        '"key";r=5;t=10',
        '"key";r=4;t=20',
        '"key";r=3;t=30',
        '"key";r=2;t=40',
        '"key";r=1;t=50',
        '"key";r=0;t=60',
        '"key";r=0;t=60',
    ]
    assert found[6].refusal is not None
    assert found[6].refusal.retry_after == 10
    assert str(found[6].refusal).endswith("; try again in 10 seconds.")
    clock.moment += 9.9
    assert str(limiter.count(KEY, ACCOUNT).refusal).endswith("; try again in a second.")
    clock.moment += 0.1
    assert left(limiter.count(KEY, ACCOUNT)) == '"key";r=0;t=60'
    clock.moment += 60
    assert left(limiter.count(KEY, ACCOUNT)) == '"key";r=5;t=10'


def test_what_is_refused_by_one_limit_is_counted_by_none(clock: Clock) -> None:
    limiter = RateLimiter(2, 3, clock=clock)
    last = [limiter.count(KEY, ACCOUNT) for _ in range(5)][-1]
    assert last.refusal is not None
    assert left(last) == '"key";r=0;t=60, "account";r=1;t=40'
    assert left(limiter.count("other", ACCOUNT)) == '"key";r=1;t=30, "account";r=0;t=60'
    refusal = limiter.count("third", ACCOUNT).refusal
    assert str(refusal).startswith("This account may make 3 requests a minute")
    assert limiter.count("fourth", ACCOUNT + 1).refusal is None


def test_the_policy_names_the_limits_that_are_set() -> None:
    policies = [
        dict(RateLimiter(*limits).count(KEY, ACCOUNT).headers).get(b"ratelimit-policy")
        for limits in ((600, 6000), (600, 0), (0, 6000), (0, 0))
    ]
    assert policies == [
        b'"key";q=600;w=60, "account";q=6000;w=60',
        b'"key";q=600;w=60',
        b'"account";q=6000;w=60',
        None,
    ]


async def test_responses_say_what_is_left(scratch_url: str) -> None:
    settings = Settings(database_url=scratch_url, rate_limit=3, account_rate_limit=100)
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        found = [await cast.get(path) for path in ("/v1/me/", "/v1/issues/X/", "/v1/issues/?x=1")]
        found.append(await cast.get("/v1/me/"))
        assert [response.status_code for response in found] == [200, 404, 400, 429]
        assert refused(found[3], "rate_limited", status=429)
        assert found[3].headers["Retry-After"] == "20"
        for response, requests in zip(found, (2, 1, 0, 0), strict=True):
            assert response.headers["RateLimit-Policy"] == '"key";q=3;w=60, "account";q=100;w=60'
            shape = rf'"key";r={requests};t=[0-9]+, "account";r=9[789];t=[123]'
            assert re.fullmatch(shape, response.headers["RateLimit"])
        assert "RateLimit" not in (await client.get("/v1/me/")).headers


# --- shared memory -------------------------------------------------------------------------------


@pytest.fixture
def path() -> Iterator[str]:
    """The memory of a supervisor."""
    with shared_memory(MEMORY, BYTES, without=ALONE):
        yield os.environ[MEMORY]


def test_limiters_with_the_same_memory_count_together(path: str, clock: Clock) -> None:
    one, other = (RateLimiter(4, path=path, clock=clock) for _ in range(2))
    found = [each.count(KEY, ACCOUNT) for _ in range(3) for each in (one, other)]
    assert [each.refusal is None for each in found] == [True] * 4 + [False] * 2
    replaced = RateLimiter(4, path=path, clock=clock)
    assert replaced.count(KEY, ACCOUNT).refusal is not None
    alone = RateLimiter(4, clock=clock)
    assert alone.count(KEY, ACCOUNT).refusal is None


def test_places_of_moments_that_have_passed_are_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_times, "BUCKETS", 1)
    with SharedTimes() as times:
        places = [times.place_of(str(number), 5.0) for number in range(PLACES)]
        assert sorted(places) == list(range(PLACES))
        for place in places:
            times.set(place, 10.0 + place)
        assert [times.place_of(str(number), 5.0) for number in range(PLACES)] == places
        assert [times.get(place) for place in places] == [10.0 + place for place in places]
        new = times.place_of("new", 20.0)
        assert (new, times.get(new)) == (places[0], 20.0)  # the earliest is forgotten


def test_two_new_names_have_two_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_times, "BUCKETS", 1)
    with SharedTimes() as times:
        assert times.place_of("a", 5.0) != times.place_of("b", 5.0)


def test_memory_takes_only_what_is_used(path: str) -> None:
    limiter = RateLimiter(1_000, path=path)
    for number in range(20):
        limiter.count(str(number), ACCOUNT)
    assert Path(path).stat().st_blocks * 512 < 16 * BUCKETS * PLACES / 4


def test_without_shared_memory_each_worker_counts_alone(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    def refuse(_: str) -> int:
        raise PermissionError(1, "Operation not permitted")

    with shared_memory(MEMORY, BYTES, without=ALONE):
        gone = os.environ[MEMORY]
    monkeypatch.setattr(os, "memfd_create", refuse)
    with capture_logs() as lines, shared_memory(MEMORY, BYTES, without=ALONE):
        assert MEMORY not in os.environ
        assert RateLimiter(1, path=gone, clock=clock).count(KEY, ACCOUNT).refusal is None
    assert [line["event"] for line in lines] == [ALONE] * 2
    monkeypatch.setattr(sys, "platform", "darwin")
    with shared_memory(MEMORY, BYTES, without=ALONE):
        assert MEMORY not in os.environ


# --- two workers ---------------------------------------------------------------------------------

LIMIT, SENT = 30, 120
Admitted = tuple[int, int]  # how many requests, and how many would be right at most


async def admitted(url: str, log: Path, without: str | None = None) -> Admitted:
    """How many of SENT requests two workers admit."""
    environment = {"MASTHEAD_RATE_LIMIT": str(LIMIT)}
    with serve(url, log, workers=2, without=without, environment=environment) as server:
        server.wait_until_it_accepts(workers=2)
        async with account_at(server, url) as cast:
            headers = {"Authorization": f"Bearer {cast.key}"}

            def send(_: int) -> int:  # on a connection of its own, so that each worker gets some
                connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
                with closing(connection):
                    connection.request("GET", "/v1/me/", headers=headers)
                    return connection.getresponse().status

            began = time.monotonic()
            with ThreadPoolExecutor(8) as threads:
                statuses = Counter(threads.map(send, range(SENT)))
            seconds = time.monotonic() - began
    assert statuses.keys() <= {200, 429}
    return statuses[200], LIMIT + ceil(seconds * LIMIT / 60)


async def test_two_workers_together_admit_the_limit(scratch_url: str, tmp_path: Path) -> None:
    found, most = await admitted(scratch_url, tmp_path / "log")
    assert LIMIT <= found <= most


@pytest.mark.slow
async def test_control_without_shared_memory_they_admit_more(
    scratch_url: str, tmp_path: Path
) -> None:
    found, most = await admitted(scratch_url, tmp_path / "log", without="shared rate limits")
    assert found > most
