"""A change of the source in one place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A change of the source in one place.

    function: the qualified name of the function, or the name of the constant with SQL.
    operator, ordinal: the kind of the change, and its number among those of the function.
    start, end, new: the bytes of the source to replace, and by what.
    users: the functions that use the changed code; a test that calls none of them proves nothing.
    """

    function: str
    operator: str
    ordinal: int
    start: int
    end: int
    new: str
    users: tuple[str, ...]


def apply_edit(source: str, edit: Edit) -> str:
    """The source with one change; its lines keep their numbers."""
    code = source.encode()
    added = b"\n" * (code[edit.start : edit.end].count(b"\n") - edit.new.count("\n"))
    return (code[: edit.start] + edit.new.encode() + added + code[edit.end :]).decode()
