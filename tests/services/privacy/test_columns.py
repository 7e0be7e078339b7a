"""Every column with text is in one of the lists that say what an erasure does with it."""

from collections.abc import Mapping

from masthead.model.privacy.columns import KEPT, LEFT, REPLACED
from masthead.store.privacy.mentions import TEXTS
from tests.conftest import Cast
from tests.services.privacy.columns import NOT_PERSONAL, OF_OTHERS, REWRITTEN
from tests.support.privacy import text_columns

# Ids, who of the publisher did something, and hashes: in many tables
COMMON = {"account_id", "actor_id", "actor_kind", "digest", "id"}


def listed(table: str, lists: Mapping[str, str]) -> set[str]:
    """The columns of a table in a list."""
    return set(lists.get(table, "").split())


def is_id(column: str) -> bool:
    """Whether a column has the id of a record, or the kind of who did something."""
    return column.endswith(("_id", "_kind")) or column in {*COMMON, "merged_into", "number"}


async def test_every_column_with_text_is_in_a_list(acme: Cast) -> None:
    missing, unknown = [], []
    tables = await text_columns(acme.db)
    for table, columns in tables.items():
        known = set(REPLACED.get(table, {})) | listed(table, REWRITTEN) | listed(table, KEPT)
        known |= listed(table, NOT_PERSONAL) | listed(table, LEFT)
        if known == {"*"}:
            assert "account_id" not in columns, f"name the columns of {table}"
            continue
        missing += [f"{table}.{each}" for each in columns if each not in known and not is_id(each)]
        unknown += [f"{table}.{each}" for each in known if each not in columns]
    named = {*REPLACED, *REWRITTEN, *KEPT, *LEFT, *NOT_PERSONAL}
    assert not missing, f"say in one of the lists what an erasure does with {missing}"
    assert not unknown, unknown
    assert not named - set(tables), named - set(tables)


def test_every_column_that_is_erased_is_searched_in_records_of_others() -> None:
    undecided, unknown = [], []
    for table in {*REPLACED, *REWRITTEN, *OF_OTHERS}:
        erased = set(REPLACED.get(table, {})) | listed(table, REWRITTEN)
        searched = {*TEXTS.get(table, ((), ()))[1], *listed(table, LEFT)}
        others = listed(table, OF_OTHERS)
        undecided += [f"{table}.{each}" for each in erased - searched - others]
        unknown += [f"{table}.{each}" for each in others - (erased - searched)]
    assert not undecided, f"search {undecided}, or say in OF_OTHERS why not"
    assert not unknown, unknown
