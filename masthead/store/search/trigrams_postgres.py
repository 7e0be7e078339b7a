"""Search on PostgreSQL: by the trigrams of pg_trgm, where the server has them.

The newest rows fill a page with whatever is common. What is not is gathered whole, and then cut to
a page: by the index, which is fast for what is rare, or else by reading all texts.
"""

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection
from masthead.store.search.search_query import Search

NEWEST = 5_000  # rows that are looked through at first
_LIKE_ESCAPES = str.maketrans({"%": "\\%", "_": "\\_", "\\": "\\\\"})
_NEWEST = (
    "(SELECT * FROM searchable WHERE account_id = :account_id AND n BETWEEN :first AND :top"
    " ORDER BY n DESC LIMIT :rows) AS t"
)


async def find(db: Connection, account_id: int, search: Search) -> list[str]:
    """The ids of what is found, newest first."""
    given = {**parameters(account_id, search), "rows": NEWEST}
    found = await db.fetch_all(_select(search, _NEWEST) + " ORDER BY t.n DESC LIMIT :limit", given)
    if len(found) < search.limit and search.top - first_copy_id(account_id) > NEWEST:
        # how rare the terms are decides on the plan
        await db.fetch_one("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)", {})
        everything = _select(search, "searchable t") + " AND t.n BETWEEN :first AND :top"
        found = await db.fetch_all(
            # MATERIALIZED, else the planner walks by number and hopes to meet a page of them soon
            f"WITH found AS MATERIALIZED ({everything})"  # noqa: S608 - our own names
            " SELECT id FROM found ORDER BY n DESC LIMIT :limit",
            given,
        )
    return [row["id"] for row in found]


def parameters(account_id: int, search: Search) -> dict[str, object]:
    """What the statements of a search are given."""
    patterns = {
        f"term{n}": f"%{term.translate(_LIKE_ESCAPES)}%" for n, term in enumerate(search.terms)
    }
    return {**search.parameters(account_id), **patterns}


def spelled(search: Search) -> str:
    """The condition that a row `t` has every term, in the words of the indexes."""
    text = f"(t.shared_text || t.{search.sought.text})"
    return " AND ".join(f"{text} LIKE :term{n}" for n in range(len(search.terms)))


def _select(search: Search, rows: str) -> str:
    """The search as a statement. rows: where to look, as a table `t`."""
    sought = search.sought
    tests, joined = [spelled(search)], ""
    if search.narrowed:
        joined = (
            f" JOIN {sought.table} s ON s.account_id = t.account_id AND s.id = t.{sought.column}"
        )
        tests += search.narrowed
    return (
        f"SELECT t.n, t.{sought.column} AS id FROM {rows}{joined}"  # noqa: S608 - our own names
        f" WHERE t.account_id = :account_id AND t.{sought.column} IS NOT NULL"
        f" AND {' AND '.join(tests)}"
    )
