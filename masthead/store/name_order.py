"""The order of names, in SQL: by last name, in lower case and without accents.

Letters count like their base letters, as in German dictionaries: `Ä` like `A`, and `ß` like `ss`.
The indexes on names have these texts, so a change needs a migration that creates them again.
"""

from collections.abc import Mapping

from masthead.model.pagination import PageRequest
from masthead.store.engine.interface import Connection, Dialect

_LETTERS = {
    "a": "ÄäÆæÁáÀàÂâÃãÅåĀāĂăĄą",
    "c": "ÇçĆćČč",
    "d": "ĎďĐđ",
    "e": "ÉéÈèÊêËëĒēĘęĚě",
    "g": "ĞğĢģ",
    "i": "ÍíÌìÎîÏïĪīİı",
    "k": "Ķķ",
    "l": "ŁłĻļĽľ",
    "n": "ÑñŃńŅņŇň",
    "o": "ÖöŒœÓóÒòÔôÕõØøŌōŐő",
    "r": "Řř",
    "s": "ŚśŠšŞşȘș",
    "t": "ŤťŢţȚț",
    "u": "ÜüÚúÙùÛûŪūŮůŰű",
    "y": "ÝýŸÿ",
    "z": "ŹźŻżŽž",
}
_PER_CALL = 48  # letters that one call of PostgreSQL translates
_SEVERAL = {"ẞ": "ss", "ß": "ss"}
_ACCENTED = "".join(_LETTERS.values())
_BASES = "".join(base * len(letters) for base, letters in _LETTERS.items())
# How many letters SQLite compares without accents: enough for the order that people see. All of
# them would need calls within calls, more than SQLite before 3.46 reads: it could not open the file
_LAST, _FIRST, _ALONE = 8, 3, 4


def _folded_in_postgres(text: str) -> str:
    """SQL for a text as it is compared. Its blanks let the file of the schema break its lines."""
    folded = _without_sharp_s(text)
    for start in range(0, len(_ACCENTED), _PER_CALL):
        part = slice(start, start + _PER_CALL)
        folded = f"translate( {folded}, '{_ACCENTED[part]}', '{_BASES[part]}')"
    return f'lower({folded} COLLATE "C")'


def _folded_in_sqlite(text: str, count: int) -> str:
    """SQL for a text of which the first letters have no accents."""
    letters = []
    for place in range(1, count + 1):
        letter = f"substr({text}, {place}, 1)"
        found = f"instr( '{_ACCENTED}', nullif({letter}, ''))"
        letters.append(f"coalesce(nullif(substr( '{_BASES}', {found}, 1), ''), {letter})")
    folded = _without_sharp_s(" || ".join([*letters, f"substr({text}, {count + 1})"]))
    # these take some µs, and most names have no such letters
    return f"CASE WHEN {text} GLOB '*[^ -~]*' THEN {folded} ELSE {text} END"


def _without_sharp_s(text: str) -> str:
    for letter, base in _SEVERAL.items():
        text = f"replace( {text}, '{letter}', '{base}')"
    return text


def _key(dialect: Dialect, last: str) -> str:
    """SQL for the key of a name. last: SQL for what names someone without any name."""
    if dialect == "postgres":
        name = f"""coalesce(
        nullif(last_name, '') || ' ' || coalesce(first_name, ''),
        nullif(first_name, ''),
        nullif(company, ''),
        {last}
    )"""
        return f"({_folded_in_postgres(name)} || ' ' || id)"
    both = f"{_folded_in_sqlite('last_name', _LAST)} || ' ' || " + _folded_in_sqlite(
        "coalesce(first_name, '')", _FIRST
    )
    return f"""(lower(CASE
        WHEN last_name <> '' THEN {both}
        WHEN first_name <> '' THEN {_folded_in_sqlite("first_name", _ALONE)}
        WHEN company <> '' THEN {_folded_in_sqlite("company", _ALONE)}
        ELSE {last}
    END) || ' ' || id)"""


# By dialect. The id makes each key unique; columns have no alias, as in the indexes
_DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
SUBSCRIBER_KEY: Mapping[Dialect, str] = {each: _key(each, "email") for each in _DIALECTS}
RECIPIENT_KEY: Mapping[Dialect, str] = {each: _key(each, "''") for each in _DIALECTS}


async def list_ids(
    db: Connection,
    account_id: int,
    table: str,
    key: str,
    page: PageRequest,
    parameters: Mapping[str, object] | None = None,
) -> list[str]:
    """The ids of a page of a list in the order of names, one more than its limit. Queries: two.

    table: `FROM … WHERE …`, with the conditions of an index on `key`, and their parameters.
    page: `after` is the id of a row, whose name is read again.
    """
    comparison, order = (">", "ASC") if page.is_ascending else ("<", "DESC")
    values: dict[str, object] = {**(parameters or {}), "account_id": account_id}
    condition = ""
    if page.after is not None:
        row = await db.fetch_one(
            f"SELECT {key} AS name {table} AND id = :id", {**values, "id": page.after}
        )
        if row is not None:  # else merged meanwhile: the list begins again
            condition = f"AND {key} {comparison} :name"
            values["name"] = row["name"]
    rows = await db.fetch_all(
        f"""
        SELECT id
        {table}
        {condition}
        ORDER BY {key} {order}
        LIMIT :rows
        """,
        {**values, "rows": page.fetch},
    )
    return [row["id"] for row in rows]
