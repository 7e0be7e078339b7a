"""A preset: a mapping for the export of another system, with words for pages and documents."""

from msgspec import Struct

from masthead.model.imports.fitting import column_key
from masthead.model.imports.mapping import ImportMapping, Rule


class Preset(Struct, frozen=True, kw_only=True):
    """How the export of another system becomes orders.

    name: for the command line. label: what people call it. result: what its rows become.
    export_from: where to find the export there. marks: the columns by which its files are
    recognized; a file must have one of each group. columns: other columns of its files.
    order_prefix: a proposal, not applied by itself.
    """

    name: str
    label: str
    result: str
    export_from: str
    marks: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...] = ()
    order_prefix: str = ""
    mapping: ImportMapping

    def known(self) -> frozenset[str]:
        """The columns of its files, as `column_key` writes them."""
        named = [*self.mapping.named(), *self.columns]
        named += [name for group in self.marks for name in group]
        return frozenset(map(column_key, named))


def first_of(*columns: str) -> Rule:
    """The first cell that is not empty; columns that a file does not have are ignored."""
    return Rule(columns=columns)


def always(text: str) -> Rule:
    """The same text in all rows."""
    return Rule(constant=text)


def block(prefix: str, fields: dict[str, str], to: str = "") -> dict[str, Rule]:
    """The rules of an address. fields: the end of each column's name, by field."""
    return {f"{to}{field}": first_of(prefix + column) for field, column in fields.items()}
