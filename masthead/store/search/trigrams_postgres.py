"""Search on PostgreSQL, by the trigrams of pg_trgm where the server has that extension.

Common terms fill a page from the newest rows. For other terms, all rows that match are collected
and then cut to a page: by the index, which is fast for rare terms, or by reading all texts.
"""

from masthead.model.ids import first_copy_id
from masthead.model.privacy.redaction import escape_like
from masthead.store.engine.interface import Connection
from masthead.store.search.search_query import SearchQuery

NEWEST = 5_000  # rows that are read first
# As in the definition of the index. One index costs imports half as much as one for each text
_INDEXED = "(t.subscriber_text || t.shared_text || t.subscription_text)"
_NEWEST = """
    (
        SELECT *
        FROM searchable
        WHERE account_id = :account_id AND n BETWEEN :first AND :top
        ORDER BY n DESC
        LIMIT :rows
    )
"""


async def find_ids(db: Connection, account_id: int, search: SearchQuery) -> list[str]:
    """The ids of the rows that match, newest first."""
    values = {**parameters(account_id, search), "rows": NEWEST}
    found = await db.fetch_all(_statement(search, _NEWEST, is_materialized=False), values)
    if len(found) < search.limit and search.top - first_copy_id(account_id) > NEWEST:
        # the right plan depends on how rare the terms are
        await db.fetch_one("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)", {})
        found = await db.fetch_all(_statement(search, "searchable", is_materialized=True), values)
    return [row["id"] for row in found]


def parameters(account_id: int, search: SearchQuery) -> dict[str, object]:
    """The parameters of the statements of a search."""
    patterns = {f"term{n}": f"%{escape_like(term)}%" for n, term in enumerate(search.terms)}
    return {**search.parameters(account_id), **patterns}


def matches_terms(search: SearchQuery) -> str:
    """The condition that a row `t` has every term."""
    return _has_terms(f"(t.shared_text || t.{search.target.text_column})", search)


def _has_terms(text: str, search: SearchQuery) -> str:
    return " AND ".join(f"{text} LIKE :term{n}" for n in range(len(search.terms)))


def _statement(search: SearchQuery, rows: str, *, is_materialized: bool) -> str:
    """The search in some rows of `searchable`.

    is_materialized: collect all rows that match, by the index, before sorting them. Otherwise the
    planner reads rows by number, and expects to find a page of matches soon.
    """
    target = search.target
    materialized = "MATERIALIZED" if is_materialized else "NOT MATERIALIZED"
    join = ""
    if search.conditions:
        join = (
            f"JOIN {target.table} s ON s.account_id = t.account_id AND s.id = t.{target.id_column}"
        )
    indexed = [_has_terms(_INDEXED, search)] if is_materialized else []
    conditions = " AND ".join([*indexed, matches_terms(search), *search.conditions])
    return f"""
        WITH found AS {materialized} (
            SELECT t.n, t.{target.id_column} AS id
            FROM {rows} t
            {join}
            WHERE t.account_id = :account_id
              AND t.n BETWEEN :first AND :top
              AND t.{target.id_column} IS NOT NULL
              AND {conditions}
        )
        SELECT id
        FROM found
        ORDER BY n DESC
        LIMIT :limit
        """  # noqa: S608 - columns of a target, and conditions of a list
