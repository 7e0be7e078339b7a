"""An export has every table and every column, or says why not."""

from masthead.model.exports.contents import LEFT_OUT, NOUNS, SEARCH_OF_SQLITE
from masthead.store.engine.interface import Database
from masthead.store.engine.table_columns import list_columns
from tests.support.databases import list_tables


async def columns_of(db: Database, table: str) -> set[str]:
    return set(await list_columns(db, table))


async def test_every_table_is_in_a_file_or_left_out_for_a_reason(db: Database) -> None:
    tables = set(await list_tables(db))
    exported = {noun.table for noun in NOUNS}
    assert not exported & set(LEFT_OUT)
    named = exported | set(LEFT_OUT)
    assert not tables - named, "new tables: export them, or say why not in `contents.LEFT_OUT`"
    assert named - tables <= set(SEARCH_OF_SQLITE)


async def test_every_column_is_in_its_file_or_left_out_for_a_reason(db: Database) -> None:
    for noun in NOUNS:
        stored = await columns_of(db, noun.table) - {"account_id"}
        named = (set(noun.columns) - set(noun.expressions)) | set(noun.left_out)
        named |= set(noun.expressions) & stored
        assert stored == named, noun.name


def test_names_and_columns_are_unique() -> None:
    names = [noun.name for noun in NOUNS]
    assert len(names) == len(set(names))
    for noun in NOUNS:
        assert len(noun.columns) == len(set(noun.columns)), noun.name
        assert {*noun.key, *noun.amounts, *noun.amounts.values()} <= set(noun.columns), noun.name
