"""The generated modules of `clients/typescript`: `types`, `resources` and `version`."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from textwrap import wrap
from typing import Any

from tools.clients.operations import Operation, Parameter, name_of, read_operations
from tools.clients.python import MOST_VALUES, NOTE

SIMPLE = {"string": "string", "integer": "number", "number": "number", "null": "null"}
# Resources that can do more than the document says
PARENTS = {"events": "EventFeed"}


def modules(document: Mapping[str, Any]) -> dict[str, str]:
    """The text of each generated module, by its path in `src`."""
    return {
        "version.ts": f'// {NOTE}\nexport const VERSION = "{document["info"]["version"]}";\n',
        "types.ts": _types(document),
        "resources.ts": _resources(document),
    }


def _types(document: Mapping[str, Any]) -> str:
    parts = [f"// The records of the API, as JSON. {NOTE}\n"]
    for name, schema in document["components"]["schemas"].items():
        described = _comment(schema.get("description", ""), "")
        if "enum" in schema:
            values = schema["enum"]
            is_long = len(values) > MOST_VALUES
            parts.append(
                f"{described}export type {name} = {'string' if is_long else _union(values)};\n"
            )
        elif "has_more" not in schema["properties"]:
            fields = "".join(_field(schema, field) for field in schema["properties"])
            parts.append(f"{described}export interface {name} {{\n{fields}}}\n")
    return "\n".join(parts)


def _field(schema: Mapping[str, Any], field: str) -> str:
    described = schema["properties"][field]
    mark = "" if field in schema.get("required", ()) else "?"
    comment = _comment(described.get("description", ""), "  ")
    return f"{comment}  {field}{mark}: {annotate(described)};\n"


def annotate(schema: Mapping[str, Any], prefix: str = "") -> str:
    """The type of a value. prefix: of the names of other types."""
    if "$ref" in schema:
        return prefix + name_of(schema["$ref"])
    if "anyOf" in schema:
        kinds = dict.fromkeys(annotate(each, prefix) for each in schema["anyOf"])
        is_open = "string" in kinds and len(kinds.keys() - {"null"}) > 1
        # Editors suggest the known values, and others are allowed
        return " | ".join(
            "(string & {})" if is_open and kind == "string" else kind for kind in kinds
        )
    if "const" in schema or "enum" in schema:
        return _union(schema.get("enum", [schema.get("const")]))
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return " | ".join(_annotate_type(each, schema, prefix) for each in types)


def _annotate_type(type: str, schema: Mapping[str, Any], prefix: str) -> str:
    match type:
        case "array":
            return f"Array<{annotate(schema['items'], prefix)}>"
        case "object":
            extra = schema.get("additionalProperties")
            values = annotate(extra, prefix) if isinstance(extra, dict) else "unknown"
            return f"Record<string, {values}>"
        case _:
            return SIMPLE.get(type, type)


def _resources(document: Mapping[str, Any]) -> str:
    operations = sorted(read_operations(document), key=lambda each: each.resource)
    descriptions = {tag["name"].replace("-", "_"): tag["description"] for tag in document["tags"]}
    classes = [
        _class(name, descriptions[name], list(each))
        for name, each in groupby(operations, lambda operation: operation.resource)
    ]
    fields = "".join(f"  readonly {_camel(name)}: {_title(name)};\n" for name in descriptions)
    made = "".join(
        f"    this.{_camel(name)} = new {_title(name)}(connection);\n" for name in descriptions
    )
    return (
        f"// The resources of the API. {NOTE}\n"
        'import type { Connection, ReadOptions, WriteOptions } from "./connection.js";\n'
        'import { EventFeed } from "./events.js";\n'
        'import { Listing } from "./lists.js";\n'
        'import type * as types from "./types.js";\n\n'
        + "\n".join(classes)
        + f"\n/** The resources of the API. */\nexport class Resources {{\n{fields}\n"
        f"  constructor(connection: Connection) {{\n{made}  }}\n}}\n"
    )


def _class(resource: str, description: str, operations: list[Operation]) -> str:
    methods = "\n".join(map(_method, operations))
    parent = PARENTS.get(resource)
    head = f"export class {_title(resource)}{f' extends {parent}' if parent else ''} {{\n"
    begin = "" if parent else "  constructor(private readonly connection: Connection) {}\n\n"
    return f"/** {description} */\n{head}{begin}{methods}}}\n"


def _method(operation: Operation) -> str:
    answer = f"types.{operation.answer}"
    kind = f"Listing<{answer}>" if operation.is_list else f"Promise<{answer}>"
    described = f"{operation.summary.removesuffix('.')}: `{operation.method} {operation.path}`."
    arguments = "".join(f"    {each},\n" for each in _arguments(operation))
    if operation.is_list:
        most = [each.schema["maximum"] for each in operation.query if each.name == "limit"]
        query = f"{{ limit: {most[0]}, ...filters }}" if most else "{}"
        call = f"new Listing(this.connection, {_path(operation)}, {query}, options)"
    else:
        sent = {"GET": "query" if operation.query else ""}.get(operation.method, "")
        part = "fields" if operation.body else sent or "undefined"
        call = f'this.connection.call("{operation.method}", {_path(operation)}, {part}, options)'
    return (
        f"{_comment(described, '  ')}  {_camel(operation.name)}(\n{arguments}  ): {kind} {{\n"
        f"    return {call};\n  }}\n"
    )


def _arguments(operation: Operation) -> Iterator[str]:
    for parameter in operation.ids:
        yield f"{_camel(parameter.name)}: {annotate(parameter.schema)}"
    if operation.is_list and operation.query:
        yield f"filters: {{\n{_filters(operation.query)}    }} = {{}}"
    elif operation.query:
        yield f"query: {{\n{_filters(operation.query)}    }}"
    if operation.body:
        empty = "" if operation.body_is_required else " = {}"
        yield f"fields: types.{operation.body}{empty}"
    yield f"options: {'ReadOptions' if operation.method == 'GET' else 'WriteOptions'} = {{}}"


def _filters(query: tuple[Parameter, ...]) -> str:
    return "".join(
        f"      {each.name}{'' if each.required else '?'}: {annotate(each.schema, 'types.')};\n"
        for each in query
    )


def _path(operation: Operation) -> str:
    path = operation.path
    for parameter in operation.ids:
        value = f"${{encodeURIComponent({_camel(parameter.name)})}}"
        path = path.replace(f"{{{parameter.name}}}", value)
    return f"`{path}`" if operation.ids else f'"{path}"'


def _union(values: list[object]) -> str:
    return " | ".join(
        f'"{value}"' if isinstance(value, str) else str(value).lower() for value in values
    )


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _title(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))


def _comment(text: str, margin: str) -> str:
    lines = wrap(" ".join(text.split()), 92)
    if len(lines) < 2:
        return f"{margin}/** {lines[0]} */\n" if lines else ""
    return f"{margin}/**\n" + "".join(f"{margin} * {line}\n" for line in lines) + f"{margin} */\n"
