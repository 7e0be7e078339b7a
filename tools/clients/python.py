"""The generated modules of `clients/python`: `types`, `version`, and one for each resource."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import fill
from typing import Any

from tools.clients.operations import Operation, Parameter, name_of, read_operations, schemas_of

NOTE = "Generated from the OpenAPI document by `make clients`; do not edit."
# Lists with more values than this, such as those of countries, are texts: programs get their
# values from elsewhere
MOST_VALUES = 100
# Resources that can do more than the document says
PARENTS = {"events": "EventFeed"}
SIMPLE = {"string": "str", "integer": "int", "boolean": "bool", "null": "None"}
MOMENTS = {"date": "Date", "date-time": "Moment"}


def modules(document: Mapping[str, Any]) -> dict[str, str]:
    """The text of each generated module, by its path in the package; not formatted yet."""
    operations = sorted(read_operations(document), key=lambda each: each.resource)
    resources = {name: list(each) for name, each in groupby(operations, lambda o: o.resource)}
    descriptions = {tag["name"].replace("-", "_"): tag["description"] for tag in document["tags"]}
    return {
        "version.py": _version(document),
        "types.py": _types(document),
        "resources/__init__.py": _index(descriptions),
        **{
            f"resources/{name}.py": _resource(name, descriptions[name], each)
            for name, each in resources.items()
        },
    }


def _version(document: Mapping[str, Any]) -> str:
    return (
        f'"""The version of the API, and of this client.\n\n{NOTE}\n"""\n\n'
        f'__version__ = "{document["info"]["version"]}"\n'
    )


# --- Types -----------------------------------------------------------------------------------


def _types(document: Mapping[str, Any]) -> str:
    """TypedDicts of all bodies, and the values of all lists of values."""
    sent = schemas_of(document, of_requests=True) - schemas_of(document, of_requests=False)
    parts = [
        f'"""The records of the API, as dictionaries with types.\n\n{NOTE}\n"""\n',
        # A record can contain those that are described after it
        "from __future__ import annotations\n\n"
        "import datetime\nfrom collections.abc import Mapping, Sequence\n"
        "from typing import Any, Literal, NotRequired, TypedDict\n",
        "# In requests, dates and moments can be text, or objects of `datetime`\n"
        "Date = str | datetime.date\nMoment = str | datetime.datetime\n",
    ]
    schemas = document["components"]["schemas"]
    parts += [_values(name, schema) for name, schema in schemas.items() if "enum" in schema]
    parts += [
        _record(name, schema, is_sent=name in sent)
        for name, schema in schemas.items()
        if "enum" not in schema and "has_more" not in schema["properties"]
    ]
    return "\n\n".join(parts)


def _values(name: str, schema: Mapping[str, Any]) -> str:
    values = schema["enum"]
    described = _comment(schema.get("description", ""))
    if len(values) > MOST_VALUES:
        return f"{described}{name} = str"
    return f"{described}{name} = Literal[{', '.join(map(_text, values))}]"


def _record(name: str, schema: Mapping[str, Any], *, is_sent: bool) -> str:
    lines = [f"class {name}(TypedDict):", _docstring(schema["description"])]
    required = schema.get("required", ())
    for field, each in schema["properties"].items():
        annotation = annotate(each, is_sent=is_sent)
        if field not in required:
            annotation = f"NotRequired[{annotation}]"
        lines += [f"    {field}: {annotation}", _docstring(each.get("description", ""))]
    return "\n".join(filter(None, lines))


def annotate(schema: Mapping[str, Any], *, is_sent: bool) -> str:
    """The annotation of a value. is_sent: whether it is a part of a request."""
    if "$ref" in schema:
        return name_of(schema["$ref"])
    if "anyOf" in schema:
        kinds = (annotate(each, is_sent=is_sent) for each in schema["anyOf"])
        return " | ".join(dict.fromkeys(kinds))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return f"Literal[{', '.join(_text(each) for each in values)}]"
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " | ".join(_annotate_type(each, schema, is_sent=is_sent) for each in types)


def _annotate_type(type: str, schema: Mapping[str, Any], *, is_sent: bool) -> str:
    match type:
        case "string" if is_sent and schema.get("format") in MOMENTS:
            return MOMENTS[schema["format"]]
        case "number":
            return "int" if schema.get("multipleOf") == 1 else "float"
        case "array":
            items = annotate(schema["items"], is_sent=is_sent)
            return f"{'Sequence' if is_sent else 'list'}[{items}]"
        case "object":
            extra = schema.get("additionalProperties")
            values = annotate(extra, is_sent=is_sent) if isinstance(extra, dict) else "Any"
            return f"{'Mapping' if is_sent else 'dict'}[str, {values}]"
        case _:
            return SIMPLE[type]


# --- Resources -------------------------------------------------------------------------------


def _index(descriptions: Mapping[str, str]) -> str:
    """The module that gives a client all of its resources."""
    imports = "".join(
        f"from masthead_client.resources.{name} import Async{_class(name)}, {_class(name)}\n"
        for name in descriptions
    )
    classes = "".join(
        f'\n\nclass {prefix}Resources:\n    """The resources of the API."""\n\n'
        f"    def __init__(self, connection: {prefix}Connection) -> None:\n"
        + "".join(
            f"        self.{name} = {prefix}{_class(name)}(connection)\n" for name in descriptions
        )
        for prefix in ("", "Async")
    )
    return (
        f'"""The resources of the API.\n\n{NOTE}\n"""\n\n'
        f"from masthead_client.connection import AsyncConnection, Connection\n{imports}{classes}"
    )


def _resource(name: str, description: str, operations: list[Operation]) -> str:
    """The module of a resource: a class with a method for each operation, and one for asyncio."""
    imports = (
        f'"""{description}\n\n{NOTE}\n"""\n\n'
        "from collections.abc import Sequence\n"
        "from typing import Unpack\nfrom urllib.parse import quote\n\n"
        "from masthead_client import types\n"
        "from masthead_client.connection import AsyncConnection, Connection\n"
        "from masthead_client.event_feed import AsyncEventFeed, EventFeed\n"
        "from masthead_client.lists import AsyncListing, Listing\n"
    )
    return imports + "".join(
        f"\n\nclass {prefix}{_class(name)}{_parents(name, prefix)}:\n"
        f'    """{description}"""\n\n'
        f"    def __init__(self, connection: {prefix}Connection) -> None:\n"
        "        self._connection = connection\n\n"
        + "\n".join(_method(each, prefix) for each in operations)
        for prefix in ("", "Async")
    )


def _parents(name: str, prefix: str) -> str:
    return f"({prefix}{PARENTS[name]})" if name in PARENTS else ""


def _class(resource: str) -> str:
    return "".join(word.capitalize() for word in resource.split("_"))


def _method(operation: Operation, prefix: str) -> str:
    answer = f"types.{operation.answer}"
    described = (
        f'        """{operation.summary.removesuffix(".")}.\n\n'
        f'        `{operation.method} {operation.path}`\n        """'
    )
    options = ", ".join([*_ids(operation), *_options(operation)])
    arguments = f"self, {options}" if options else "self"
    if operation.is_list:
        return (
            f"    def {operation.name}({arguments}) -> {prefix}Listing[{answer}]:\n"
            f"{described}\n"
            f"        return {prefix}Listing(self._connection, {answer}, {_path(operation)}, "
            f"{_query(operation)}, if_none_match)\n"
        )
    start, wait = ("async ", "await ") if prefix else ("", "")
    return (
        f"    {start}def {operation.name}({arguments}) -> {answer}:\n{described}\n"
        f"        return {wait}self._connection.call({', '.join(_call(operation, answer))})\n"
    )


