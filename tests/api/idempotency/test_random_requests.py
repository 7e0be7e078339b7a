"""Random requests with a few keys and bodies, compared with a dictionary of what was done."""

import itertools

import httpx
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.conftest import Cast
from tests.support.keyed_requests import send
from tests.support.walk import walk

KEYS = st.sampled_from([None, "a", '"a"', "b"])
NUMBERS = st.integers(1, 3)
BODIES = {"plain": '{"number": %d}', "spaced": '{"number":  %d}'}
_examples = itertools.count(1)


@pytest.mark.fuzz
@given(st.lists(st.tuples(KEYS, NUMBERS, st.sampled_from(sorted(BODIES))), max_size=12))
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=settings().max_examples // 4,
)
async def test_each_request_is_done_once(
    acme: Cast, requests: list[tuple[str | None, int, str]]
) -> None:
    example = next(_examples)  # its issues and keys are its own
    done: dict[str, tuple[bytes, httpx.Response]] = {}
    taken = set[int]()
    for key, offset, kind in requests:
        number = 10 * example + offset
        body = (BODIES[kind] % number).encode()
        name = None if key is None else key.strip('"') + str(example)
        sent = name if key is None or not key.startswith('"') else f'"{name}"'
        answer = await send(acme, "POST", "/v1/issues/", body, sent)
        if name in done:
            first_body, first = done[name]
            if body == first_body:
                assert (answer.status_code, answer.content) == (201, first.content)
            else:
                assert answer.json()["code"] == "idempotency_key_reused"
        elif number in taken:
            assert answer.json()["code"] == "duplicate_issue_number"
        else:
            assert answer.status_code == 201
            taken.add(number)
            if name is not None:
                done[name] = body, answer
    listed = {each["number"] for each in await walk(acme, "/v1/issues/", 200)}
    assert {number for number in listed if number // 10 == example} == taken
