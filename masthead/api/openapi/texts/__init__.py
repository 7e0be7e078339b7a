"""The texts and examples of the OpenAPI document.

They are files, read when the document is built, so that workers do not hold them in memory.
"""

import re
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

FOLDER = Path(__file__).parent
_SEE = re.compile(r"\s*See \[[^\]]+\]\([^)]+\)\.")
_LINK = re.compile(r"\[([^\]]+)\]\(#[^)]+\)")
_ERRORS_LINE = re.compile(r"^Specific errors: (.+?)\.$", re.MULTILINE | re.DOTALL)


class OperationText(Struct, frozen=True):
    """What an operation does, and how to call it.

    title: in a few words. text: Markdown with a curl command; its links lead to sections of
    docs/api.md. codes: the errors that only this operation and similar ones have.
    """

    title: str
    text: str
    codes: tuple[str, ...]


class ErrorText(Struct, frozen=True):
    """Why an error occurs and what to do.

    message, id, field: examples; id and field are empty if such an error has none.
    """

    status: int
    cause: str
    solution: str
    message: str
    id: str = ""
    field: str = ""

    @property
    def explanation(self) -> str:
        """The cause and the solution as one sentence."""
        return f"{self.cause}. To solve it: {self.solution}."


class FieldText(Struct, frozen=True):
    """The meaning of a field in all structs whose docstring does not describe it, and an example.

    example: for structs whose own example has no value of the field.
    """

    description: str = ""
    example: Any = None


def read_about() -> str:
    """The text about the whole API."""
    return (FOLDER / "about.md").read_text(encoding="utf-8")


def read_operations() -> dict[str, OperationText]:
    """The texts of the operations, such as `GET /v1/me/`."""
    page = (FOLDER / "operations.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", page, flags=re.MULTILINE)
    return {
        name: _operation_text(title.removeprefix("Title: "), text)
        for name, _blank, title, text in (section.split("\n", 3) for section in sections)
    }


def _operation_text(title: str, text: str) -> OperationText:
    codes: tuple[str, ...] = ()
    if found := _ERRORS_LINE.search(text):
        codes = tuple(re.findall(r"\w+", found[1]))
        text = text[: found.start()]
    return OperationText(title, text.strip(), codes)


def read_errors() -> dict[str, ErrorText]:
    """The texts of the errors, by code."""
    return msgspec.json.decode((FOLDER / "errors.json").read_bytes(), type=dict[str, ErrorText])


def read_fields() -> dict[str, FieldText]:
    """The texts of fields that mean the same in all structs, by name."""
    return msgspec.json.decode((FOLDER / "fields.json").read_bytes(), type=dict[str, FieldText])


def read_examples() -> dict[str, dict[str, Any]]:
    """Examples of structs as the API has them, by name."""
    return msgspec.json.decode(
        (FOLDER / "examples.json").read_bytes(), type=dict[str, dict[str, Any]]
    )


def without_links(text: str) -> str:
    """A text whose links are plain words or left out, for readers without docs/api.md."""
    return _LINK.sub(r"\1", _SEE.sub("", text))
