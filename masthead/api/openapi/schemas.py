"""JSON schemas of the structs that the routes accept and return.

The first line of the docstring of a struct describes its schema. Lines such as `price: amount paid`
describe its fields; an indented line continues the one before. Fields that mean the same in all
structs are described in `texts/fields.json`, and `texts/examples.json` has examples.
"""

import inspect
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from masthead.api.openapi.conditions import CONDITIONS
from masthead.api.openapi.examples import Examples
from masthead.api.route import Route
from masthead.model.error_resources import ApiError
from masthead.model.resources import Document

CODE = "ErrorCode"


def ref(section: str, name: str) -> Document:
    """The reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


class Schemas:
    """The schemas of the structs of some routes. codes: all codes of errors."""

    def __init__(self, routes: Sequence[Route], examples: Examples, codes: Sequence[str]) -> None:
        kinds = [kind for each in routes for kind in (each.response, each.body, each.query) if kind]
        kinds = [*dict.fromkeys(kinds), ApiError]
        made = msgspec.json.schema_components(kinds, ref_template=ref("schemas", "{name}")["$ref"])
        named = re.sub(rb"Page_(\w+?)_", rb"\1Page", msgspec.json.encode(made))
        refs, self._raw = msgspec.json.decode(named)
        self._refs = dict(zip(kinds, refs, strict=True))
        self._queries = {each.query.__name__ for each in routes}
        # the docstrings of the structs that a struct inherits fields from
        self._inherited = {
            each.__name__: [
                str(base.__doc__) for base in each.__mro__[1:] if base not in (Struct, object)
            ]
            for each in kinds
            if isinstance(each, type)
        }
        self._shared: Document = {
            CODE: {"type": "string", "enum": list(codes), "description": "The kind of an error."}
        }
        self._examples = examples

    def of(self, kind: Any) -> Document:
        """The reference to the schema of a struct."""
        found: Document = self._refs[kind]
        return found

    def parameters(self, query: Any) -> Iterator[Document]:
        """The parameters of a query string; an optional parameter is never null."""
        for name, raw in self._raw[query.__name__]["properties"].items():
            part = {**raw, **raw.get("anyOf", [{}])[0]}
            description = _sentence(part.pop("description"))
            schema = self._tidied({key: part[key] for key in part if key != "anyOf"})
            is_list = "items" in schema
            is_clear = is_list or "default" in schema or "enum" in self._target(schema)
            examples = [] if is_clear else self._examples.of_request(None, name)
            required = {"required": True} if name in self._required(query) else {}
            yield {
                "name": name,
                "in": "query",
                "description": description,
                **required,
                **({"style": "form", "explode": False} if is_list else {}),  # commas
                # as a keyword of the parameter, /docs would fill it in
                "schema": schema | ({"examples": examples} if examples else {}),
            }

    def _required(self, query: Any) -> Collection[str]:
        """The parameters without which a query string is refused."""
        required: Collection[str] = self._raw[query.__name__].get("required", ())
        return required

    def components(self) -> Document:
        """All schemas by name, except those of query strings."""
        names = sorted(self._raw.keys() - self._queries)
        own = {name: self._component(name) for name in names}
        examples = self._examples.nested(own)
        for name in names:
            example = examples.get(name)
            is_request = own[name].get("additionalProperties") is False
            fields = own[name].get("properties", {})
            for field, part in fields.items():
                if not is_request:
                    fields[field] = self._opened(part)
                    fields[field]["examples"] = [self._examples.of_field(example, field)]
                elif found := self._examples.of_request(example, field):
                    part["examples"] = found
        return dict(sorted((own | self._shared).items()))

    def _opened(self, part: Document) -> Document:
        """The schema of a field of a response, which allows more than the values of its enum.

        Otherwise, a generated client would fail at a value that a later version adds.
        """
        if "items" in part:
            return part | {"items": self._opened(part["items"])}
        if "enum" in part:  # of its own, without a name
            values = {name: part[name] for name in ("enum", "type")}
            rest = {name: each for name, each in part.items() if name not in values}
            return {"anyOf": [values, {"type": "string"}], **rest}
        kind, *null = part.get("anyOf") or [{"$ref": part.get("$ref", "")}]
        if "enum" not in self._target(kind):
            return part
        rest = {name: each for name, each in part.items() if name not in ("$ref", "anyOf")}
        return {"anyOf": [kind, {"type": "string"}, *null], **rest}

    def _target(self, schema: Document) -> Document:
        """The schema itself, or the one that it refers to."""
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        found: Document = self._raw.get(name) or self._shared.get(name) or schema
        return found

    def _component(self, name: str) -> Document:
        schema = self._tidied(
            {key: part for key, part in self._raw[name].items() if key != "title"}
        )
        fields = schema.get("properties", {})
        schema["description"], *lines = _unfolded(schema["description"])
        if "enum" in schema:
            return schema | {"description": "\n".join((schema["description"], *lines))}
        for docstring in self._inherited.get(name, []):
            lines += _unfolded(docstring)[1:]
        for line in filter(None, lines):
            names, description = line.split(": ", 1)
            for field in names.split(", "):
                fields[field]["description"] = _sentence(description)
        if name == ApiError.__name__:
            del fields["code"]["type"]
            fields["code"] |= ref("schemas", CODE)
        for field, part in fields.items():
            if "description" not in part:
                part["description"] = self._examples.meaning(field)
        return schema | ({"allOf": CONDITIONS[name]} if name in CONDITIONS else {})

    def _tidied(self, raw: Document) -> Document:
        """A schema without redundant keywords; a part with a title becomes a component."""
        schema = {key: part for key, part in raw.items() if part not in (None, [])}
        if "title" in schema:
            name = schema.pop("title")
            self._shared[name] = self._tidied(schema) | self._shared.get(name, {})
            return ref("schemas", name)
        if "anyOf" in schema:  # a value or null
            kind = self._tidied(schema.pop("anyOf")[0])
            if "$ref" in kind:
                return {**schema, "anyOf": [kind, {"type": "null"}]}
            return {**schema, **kind, "type": [kind["type"], "null"]}
        if "description" in schema:
            schema["description"] = _sentence(schema["description"])
        if "enum" in schema:
            schema["type"] = "string"
        if "multipleOf" in schema:
            schema["type"] = "number"  # the type in the specification; values are whole numbers
        if "items" in schema:
            schema["items"] = self._tidied(schema["items"])
        for name, part in schema.get("properties", {}).items():
            schema["properties"][name] = self._tidied(part)
        return schema


def _unfolded(docstring: str) -> list[str]:
    """The lines of a docstring; an indented line continues the one before."""
    return re.sub(r"\n +", " ", inspect.cleandoc(docstring)).split("\n")


def _sentence(text: str) -> str:
    """The description of a field as a sentence."""
    return f"{text[0].upper()}{text[1:].rstrip('.')}."
