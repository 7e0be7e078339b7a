"""Search on SQLite: an FTS5 index of trigrams over `searchable`, by its number.

The index tells by the rarest trigrams of a term which rows may have it, and their text which do.
The index lists rows in the order of their numbers, so that a search ends with its page. Terms of
one or two letters have no trigram: they are looked for in the newest rows, which fill a page with
whatever is common, and else by every trigram that begins with them.
"""

from collections.abc import Collection, Iterable

from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.search.search_query import Search

LETTERS = 3
SAMPLE, PLACES = 4_000, 4  # rows in which trigrams are counted, and where
FEW = 8  # so few of those: to look at their texts costs less than anything else
WORTH = 4  # a term that is more common by that narrows too little to be looked up
NEWEST = 5_000  # rows that are looked through for a short term
MANY = 1_000  # so many of those: the term is no help in finding others
LOOKED_AT = 16  # trigrams of a long term

_TEXTS = "shared_text, subscription_text, subscriber_text"
_LAST_LETTER = chr(0x10FFFF)
_INDEXED = {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}  # FTS5 takes these for broken


async def find(db: Connection, account_id: int, search: Search) -> list[str]:
    """The ids of what is found, newest first."""
    match, is_rare = await _choose_trigrams(db, account_id, search)
    short = [n for n, term in enumerate(search.terms) if len(term) < LETTERS]
    if short and not is_rare:
        found = await _look_through(db, account_id, search, rows=NEWEST)
        if len(found) == search.limit or search.top - first_copy_id(account_id) <= NEWEST:
            return found
        for term in await _list_rare(db, account_id, search, short):
            trigrams = await _list_trigrams(db, term)
            if not trigrams:
                return []
            match.append(f"({' OR '.join(map(_quoted, trigrams))})")
    if not match:
        return await _look_through(db, account_id, search, rows=-1)
    return await _look_up(db, account_id, search, match)


async def _choose_trigrams(
    db: Connection, account_id: int, search: Search
) -> tuple[list[str], bool]:
    """What to look up, and whether that leads to few rows.

    It is the two rarest trigrams of the rarest term, and the rarest of each other that is not much
    more common: to look at the text of a row costs as much as to pass a hundred by in the index.
    """
    of_terms = [_trigrams(term) for term in search.terms if len(term) >= LETTERS]
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
    return [_quoted(trigram) for _, trigram in chosen], rarest < FEW


