"""Finds the values of a table that masthead does not know, such as an unknown country."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.plan import Question
from masthead.model.imports.rows.compiled import CompiledMapping
from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values.country_names import similar_country
from masthead.model.imports.values.own_words import READERS, is_in_own_words
from masthead.model.translations import format_number, gettext as _

MAX_ASKED = 20  # values of a field; if there are more, another column is meant


class UnknownValues:
    """Takes the rows of a table, one after the other; its memory does not grow with them."""

    def __init__(self, compiled: CompiledMapping) -> None:
        self._compiled = compiled
        self._fields = [
            (field, _knows(field), dict[str, int]())
            for field in compiled.gets
            if is_in_own_words(field)
        ]

    def add(self, cells: Sequence[str]) -> None:
        """Take the values of a row into account. Raises: LeftOut."""
        for field, is_known, counts in self._fields:
            text = self._compiled.text(field, cells)
            if text and len(counts) <= MAX_ASKED and not is_known(text):
                value = excerpt(text)
                counts[value] = counts.get(value, 0) + 1

    def questions(self) -> list[Question]:
        """A question for each value. It has no choices: those of a field do not depend on it."""
        asked = _("What does `{value}` in `{column}` mean? Rows with it: {count}.")
        found = []
        for field, _is_known, counts in self._fields:
            column = self._compiled.names.get(field, field)
            for value, count in counts.items() if len(counts) <= MAX_ASKED else ():
                words = {"value": value, "column": column, "count": format_number(count)}
                is_country = TARGETS[field].kind == "country"
                found.append(
                    Question(
                        id=f"value:{field}:{value}",
                        text=asked.format(**words),
                        choices=(),
                        default=(similar_country(value) or "") if is_country else "",
                        columns=(column,),
                        examples=(value,),
                    )
                )
        return found


def _knows(field: str) -> Callable[[str], bool]:
    """The function that says whether a text is a value of a field."""
    read = READERS[TARGETS[field].kind]

    @lru_cache(maxsize=4096)
    def is_known(text: str) -> bool:
        try:
            read(field, text)
        except Invalid:
            return False
        return True

    return is_known
