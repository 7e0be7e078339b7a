"""What the texts about the API name exists: the operations, and the variables of commands."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from masthead.api.openapi import texts
from masthead.api.routes import ROUTES
from tests.support.openapi import described

ROOT = Path(__file__).resolve().parents[2]
API = (ROOT / "docs/api.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OPERATION = re.compile(r"\b(GET|HEAD|POST|PATCH|PUT|DELETE) (/v1/[\w{}/-]*)")
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
OF_THE_SHELL = {"EDITOR", "HOME", "PATH", "PWD", "USER"}


def sources() -> Iterator[tuple[str, str]]:
    """All texts about the API, by name."""
    yield "OpenAPI document", json.dumps(described())
    for page in PAGES:
        yield page.name, page.read_text(encoding="utf-8")


def exists(method: str, path: str) -> bool:
    """Whether the API has an operation. path: may have an id."""
    plain = "GET" if method == "HEAD" else method
    return any(
        re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.path), path)
        for route in ROUTES
        if route.method == plain
    )


def test_every_operation_that_a_text_names_exists() -> None:
    named = [(name, *found) for name, text in sources() for found in OPERATION.findall(text)]
    assert len(named) > 100
    assert [each for each in named if not exists(each[1], each[2])] == []


def test_the_texts_name_how_many_records_a_request_may_have() -> None:
    named = []
    for path, item in described()["paths"].items():
        schema = item.get("post", {}).get("requestBody", {}).get("content")
        if not schema:
            continue
        name = schema["application/json"]["schema"]["$ref"].rpartition("/")[2]
        fields = described()["components"]["schemas"][name]["properties"]
        [row] = re.findall(rf"^\| \[`POST {re.escape(path)}`\].*$", API, re.MULTILINE)
        for text in (row, item["post"]["summary"], item["post"]["description"]):
            for number, noun in re.findall(r"(?:up to|1 to) ([0-9,]+) (\w+)", text):
                if most := fields.get(noun, fields.get("reports", {})).get("maxItems"):
                    named.append((path, int(number.replace(",", "")), most))
    assert len(named) > 3
    assert [each for each in named if each[1] != each[2]] == []


def test_every_variable_of_a_command_is_set_or_explained_above_it() -> None:
    about = texts.read_about()
    whole = about + "".join(each.text for each in texts.read_operations().values())
    unset = []
    for name, text in [("/docs", whole), *((page.name, page.read_text()) for page in PAGES)]:
        known = {*OF_THE_SHELL, *re.findall(r"`\$([A-Z][A-Z0-9_]*)`", text)}
        for block in BLOCK.findall(text):
            known |= set(re.findall(r"\b([A-Z][A-Z0-9_]*)=", block))
            used = set(re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", block))
            unset += [(name, variable) for variable in used - known]
    assert unset == []
