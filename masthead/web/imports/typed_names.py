"""Whose row of a file it is, as its cells say: also of rows that cannot be imported."""

from collections.abc import Iterable

from masthead.model.imports.fitting import column_key
from masthead.model.imports.mapping import ImportMapping, Rule


def typed_name(columns: Iterable[tuple[str, str]], mapping: ImportMapping) -> str:
    """The person or company of a row; else the email; "" if none says it.

    columns: the names of the columns with the texts of their cells.
    """
    cells = {column_key(name): text for name, text in columns}

    def text_of(field: str) -> str:
        rule = mapping.columns.get(field, Rule())
        texts = [text for name in rule.named() if (text := cells.get(column_key(name)))]
        return " ".join(texts if rule.join else texts[:1])

    person = dict.fromkeys(map(text_of, ("full_name", "first_name", "last_name")))
    names = " ".join(filter(None, person)), text_of("company"), text_of("email")
    return next(filter(None, names), "")