def _trigrams(term: str) -> list[str]:
    all = [term[start : start + LETTERS] for start in range(len(term) - LETTERS + 1)]
    return all[:: len(all) // LOOKED_AT + 1]


async def _count_sample(
    db: Connection, account_id: int, search: Search, trigrams: Collection[str]
) -> dict[str, int]:
    """How many rows have each trigram, of a sample taken here and there."""
    first = first_copy_id(account_id)
    tops = [first + (search.top - first) * part // PLACES for part in range(1, PLACES + 1)]
    rows = await db.fetch_all(
        "SELECT (SELECT sum((SELECT count(*) FROM search_index WHERE search_index MATCH each.value"
        " AND rowid BETWEEN place.value - :rows AND place.value)) FROM json_each(:tops) AS place)"
        " AS found FROM json_each(:trigrams) AS each",
        {
            "rows": SAMPLE // PLACES,
            "tops": tops,
            "trigrams": list(map(_quoted, trigrams)),
        },
    )
    return dict(zip(trigrams, (row["found"] for row in rows), strict=True))


def _quoted(trigram: str) -> str:
    """A trigram for FTS5: nothing but quotes means anything between quotes."""
    return '"' + trigram.replace('"', '""') + '"'


def _columns(search: Search) -> str:
    return f"{{shared_text {search.sought.text}}} : "


def parameters(account_id: int, search: Search) -> dict[str, object]:
    """What the statements of a search are given."""
    return search.parameters(account_id)


def spelled(search: Search) -> str:
    """The condition that a row `t` has every term."""
    return " AND ".join(_has(search, n) for n in range(len(search.terms)))


def _has(search: Search, n: int) -> str:
    return f"(instr(t.shared_text, :term{n}) > 0 OR instr(t.{search.sought.text}, :term{n}) > 0)"


def _select(search: Search, rows: str) -> str:
    """The search as a statement. rows: where to look, as a table `t`."""
    sought = search.sought
    tests, joined = [spelled(search)], ""
    if search.narrowed:
        joined = f" CROSS JOIN {sought.table} s"
        tests += [f"s.account_id = t.account_id AND s.id = t.{sought.column}", *search.narrowed]
    return (
        f"SELECT t.{sought.column} AS id FROM {rows}{joined}"  # noqa: S608 - our own names
        f" WHERE t.account_id = :account_id AND t.{sought.column} IS NOT NULL"
        f" AND {' AND '.join(tests)}"
    )


_NEWEST = (
    "(SELECT * FROM searchable WHERE account_id = :account_id AND n BETWEEN :first AND :top"
    " ORDER BY n DESC LIMIT :rows) AS t"
)


async def _look_through(db: Connection, account_id: int, search: Search, *, rows: int) -> list[str]:
    """What so many of the newest rows have of it, all if -1."""
    sql = _select(search, _NEWEST) + " ORDER BY t.n DESC LIMIT :limit"
    found = await db.fetch_all(sql, {**search.parameters(account_id), "rows": rows})
    return [row["id"] for row in found]


async def _list_rare(
    db: Connection, account_id: int, search: Search, short: Collection[int]
) -> list[str]:
    """Those of the short terms that not many of the newest rows have. short: their places."""
    counts = ", ".join(f"sum({_has(search, n)}) AS term{n}" for n in short)
    row = await db.fetch_one(
        f"SELECT {counts} FROM {_NEWEST}"  # noqa: S608 - our own names
        " WHERE t.account_id = :account_id",
        {**search.parameters(account_id), "rows": NEWEST},
    )
    assert row is not None
    return [search.terms[n] for n in short if row[f"term{n}"] < MANY]


async def _list_trigrams(db: Connection, term: str) -> list[str]:
    """All trigrams of the index that begin with a short term; every letter begins one."""
    term = term.translate(_INDEXED)
    rows = await db.fetch_all(
        "SELECT term FROM search_trigram WHERE term >= :first AND term < :last",
        {"first": term, "last": term + _LAST_LETTER},
    )
    return [row["term"] for row in rows]


async def _look_up(
    db: Connection, account_id: int, search: Search, match: Iterable[str]
) -> list[str]:
    """What the index leads to."""
    rows = (
        "search_index CROSS JOIN searchable t"
        " ON t.account_id = :account_id AND t.n = search_index.rowid"
    )
    sql = (
        _select(search, rows) + " AND search_index MATCH :match"
        " AND search_index.rowid BETWEEN :first AND :top"
        " ORDER BY search_index.rowid DESC LIMIT :limit"
    )
    wanted = f"{_columns(search)}({' AND '.join(match)})"
    found = await db.fetch_all(sql, {**search.parameters(account_id), "match": wanted})
    return [row["id"] for row in found]


async def add_to_index(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Index the texts of rows. In the order of their numbers, else every row is a segment."""
    await tx.execute(
        f"INSERT INTO search_index (rowid, {_TEXTS}) SELECT n, {_TEXTS} FROM searchable"  # noqa: S608 - our own names
        " WHERE account_id = :account_id AND n IN (:numbers... AS bigint) ORDER BY n",
        {"account_id": account_id, "numbers": list(numbers)},
    )


async def take_from_index(tx: Transaction, account_id: int, numbers: Collection[int]) -> None:
    """Forget rows, before their texts change: what was indexed must be told exactly."""
    await tx.execute(
        f"INSERT INTO search_index (search_index, rowid, {_TEXTS})"  # noqa: S608 - our own names
        f" SELECT 'delete', n, {_TEXTS} FROM searchable"
        " WHERE account_id = :account_id AND n IN (:numbers... AS bigint) ORDER BY n",
        {"account_id": account_id, "numbers": list(numbers)},
    )
