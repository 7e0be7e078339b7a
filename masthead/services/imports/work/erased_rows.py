"""Refused rows about erased people, of whom nothing may be stored."""

from collections.abc import Sequence
from datetime import date

from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.privacy.digests import PersonDetails
from masthead.model.types.text import MAX_TEXT
from masthead.services.privacy.known import find_erased
from masthead.store.engine.interface import Connection

_DETAILS = PersonDetails.__struct_fields__


def _is_short(row: PreparedRow, name: str) -> bool:
    """Whether a row has a text that could be stored, by which people can be compared."""
    return 0 < len(row.fields.get(name) or "") <= MAX_TEXT


async def find_erased_refused(
    db: Connection, account_id: int, rows: Sequence[PreparedRow]
) -> dict[int, date]:
    """The refused rows about erased people, whose cells are not stored, with the days. By place."""
    refused = {place: row for place, row in enumerate(rows) if row.order is None and row.reasons}
    if not refused:
        return {}
    people = [
        PersonDetails(**{name: row.fields[name] for name in _DETAILS if _is_short(row, name)})
        for row in refused.values()
    ]
    days = await find_erased(db, account_id, people)
    return {place: day for place, day in zip(refused, days, strict=True) if day is not None}
