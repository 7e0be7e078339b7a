"""An export has every table and every column, or says why not."""

from masthead.model.exports.contents import EXPORT_FILES, LEFT_OUT, SEARCH_OF_SQLITE
from masthead.store.engine.interface import Database
from masthead.store.engine.table_columns import list_columns
from tests.support.databases import list_tables


async def columns_of(db: Database, table: str) -> set[str]:
    return set(await list_columns(db, table))


async def test_every_table_is_in_a_file_or_left_out_for_a_reason(db: Database) -> None:
    tables = set(await list_tables(db))
    exported = {exported.table for exported in EXPORT_FILES}
    assert not exported & set(LEFT_OUT)
    named = exported | set(LEFT_OUT)
    assert not tables - named, "new tables: export them, or say why not in `contents.LEFT_OUT`"
    assert named - tables <= set(SEARCH_OF_SQLITE)


async def test_every_column_is_in_its_file_or_left_out_for_a_reason(db: Database) -> None:
    for exported in EXPORT_FILES:
        stored = await columns_of(db, exported.table) - {"account_id"}
        named = (set(exported.columns) - set(exported.expressions)) | set(exported.left_out)
        named |= set(exported.expressions) & stored
        assert stored == named, exported.name


def test_names_and_columns_are_unique() -> None:
    names = [exported.name for exported in EXPORT_FILES]
    assert len(names) == len(set(names))
    for exported in EXPORT_FILES:
        assert len(exported.columns) == len(set(exported.columns)), exported.name
        assert {*exported.key, *exported.amounts, *exported.amounts.values()} <= set(
            exported.columns
        ), exported.name
