"""Request bodies: media type, size, encoding, JSON and strict types."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import make_issue, make_subscription, manual
from tests.support.walk import walk

MIB = 1024 * 1024
ISSUES = "/v1/issues/"
SUBSCRIPTIONS = "/v1/subscriptions/"
WRITES = [route for route in ROUTES if route.access is Access.WRITE]
ONE_ISSUE = b'{"number": 1}'

each_write = for_each("route", WRITES, ids=str)


async def send(
    cast: Cast,
    content: bytes | AsyncIterator[bytes],
    *,
    media: str | None = "application/json",
    method: str = "POST",
    path: str = ISSUES,
) -> httpx.Response:
    """Send a body as it is; None as media sends no Content-Type."""
    headers = {} if media is None else {"Content-Type": media}
    return await cast.client.request(method, path, key=cast.key, content=content, headers=headers)


async def send_to(cast: Cast, route: Route, content: bytes, **options: Any) -> httpx.Response:
    """Send a body to a route, for an unknown id."""
    path = route.path.replace("{id}", "1").replace("{copy_id}", "1")
    return await send(cast, content, method=route.method, path=path, **options)


# --- media types ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "media",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"; profile=x',
        "Application/JSON",
        " application/json ; charset=utf-8",
    ],
)
async def test_application_json_is_accepted_with_or_without_parameters(
    acme: Cast, media: str
) -> None:
    assert (await send(acme, ONE_ISSUE, media=media)).status_code == 201


@for_each(
    "media",
    [
        "text/plain",
        "text/json",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/merge-patch+json",
        "application/octet-stream",
        "json",
        "*/*",
    ],
)
async def test_another_media_type_is_refused_and_changes_nothing(acme: Cast, media: str) -> None:
    message = refused(await send(acme, ONE_ISSUE, media=media), "unsupported_media_type")
    assert media.split(";")[0] in message
    assert "application/json" in message
    assert await walk(acme, ISSUES) == []


@each_write
async def test_every_write_checks_the_media_type(acme: Cast, route: Route) -> None:
    refused(await send_to(acme, route, b"{}", media="text/plain"), "unsupported_media_type")


async def test_an_empty_body_does_not_need_a_media_type(acme: Cast) -> None:
    path = "/v1/copies/1/mark-sent/"
    for media in (None, "text/plain", "application/json"):
        response = await send(acme, b"", media=media, path=path)
        assert response.status_code == 200, response.text


# --- size -----------------------------------------------------------------------------------------


def padded(size: int) -> bytes:
    """The body of an issue, padded to a size with spaces."""
    return ONE_ISSUE + b" " * (size - len(ONE_ISSUE))


async def in_chunks(content: bytes, taken: list[int] | None = None) -> AsyncIterator[bytes]:
    """A body sent in chunks, whose length is not declared."""
    for start in range(0, len(content), 65536):
        if taken is not None:
            taken.append(start)
        yield content[start : start + 65536]


async def test_a_body_of_1_mib_is_accepted(acme: Cast) -> None:
    assert (await send(acme, padded(MIB))).status_code == 201


async def test_a_chunked_body_of_1_mib_is_accepted(acme: Cast) -> None:
    assert (await send(acme, in_chunks(padded(MIB)))).status_code == 201


@each_write
async def test_a_body_above_1_mib_gets_a_413(acme: Cast, route: Route) -> None:
    message = refused(await send_to(acme, route, padded(MIB + 1)), "payload_too_large", status=413)
    assert str(MIB) in message


async def test_a_chunked_body_above_1_mib_gets_a_413(acme: Cast) -> None:
    response = await send(acme, in_chunks(padded(MIB + 1)))
    refused(response, "payload_too_large", status=413)
    assert await walk(acme, ISSUES) == []


async def test_a_chunked_body_is_not_read_beyond_the_limit(acme: Cast) -> None:
    taken: list[int] = []
    response = await send(acme, in_chunks(padded(8 * MIB), taken))
    refused(response, "payload_too_large", status=413)
    assert len(taken) <= MIB // 65536 + 2


@pytest.mark.parametrize("declared", ["2000000", "9" * 20, "9" * 5000], ids=len)
async def test_a_declared_length_over_the_limit_is_refused_before_the_body_is_read(
    acme: Cast, declared: str
) -> None:
    taken: list[int] = []
    response = await acme.client.post(
        ISSUES,
        key=acme.key,
        content=in_chunks(ONE_ISSUE, taken),
        headers={"Content-Type": "application/json", "Content-Length": declared},
    )
    refused(response, "payload_too_large", status=413)
    assert taken == []


# --- JSON -----------------------------------------------------------------------------------------


@for_each(
    "content",
    [
        b"{",
        b'{"number": 1',
        b'{"number": 1}}',
        b'{"number": 1,}',
        b"{'number': 1}",
        b"{number: 1}",
        b'{"number": 1} x',
        b'{"number": 01}',
        b'{"number": +1}',
        b'{"number": .5}',
        b'{"number": 0x1}',
        b'{"number": 1} // one',
        b'{"name": "a\nb", "number": 1}',
        b'{"name": "\\x41", "number": 1}',
        b"number=1",
        b" ",
    ],
)
async def test_a_body_that_is_not_json_is_refused(acme: Cast, content: bytes) -> None:
    refused(await send(acme, content), "invalid_json")
    assert await walk(acme, ISSUES) == []


@each_write
async def test_every_write_refuses_a_body_that_is_not_json(acme: Cast, route: Route) -> None:
    refused(await send_to(acme, route, b"{"), "invalid_json")


@each_write
async def test_a_body_that_is_not_an_object_is_refused(acme: Cast, route: Route) -> None:
    for content in (b"[]", b'"x"', b"1", b"true", b"null", b'[{"number": 1}]'):
        response = await send_to(acme, route, content)
        assert response.status_code == 400
        assert response.json()["code"] in ("invalid_json", "validation_error")
        assert "object" in response.json()["message"]


@pytest.mark.parametrize(
    "path", [ISSUES, SUBSCRIPTIONS, "/v1/copies/mark-sent/", "/v1/subscriptions/1/cancel/"]
)
async def test_a_missing_body_is_refused_if_one_is_required(acme: Cast, path: str) -> None:
    for media in (None, "application/json"):
        response = await send(acme, b"", media=media, path=path)
        assert response.status_code == 400
        assert response.json()["code"] in ("invalid_json", "validation_error")


@for_each("text", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"caf\xe9"])
async def test_a_body_that_is_not_utf_8_is_refused(acme: Cast, text: bytes) -> None:
    refused(await send(acme, b'{"number": 1, "name": "' + text + b'"}'), "invalid_json")
    assert await walk(acme, ISSUES) == []


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le"])
async def test_other_encodings_of_unicode_are_refused(acme: Cast, encoding: str) -> None:
    refused(await send(acme, '{"number": 1}'.encode(encoding)), "invalid_json")


@pytest.mark.parametrize(
    "content",
    [
        b'{"number": 1, "name": "a\\u0000b"}',
        b'{"number": 1, "name": "\\u0000"}',
        b'{"number": 1, "name": "a\x00b"}',
        b'{"number": 1, "na\\u0000me": "b"}',
        b'{"number": 1, "release_date_actual": "2026-01-01\\u0000"}',
    ],
)
async def test_nul_is_refused(acme: Cast, content: bytes) -> None:
    response = await send(acme, content)
    assert response.status_code == 400
    assert response.json()["code"] in ("invalid_json", "validation_error", "unknown_field")
    assert await walk(acme, ISSUES) == []


@pytest.mark.parametrize("text", [rb"\ud800", rb"\udfff", rb"a\ud83d b", rb"\ude00\ud83d"])
async def test_unpaired_surrogates_are_refused(acme: Cast, text: bytes) -> None:
    response = await send(acme, b'{"number": 1, "name": "' + text + b'"}')
    assert response.status_code == 400
    assert response.json()["code"] in ("invalid_json", "validation_error")
    assert await walk(acme, ISSUES) == []


async def test_escaped_characters_are_decoded(acme: Cast) -> None:
    response = await send(acme, rb'{"number": 1, "name": "\ud83d\ude00 \u00e9 \"\\ \/"}')
    assert response.json()["name"] == '😀 é "\\ /'


@for_each("value", [b"NaN", b"Infinity", b"-Infinity", b"nan", b"1e999", b"-1e999"])
@for_each("field", [b"number", b"name", b"colour"])
async def test_nan_and_infinity_are_refused(acme: Cast, field: bytes, value: bytes) -> None:
    response = await send(acme, b'{"' + field + b'": ' + value + b"}")
    assert response.status_code == 400
    if b"1e" not in value:
        refused(response, "invalid_json")


@pytest.mark.parametrize(
    "content",
    [
        b'{"number": 1, "number": 1}',
        b'{"number": 1, "number": 2}',
        b'{"number": 1, "name": "a", "n\\u0061me": "b"}',
        b'{"colour": 1, "colour": 2, "number": 1}',
    ],
)
async def test_duplicate_keys_are_refused(acme: Cast, content: bytes) -> None:
    response = await send(acme, content)
    assert response.status_code == 400
    assert response.json()["code"] in ("invalid_json", "validation_error")
    assert await walk(acme, ISSUES) == []


@for_each("depth", [33, 100, 5_000, 200_000])
@for_each("opening, closing", [(b"[", b"]"), (b'{"a":', b"}")])
async def test_deep_nesting_is_refused(
    acme: Cast, depth: int, opening: bytes, closing: bytes
) -> None:
    nested = opening * depth + b"1" + closing * depth
    for content in (nested, b'{"number": 1, "name": ' + nested + b"}"):
        if len(content) > MIB:
            continue
        response = await send(acme, content)
        assert response.status_code == 400
        assert response.json()["code"] in ("invalid_json", "validation_error")


@pytest.mark.parametrize("leaf", ["", "1"])
async def test_32_levels_of_nesting_are_accepted_and_33_are_refused(acme: Cast, leaf: str) -> None:
    for depth, code in ((32, "unknown_field"), (33, "invalid_json")):
        inside = depth - 1  # the outer braces are a level too
        content = '{"x": ' + "[" * inside + leaf + "]" * inside + "}"
        refused(await send(acme, content.encode()), code)


async def test_a_body_with_very_many_fields_is_refused_quickly(acme: Cast) -> None:
    fields = {f"f{number}": 1 for number in range(70_000)}
    content = json.dumps(fields).encode()
    assert MIB * 0.8 < len(content) <= MIB
    started = time.thread_time()  # other processes may be busy too
    refused(await send(acme, content), "invalid_json")
    assert time.thread_time() - started < 2


@pytest.mark.parametrize("digits", [20, 400, 5_000])
async def test_a_number_that_is_too_large_for_its_field_is_refused(acme: Cast, digits: int) -> None:
    for sign in (b"", b"-"):
        response = await send(acme, b'{"number": ' + sign + b"9" * digits + b"}")
        assert "`number`" in refused(response, "validation_error")


# --- types of values ------------------------------------------------------------------------------

NO_INTEGERS = ['"1"', "true", "false", "1.5", "12.5", "null", "[1]", "{}", '""', "1e-1"]


@for_each("value", NO_INTEGERS)
async def test_an_issue_number_must_be_an_integer(acme: Cast, value: str) -> None:
    response = await send(acme, f'{{"number": {value}}}'.encode())
    assert "`number`" in refused(response, "validation_error")


@for_each("value", NO_INTEGERS)
@for_each("field", ["start_issue", "length"])
async def test_start_issue_and_length_must_be_integers(acme: Cast, field: str, value: str) -> None:
    body = manual(acme, **{field: json.loads(value)})
    assert f"`{field}`" in refused(await acme.post(SUBSCRIPTIONS, body), "validation_error")


@pytest.mark.parametrize("text", [b"12", b"12.0", b"1.2e1", b"12.000", b"1200e-2", b"12e0"])
async def test_an_issue_number_may_be_written_as_12_point_0(acme: Cast, text: bytes) -> None:
    response = await send(acme, b'{"number": ' + text + b"}")
    assert response.status_code == 201, response.text
    assert response.json()["number"] == 12
    assert b'"number":12,' in response.content.replace(b" ", b"")


async def test_numbers_of_a_subscription_may_be_written_as_12_point_0(acme: Cast) -> None:
    await make_issue(acme, number=12)
    subscription = await make_subscription(acme, start_issue=12.0, length=2.0)
    assert subscription["issue_list"] == [12, 13]


BOOLEANS = ["is_recurring", "is_comp", "send_welcome_email"]


@for_each("value", ["true", "false", "", 1, 0, 1.0, [], {}])
@for_each("field", BOOLEANS)
async def test_a_boolean_must_be_true_or_false(acme: Cast, field: str, value: object) -> None:
    body = manual(acme, price="0", **{field: value})
    response = await acme.post(SUBSCRIPTIONS, body)
    if value == "":
        assert response.json().get("code") == "unknown_start_issue"  # as if absent
        return
    assert f"`{field}`" in refused(response, "validation_error")


TEXTS = [
    "email",
    "first_name",
    "last_name",
    "company",
    "address1",
    "address2",
    "city",
    "state",
    "postcode",
    "phone",
    "notes",
    "order_id",
    "transaction_id",
    "promo_code",
]
OTHER_TEXTS = ["source", "country", "order_date", "price", "currency", "medium", "discount_amount"]
UPDATES = ["first_name", "last_name", "company", "address1", "address2", "city", "state"]
UPDATES += ["postcode", "country", "phone", "notes"]


@for_each("value", [1, 1.5, True, False, [], {}, ["x"]], ids=repr)
@for_each("field", [*TEXTS, *OTHER_TEXTS])
async def test_a_text_field_must_be_a_string(acme: Cast, field: str, value: object) -> None:
    body = manual(acme, **{field: value})
    assert f"`{field}`" in refused(await acme.post(SUBSCRIPTIONS, body), "validation_error")


@for_each("value", [1, True, None, [], {}], ids=repr)
@for_each("field", UPDATES)
async def test_a_text_field_must_be_a_string_in_an_update_too(
    acme: Cast, field: str, value: object
) -> None:
    response = await acme.patch(f"{SUBSCRIPTIONS}1/", {field: value})
    assert f"`{field}`" in refused(response, "validation_error")


@for_each("value", [1, True, [], {}], ids=repr)
@for_each("field", ["name", "release_date_fuzzy", "newsstand_ean"])
async def test_the_text_fields_of_an_issue_must_be_strings(
    acme: Cast, field: str, value: object
) -> None:
    assert f"`{field}`" in refused(
        await acme.post(ISSUES, {"number": 1, field: value}), "validation_error"
    )
    assert f"`{field}`" in refused(
        await acme.patch(f"{ISSUES}1/", {field: value}), "validation_error"
    )


# --- lengths of texts -----------------------------------------------------------------------------


@for_each("letter", ["x", "é", "😀"])
@for_each("field", [field for field in TEXTS if field != "email"])
async def test_a_text_has_at_most_255_characters_and_notes_10000(
    acme: Cast, issue: dict[str, Any], field: str, letter: str
) -> None:
    limit = 10_000 if field == "notes" else 255
    body = manual(acme, **{field: letter * limit})
    assert (await acme.post(SUBSCRIPTIONS, body)).status_code == 201
    body = manual(acme, **{field: letter * (limit + 1)})
    message = refused(await acme.post(SUBSCRIPTIONS, body), "validation_error")
    assert f"`{field}`" in message
    assert f"{limit}" in message.replace(",", "")


@pytest.mark.parametrize("field", [field for field in UPDATES if field != "country"])
async def test_a_text_in_an_update_has_the_same_limits(acme: Cast, field: str) -> None:
    await make_issue(acme)
    path = f"{SUBSCRIPTIONS}{(await make_subscription(acme))['id']}/"
    limit = 10_000 if field == "notes" else 255
    assert (await acme.patch(path, {field: "x" * limit})).status_code == 200
    message = refused(await acme.patch(path, {field: "x" * (limit + 1)}), "validation_error")
    assert f"`{field}`" in message


@pytest.mark.parametrize("field", ["name", "release_date_fuzzy", "newsstand_ean"])
async def test_a_text_of_an_issue_has_at_most_255_characters(acme: Cast, field: str) -> None:
    text: dict[str, Any] = {field: "x" * 255}
    issue = await make_issue(acme, **text)
    assert issue[field] == "x" * 255
    for response in (
        await acme.post(ISSUES, {"number": 2, field: "x" * 256}),
        await acme.patch(f"{ISSUES}{issue['id']}/", {field: "x" * 256}),
    ):
        assert f"`{field}`" in refused(response, "validation_error")


async def test_an_email_has_at_most_255_characters(acme: Cast) -> None:
    body = manual(acme, email="a" * 60 + "@" + ".".join(["b" * 60] * 4) + ".test")
    assert "`email`" in refused(await acme.post(SUBSCRIPTIONS, body), "validation_error")


# --- dates ----------------------------------------------------------------------------------------

ISSUE_DATES = ["release_date_actual", "date_as_start_issue", "recurring_charge_date"]
GOOD_DATES = ["1900-01-01", "2024-02-29", "2000-02-29", "2026-12-31", "9999-12-31"]
MORE_BAD_DATES = ["0000-01-01", "2023-02-29", "1900-02-29", "2026-13-01", "2026-00-10"]
MORE_BAD_DATES += ["2026-01-00", "2026-04-31", "2026/01/05", "05-01-2026", "-2026-01-05"]
MORE_BAD_DATES += ["2026-01-05 ", "2026-01-05Z", "2026-W01-1", "2026-005", "2026-01", "now"]


@for_each("value", [*BAD_DATES, *MORE_BAD_DATES], ids=repr)
@for_each("field", ISSUE_DATES)
async def test_a_date_of_an_issue_must_have_the_form_year_month_day(
    acme: Cast, field: str, value: object
) -> None:
    for response in (
        await acme.post(ISSUES, {"number": 1, field: value}),
        await acme.patch(f"{ISSUES}1/", {field: value}),
    ):
        assert f"`{field}`" in refused(response, "validation_error")


@for_each("value", [*BAD_DATES, *MORE_BAD_DATES, None], ids=repr)
async def test_an_order_date_must_have_the_form_year_month_day(acme: Cast, value: object) -> None:
    body = manual(acme, order_date=value)
    assert "`order_date`" in refused(await acme.post(SUBSCRIPTIONS, body), "validation_error")


@for_each("value", [*BAD_DATES, *MORE_BAD_DATES], ids=repr)
async def test_a_date_sent_must_have_the_form_year_month_day(acme: Cast, value: object) -> None:
    for path, body in (
        ("/v1/copies/mark-sent/", {"ids": [1], "date": value}),
        ("/v1/copies/1/mark-sent/", {"date": value}),
    ):
        assert "`date`" in refused(await acme.post(path, body), "validation_error")


@pytest.mark.parametrize("value", GOOD_DATES)
async def test_dates_in_the_years_1900_to_9999_are_accepted(acme: Cast, value: str) -> None:
    dates: dict[str, Any] = dict.fromkeys(ISSUE_DATES, value)
    issue = await make_issue(acme, **dates)
    assert [issue[field] for field in ISSUE_DATES] == [value] * 3


@pytest.mark.parametrize("field", ISSUE_DATES)
async def test_null_in_an_optional_date_counts_as_absent(acme: Cast, field: str) -> None:
    nothing: dict[str, Any] = {field: None}
    assert (await make_issue(acme, **nothing))[field] is None


# --- unknown fields -------------------------------------------------------------------------------


@each_write
async def test_the_error_for_an_unknown_field_names_it(acme: Cast, route: Route) -> None:
    response = await send_to(acme, route, b'{"colour": "red"}')
    assert "`colour`" in refused(response, "unknown_field")


async def test_an_unknown_field_changes_nothing(acme: Cast) -> None:
    issue = await make_issue(acme)
    response = await acme.patch(f"{ISSUES}{issue['id']}/", {"name": "New", "colour": "red"})
    refused(response, "unknown_field")
    assert await walk(acme, ISSUES) == [issue]
    refused(await acme.post(ISSUES, {"number": 2, "colour": "red"}), "unknown_field")
    assert await walk(acme, ISSUES) == [issue]


async def test_the_error_for_a_mistyped_field_suggests_a_similar_field(acme: Cast) -> None:
    response = await acme.post(ISSUES, {"number": 1, "realease_date_fuzzy": "May"})
    assert "`release_date_fuzzy`" in refused(response, "unknown_field")


@for_each("field", ["id", "status", "email", "price", "subscriber", "Notes", ""])
async def test_the_error_for_a_read_only_field_names_it(acme: Cast, field: str) -> None:
    response = await acme.patch(f"{SUBSCRIPTIONS}1/", {field: "x"})
    assert f"`{field}`" in refused(response, "unknown_field")
