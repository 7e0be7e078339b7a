"""Lines of tables: the same on both engines, and read back as they were written."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from masthead.store.engine.moving.lines import (
    Digester,
    StoredTable,
    decoder_of,
    digest_of_all,
    encoder_of,
)

TABLE = StoredTable(
    "table", (("at", "timestamptz"), ("content", "bytea"), ("number", "bigint"), ("text", "text"))
)
TEXTS = st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
MOMENT = "2026-01-31T12:00:00.000000+00:00"


@given(st.lists(st.tuples(st.just(MOMENT), st.none() | st.binary(), st.integers(), TEXTS)))
def test_a_row_is_read_back_from_its_line(rows: list[tuple[object, ...]]) -> None:
    lines = encoder_of(TABLE)(rows)
    assert all("\n" not in line and line.count("\t") == 3 for line in lines)
    expected = [[at, content, str(number), text] for at, content, number, text in rows]
    assert decoder_of(TABLE)(lines) == expected


@pytest.mark.parametrize(
    "stored",
    ["2026-01-31T12:00:00+00:00", "2026-01-31 12:00:00", "2026-01-31T13:00:00.000000+01:00"],
)
def test_a_moment_has_one_form(stored: str) -> None:
    assert datetime.fromisoformat(MOMENT) == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert encoder_of(TABLE)([(stored, None, 1, "")]) == [f"{MOMENT}\t\\N\t1\t"]


def test_a_number_with_decimals_is_written_as_it_is() -> None:
    assert encoder_of(TABLE)([(MOMENT, None, 1.5, "")]) == [f"{MOMENT}\t\\N\t1.5\t"]


def test_a_digest_depends_on_the_rows_and_not_on_their_order() -> None:
    def digest(*batches: list[str]) -> str:
        digester = Digester()
        for batch in batches:
            digester.add(batch)
        return digest_of_all({"table": digester.outcome})

    assert digest(["a", "b"], ["c"]) == digest(["c", "a"], ["b"])
    assert digest(["a"]) != digest(["a", "a"]) != digest(["a", "b"])
