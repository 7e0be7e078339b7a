"""Surveys a table: one pass over all rows decides what single rows leave open."""

from masthead.model.imports.mapping import Mapping
from masthead.model.imports.plan import Survey
from masthead.model.imports.rows.compiled import CompiledMapping
from masthead.model.imports.rows.surveyor import Surveyor
from masthead.model.imports.tabular_data import Table


def survey(table: Table, mapping: Mapping) -> Survey:
    """What one pass over all rows says about a file, in constant memory.

    Raises: Invalid if the table does not have the columns of the mapping.
    """
    compiled = CompiledMapping(mapping, table.columns)
    surveyor = Surveyor(mapping, compiled, table.day_zero)
    for line in table.lines():
        surveyor.add(compiled.repair(line))
    return surveyor.survey()