def _ids(operation: Operation) -> Iterator[str]:
    for parameter in operation.ids:
        yield f"{parameter.name}: {annotate(parameter.schema, is_sent=True)}"
    if operation.ids:
        yield "/"


def _options(operation: Operation) -> Iterator[str]:
    named = [_filter(each) for each in operation.query]
    if operation.method == "GET":
        named.append("if_none_match: str | None = None")
    else:
        named.append("idempotency_key: str | None = None")
        if operation.has_condition:
            named.append("if_match: str | None = None")
    yield "*"
    yield from named
    if operation.body:
        yield f"**fields: Unpack[types.{operation.body}]"


def _filter(parameter: Parameter) -> str:
    """A parameter of a query. Clients read whole lists, so `limit` is its maximum by default."""
    if parameter.name == "limit":
        return f"limit: int = {parameter.schema['maximum']}"
    annotation = annotate(parameter.schema, is_sent=True)
    for name in ("Date", "Moment", *_references(parameter.schema)):
        annotation = annotation.replace(name, f"types.{name}")
    if parameter.required:
        return f"{parameter.name}: {annotation}"
    return f"{parameter.name}: {annotation} | None = None"


def _references(schema: Mapping[str, Any]) -> list[str]:
    parts = (schema, schema.get("items", {}))
    return [name_of(each["$ref"]) for each in parts if "$ref" in each]


def _path(operation: Operation) -> str:
    path = operation.path
    for parameter in operation.ids:
        is_text = parameter.schema["type"] == "string"
        value = f'quote({parameter.name}, safe="")' if is_text else parameter.name
        path = path.replace(f"{{{parameter.name}}}", f"{{{value}}}")
    return f"{'f' if operation.ids else ''}{path!r}"


def _query(operation: Operation) -> str:
    return f"{{{', '.join(f'{each.name!r}: {each.name}' for each in operation.query)}}}"


def _call(operation: Operation, answer: str) -> Iterator[str]:
    yield from (answer, f'"{operation.method}"', _path(operation))
    if operation.query:
        yield f"query={_query(operation)}"
    if operation.body:
        empty = "" if operation.body_is_required else " or None"
        yield f"body=fields{empty}"
    if operation.method == "GET":
        yield "if_none_match=if_none_match"
    else:
        yield "idempotency_key=idempotency_key"
        if operation.has_condition:
            yield "if_match=if_match"


# --- Text ------------------------------------------------------------------------------------


def _text(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _docstring(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        return ""
    margin = " " * 4
    if len(text) + 10 <= 100:
        return f'{margin}"""{text}"""'
    wrapped = fill(text, 100, initial_indent=f'{margin}"""', subsequent_indent=margin)
    return f'{wrapped}\n{margin}"""'


def _comment(text: str) -> str:
    text = " ".join(text.split())
    return fill(text, 100, initial_indent="# ", subsequent_indent="# ") + "\n" if text else ""
