"""The generated files are those of today's OpenAPI document, and have every operation."""

import asyncio
import inspect
import json
import tomllib
import typing
from pathlib import Path
from typing import Any

import httpx
import pytest

from masthead.api.routes import ROUTES
from masthead_client import AsyncMasthead, Masthead, __version__, types
from tests.support.openapi import described
from tools.clients.files import ROOT, write_clients
from tools.clients.operations import NAMES, Operation, read_operations

OPERATIONS = read_operations(described())
LISTS = [each for each in OPERATIONS if each.is_list]


def test_the_files_are_what_make_clients_writes(tmp_path: Path) -> None:
    written = write_clients(tmp_path)
    assert len(written) > 15
    old = [path for path in written if (ROOT / path).read_bytes() != (tmp_path / path).read_bytes()]
    assert old == [], "run `make clients`"
    folders = {path.parent for path in written if path.parent.name == "resources"}
    found = {path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).glob("*.*")}
    assert {path for path in found if path.parent in folders} <= {*written}


def test_a_changed_document_changes_the_files(tmp_path: Path) -> None:
    changed = json.loads(json.dumps(described()))
    changed["components"]["schemas"]["Issue"]["properties"]["pages"] = {"type": "integer"}
    write_clients(tmp_path, changed)
    [types_file] = tmp_path.rglob("types.py")
    assert "    pages: NotRequired[int]" in types_file.read_text()


def test_clients_have_the_version_of_the_api() -> None:
    assert described()["info"]["version"] == __version__
    project = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())
    assert project["tool"]["hatch"]["version"]["path"] == "src/masthead_client/version.py"


def test_every_operation_of_the_routes_has_one_method() -> None:
    assert {each.id for each in OPERATIONS} == {route.name for route in ROUTES}
    assert {*NAMES} <= {each.id for each in OPERATIONS}


def arguments_of(operation: Operation) -> tuple[list[object], dict[str, Any]]:
    """A value for each id, and for each parameter that is required."""
    ids: list[object] = [
        7 if each.schema["type"] == "integer" else f"ID{each.name}" for each in operation.ids
    ]
    return ids, {each.name: "X" for each in operation.query if each.required}


def path_of(operation: Operation) -> str:
    """The path that `arguments_of` leads to."""
    path = operation.path
    for parameter, value in zip(operation.ids, arguments_of(operation)[0], strict=True):
        path = path.replace(f"{{{parameter.name}}}", str(value))
    return path


def answer(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"items": [], "has_more": False, "cursor": None})


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.id)
async def test_a_method_sends_the_request_of_its_operation(operation: Operation) -> None:
    asked: list[httpx.Request] = []

    def note(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return answer(request)

    transport = httpx.MockTransport(note)
    ids, query = arguments_of(operation)
    with Masthead("http://test", "mh_1", transport=transport) as client:
        method = getattr(getattr(client, operation.resource), operation.name)
        result = method(*ids, **query)
        if operation.is_list:
            assert list(result) == []
    async with AsyncMasthead("http://test", "mh_1", transport=transport) as office:
        method = getattr(getattr(office, operation.resource), operation.name)
        if operation.is_list:
            assert [each async for each in method(*ids, **query)] == []
        else:
            await method(*ids, **query)
    assert len(asked) == 2
    for request in asked:
        assert (request.method, request.url.path) == (operation.method, path_of(operation))
        assert ("Idempotency-Key" in request.headers) == (operation.method != "GET")
        assert request.headers["Authorization"] == "Bearer mh_1"
        assert bool(request.content) == (operation.body is not None and operation.body_is_required)


@pytest.mark.parametrize("operation", LISTS, ids=lambda each: each.id)
def test_a_list_has_all_of_its_filters(operation: Operation) -> None:
    client = Masthead("http://test", None, transport=httpx.MockTransport(answer))
    method = getattr(getattr(client, operation.resource), operation.name)
    assert {*inspect.signature(method).parameters} == {
        *(each.name for each in operation.ids),
        *(each.name for each in operation.query),
        "if_none_match",
    }


def test_every_record_has_the_fields_of_its_schema() -> None:
    schemas = {
        name: schema
        for name, schema in described()["components"]["schemas"].items()
        if "enum" not in schema and "has_more" not in schema["properties"]
    }
    assert len(schemas) > 50
    for name, schema in schemas.items():
        assert {*typing.get_type_hints(getattr(types, name))} == {*schema["properties"]}, name


def test_types_are_those_of_the_schemas() -> None:
    hints = typing.get_type_hints(types.Subscription)
    assert hints["order_date"] == str | None
    assert hints["length"] == int | None
    assert hints["shipping_address"] is types.ShippingAddress
    assert hints["issue_list"] == list[int]
    sent = typing.get_type_hints(types.SubscriptionCreate)
    assert sent["order_date"] == types.Date
    assert "Print + digital" in str(types.Medium)
    assert asyncio.iscoroutinefunction(AsyncMasthead("http://test", None).issues.create)
