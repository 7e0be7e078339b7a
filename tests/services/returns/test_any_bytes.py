"""Any bytes as a file: nothing crashes, no row is lost, and nothing is marked that is not named."""

import re
from contextlib import suppress
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from masthead.model.errors import Invalid
from masthead.services.returns.carrier_files import FirstLines, read_rows
from masthead.services.returns.returned import read_returned_row
from masthead.services.returns.shipped import import_shipped, read_shipped_row
from tests.conftest import BY, Cast
from tests.support.returns import Sending, carrier_file

pytestmark = pytest.mark.fuzz
PIECES = ["key", "copy id", "date", "reason", '"', ";", ",", "\t", "\n", "\r\n", "€", "ü", "#", "0"]


def texts(*more: str) -> st.SearchStrategy[str]:
    """Texts that resemble CSV files."""
    return st.lists(st.sampled_from([*PIECES, *more]) | st.text(max_size=4), max_size=40).map(
        "".join
    )


@given(content=st.binary(max_size=300) | texts("#0SNC0HHAB#", "31/12/2026").map(str.encode))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        file = carrier_file(content)
    except Invalid:
        return
    for row in read_rows(file):
        with suppress(Invalid):
            read_shipped_row(1, file, row, None)
        with suppress(Invalid):
            read_returned_row(1, file, row)


@pytest.mark.slow
async def test_only_named_copies_are_marked(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 4)
    keys = await sending.keys()

    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.data())
    def generate(data: st.DataObject) -> None:
        contents.append(data.draw(texts(*keys[:3], f"{keys[0]};", f"\n{keys[1]}\n")))

    contents: list[str] = []
    generate()
    named: set[str] = set()
    for content in contents:
        try:
            file = carrier_file(content, needs_dates=False)
        except Invalid:
            continue
        summary = await import_shipped(acme.db, acme.account_id, file, day=date(2026, 5, 1), by=BY)
        assert summary.read == summary.marked + summary.already_sent + summary.unmatched
        plain = re.sub(r"[\s#\-'\"=]", "", content).upper()
        named |= {key for key in keys if key.strip("#") in plain}
        for key, (status, _) in zip(keys, await sending.copies(), strict=True):
            assert status == "Not sent" or key in named, content
    assert (await sending.copies())[3] == ("Not sent", None)


def test_the_lines_of_close_numbers_are_all_remembered() -> None:
    lines = FirstLines()
    for number in (1, 2, 3, -1):
        lines.add(number, number + 10)
    assert [lines.find(number) for number in (1, 2, 3, -1, 4)] == [11, 12, 13, 9, 0]


@given(st.lists(st.tuples(st.integers(-(2**40), 2**40), st.integers(1, 2**20)), max_size=50))
def test_first_lines_are_remembered(pairs: list[tuple[int, int]]) -> None:
    lines, expected = FirstLines(), dict[int, int]()
    for number, line in pairs:
        assert lines.find(number) == expected.get(number, 0)
        lines.add(number, line)
        expected[number] = line
