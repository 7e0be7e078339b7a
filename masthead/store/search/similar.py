"""Rows of the search index that have one of several spellings of a word, for typing errors.

The trigrams of SQLite's index and those of pg_trgm find the rows; the caller compares their words.
"""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.ids import first_copy_id
from masthead.model.privacy.redaction import escape_like
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.search.trigrams_sqlite import LETTERS, quoted, trigrams_of


class SearchedSubscriber(Struct, frozen=True):
    """A subscriber that a search found, with the text in the index."""

    id: str
    text: str


READ = 500  # rows: the newest of a spelling that many have


async def list_similar(
    db: Connection, account_id: int, spellings: Sequence[Sequence[str]], others: Sequence[str]
) -> list[SearchedSubscriber]:
    """Subscribers with their searchable text, newest first, READ at most. Queries: one. Read aside.

    spellings: the parts of each, of which one must be there with all of its parts, three letters
    or more. others: words of which each must be there.
    """
    range_ = {"first": first_copy_id(account_id), "last": first_copy_id(account_id + 1) - 1}
    values: dict[str, object] = {"account_id": account_id, "limit": READ, **range_}
    if db.dialect == "sqlite":
        rows = """
            search_index
            CROSS JOIN searchable t ON t.account_id = :account_id AND t.n = search_index.rowid
        """
        number = "search_index.rowid"
        found = "search_index MATCH :match AND "
        indexed = [_all_of([other]) for other in others if len(other) >= LETTERS]
        alternatives = f"({' OR '.join(map(_all_of, spellings))})"
        match = " AND ".join([*indexed, alternatives])
        values["match"] = f"{{shared_text subscriber_text}} : ({match})"
        kept = "instr(t.shared_text || t.subscriber_text, :{name}) > 0"
        values |= {f"other{n}": other for n, other in enumerate(others)}
    else:
        await db.fetch_one("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)", {})
        rows, number = "searchable t", "t.n"
        text = "(t.subscriber_text || t.shared_text || t.subscription_text)"
        tests = list[str]()
        for n, each in enumerate(spellings):
            values |= {f"part{n}_{m}": f"%{escape_like(part)}%" for m, part in enumerate(each)}
            parts = " AND ".join(f"{text} LIKE :part{n}_{m}" for m in range(len(each)))
            tests.append(f"({parts})")
        found = f"({' OR '.join(tests)}) AND "
        kept = f"{text} LIKE :{{name}}"
        values |= {f"other{n}": f"%{escape_like(other)}%" for n, other in enumerate(others)}
    conditions = "".join(f"AND {kept.format(name=f'other{n}')} " for n in range(len(others)))
    return await fetch_all(
        db,
        f"""
        WITH found AS MATERIALIZED (
            SELECT t.n, t.subscriber_id AS id, t.shared_text || t.subscriber_text AS text
            FROM {rows}
            WHERE {found} {number} BETWEEN :first AND :last
              AND t.account_id = :account_id
              AND t.subscriber_id IS NOT NULL
              {conditions}
            ORDER BY {number} DESC
            LIMIT :limit
        )
        SELECT id, text
        FROM found
        ORDER BY n DESC
        """,  # noqa: S608 - conditions with parameters
        values,
        into=SearchedSubscriber,
    )


def _all_of(parts: Sequence[str]) -> str:
    """All trigrams of some parts, as FTS5 reads them."""
    trigrams = {each for part in parts for each in trigrams_of(part)}
    return f"({' AND '.join(map(quoted, sorted(trigrams)))})"
