"""Search for mentions of a subscriber before their erasure, so that it locks the account briefly.

The erasure itself searches what was written since: entries of the audit trail and events are only
added, the rows of an import change only with the import, and parts of a file are never replaced.
"""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.privacy.digests import PersonDetails
from masthead.model.privacy.redaction import patterns_of
from masthead.services.privacy.data_subjects import (
    file_terms,
    get_data_subject,
    list_people,
    list_said,
    list_terms,
    names_of,
)
from masthead.services.privacy.uploaded_files import count_parts, find_files
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Row, Transaction
from masthead.store.events.log import get_span
from masthead.store.imports import said_digests
from masthead.store.imports.said_digests import RowKey
from masthead.store.privacy import data_subjects, mentions as store
from masthead.store.privacy.records import DataSubject


class Wanted(Struct, frozen=True):
    """The terms to search for.

    terms: in texts; names: in rows of imports; said: digests of such rows; words: in files.
    """

    terms: list[str]
    names: set[tuple[str, str]]
    said: list[str]
    words: list[str]

    @property
    def row_patterns(self) -> list[str]:
        """Patterns for rows of imports."""
        return patterns_of([*self.terms, *{last for _first, last in self.names}])

    @property
    def text_patterns(self) -> list[str]:
        """Patterns for all other texts."""
        return patterns_of(self.terms)


async def get_wanted(
    db: Connection,
    account_id: int,
    subject: DataSubject,
    rows: Sequence[Row],
    people: Sequence[PersonDetails],
) -> Wanted:
    """The terms to search for. rows: of the subscriber, and of those merged into them."""
    names = names_of(rows, people)
    terms = await list_terms(db, account_id, subject, names)
    return Wanted(terms, names, list_said(subject), file_terms(subject, rows, people))


class EarlierSearch(Struct, frozen=True):
    """The results of a search, and what was searched: until which entry and event, and which files.

    last, entries: of the tables `audit` and `event`. batches: their states; said: rows with the
    digests; parts: how many each file has, by table.
    """

    wanted: Wanted
    last: dict[str, int]
    entries: dict[str, list[int]]
    batches: dict[str, str]
    rows: list[RowKey]
    said: list[RowKey]
    parts: dict[str, dict[str, int]]
    files: dict[str, list[str]]


async def search_before(
    db: Database, account_id: int, id: str, *, placeholder_domain: str
) -> EarlierSearch:
    """Search all that grows with the account, without a lock. Raises: NotFound."""
    async with db.read(is_long=True) as connection:
        subject, _row = await get_data_subject(
            connection, account_id, id, placeholder_domain=placeholder_domain
        )
        rows = await data_subjects.list_subscribers(connection, account_id, subject.id)
        people = await list_people(connection, account_id, subject)
        wanted = await get_wanted(connection, account_id, subject, rows, people)
        entries = await store.list_texts(connection, account_id, "audit", wanted.text_patterns)
        events = await store.list_texts(connection, account_id, "event", wanted.text_patterns)
        found = await store.list_texts(connection, account_id, "import_row", wanted.row_patterns)
        batches = await store.list_batch_states(connection, account_id)
        return EarlierSearch(
            wanted=wanted,
            last={
                "audit": await trail.get_last_entry(connection, account_id),
                "event": (await get_span(connection, account_id)).newest,
            },
            entries={
                "audit": [row["id"] for row in entries],
                "event": [row["number"] for row in events],
            },
            batches=batches,
            rows=[(row["batch_id"], row["line"], row["part"]) for row in found],
            said=await said_digests.list_rows(connection, account_id, wanted.said, batches=batches),
            parts=await count_parts(connection, account_id),
            files=await find_files(connection, account_id, wanted.words),
        )


async def list_changed(
    tx: Transaction, account_id: int, earlier: EarlierSearch | None
) -> tuple[set[str], set[str]]:
    """The imports whose rows are as the search found them, and all others. Queries: one."""
    states = await store.list_batch_states(tx, account_id)
    same = {id for id, state in states.items() if earlier and earlier.batches.get(id) == state}
    return same, states.keys() - same
