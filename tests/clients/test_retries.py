"""A request is repeated only if that is safe, with the same key and the same bytes."""

import datetime
import email.utils
from collections.abc import Iterator
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from masthead_client import (
    ApiError,
    AsyncMasthead,
    BadRequest,
    Conflict,
    CursorExpired,
    Forbidden,
    Gone,
    Masthead,
    MastheadError,
    NotFound,
    RateLimited,
    ServerError,
    Unauthorized,
    Unreachable,
    connection,
)

FIELDS: Any = {"number": 1}
BUSY = httpx.Response(503, json={"error": True, "message": "Later.", "code": "unavailable"})
DONE = httpx.Response(201, json={"id": "1", "items": []})


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a client waited; nothing waits really."""
    seconds: list[float] = []

    async def note(pause: float) -> None:
        seconds.append(pause)

    monkeypatch.setattr(connection, "time", SimpleNamespace(sleep=seconds.append))
    monkeypatch.setattr(connection, "asyncio", SimpleNamespace(sleep=note))
    return seconds


class Script:
    """Answers with one response or failure after the other."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers: Iterator[httpx.Response | Exception] = iter(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(
            answer.status_code, headers=answer.headers, content=answer.read(), request=request
        )

    def client(self, **options: Any) -> Masthead:
        return Masthead("http://test", "mh_1", transport=httpx.MockTransport(self), **options)


def after(status: int, seconds: str) -> httpx.Response:
    return httpx.Response(status, headers={"Retry-After": seconds})


def test_a_lost_answer_is_asked_for_again_with_the_same_key_and_bytes(pauses: list[float]) -> None:
    script = Script(httpx.ReadError("closed"), httpx.ReadTimeout("slow"), BUSY, DONE)
    assert script.client().issues.create(**FIELDS)["id"] == "1"
    assert len({(each.headers["Idempotency-Key"], each.content) for each in script.asked}) == 1
    assert len(script.asked) == 4
    ranges = [(0.375, 0.625), (0.75, 1.25), (1.5, 2.5)]
    for pause, (least, most) in zip(pauses, ranges, strict=True):
        assert least <= pause <= most


async def test_the_asynchronous_client_does_the_same(pauses: list[float]) -> None:
    script = Script(httpx.ConnectError("refused"), after(429, "7"), DONE)
    transport = httpx.MockTransport(script)
    async with AsyncMasthead("http://test", "mh_1", transport=transport) as client:
        await client.issues.create(**FIELDS)
    assert len({each.headers["Idempotency-Key"] for each in script.asked}) == 1
    assert (len(script.asked), pauses[1]) == (3, 7)


def test_two_requests_have_two_keys() -> None:
    script = Script(DONE, DONE)
    client = script.client()
    client.issues.create(**FIELDS)
    client.issues.create(**FIELDS)
    assert len({each.headers["Idempotency-Key"] for each in script.asked}) == 2


@pytest.mark.parametrize("status", [409, 429, 500, 502, 503, 504])
def test_a_temporary_error_is_waited_for(pauses: list[float], status: int) -> None:
    script = Script(after(status, "3"), DONE)
    script.client().issues.create(**FIELDS)
    assert pauses == [3]


@pytest.mark.parametrize(
    "status, kind",
    [
        (400, BadRequest),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (410, Gone),
        (422, BadRequest),
    ],
)
def test_other_errors_are_raised_at_once(
    pauses: list[float], status: int, kind: type[ApiError]
) -> None:
    script = Script(httpx.Response(status))
    with pytest.raises(kind) as caught:
        script.client().issues.create(**FIELDS)
    assert (caught.value.status, caught.value.code, pauses) == (status, None, [])
    assert caught.value.idempotency_key == script.asked[0].headers["Idempotency-Key"]


def test_after_the_last_attempt_the_error_has_the_key(pauses: list[float]) -> None:
    script = Script(*[httpx.ConnectError("refused")] * 3)
    with pytest.raises(Unreachable, match="POST /v1/issues/ after 3 attempts: refused") as lost:
        script.client(retries=2).issues.create(**FIELDS, idempotency_key="order-7")
    assert (lost.value.idempotency_key, len(pauses)) == ("order-7", 2)
    script = Script(*[after(503, "1")] * 2)
    with pytest.raises(ServerError) as busy:
        script.client(retries=1).issues.create(**FIELDS)
    assert busy.value.retry_after == 1


def test_a_longer_pause_than_allowed_is_left_to_the_caller(pauses: list[float]) -> None:
    with pytest.raises(RateLimited) as caught:
        Script(after(429, "61")).client().me.get()
    assert (caught.value.retry_after, pauses) == (61, [])
    Script(after(429, "61"), DONE).client(longest_wait=90).me.get()
    assert pauses == [61]


def test_retry_after_can_be_a_date(pauses: list[float]) -> None:
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30)
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    answers = (after(503, email.utils.format_datetime(soon, usegmt=True)), after(503, past), DONE)
    Script(*answers).client().me.get()
    assert 0 < pauses[0] <= 30
    assert pauses[1:] == [0]
    Script(after(503, "soon"), DONE).client().me.get()
    assert 0 < pauses[2] < 1


def test_errors_without_a_body_say_what_is_wrong() -> None:
    for answer, sentence in (
        (httpx.Response(401), "missing, unknown, revoked or expired"),
        (httpx.Response(403), "inactive"),
        (httpx.Response(502, text="<html>"), "status 502"),
        (httpx.Response(301, headers={"Location": "https://a.test/"}), "https://a.test/"),
        (httpx.Response(404, json=["no object"]), "status 404"),
    ):
        with pytest.raises(MastheadError, match=sentence):
            Script(answer).client(retries=0).me.get()


def test_codes_choose_the_exception() -> None:
    body = {"error": True, "message": "Too old.", "code": "cursor_expired"}
    with pytest.raises(CursorExpired, match=r"Too old\. \(status 410, code cursor_expired"):
        Script(
            httpx.Response(410, json=body, headers={"X-Request-Id": "r1"})
        ).client().events.list().first()
    with pytest.raises(Conflict):
        Script(httpx.Response(409)).client(retries=0).issues.create(**FIELDS)


def test_dates_and_amounts_can_be_objects() -> None:
    script = Script(DONE, DONE)
    day, amount = datetime.date(2026, 3, 1), Decimal("4.50")
    order: Any = {"order_date": day, "price": amount}
    script.client().subscriptions.create(**order)
    assert script.asked[0].content == b'{"order_date": "2026-03-01", "price": "4.50"}'
    script.client().subscriptions.list(next_charge_before=day, is_gift=True).first()
    assert script.asked[1].url.params["next_charge_before"] == "2026-03-01"
    assert script.asked[1].url.params["is_gift"] == "true"
    wrong: Any = {"number": {1}}
    with pytest.raises(TypeError, match=r"\{1\} cannot be sent: it is set"):
        script.client().issues.create(**wrong)


def test_an_address_without_https_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'magazine\.example'; it begins with https://"):
        Masthead("magazine.example", "mh_1")
    with pytest.raises(ValueError, match="https://"):
        AsyncMasthead("", "mh_1")


def test_ids_are_quoted() -> None:
    script = Script(DONE)
    script.client().subscribers.get("a/../b?c")
    assert script.asked[0].url.raw_path == b"/v1/subscribers/a%2F..%2Fb%3Fc/"
