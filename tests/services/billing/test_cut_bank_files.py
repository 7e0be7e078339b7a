"""A bank statement that ends too early is refused, wherever it was cut; whole ones are read."""

from pathlib import Path

import pytest

from masthead.model.billing.bank_lines import BankLine
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements.read import read_bank_file

FILES = Path(__file__).parents[2] / "files" / "bank"
OTHERS = {
    "Date": ["31.10.2026", "02.11.2026", "12.11.2026"],
    "Value date": ["31.10.2026", "02.11.2026", "12.11.2026"],
    "Payer name": ["Ada", "Bea", "Cleo"],
    "Status": ["booked", "booked", "booked"],
}
AMOUNTS = {
    "plain": {"Amount": ["1.049,00", "-20,50", "123,45"]},
    "sign": {"Amount": ["1.049,00 €", "-20,50 €", "123,45 €"]},
    "side": {"Amount": ["1049,00 H", "20,50 S", "123,45 S"]},
    "direction": {"Amount": ["1049,00", "20,50", "123,45"], "Soll/Haben": ["Haben", *["Soll"] * 2]},
    "two": {"Paid in": ["1049.00", "", "123.45"], "Paid out": ["", "20.50", ""]},
    "out": {"Paid in": ["1049.00", "", ""], "Paid out": ["", "20.50", "123.45"]},
}
CASES = [(kind, last) for kind, amounts in AMOUNTS.items() for last in {**OTHERS, **amounts}]
EACH = 300  # bytes at the end of a sample, at each of which it is cut


def table(kind: str, last: str) -> bytes:
    """A file of three rows whose last column is `last`."""
    columns = {**OTHERS, **AMOUNTS[kind]}
    order = [*(name for name in columns if name != last), last]
    lines = [order, *([columns[name][place] for name in order] for place in range(3))]
    return "".join(";".join(each) + "\n" for each in lines).encode()


def lines_of(path: Path, content: bytes) -> list[BankLine]:
    """The lines of a file. Raises: Invalid."""
    path.write_bytes(content)
    return [line for each in read_bank_file(path, path.name, "EUR") for line in each.lines]


def money(lines: list[BankLine]) -> list[tuple[object, ...]]:
    """What a payment is recorded with."""
    return [(each.booking_date, each.value_date, each.amount, each.currency) for each in lines]


@pytest.mark.parametrize("kind, last", CASES)
def test_a_table_that_is_cut_has_whole_lines_or_is_refused(
    tmp_path: Path, kind: str, last: str
) -> None:
    """Wherever it ends; one that lacks only the last line break is read."""
    path, content = tmp_path / "bank.csv", table(kind, last)
    whole = money(lines_of(path, content))
    assert len(whole) == 3
    assert money(lines_of(path, content[:-1])) == whole
    begin = content.index(b"\n", content.index(b"\n") + 1)  # the second line is whole
    for end in range(begin, len(content) - 1):
        try:
            found = money(lines_of(path, content[:end]))
        except Invalid:
            continue
        assert found == whole[: len(found)], content[:end]


@pytest.mark.parametrize("file", sorted(FILES.iterdir()), ids=lambda path: path.name)
def test_a_statement_that_is_cut_is_refused_wherever_it_ends(tmp_path: Path, file: Path) -> None:
    path, content = tmp_path / file.name, file.read_bytes()
    whole = lines_of(path, content)
    late = max(len(content) - EACH, 1)
    for end in (*range(1, late, 61), *range(late, len(content))):
        try:
            found = lines_of(path, content[:end])
        except Invalid:
            continue
        if file.suffix == ".csv":  # without a balance, whole lines at the end are not missed
            assert money(found) == money(whole[: len(found)]), content[:end]
        else:
            assert found == whole, content[:end]


def test_the_only_amount_has_all_of_its_decimals(tmp_path: Path) -> None:
    """What is missing is said, with the way out; a line break says that nothing is."""
    path, content = tmp_path / "bank.csv", b"Date;Payer name;Amount\n12.11.2026;Ada;123"
    with pytest.raises(Invalid) as caught:
        lines_of(path, content)
    assert caught.value.code == "damaged_file"
    assert str(caught.value) == (
        "The file ends or breaks in line 2: part of it is missing or was changed. Nothing was "
        "imported. Download the statement from the bank again. Its last cell is `123`, without a "
        "line break. If nothing is missing, add a line break at the end of the file, and import it."
    )
    assert [each.amount for each in lines_of(path, content + b"\n")] == [12300]
    assert [each.amount for each in lines_of(path, content + b",00")] == [12300]
    whole = b'Date;Payer name;Amount\n12.11.2026;Ada;"123"'
    assert [each.amount for each in lines_of(path, whole)] == [12300]
    more = b"Date;Payer name;Amount\n12.11.2026;Ada;50\n12.11.2026;Bea;123"
    assert [each.amount for each in lines_of(path, more)] == [5000, 12300]
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        text = "\ufeff" * (encoding != "utf-16") + (content + b",45\n").decode()
        assert [each.amount for each in lines_of(path, text.encode(encoding))] == [12345]


def test_a_direction_that_is_cut_is_refused(tmp_path: Path) -> None:
    path, content = tmp_path / "bank.csv", b"Date;Payer name;Amount;Soll/Haben\n12.11.2026;A;5,00;"
    for word, amount in ((b"S", -500), (b"Soll", -500), (b"Haben", 500)):
        assert [each.amount for each in lines_of(path, content + word)] == [amount]
    for word in (b"", b"Sol", b"Hab"):
        with pytest.raises(Invalid):
            lines_of(path, content + word)
