"""Search on SQLite: an FTS5 index of the trigrams in `searchable`.

The rarest trigrams of a term find the rows that may match, and the text of each row decides. The
index lists rows by their number, so that a search ends when its page is full. Terms of one or two
letters have no trigram: they are searched in the newest rows, which fill a page if the term is
common, and otherwise by every trigram that begins with them.
"""

from collections.abc import Collection, Iterable

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.search.search_query import SearchQuery

LETTERS = 3
SAMPLE, PLACES = 4_000, 4  # rows in which trigrams are counted, and where
FEW = 8  # of the sample: reading the texts of so few rows costs less than anything else
WORTH = 4  # a term that is more common by this factor is not worth an index search
NEWEST = 5_000  # rows that are read for a short term
MANY = 1_000  # of those: a term in so many rows does not help to find the others
MOST_TRIGRAMS = 16  # of a long term

_LAST_LETTER = chr(0x10FFFF)
_INDEXED = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}  # FTS5 replaces these characters
_NEWEST = """
    (
        SELECT *
        FROM searchable
        WHERE account_id = :account_id AND n BETWEEN :first AND :top
        ORDER BY n DESC
        LIMIT :rows
    ) AS t
"""


async def find_ids(db: Connection, account_id: int, search: SearchQuery) -> list[str]:
    """The ids of the rows that match, newest first."""
    match, is_rare = await _choose_trigrams(db, account_id, search)
    short = [n for n, term in enumerate(search.terms) if len(term) < LETTERS]
    if short and not is_rare:
        found = await _search_newest(db, account_id, search, rows=NEWEST)
        if len(found) == search.limit or search.top - first_copy_id(account_id) <= NEWEST:
            return found
        for term in await _list_rare_terms(db, account_id, search, short):
            trigrams = await _list_trigrams_of_term(db, term)
            if not trigrams:
                return []
            match.append(f"({' OR '.join(map(quoted, trigrams))})")
    if not match:
        return await _search_newest(db, account_id, search, rows=-1)
    return await _search_index(db, account_id, search, match)


async def _choose_trigrams(
    db: Connection, account_id: int, search: SearchQuery
) -> tuple[list[str], bool]:
    """The trigrams to search in the index, and whether few rows have them.

    They are the two rarest trigrams of the rarest term, and the rarest one of each other term that
    is not much more common: reading the text of a row costs as much as 100 rows of the index.
    """
    of_terms = [trigrams_of(term) for term in search.terms if len(term) >= LETTERS]
    counts = await _count_sample(
        db, account_id, search, {each for some in of_terms for each in some}
    )
    ranked = sorted(sorted((counts[each], each) for each in some) for some in of_terms)
    if not ranked:
        return [], False
    rarest = ranked[0][0][0]
    chosen = ranked[0][:2]
    if rarest >= FEW:
        chosen += [term[0] for term in ranked[1:] if term[0][0] < rarest * WORTH]
    return [quoted(trigram) for _, trigram in chosen], rarest < FEW


