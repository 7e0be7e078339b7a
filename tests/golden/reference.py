"""The generated parts of docs/api.md, which `make openapi` writes.

The texts, tables and examples of operations, structs and errors come from the OpenAPI document, so
that both say the same. A heading in docs/api.md decides where its part is; what else is under the
heading, after the line `<!-- by hand -->`, stays.
"""

import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from masthead.api.openapi import texts
from masthead.api.openapi.document import needs_rights
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from tests.support.openapi import described

PAGE = Path(__file__).parents[2] / "docs" / "api.md"
BY_HAND = "<!-- by hand -->"
WIDTH = 99  # characters of a line of JSON
Part = dict[str, Any]

# Sections about the values of an enum
ENUMS = {
    "SubscriptionStatus": "subscriptions",
    "CopyStatus": "copies",
    "DispatchStatus": "dispatch-runs",
    "LineStatus": "dispatch-runs",
    "LeftReason": "dispatch-runs",
    "WhyCode": "answers",
}
# Structs whose table has only the fields that they add to another struct
EXTENSIONS = {"DispatchRunDetail": "DispatchRun", "CreatedClaim": "Claim"}


def rewritten(page: str) -> str:
    """The page with its generated parts as they should be."""
    whole = described()
    schemas = whole["components"]["schemas"]
    parts = {f"`{route}`": _operation(route, whole) for route in ROUTES}
    parts |= {name: _struct(name, schemas) for name in schemas if "properties" in schemas[name]}
    parts["Codes"] = _errors()
    for heading, text in parts.items():
        page = _replace(page, heading, text)
    return page


def _replace(page: str, heading: str, text: str) -> str:
    """The page with this text under a heading, before the part that is written by hand."""
    found = re.search(rf"^(#+) {re.escape(heading)}\n", page, re.MULTILINE)
    if not found:
        return page
    rest = page[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    section, after = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    _, mark, own = section.partition(BY_HAND)
    kept = f"\n{mark}{own.rstrip()}\n" if mark else ""
    return f"{page[: found.end()]}\n{text.strip()}\n{kept}\n{after}".rstrip() + "\n"


def _operation(route: Route, whole: Part) -> str:
    operation = whole["paths"][route.path][route.method.lower()]
    described = texts.read_operations()[str(route)]
    text, _, command = described.text.partition("```sh")
    parts = [text.strip(), _takes_and_returns(route, operation)]
    own = [each for each in operation["parameters"] if each["in"] == "query"]
    own = [each for each in own if each["name"] not in {"cursor", "limit"}]
    if own:
        rows = [
            [_code(each["name"]), _kind(each["schema"]), _meaning(each), _example(each["schema"])]
            for each in own
        ]
        parts.append(_table(("Parameter", "Type", "Meaning", "Example"), rows))
    parts.append(f"```sh{command}".strip())
    if described.codes:
        codes = ", ".join(_code(code) for code in described.codes)
        parts.append(_wrapped(f"Specific errors: {codes}."))
    return "\n\n".join(parts)


def _takes_and_returns(route: Route, operation: Part) -> str:
    answer = operation["responses"][str(route.status)]["content"]["application/json"]["schema"]
    name = answer["$ref"].rpartition("/")[2]
    status = f"{route.status} and " if route.status != 200 else ""
    kind = "a list of " if name.endswith("Page") else ""
    returns = f"Returns {status}{kind}{_link(name.removesuffix('Page'))}. {needs_rights(route)}"
    if route.body is None:
        return _wrapped(returns)
    optional = "" if route.requires_body else " or no body"
    return _wrapped(f"Takes {_link(route.body.__name__)}{optional}. {returns}")


def _struct(name: str, schemas: Part) -> str:
    schema, base = schemas[name], EXTENSIONS.get(name)
    inherited = schemas[base]["properties"] if base else {}
    is_input = schema.get("additionalProperties") is False
    parts = [_wrapped(schema["description"])]
    if base:
        parts.append(f"All fields of {_link(base)}, then:")
    rows = []
    for field, part in schema["properties"].items():
        if field in inherited:
            continue
        row = [_code(field), _kind(part)]
        if is_input:
            row.append("yes" if field in schema.get("required", ()) else "no")
        rows.append([*row, _meaning(part), _example(part)])
    required = ("Required",) if is_input else ()
    parts.append(_table(("Field", "Type", *required, "Meaning", "Example"), rows))
    example = texts.read_examples().get(name)
    if example and not is_input:  # the curl commands have examples of inputs
        parts.append(f"```json {name}\n{_json(example)}\n```")
    return "\n\n".join(part for part in parts if part)


def _errors() -> str:
    rows = [
        [str(error.status), _code(code), error.cause, error.solution]
        for code, error in texts.read_errors().items()
    ]
    return _table(("Status", "`code`", "Cause", "Solution"), rows)


def _kind(part: Part) -> str:
    """The type of a field, with links to sections about structs and enums."""
    if "anyOf" in part:
        return _kind(part["anyOf"][0]) + " or null" * ({"type": "null"} in part["anyOf"])
    if "$ref" in part:
        return _named(part["$ref"].rpartition("/")[2])
    kind = part["type"]
    if isinstance(kind, list):
        return f"{_kind({**part, 'type': kind[0]})} or null"
    if kind == "array":
        return f"array of {_kind(part['items'])}"
    return {"date": "date", "date-time": "datetime"}.get(part.get("format", ""), str(kind))


def _named(name: str) -> str:
    if name in ENUMS:
        return f"[string](#{ENUMS[name]})"
    schema = described()["components"]["schemas"][name]
    if "enum" not in schema:
        return _link(name)
    values = schema["enum"]
    return "string" if len(values) > 8 else " or ".join(_code(value) for value in values)


def _meaning(part: Part) -> str:
    return str(part["description"]).replace("\n", " ").replace("|", "\\|")


def _example(part: Part) -> str:
    """The example of a schema in a table; objects are shown with their own struct."""
    value = next(iter(part.get("examples", ())), None)
    if (
        value is None
        or isinstance(value, dict)
        or (isinstance(value, list) and value and isinstance(value[0], dict))
    ):
        return ""
    return _code(json.dumps(value, ensure_ascii=False))


def _code(text: str) -> str:
    return f"`{text}`"


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _table(head: tuple[str, ...], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines).replace("|  |", "| |")


def _wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def _json(value: Any, indent: int = 0) -> str:
    """JSON whose short objects and lists are on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or len(flat) + indent <= WIDTH or not value:
        return flat
    pad = " " * (indent + 2)
    if isinstance(value, dict):
        lines = [
            f"{pad}{json.dumps(name)}: {_json(each, indent + 2)}" for name, each in value.items()
        ]
        first, last = "{}"
    else:
        lines = [pad + _json(each, indent + 2) for each in value]
        first, last = "[]"
    return "\n".join([first, ",\n".join(lines), " " * indent + last])
