"""Rows of the search index that have one of several spellings of a word, for typing errors.

The trigrams of SQLite's index and those of pg_trgm find the rows; the caller compares their words.
"""

from collections.abc import Sequence
from itertools import count

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
    db: Connection,
    account_id: int,
    words: Sequence[Sequence[Sequence[str]]],
    others: Sequence[str],
    *,
    limit: int = READ,
) -> list[SearchedSubscriber]:
    """Subscribers with their searchable text, newest first. Queries: one. Read aside.

    words: the spellings of each, of which one must be there with all of its parts, three letters
    or more. others: words of which each must be there.
    """
    range_ = {"first": first_copy_id(account_id), "last": first_copy_id(account_id + 1) - 1}
    values: dict[str, object] = {"account_id": account_id, "limit": limit, **range_}
    if db.dialect == "sqlite":
        rows = """
            search_index
            CROSS JOIN searchable t ON t.account_id = :account_id AND t.n = search_index.rowid
        """
        number = "search_index.rowid"
        found = "search_index MATCH :match AND "
        indexed = [_all_of([other]) for other in others if len(other) >= LETTERS]
        alternatives = [f"({' OR '.join(map(_all_of, spellings))})" for spellings in words]
        match = " AND ".join([*indexed, *alternatives])
        values["match"] = f"{{shared_text subscriber_text}} : ({match})"
        kept = "instr(t.shared_text || t.subscriber_text, :{name}) > 0"
        values |= {f"other{n}": other for n, other in enumerate(others)}
    else:
        await db.fetch_one("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)", {})
        rows, number = "searchable t", "t.n"
        text = "(t.subscriber_text || t.shared_text || t.subscription_text)"
        found, number_of_part = "", count()
        for spellings in words:
            tests = list[str]()
            for each in spellings:
                names = [f"part{next(number_of_part)}" for _part in each]
                values |= {
                    name: f"%{escape_like(part)}%" for name, part in zip(names, each, strict=True)
                }
                tests.append(f"({' AND '.join(f'{text} LIKE :{name}' for name in names)})")
            found += f"({' OR '.join(tests)}) AND "
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
