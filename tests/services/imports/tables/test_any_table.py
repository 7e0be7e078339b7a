"""Any bytes are a table or refused, and each table that is written can be read."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings, strategies as st

from masthead.model.errors import Invalid
from masthead.services.imports.table import open_table
from tests.support.rounds import rounds

pytestmark = pytest.mark.fuzz
PIECES = [
    "Id",
    "Name",
    "sep=;",
    '"',
    '\\"',
    ";",
    ",",
    "\t",
    "|",
    "\n",
    "\r\n",
    "\r",
    "ü",
    "\0",
    "Total",
]
LETTERS = "aZ0é€ß '\"-=@;,|\t\n\r\\"

files = st.binary(max_size=200) | st.tuples(
    st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join),
    st.sampled_from(["utf-8", "utf-16", "cp1252"]),
).map(lambda pair: pair[0].encode(pair[1], errors="replace"))


@settings(max_examples=rounds(150), deadline=None)
@given(files)
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(content)
        try:
            table = open_table(path, name="upload")
        except Invalid:
            return
        numbers = []
        for line in table.lines():
            assert len(line.cells) >= len(table.columns)
            assert line.problem or len(line.cells) == len(table.columns)
            numbers.append(line.number)
        assert numbers == sorted(set(numbers))


@settings(max_examples=rounds(100), deadline=None)
@given(
    rows=st.integers(5, 8).flatmap(
        lambda width: st.lists(
            st.lists(st.text(LETTERS, max_size=6), min_size=width, max_size=width),
            min_size=3,
            max_size=12,
        )
    ),
    separator=st.sampled_from(",;\t|"),
    is_quoted=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_what_is_written_is_read(
    rows: list[list[str]], separator: str, is_quoted: bool, end: str, encoding: str
) -> None:
    header = [f"Name {place}" for place in range(len(rows[0]))]
    for number, row in enumerate(rows):  # rows of data have an id
        row[0] = f"A{number}"
        row[1:] = [cell.replace(separator, "") for cell in row[1:]]
        row[2] += f"x{separator}y"
        if not is_quoted:  # then the writer does not quote all line ends
            row[:] = [cell.translate({10: None, 13: None}) for cell in row]
    quoting: Literal[0, 1] = csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
    writer.writerows([header, *rows])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(text.getvalue().encode(encoding))
        named = encoding if encoding == "cp1252" else None  # its letters are no words
        table = open_table(path, name="upload", encoding=named)
        lines = list(table.lines())
    assert table.columns == tuple(header)
    assert [line.cells for line in lines] == [[cell.strip() for cell in row] for row in rows]
    assert not any(line.problem for line in lines)
