"""The OpenAPI document as the generators need it: operations by resource, and schemas by use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Nouns whose singular is not the plural without its last letter
SINGULAR = {"copies": "copy", "dispatches": "dispatch", "me": "me"}
# Names that would be the same as those of another operation of their resource
NAMES = {"create_orders": "create_bulk", "mark_copy_sent": "mark_one_sent"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a path or a query, with its schema."""

    name: str
    schema: Mapping[str, Any]
    required: bool


@dataclass(frozen=True)
class Operation:
    """A request of the API.

    name: of the method, such as `mark_sent` of the resource `dispatches`.
    body: the name of the schema of the body, if it has one.
    answer: the name of the schema of the response, or of the records of a list.
    """

    resource: str
    name: str
    id: str
    method: str
    path: str
    summary: str
    ids: tuple[Parameter, ...]
    query: tuple[Parameter, ...]
    has_condition: bool
    body: str | None
    body_is_required: bool
    answer: str
    is_list: bool


def read_operations(document: Mapping[str, Any]) -> list[Operation]:
    """All operations of the document, in its order. Raises: ValueError if two have one name."""
    found = [
        _operation(document, method, path, described)
        for path, methods in document["paths"].items()
        for method, described in methods.items()
    ]
    names = [(operation.resource, operation.name) for operation in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"Two operations have the name {twice}: add one of them to NAMES.")
    return found


def _operation(
    document: Mapping[str, Any], method: str, path: str, described: Mapping[str, Any]
) -> Operation:
    [tag] = described["tags"]
    resource = tag.replace("-", "_")
    where = {
        place: tuple(
            Parameter(each["name"], each["schema"], required=each.get("required", False))
            for each in described["parameters"]
            if each["in"] == place
        )
        for place in ("path", "query", "header")
    }
    body = described.get("requestBody")
    schema = body and schema_of(body["content"])
    fields = body and document["components"]["schemas"][schema]["properties"]
    answer = schema_of(
        next(
            response["content"]
            for status, response in described["responses"].items()
            if status.startswith("2")
        )
    )
    properties = document["components"]["schemas"][answer]["properties"]
    is_list = method == "get" and "items" in properties
    return Operation(
        resource=resource,
        name=_name(described["operationId"], resource),
        id=described["operationId"],
        method=method.upper(),
        path=path,
        summary=described["summary"],
        ids=where["path"],
        query=where["query"],
        has_condition=any(header.name == "If-Match" for header in where["header"]),
        body=schema if fields else None,
        body_is_required=bool(body and body["required"]),
        answer=name_of(properties["items"]["items"]["$ref"]) if is_list else answer,
        is_list=is_list,
    )


def _name(operation: str, resource: str) -> str:
    """`create_dispatch` is `create` of the resource `dispatches`."""
    if operation in NAMES:
        return NAMES[operation]
    singular = SINGULAR.get(resource, resource.removesuffix("s"))
    for noun in (resource, singular):
        name = f"{operation}_".replace(f"_{noun}_", "_", 1).removesuffix("_")
        if name != operation:
            return name
    return operation


def schema_of(content: Mapping[str, Any]) -> str:
    """The name of the schema of a JSON body."""
    return name_of(content["application/json"]["schema"]["$ref"])


def name_of(reference: str) -> str:
    """`Issue`, of `#/components/schemas/Issue`."""
    return reference.rpartition("/")[2]


def schemas_of(document: Mapping[str, Any], *, of_requests: bool) -> set[str]:
    """The names of all schemas that requests contain, or that responses do."""
    place = "requestBody" if of_requests else "responses"
    described = [each for methods in document["paths"].values() for each in methods.values()]
    waiting = [*_references([each.get(place) for each in described])]
    if not of_requests:
        waiting += _references(document["components"]["responses"])
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(document["components"]["schemas"][name])
    return found


def _references(part: Any) -> Iterator[str]:
    """The names of all schemas that a part of the document refers to."""
    if isinstance(part, Mapping):
        if "/schemas/" in str(part.get("$ref", "")):
            yield name_of(part["$ref"])
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)
