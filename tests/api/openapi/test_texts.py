"""Each operation, field, parameter and error is described, with an example that is valid."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from masthead.api.openapi import texts
from masthead.api.routes import ROUTES
from tests.golden import OPENAPI
from tests.support.cases import for_each
from tests.support.described_errors import require_described
from tests.support.openapi import described

Part = dict[str, Any]
CHECKS = Path(__file__).parents[3] / "tools" / "openapi_checks"
# Ids and keys in requests, and what must be new
MADE = set(
    "id ids copy copy_id gifter_id invoice issue key order_id payer payer_id product record source "
    "sources subscriber "
    "subscriber_id subscription subscriptions".split()
)
NOT_OF_AN_OPERATION = {"method_not_allowed", "internal_error"}


def resolved(part: Part) -> Part:
    """The component that a reference leads to."""
    while "$ref" in part:
        _, _, section, name = part["$ref"].split("/")
        part = described()["components"][section][name]
    return part


def operations() -> Iterator[Part]:
    for path in described()["paths"].values():
        yield from path.values()


def contents() -> Iterator[tuple[str, Part]]:
    """All JSON bodies of requests and responses, with the name of their operation."""
    for operation in operations():
        parts = [resolved(each) for each in operation["responses"].values()]
        if "requestBody" in operation:
            parts.append(operation["requestBody"])
        for part in parts:
            if "application/json" in part.get("content", ()):  # 304 has none
                yield operation["operationId"], part["content"]["application/json"]


def fields() -> Iterator[tuple[str, Part]]:
    """All fields of all structs."""
    for name, schema in described()["components"]["schemas"].items():
        for field, part in schema.get("properties", {}).items():
            yield f"{name}.{field}", part


def problems(schema: Part, example: object) -> list[str]:
    """What is wrong with an example; formats such as dates are checked too."""
    return [error.message for error in validator(json.dumps(schema)).iter_errors(example)]


@cache
def validator(schema: str) -> Draft202012Validator:
    """A validator of a schema; many bodies have the same one. Others have only the parts named."""
    components: dict[str, Part] = {}
    waiting = [schema]
    while waiting:
        for section, name in re.findall(r'"#/components/(\w+)/(\w+)"', waiting.pop()):
            if name not in components.setdefault(section, {}):
                part = components[section][name] = described()["components"][section][name]
                waiting.append(json.dumps(part))
    whole = {**json.loads(schema), "components": components}
    return Draft202012Validator(whole, validate_formats=True)


def is_sentence(text: str) -> bool:
    return text[0] == text[0].upper() and text.rstrip("`")[-1] in ".?)"


def test_every_operation_says_what_it_does() -> None:
    assert [*texts.read_operations()] == [str(route) for route in ROUTES]
    for operation in operations():
        assert is_sentence(operation["description"].split("\n\n")[0].rstrip(":") + ".")
        assert "curl -sS" in operation["description"]
        lost = re.findall(r"See \w+\.|\]\((?!https:).*", operation["description"])
        assert lost == [], "there is no other page to go to"


def test_no_text_has_empty_lines_one_after_the_other() -> None:
    written = OPENAPI.read_text(encoding="utf-8")
    assert re.findall(r'"description": ".*?(?:\\n){3}.*', written) == []


def test_every_field_has_a_description_and_a_valid_example() -> None:
    found = dict(fields())
    assert len(found) > 300
    without = []
    for name, part in found.items():
        assert is_sentence(part["description"]), name
        if "examples" not in part:
            without.append(name)
            continue
        (example,) = part["examples"]
        assert example not in (None, ""), name
        assert problems(part, example) == [], name
    assert without == [
        "ClaimCreate.key",
        "DeliveryReportCreate.key",
        "DispatchCreate.sources",
        "OrderCreate.product",
        "OrderCreate.subscriber_id",
        "OrderCreate.gifter_id",
        "OrderCreate.payer_id",
        "PaymentCreate.payer",
        "RenewalCreate.payer_id",
    ], "what the server makes"


def test_every_parameter_has_a_description() -> None:
    parameters = [each for operation in operations() for each in operation["parameters"]]
    assert len(parameters) > 50
    for parameter in parameters:
        assert is_sentence(parameter["description"]), parameter["name"]
        for example in parameter["schema"].get("examples", ()):
            assert problems(parameter["schema"], example) == [], parameter["name"]


def test_no_parameter_is_filled_in() -> None:
    """In `/docs` and Postman, it would be sent by a person who wants to see a list or a record."""
    for operation in operations():
        for parameter in operation["parameters"]:
            keywords = parameter.keys() | resolved(parameter["schema"]).keys()
            assert not keywords & {"example"}, (operation["operationId"], parameter["name"])
            assert "examples" not in parameter


def test_no_request_has_an_example_of_what_is_made_by_the_server_or_must_be_new() -> None:
    made = re.compile(r"[0-9A-Z]{28,}|[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f-]{27}")
    found: dict[str, object] = {}

    def look(name: str, value: object) -> None:
        if isinstance(value, dict):
            for field, inner in value.items():
                look(field, inner)
        elif isinstance(value, list):
            for inner in value:
                look(name, inner)
        elif isinstance(value, str):
            assert not made.fullmatch(value), (name, value)
            if name in MADE:
                assert value.startswith("<"), (name, value)
                found[name] = value
        elif name in MADE:
            assert value in (1, 2), "the first copy of the first account is 2**32 + 1"
            found[name] = value

    for operation in operations():
        for parameter in operation["parameters"]:
            for example in parameter["schema"].get("examples", ()):
                look(parameter["name"], example)
        if "requestBody" in operation:
            content = operation["requestBody"]["content"]["application/json"]
            for example in content["examples"].values():
                look("", resolved(example)["value"])
    for schema in described()["components"]["schemas"].values():
        if schema.get("additionalProperties") is False:
            for field, part in schema["properties"].items():
                look(field, part.get("examples", []))
    kept = {"source", "order_id", "issue", "ids", "copy", "subscriptions", "subscriber"}
    assert found.keys() == kept


def test_every_body_has_valid_examples() -> None:
    found = list(contents())
    assert len(found) > 150
    for operation, content in found:
        examples = [resolved(each)["value"] for each in content["examples"].values()]
        assert examples, operation
        for example in examples:
            assert problems(content["schema"], example) == [], operation


def test_the_check_finds_invalid_examples() -> None:
    part = dict(fields())["Issue.release_date_actual"]
    assert problems(part, "2026-02-30")
    assert problems(part, "2026-02-28") == []
    issue = {"$ref": "#/components/schemas/Issue"}
    assert problems(issue, {"id": "X"})


def test_every_text_is_used() -> None:
    names = {name.partition(".")[2] for name, _ in fields()}
    names |= {each["name"] for operation in operations() for each in operation["parameters"]}
    assert texts.read_fields().keys() <= names
    assert texts.read_examples().keys() <= described()["components"]["schemas"].keys()


def test_every_code_is_of_an_operation_with_its_cause_and_solution() -> None:
    codes: set[str] = set()
    for _, content in contents():
        if content["schema"] == {"$ref": "#/components/schemas/ApiError"}:
            codes |= set(content["examples"])
    errors = texts.read_errors()
    assert codes == errors.keys() - NOT_OF_AN_OPERATION
    assert described()["components"]["schemas"]["ErrorCode"]["enum"] == [*errors]
    for code, error in errors.items():
        assert error.cause, code
        assert error.solution, code
        assert is_sentence(error.message), code


@pytest.mark.parametrize("tag", ["me", "subscribers", "claims"])
def test_tags_are_described(tag: str) -> None:
    found = {each["name"]: each["description"] for each in described()["tags"]}
    assert is_sentence(found[tag])


@for_each(
    "method, path, status, code, is_described",
    [
        ("GET", "/v1/me/", 400, "unknown_parameter", True),
        ("GET", "/v1/me/", 400, "invalid_cursor", False),
        ("GET", "/v1/me/", 404, "not_found", False),
        ("POST", "/v1/subscriptions/X/cancel/?a=1", 400, "not_recurring", True),
        ("POST", "/v1/subscriptions/", 400, "not_recurring", False),
        ("POST", "/v1/issues/", 403, "read_only_key", True),
        ("GET", "/v1/issues/", 403, "read_only_key", False),
        ("HEAD", "/v1/issues/", 400, None, True),
        ("GET", "/v1/issues/", 401, None, True),
        ("GET", "/v1/issues/X/status/", 404, "not_found", True),
    ],
)
def test_the_client_of_the_tests_refuses_errors_that_are_not_described(
    method: str, path: str, status: int, code: str | None, *, is_described: bool
) -> None:
    response = httpx.Response(status, json={"code": code}) if code else httpx.Response(status)
    if is_described:
        require_described(method, path, response)
    else:
        with pytest.raises(AssertionError, match="does not have"):
            require_described(method, path, response)


def test_the_packages_of_the_linters_are_pinned_without_a_registry() -> None:
    package = json.loads((CHECKS / "package.json").read_text())
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", each) for each in package["devDependencies"].values())
    lock = json.loads((CHECKS / "package-lock.json").read_text())["packages"]
    pinned = {name: each for name, each in lock.items() if name}
    assert len(pinned) > len(package["devDependencies"])
    assert [name for name, each in pinned.items() if "resolved" in each] == []
    assert [name for name, each in pinned.items() if "integrity" not in each] == []


def test_an_id_can_be_used_where_its_description_says() -> None:
    found: dict[str, str] = {}
    for name, part in fields():
        if name.endswith(".id") and "Use it" in part["description"]:
            found[name.partition(".")[0]] = part["description"]
    with_path = {name for name, text in found.items() if "in paths" in text}
    answers = {
        route.response.__name__
        for route in ROUTES
        if "{id}" in route.path and isinstance(route.response, type)
    }
    assert with_path - {"Copy", "DispatchRun", "CreatedClaim"} <= answers
    parameters = {name for route in ROUTES for name in route.query.__struct_fields__}
    for text in found.values():
        assert set(re.findall(r"filter `(\w+)`", text)) <= parameters
    assert not {"Product", "SubscriptionPeriod", "DispatchRunLine"} & found.keys()