def trigrams_of(term: str) -> list[str]:
    """The trigrams of a term; of a long one, some of them."""
    all = [term[start : start + LETTERS] for start in range(len(term) - LETTERS + 1)]
    return all[:: len(all) // MOST_TRIGRAMS + 1]


async def _count_sample(
    db: Connection, account_id: int, search: SearchQuery, trigrams: Collection[str]
) -> dict[str, int]:
    """How many rows of a sample, from several places, have each trigram."""
    first = first_copy_id(account_id)
    tops = [first + (search.top - first) * part // PLACES for part in range(1, PLACES + 1)]
    rows = await db.fetch_all(
        """
        SELECT (
            SELECT sum((
                SELECT count(*)
                FROM search_index
                WHERE search_index MATCH each.value
                  AND rowid BETWEEN place.value - :rows AND place.value
            ))
            FROM json_each(:tops) AS place
        ) AS found
        FROM json_each(:trigrams) AS each
        """,
        {
            "rows": SAMPLE // PLACES,
            "tops": tops,
            "trigrams": list(map(quoted, trigrams)),
        },
    )
    return dict(zip(trigrams, (row["found"] for row in rows), strict=True))


def quoted(trigram: str) -> str:
    """A trigram as FTS5 reads it: between quotes, only quotes are special."""
    return '"' + trigram.replace('"', '""') + '"'


def _columns(search: SearchQuery) -> str:
    return f"{{shared_text {search.target.text_column}}} : "


def parameters(account_id: int, search: SearchQuery) -> dict[str, object]:
    """The parameters of the statements of a search."""
    return search.parameters(account_id)


def matches_terms(search: SearchQuery) -> str:
    """The condition that a row `t` has every term."""
    return " AND ".join(_matches_term(search, n) for n in range(len(search.terms)))


def _matches_term(search: SearchQuery, n: int) -> str:
    column = search.target.text_column
    return f"(instr(t.shared_text, :term{n}) > 0 OR instr(t.{column}, :term{n}) > 0)"


def _statement(search: SearchQuery, rows: str, *, conditions: str, number: str) -> str:
    """The search in some rows. rows: a table `t`. number: the column with the number of a row."""
    target = search.target
    join, tests = "", [matches_terms(search)]
    if search.conditions:
        join = f"CROSS JOIN {target.table} s"
        tests.append(f"s.account_id = t.account_id AND s.id = t.{target.id_column}")
        tests += search.conditions
    return f"""
        SELECT t.{target.id_column} AS id
        FROM {rows}
        {join}
        WHERE t.account_id = :account_id
          AND t.{target.id_column} IS NOT NULL
          AND {" AND ".join(tests)}
          {conditions}
        ORDER BY {number} DESC
        LIMIT :limit
        """  # noqa: S608 - columns of a target, and conditions of a list


async def _search_newest(
    db: Connection, account_id: int, search: SearchQuery, *, rows: int
) -> list[str]:
    """The matches in the newest rows. rows: how many, -1 for all."""
    sql = _statement(search, _NEWEST, conditions="", number="t.n")
    found = await db.fetch_all(sql, {**search.parameters(account_id), "rows": rows})
    return [row["id"] for row in found]


async def _list_rare_terms(
    db: Connection, account_id: int, search: SearchQuery, short: Collection[int]
) -> list[str]:
    """The short terms that few of the newest rows have. short: their positions."""
    counts = ", ".join(f"sum({_matches_term(search, n)}) AS term{n}" for n in short)
    row = await db.fetch_one(
        f"SELECT {counts} FROM {_NEWEST} WHERE t.account_id = :account_id",  # noqa: S608 - a count for each term
        {**search.parameters(account_id), "rows": NEWEST},
    )
    assert row is not None
    return [search.terms[n] for n in short if row[f"term{n}"] < MANY]


async def _list_trigrams_of_term(db: Connection, term: str) -> list[str]:
    """The trigrams of the index that begin with a short term."""
    term = term.translate(_INDEXED)
    rows = await db.fetch_all(
        "SELECT term FROM search_trigram WHERE term >= :first AND term < :last",
        {"first": term, "last": term + _LAST_LETTER},
    )
    return [row["term"] for row in rows]


async def _search_index(
    db: Connection, account_id: int, search: SearchQuery, match: Iterable[str]
) -> list[str]:
    """The matches among the rows that the index finds."""
    rows = """
        search_index
        CROSS JOIN searchable t ON t.account_id = :account_id AND t.n = search_index.rowid
    """
    conditions = """
        AND search_index MATCH :match
        AND search_index.rowid BETWEEN :first AND :top
    """
    sql = _statement(search, rows, conditions=conditions, number="search_index.rowid")
    expression = f"{_columns(search)}({' AND '.join(match)})"
    found = await db.fetch_all(sql, {**search.parameters(account_id), "match": expression})
    return [row["id"] for row in found]


async def add_to_index(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Index the texts of rows, by number: in another order, FTS5 makes a segment for each row."""
    await tx.execute(
        """
        INSERT INTO search_index (rowid, shared_text, subscription_text, subscriber_text)
        SELECT n, shared_text, subscription_text, subscriber_text
        FROM searchable
        WHERE account_id = :account_id AND n IN (:numbers... AS bigint)
        ORDER BY n
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )


async def remove_from_index(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Remove rows before their texts change: FTS5 needs the exact texts that it indexed."""
    await tx.execute(
        """
        INSERT INTO search_index (
            search_index,
            rowid,
            shared_text,
            subscription_text,
            subscriber_text
        )
        SELECT 'delete', n, shared_text, subscription_text, subscriber_text
        FROM searchable
        WHERE account_id = :account_id AND n IN (:numbers... AS bigint)
        ORDER BY n
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )
