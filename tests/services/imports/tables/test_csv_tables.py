"""CSV files of any dialect, encoding and damage become tables, or a sentence says what to do."""

import tracemalloc
from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.services.imports import text_files
from masthead.services.imports.csv_rows import MAX_CELL
from masthead.services.imports.table import Line, Table, open_table
from masthead.services.imports.text_files import MAX_LINE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path for a file."""
    return tmp_path / "orders.csv"


def table_of(path: Path, content: str | bytes) -> Table:
    """The table in a file with that content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return open_table(path, name="orders.csv")


def refusal(path: Path, content: str | bytes) -> str:
    """The error for a file with that content."""
    with pytest.raises(Invalid) as refused:
        table_of(path, content)
    return str(refused.value)


def cells(table: Table) -> list[list[str]]:
    """The cells of all rows, none of which has a problem."""
    lines = list(table.lines())
    assert not [line.problem for line in lines if line.problem]
    return [line.cells for line in lines]


@pytest.mark.parametrize(
    "separator, name",
    [(",", "commas"), (";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "encoding, said",
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8 with a byte order mark"),
        ("utf-16", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_any_separator_line_end_and_encoding_is_read_and_said(
    path: Path, separator: str, name: str, end: str, encoding: str, said: str
) -> None:
    rows = [["order_id", "city", "price"], ["A1", "Zürich", "9"], ["A2", "Köln", ""]]
    text = end.join(separator.join(row) for row in rows) + end
    table = table_of(path, text.encode(encoding))
    assert table.columns == ("order_id", "city", "price")
    assert [line.cells for line in table.lines()] == rows[1:]
    assert [line.number for line in table.lines()] == [2, 3]
    assert (table.separator, table.row_count, table.sheets) == (separator, 2, ())
    assert table.description == f"Read as {said}, columns separated by {name}, " + (
        "column names in line 1."
    )


def test_the_encoding_is_decided_by_the_whole_file(path: Path) -> None:
    content = "a,b\n" + "1,Bonn\n" * 200_000 + "2,Zürich\n"
    table = table_of(path, content.encode("cp1252"))
    assert table.description.startswith("Read as Windows-1252")
    assert table.row_count == 200_001
    assert table.notes == (
        "Words with letters outside ASCII: `Zürich`. If they look wrong, choose another encoding, "
        "or save the file as CSV UTF-8.",
    )


def test_an_encoding_is_found_asked_or_given(path: Path) -> None:
    table = table_of(path, "Nr;Name\n1;Łukasz Wiśniewski\n".encode("cp1250"))
    assert table.description.startswith("Read as Windows-1250, Central Europe, columns")
    assert "`Łukasz`, `Wiśniewski`" in table.notes[0]
    assert cells(table) == [["1", "Łukasz Wiśniewski"]]
    content = "Nr;Stadt\n1;Győr\n".encode("cp1250")
    assert "Windows-1250, Central Europe: `Győr`" in refusal(path, content)
    table = open_table(path, name="x", encoding="cp1250")
    assert (table.encoding, cells(table)) == ("cp1250", [["1", "Győr"]])
    path.write_text("\ufeffNr;Stadt\n1;Győr\n", "utf-8")
    assert cells(open_table(path, name="x", encoding="cp1250")) == [["1", "Győr"]]


def test_a_decimal_comma_is_no_separator(path: Path) -> None:
    table = table_of(path, "Name;Price\nSmith, A.;1,50\nJones, B.;2,30\n")
    assert cells(table) == [["Smith, A.", "1,50"], ["Jones, B.", "2,30"]]


def test_a_file_of_one_column_needs_no_separator(path: Path) -> None:
    table = table_of(path, "email\nada@mail.example\n")
    assert table.description == "Read as UTF-8, one column, column names in line 1."
    assert cells(table) == [["ada@mail.example"]]


def test_the_separator_can_be_named_in_the_first_line(path: Path) -> None:
    table = table_of(path, "sep=^\r\nName^City\r\nAda^London\r\n")
    assert table.columns == ("Name", "City")
    assert "separated by `^`, column names in line 2" in table.description
    assert list(table.lines()) == [Line(3, ["Ada", "London"])]


def test_titles_totals_blank_rows_and_empty_columns_are_left_out(path: Path) -> None:
    text = (
        'Orders of July\n\nId;"Full\nname";Price;;\n\n1;Ada;2;;\n;;;;\n2;Bob;3;;\nTotal;;5;;\n;\n'
    )
    table = table_of(path, text)
    assert table.columns == ("Id", "Full name", "Price")
    assert list(table.lines()) == [Line(6, ["1", "Ada", "2"]), Line(8, ["2", "Bob", "3"])]
    assert table.notes == (
        "Line 1 is a title and is left out.",
        "Line 9 has totals and is left out.",
    )


def test_several_titles_are_named_together(path: Path) -> None:
    table = table_of(path, "Report\nJuly\nId,Name\n1,Ada\n")
    assert table.notes == ("Lines 1 to 2 are titles and are left out.",)


@pytest.mark.parametrize(
    "last, is_total",
    [
        (";;;;12,50 €", True),
        ("Gesamtsumme:;;3;;12,50", True),
        ("Total;;;;Magazine", False),
        (";Ada;;;12,50", False),
        ("9;;;;12,50", False),
        ('"Total;;;;1', False),
        (f"Total;;;;{'1' * 70}", False),
    ],
)
def test_only_a_last_row_of_totals_is_left_out(path: Path, last: str, is_total: bool) -> None:
    table = table_of(path, "Id;Name;Count;Note;Price\n1;Ada;1;x;12,50\n" + last)
    assert len(list(table.lines())) == (1 if is_total else 2)
    assert bool(table.notes) is is_total


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_totals_are_found_at_the_end_of_a_long_file(path: Path, encoding: str) -> None:
    rows = "".join(f"{number};Ada;Zürich;9\n" for number in range(9_000))
    text = f"\ufeffId;Name;City;Price\n{rows}Summe;;;81000"
    table = table_of(
        path, text.encode(encoding.removesuffix("-be") if "16" in encoding else "utf8")
    )
    if encoding == "utf-16-be":
        table = table_of(path, b"\xfe\xff" + text[1:].encode(encoding))
    assert table.notes == ("Line 9002 has totals and is left out.",)
    assert sum(1 for _line in table.lines()) == table.row_count == 9_000


def test_a_file_that_ends_with_a_long_row_has_no_totals(path: Path) -> None:
    table = table_of(path, "Id;Note\n" + f"1;{'x' * 70_000}\n" * 2 + ";\n" * 40_000)
    assert not table.notes
    assert sum(1 for _line in table.lines()) == 2


def test_each_column_has_a_name_of_its_own(path: Path) -> None:
    table = table_of(path, "Name,name,Name (2),,Name,Column 4\n1,2,3,4,5,6\n")
    first, *others = table.columns
    assert first == "Name"
    assert others == ["name (2) (2)", "Name (2)", "Column 4 (2)", "Name (3)", "Column 4"]
    assert [note.partition(". ")[0] for note in table.notes] == [
        "More than one column is called `name`; column 2 is now `name (2) (2)`",
        "More than one column is called `Name`; column 5 is now `Name (3)`",
    ]


def test_a_row_keeps_its_first_line_whatever_its_line_breaks(path: Path) -> None:
    table = table_of(path, 'a,b\r1,"x\r\ny\nz"\r\n2,y\n\r\n3,"z"\r')
    assert [line.number for line in table.lines()] == [2, 5, 7]
    assert cells(table)[0] == ["1", "x\r\ny\nz"]


def test_a_row_with_too_many_or_too_few_cells(path: Path) -> None:
    table = table_of(path, "a,b,c\n1,2,3\n4\n5,6,7,\n5,6,7,8,9\n")
    fine = [Line(2, ["1", "2", "3"]), Line(3, ["4", "", ""]), Line(4, ["5", "6", "7"])]
    *others, wide = table.lines()
    assert others == fine
    assert wide.cells == ["5", "6", "7", "8", "9"]
    assert wide.problem.startswith("The row has 5 cells, but there are 3 columns; `8` is too many.")


@pytest.mark.parametrize(
    "row, told",
    [
        ('2,x,y,"never closed', "A quotation mark is not closed"),
        ('2,x,y,"never closed, "or here"', "The quotation marks are wrong"),
        ('2,x,"closed" too early,y', "The quotation marks are wrong"),
        ('2,"closed later,x,y\n3,a,b,c"', "A quotation mark is not closed"),
        (
            f"2,x,{'y' * (MAX_CELL + 1)},z",
            "The column `c` has a cell with 131,073 characters; it may have 131,072.",
        ),
        (f'2,"x, ""y""",{"z" * (MAX_CELL + 2)},z', "The column `c` has a cell with 131,074"),
        (f"2,x,y,z,{'y' * (MAX_CELL + 1)}", "A cell has more than 131,072 characters"),
        ('2,x,"\\"y" z,c', "The quotation marks are wrong"),
        ('2,"\\"x,y,z\\', "The quotation marks are wrong"),
        ("2,x\0,y,z", "The column `b` contains a NUL character. Delete it."),
    ],
)
def test_a_row_that_cannot_be_read_spoils_no_other_row(path: Path, row: str, told: str) -> None:
    after = "8,a,b,c\n9,a,b,c\n"
    lines = list(table_of(path, f"a,b,c,d\n1,a,b,c\n{row}\n{after}").lines())
    assert [line.cells[0] for line in lines[-2:]] == ["8", "9"]
    problem = next(line for line in lines if line.problem)
    assert (problem.number, problem.cells[0]) == (3, "2")
    assert told in problem.problem
    assert all(len(line.cells) == 4 for line in lines)


def test_an_open_quotation_mark_before_many_lines_hides_only_its_row(path: Path) -> None:
    text = 'a,b\n1,"open\n' + "2,x\n" * 60_000
    lines = list(table_of(path, text).lines())
    assert len(lines) == 60_001
    assert [line.number for line in lines if line.problem] == [2]


def test_backslashes_before_quotation_marks_are_read_as_php_writes_them(path: Path) -> None:
    table = table_of(path, 'a,b\n1,"The \\"Best\\" of"\n2,y\n')
    assert cells(table) == [["1", 'The "Best" of'], ["2", "y"]]


def test_blanks_around_a_quoted_cell_belong_to_no_cell(path: Path) -> None:
    """As listmonk's example and tables of fixed width have them (listmonk 1070, 2189)."""
    table = table_of(
        path,
        "email      , name , address,\tattributes\n"
        'a@x.test   , "Lovelace, Ada" , "Main St 1, ""B""" ,\t"{""a"": true}"\n'
        ' "b@x.test", "Bob" ,, x \n',
    )
    assert [(row.cells, row.problem) for row in table.lines()] == [
        (["a@x.test", "Lovelace, Ada", 'Main St 1, "B"', '{"a": true}'], ""),
        (["b@x.test", "Bob", "", "x"], ""),
    ]


@pytest.mark.parametrize("cell", ['12" Road', '"Villa" Road 5', 'Villa "Ada"', '"', "a"])
def test_quotation_marks_inside_a_cell_after_a_blank_stay(path: Path, cell: str) -> None:
    table = table_of(path, f"email,name,street\na@x.test,Ada, {cell}\n")
    assert [row.cells for row in table.lines()] == [["a@x.test", "Ada", cell]]


def test_blanks_and_commas_inside_a_quoted_cell_stay(path: Path) -> None:
    table = table_of(path, 'email,name\na@x.test,"a, "", b" \nb@x.test, "x , ""y"" , z"\n')
    assert [row.cells[1] for row in table.lines()] == ['a, ", b', 'x , "y" , z']


@pytest.mark.parametrize("text", ['0\n\t"', 'a, "" ,\nb', ' "x" \n "y" ,\n"', '"\n , "z" '])
def test_blanks_around_marks_in_a_cell_with_line_breaks_stay(path: Path, text: str) -> None:
    quoted = text.replace('"', '""')
    table = table_of(path, f'email,name,note\na@x.test, "Ada" ,"{quoted}"\nb@x.test, "Bob" ,\n')
    rows = [["a@x.test", "Ada", text.strip()], ["b@x.test", "Bob", ""]]
    assert [row.cells for row in table.lines()] == rows


def test_rows_with_line_breaks_may_cross_the_blocks_of_reading(path: Path) -> None:
    note = "n\n" * 10_000
    table = table_of(path, "a,b\n" + f'1,"{note}"\n' * 120)
    rows = list(table.lines())
    assert len(rows) == 120
    assert rows[-1] == Line(2 + 119 * 10_001, ["1", note.strip()])


def test_invisible_characters_around_cells_are_removed(path: Path) -> None:
    table = table_of(path, "\ufeff\ufeffa,b\n\u200b1\u00a0,\u2060 x y\ufeff\n")
    assert table.columns == ("a", "b")
    assert cells(table) == [["1", "x y"]]


def test_a_file_that_was_cut_is_noticed(path: Path) -> None:
    (line,) = table_of(path, "a,b,c\n1,2").lines()
    assert line.problem.startswith("The file ends in this row, after 2 of 3 cells.")
    told = "The file ends in the middle of a character in line 2"
    assert told in refusal(path, "a,b\n1,Zü".encode()[:-1])
    assert told in refusal(path, "a,b\n1,Zü".encode("utf-16")[:-1])


@pytest.mark.parametrize(
    "content, told",
    [
        (b"a,city\n" + b"1,Z\xc3\xbcrich\n" * 2_500 + b"2,Z\xfcrich\n", "2502, column `city` has"),
        (
            b"a,city\r" + b"".join(b"%d,Z\xfcrich\r\n" % it for it in range(900)) + b"2,\x81\n",
            "902, column `city` has the byte 0x81",
        ),
        ("\ufeffa,b\n1,x\n".encode("utf-16-le") + b"2\0,\0\0\xdc\n\0", "line 3, column `b`"),
        ("\ufeffa,b\n".encode() + b"1,\xff\n", "but line 2, column `b` has the byte 0xFF"),
        (b"a,\xc3\xbc,\xc3\xa4\x81\xc3\xa4\n1,2,3\n", "line 1, a cell has the byte 0x81"),
        (b"a,b\n1,\xc3\xbc\xc3\xbc\n2,\x81\n3,4\n", "line 3, column `b`"),
    ],
)
def test_a_byte_of_no_encoding_is_named_with_its_line_and_column(
    path: Path, content: bytes, told: str
) -> None:
    assert told in refusal(path, content)


@pytest.mark.parametrize(
    "content, told",
    [
        (b"", "The file is empty"),
        (b"\xef\xbb\xbf\n\n", "The file is empty"),
        (b",,\n", "The file is empty"),
        (b"a,b\n", "names in line 1, but no rows below"),
        (b"sep=;\n", "The file is empty"),
        (b"x" * (MAX_CELL + 1) + b"\n", f"Line 1: A cell has more than {MAX_CELL:,} characters"),
        (b"a,ada@mail.example\n1,2\n", "`ada@mail.example` is a value"),
        (b",".join(b"c%d" % number for number in range(501)) + b"\n1,2\n", "has 501 columns"),
        (b"\x89PNG\r\n\x1a\n", "is a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a picture"),
        (b"%PDF-1.7", "is a PDF"),
        (b"\x1f\x8b\x08", "is compressed"),
        (b"{\\rtf1", "is a text document"),
        (b"SQLite format 3\0", "is an SQLite database"),
        (b'<?xml version="1.0"?><Workbook xmlns="x">', "workbook of Excel 2003"),
        (b"<?xml version='1.0'?><a>", "is XML"),
        (b"\n<html><table>", "is a web page"),
        (b"\t\x08\x08\0\0\5\5\0" + bytes(90), "Excel 97 (.xls). Open it in Excel"),
        (b"\t\4\6\0\0\0\x10\0" + bytes(90), "Excel 97 (.xls). Open it in Excel"),
        (b'[{"email": "a"}]', "is JSON"),
        (bytes(range(256)), "is not a text file"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_way_out(
    path: Path, content: bytes, told: str
) -> None:
    assert told in refusal(path, content)


@pytest.mark.parametrize(
    "row, told",
    [("1,x\0", "a NUL character"), (f"1,{'x' * (MAX_CELL + 1)}", "The column `b` has a cell with")],
)
def test_a_file_whose_only_row_cannot_be_read_says_why(path: Path, row: str, told: str) -> None:
    (line,) = table_of(path, f"a,b\n{row}\n").lines()
    assert told in line.problem


def test_a_line_without_end_is_refused(path: Path) -> None:
    assert "Line 2 is longer than" in refusal(path, b"a,b\n" + b"x" * (MAX_LINE + 2**20))


def test_a_csv_file_has_no_sheets(path: Path) -> None:
    path.write_text("a,b\n1,2\n")
    with pytest.raises(Invalid, match="has no sheets"):
        open_table(path, name="orders.csv", sheet="Orders")


def test_a_large_file_is_read_in_constant_memory(path: Path) -> None:
    path.write_text("a,b\n" + f"1,{'x' * 1_000}\n" * 6_000)
    tracemalloc.start()
    try:
        table = open_table(path, name="orders.csv")
        assert sum(1 for _line in table.lines()) == 6_000
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_character_may_be_in_two_chunks(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_files, "_CHUNK", 1)
    table = table_of(path, "name;town\nJörg;Köln\nAnn;Husum\n")
    assert cells(table) == [["Jörg", "Köln"], ["Ann", "Husum"]]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_line_of_commas_is_not_split(path: Path, *, is_first: bool) -> None:
    problem = "The line has more than 131,072 cells. Check whether line breaks are missing."
    commas = b"," * 3_000_000 + b"\n"
    path.write_bytes(commas if is_first else b"a,b\n1,2\n" + commas + b"3,4\n")
    tracemalloc.start()
    try:
        if is_first:
            with pytest.raises(Invalid, match=f"Line 1: {problem}"):
                open_table(path, name="orders.csv")
        else:
            lines = list(open_table(path, name="orders.csv").lines())
            assert [line.cells for line in lines if not line.problem] == [["1", "2"], ["3", "4"]]
            assert [line.problem for line in lines if line.problem] == [problem]
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 30 * 1024**2  # split, the line takes 170 MB
