"""Texts that are too long are refused with a clear message, which truncates them."""

import json

import pytest

from masthead.api.http.codec import MAX_PARAMETERS
from masthead.api.http.json_body import MAX_LISTS, MAX_OBJECTS, MAX_VALUES
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import make_issue, manual

MIB = 1_048_576
MARKS = "\u0315\u0316"


async def patch(cast: Cast, content: str) -> str:
    """The error message for a body that is refused as invalid JSON."""
    response = await cast.client.patch(
        f"/v1/subscriptions/{'0' * 31}/", key=cast.key, content=content
    )
    message = refused(response, "invalid_json")
    assert len(message) < 2_000
    return message


@for_each(
    "field, limit",
    [
        *((field, 255) for field in "source order_id email city country price currency".split()),
        ("notes", 10_000),
    ],
)
async def test_a_text_of_a_megabyte_is_refused_by_its_length(
    shared: Cast, field: str, limit: int
) -> None:
    text = "a" + MARKS * (MIB // 8)
    response = await shared.post(
        "/v1/subscriptions/", manual(shared, start_issue=1, **{field: text})
    )
    message = refused(response, "validation_error")
    assert message == f"`{field}` has {len(text)} characters; at most {limit} are allowed."


async def test_notes_with_thousands_of_combining_marks_are_stored_and_found(acme: Cast) -> None:
    await make_issue(acme, 1)
    notes = "harbour a" + "\u0315" * 5_000 + "\u0316" * 4_000
    body = manual(acme, start_issue=1, notes=notes)
    made = (await acme.post("/v1/subscriptions/", body)).json()
    assert made["notes"] == notes
    assert (await acme.get("/v1/subscriptions/", search="harbour")).json()["items"] == [made]


async def test_the_name_of_an_unknown_field_is_truncated(acme: Cast) -> None:
    response = await acme.post("/v1/issues/", {"number" * 100_000: 1})
    message = refused(response, "unknown_field")
    assert "…` is not a field" in message
    assert len(message) < 1_000


@pytest.mark.parametrize(
    "content, told",
    [
        (json.dumps({"notes": [[]] * (MAX_LISTS + 1)}), f"more than {MAX_LISTS} lists"),
        (json.dumps({"notes": [{}] * (MAX_OBJECTS + 1)}), f"more than {MAX_OBJECTS} objects"),
        (json.dumps({"notes": [1.5] * (MAX_VALUES + 1)}), f"more than {MAX_VALUES} values"),
        (json.dumps({"notes": ["\0"] * (MAX_VALUES + 1)}), f"more than {MAX_VALUES} values"),
        (json.dumps({"notes": [1] * (MAX_VALUES + 1), "x": {}}), f"more than {MAX_VALUES} values"),
    ],
)
async def test_a_body_with_too_many_parts_is_refused(acme: Cast, content: str, told: str) -> None:
    assert told in await patch(acme, content)


async def test_a_list_with_an_object_is_shown_as_it_was_sent(acme: Cast) -> None:
    response = await acme.post("/v1/issues/", {"number": 1, "name": ["Tide", {"is": "high"}]})
    assert '`name` is ["Tide", {"is": "high"}];' in refused(response, "validation_error")


async def test_brackets_in_a_text_do_not_count_as_lists(acme: Cast) -> None:
    brackets = '["' * (MAX_LISTS // 2)
    made = await make_issue(acme, 1)
    response = await acme.patch(f"/v1/issues/{made['id']}/", {"name": brackets * 5})
    assert "`name` has 50000 characters" in refused(response, "validation_error")


async def test_a_number_that_is_too_large_for_any_field_is_refused_as_a_number(acme: Cast) -> None:
    for number in ("1e308", "1e20", "-1e19"):
        response = await acme.client.post(
            "/v1/issues/", key=acme.key, content=f'{{"number": {number}}}'
        )
        assert "expected a whole number" in refused(response, "validation_error")


# --- Queries, paths and headers -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["subscriber", "country", "source"])
async def test_a_parameter_with_over_255_characters_is_refused(acme: Cast, name: str) -> None:
    if name != "country":  # which has two letters
        assert (await acme.get("/v1/subscriptions/", **{name: "x" * 255})).status_code == 200
    response = await acme.get("/v1/subscriptions/", **{name: "ä" * 10_000})
    assert refused(response, "validation_error") == (
        f"`{name}` has 10000 characters; at most 255 are allowed."
    )


async def test_a_long_cursor_is_refused(acme: Cast) -> None:
    refused(await acme.get("/v1/issues/", cursor="A" * 50_000), "invalid_cursor")


async def test_a_query_with_too_many_parameters_is_refused(acme: Cast) -> None:
    response = await acme.client.get(f"/v1/issues/?{'a&' * MAX_PARAMETERS}", key=acme.key)
    assert f"more than {MAX_PARAMETERS}" in refused(response, "validation_error")


@pytest.mark.parametrize("resource", ["subscribers", "subscriptions", "issues"])
async def test_an_id_that_is_too_long_is_not_found(acme: Cast, resource: str) -> None:
    response = await acme.get(f"/v1/{resource}/{'Z' * 60_000}/")
    assert len(refused(response, "not_found", status=404)) < 1_000


async def test_a_copy_id_that_is_too_long_is_not_found(acme: Cast) -> None:
    response = await acme.post(f"/v1/copies/{'9' * 60_000}/mark-sent/", {})
    assert response.json()["updated_count"] == 0


async def test_a_key_after_very_many_spaces_is_refused(acme: Cast) -> None:
    headers = {"Authorization": f"Bearer {' ' * 300}{acme.key}"}
    assert (await acme.client.get("/v1/me/", headers=headers)).status_code == 401
