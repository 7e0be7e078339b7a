"""Whose row of a file it is, as its cells say: also of rows that cannot be imported."""

from collections.abc import Iterable, Mapping

from masthead.model.imports.batches import ImportBatch, ImportRow
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


def name_rows(
    batch: ImportBatch, rows: Iterable[ImportRow], subscribers: Mapping[str, str]
) -> dict[int, str]:
    """Whose rows they are, by line: as their cells say, or else the name of the subscriber."""
    named = dict[int, str]()
    for row in rows:
        cells = zip(batch.layout.columns, row.cells[0] if row.cells else (), strict=False)
        known = subscribers.get(row.subscriber_id or "", "")
        if name := typed_name(cells, batch.plan.mapping) or known:
            named.setdefault(row.line, name)
    return named
