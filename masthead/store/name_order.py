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


def _folded(dialect: Dialect, text: str) -> str:
    """SQL for a text as it is compared. Its blanks let the file of the schema break its lines."""
    folded = text
    for letter, base in _SEVERAL.items():
        folded = f"replace( {folded}, '{letter}', '{base}')"
    if dialect == "postgres":
        pairs = [(letter, base) for base, letters in _LETTERS.items() for letter in letters]
        for start in range(0, len(pairs), _PER_CALL):
            letters, bases = map("".join, zip(*pairs[start : start + _PER_CALL], strict=True))
            folded = f"translate( {folded}, '{letters}', '{bases}')"
        return f'lower({folded} COLLATE "C")'
    for base, letters in _LETTERS.items():
        for letter in letters:
            folded = f"replace( {folded}, '{letter}', '{base}')"
    # these take 30 µs, and most names have no such letters
    return f"lower(CASE WHEN {text} GLOB '*[^ -~]*' THEN {folded} ELSE {text} END)"


_NAME = """coalesce(
        nullif(last_name, '') || ' ' || coalesce(first_name, ''),
        nullif(first_name, ''),
        nullif(company, ''),
        {last}
    )"""
# By dialect. The id makes each key unique; columns have no alias, as in the indexes
_DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
SUBSCRIBER_KEY: Mapping[Dialect, str] = {
    each: f"({_folded(each, _NAME.format(last='email'))} || ' ' || id)" for each in _DIALECTS
}
RECIPIENT_KEY: Mapping[Dialect, str] = {
    each: f"({_folded(each, _NAME.format(last=chr(39) * 2))} || ' ' || id)" for each in _DIALECTS
}


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
            f"SELECT {key} AS name {table} AND id = :id",
            {**values, "id": page.after},
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
