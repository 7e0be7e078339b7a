"""Examples of structs, fields and parameters, and the meaning of fields that structs share."""

from collections.abc import Mapping
from typing import Any

from masthead.api.openapi.texts import FieldText
from masthead.model.resources import Document

PAGE = "Page"
# What the server makes. As an example in a request, `/docs` and Postman would send it, and get an
# error or a record of another account's example. An example of a whole body has a placeholder
ONLY_IN_RESPONSES = frozenset(
    "copy cursor gifter_id invoice issue key number order_id payer payer_id product record source "
    "sources subscriber subscriber_id subscription subscriptions".split()
)


class Examples:
    """Finds examples. structs: whole ones by name. fields: what structs share, by field."""

    def __init__(self, structs: Mapping[str, Document], fields: Mapping[str, FieldText]) -> None:
        pages = {f"{name}{PAGE}": _page(example) for name, example in structs.items()}
        self._structs, self._fields = {**structs, **pages}, fields
        self._used: dict[str, Document] = {}

    def of_struct(self, name: str) -> Document:
        """The examples of a request body or a response, by the name of its schema."""
        self._used[name] = {"value": self._structs[name]}
        return {name: {"$ref": f"#/components/examples/{name}"}}

    def components(self) -> Document:
        """The examples of all request bodies and responses."""
        return dict(sorted(self._used.items()))

    def of_field(self, whole: Document | None, field: str) -> Any:
        """The value of a field: that of an example of its whole struct, unless it is null."""
        found = (whole or {}).get(field)
        return self._fields[field].example if found in (None, "") else found

    def of_request(self, whole: Document | None, field: str) -> list[Any]:
        """The value of a field of a request, or of a parameter; none if it may not be copied."""
        if field in ONLY_IN_RESPONSES and not (whole and field in whole):
            return []
        return [self.of_field(whole, field)]

    def meaning(self, field: str) -> str:
        """The description of a field that means the same in all structs."""
        return self._fields[field].description

    def nested(self, schemas: Document) -> dict[str, Document]:
        """An example of each struct by its name: its own, or from a struct that contains it."""
        found: dict[str, Document] = {}
        waiting = [*self._structs.items()]
        while waiting:
            name, example = waiting.pop(0)
            if name not in schemas or name in found:
                continue
            found[name] = example
            for field, value in example.items():
                inner = value[0] if isinstance(value, list) and value else value
                if isinstance(inner, dict) and (part := _struct_of(schemas[name], field)):
                    waiting.append((part, inner))
        return found


def _page(example: Document) -> Document:
    """The first and only page of a list."""
    return {"items": [example], "has_more": False, "cursor": None}


def _struct_of(schema: Document, field: str) -> str:
    """The name of the struct that a field has, or has a list of; else empty."""
    part = schema["properties"][field]
    part = part.get("items", part)
    kinds = [part, *part.get("anyOf", ())]
    refs = [kind["$ref"] for kind in kinds if "$ref" in kind]
    return refs[0].rpartition("/")[2] if refs else ""
