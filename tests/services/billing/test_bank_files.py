"""Bank statements of every format become the same lines, or are refused whole."""

import io
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from masthead.model.billing.bank_lines import BankFormat, BankLine, BankStatement, digests_of
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements import read, values
from masthead.services.billing.bank_statements.mt940 import read_mt940
from masthead.services.billing.bank_statements.mt940_details import read_details
from masthead.services.billing.bank_statements.read import read_bank_file

FILES = Path("tests/files/bank")


def read_file(name: str) -> list[BankStatement]:
    """The statements of a sample."""
    return read_bank_file(FILES / name, name, "EUR")


def refusal(path: Path, content: bytes | str, currency: str = "EUR") -> Invalid:
    """The error for a file with this content."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(Invalid) as caught:
        read_bank_file(path, path.name, currency)
    return caught.value


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "statement"


def test_camt_with_a_batch_a_return_and_a_pending_line() -> None:
    [found] = read_file("camt_02.xml")
    assert (found.format, found.iban) == (BankFormat.CAMT, "DE02120300000000202051")
    assert (found.opening, found.closing, found.pending) == (100000, 119300, 1)
    first, *batch, last = found.lines
    assert (first.amount, first.name, first.iban) == (
        4900,
        "Anna Müller",
        "DE89370400440532013000",
    )
    assert (first.text, first.reference) == ("Rechnung 2026-00012 Danke für das Heft", "")
    assert [(each.amount, each.reference) for each in batch] == [
        (9900, "2026-00014"),
        (9900, "2026-00015"),
    ]
    assert (last.amount, last.original_amount, last.return_reason) == (-5400, 4900, "AC04")
    assert (last.name, last.reference) == ("Clara Klein", "2026-00009")


def test_camt_of_another_version_and_with_prefixes() -> None:
    [found] = read_file("camt_08.xml")
    assert (found.opening, found.closing) == (-2050, 850)
    assert [(each.amount, each.name, each.is_kept) for each in found.lines] == [
        (4900, "Anna Müller", True),
        (-2000, "Druckerei Blau", False),
    ]
    assert found.lines[0].text == "RF18539007547034"


MT940: dict[str, list[tuple[int, str, str, str]]] = {
    "mt940_german.sta": [
        (4900, "Anna Mueller", "DE89370400440532013000", "Rechnung 2026-00012 Danke fuer das Heft"),
        (-5400, "Clara Klein", "DE12500105170648489890", "Rueckgabe AC04 Abo 2026"),
        (50, "Bernd Oezil", "", "Kd-Nr 10023 Spende"),
    ],
    "mt940_ing.sta": [
        (4900, "J. de Vries", "NL08INGB0001234569", "Factuur 2026-00012 dank"),
        (-1200, "P. Jansen", "NL08INGB0001234570", "Abonnement"),
    ],
    "mt940_abn.sta": [
        (4900, "K. BAKKER", "NL32INGB0000012345", "2026-00012 EN 2026-00013"),
        (1000, "", "", "GIRO 6890316 P. SMIT BETALINGSKENM. 123"),
    ],
}


@pytest.mark.parametrize("key", ["902", "34902", " 902 "])
def test_a_german_return_has_its_reason_in_the_key_or_in_the_text(key: str) -> None:
    found = read_details(f"109?00RUECKLASTSCHRIFT?20Abo 2026?34{key}")
    assert found.return_reason == "AC04"
    assert read_details("109?00RUECKLASTSCHRIFT?20AC06 Abo?34999").return_reason == "AC06"


@pytest.mark.parametrize("name", MT940)
def test_mt940_of_german_and_dutch_banks(name: str) -> None:
    [found] = read_file(name)
    lines = [(each.amount, each.name, each.iban, each.text) for each in found.lines]
    assert lines == MT940[name]


def test_mt940_has_returns_and_days_around_the_turn_of_the_year() -> None:
    [german], [ing], [abn] = map(read_file, MT940)
    assert german.iban == "DE02120300000000202051"
    returned = german.lines[1]
    assert (returned.return_reason, returned.original_amount, returned.reference) == (
        "AC04",
        4900,
        "2026-00009",
    )
    assert ing.lines[1].return_reason == "MS03"
    assert ing.lines[0].reference == "E2E-5521"
    assert str(abn.lines[1].booking_date) == "2027-01-02"
    assert str(abn.lines[1].value_date) == "2026-12-31"


def test_the_same_line_is_recognized_in_files_of_other_formats() -> None:
    [camt], [mt940], [csv] = map(read_file, ("camt_02.xml", "mt940_german.sta", "sparkasse.csv"))
    payment, _batch, _batch, returned = digests_of(camt)
    assert digests_of(mt940)[:2] == [payment, returned]
    assert digests_of(csv)[:2] == [payment, returned]


def test_csv_of_german_and_english_banks() -> None:
    [german], [dkb], [english] = map(read_file, ("sparkasse.csv", "dkb.csv", "english.csv"))
    assert [each.amount for each in german.lines] == [4900, -5400, 123450]
    assert german.pending == 1
    assert german.lines[1].return_reason == "AC04"
    assert german.lines[2].name == "Café Schön GbR"
    assert [(each.amount, each.name) for each in dkb.lines] == [
        (4900, "Anna Müller"),
        (-190020, "Druckerei Blau"),
    ]
    assert [(str(each.booking_date), each.amount) for each in english.lines] == [
        ("2026-10-31", 104900),
        ("2026-11-02", -2000),
    ]
    assert english.lines[0].text == "Invoice 2026-00012, thanks"


def zipped(parts: dict[str, bytes]) -> bytes:
    """An archive with these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def test_an_archive_has_several_statements(path: Path) -> None:
    camt = [(FILES / name).read_bytes() for name in ("camt_02.xml", "camt_08.xml")]
    path.write_bytes(zipped({"b/2.xml": camt[1], "b/1.xml": camt[0], "__MACOSX/b/1.xml": b"x"}))
    found = read_bank_file(path, "statements.zip", "EUR")
    assert [each.opening for each in found] == [100000, -2050]
    error = refusal(path, zipped({"1.xml": camt[0], "2.xml": camt[1][:900]}))
    assert str(error).startswith("In `2.xml`: The file ends or breaks in line 13")


def cut(name: str) -> bytes:
    """The first two thirds of a sample."""
    content = (FILES / name).read_bytes()
    return content[: len(content) * 2 // 3]


@pytest.mark.parametrize("name", ["camt_02.xml", "mt940_german.sta", "mt940_ing.sta"])
def test_a_file_that_is_cut_is_refused_with_the_line(path: Path, name: str) -> None:
    error = refusal(path, cut(name))
    assert error.code == "damaged_file"
    last = len(cut(name).splitlines())
    assert f"in line {last}:" in str(error)
    assert "Nothing was imported. Download the statement from the bank again." in str(error)


def test_a_csv_file_that_is_cut_is_refused(path: Path) -> None:
    text = (FILES / "sparkasse.csv").read_bytes()
    error = refusal(path, text[: text.rindex(b"1.234,50")])
    assert error.code == "damaged_file"
    assert "Line 4: " in str(error)


def change(name: str, before: str, after: str) -> str:
    """A sample with other text."""
    text = (FILES / name).read_bytes().decode()
    assert before in text
    return text.replace(before, after)


@pytest.mark.parametrize(
    "name, before, after",
    [("camt_02.xml", ">1193.00<", ">1194.00<"), ("mt940_german.sta", "EUR995,50", "EUR996,50")],
)
def test_balances_that_do_not_fit_are_refused(
    path: Path, name: str, before: str, after: str
) -> None:
    error = refusal(path, change(name, before, after))
    assert error.code == "wrong_balance"
    assert ", but the closing balance is €" in str(error)


def test_another_currency_is_refused(path: Path) -> None:
    error = refusal(path, change("camt_02.xml", "EUR", "CHF"))
    assert error.code == "other_currency"
    assert "The statement of DE02…2051 is in CHF, and this account is in EUR." in str(error)
    dollars = "date,amount,currency\n2026-11-03,49.00,USD\n"
    assert refusal(path, dollars).code == "other_currency"


@pytest.mark.parametrize(
    "content, code",
    [
        ("", "empty_file"),
        ("<?xml version='1.0'?><a/>", "wrong_format"),
        ("<?xml version='1.0'?><Document><BkToCstmrAcctRpt/></Document>", "wrong_format"),
        ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "unsafe_file"),
        ("<?xml version='1.0'?>" + "<a>" * 300 + "</a>" * 300, "damaged_file"),
        ("day;sum\n1.1.2026;49\n", "unknown_columns"),
        (b"%PDF-1.7", "validation_error"),
        (zipped({}), "empty_file"),
        (zipped({"a.xml": b"<?xml version='1.0'?><a/>"})[:60], "damaged_file"),
        (":20:X\n:25:1\n:60F:C261102EUR1,00\n:61:2611xx1103C49,00N062\n:62F:C261103EUR50,\n", ""),
        ("date,amount\n2026-11-03,12-50\n", ""),
    ],
    ids=(
        "empty other-xml other-camt entities deep other-csv pdf empty-zip half-zip other-mt940 "
        "other-amount"
    ).split(),
)
def test_other_files_are_refused(path: Path, content: bytes | str, code: str) -> None:
    error = refusal(path, content)
    assert error.code == (code or "validation_error")
    assert str(error).endswith((".", "again."))


def test_entities_are_not_read(path: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the secret")
    doctype = f"<!DOCTYPE d [<!ENTITY x SYSTEM 'file://{secret}'>]>\n<Document"
    text = change("camt_02.xml", "<Document", doctype).replace("Anna Müller", "&x;")
    error = refusal(path, text)
    assert error.code == "unsafe_file"
    assert "the secret" not in str(error)


def test_files_that_are_too_large_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(read, "MAX_UNPACKED", 5_000)
        bomb = zipped({"a.xml": b"<?xml version='1.0'?>" + b" " * 100_000})
        assert refusal(path, bomb).code == "too_large"
        patch.setattr(read, "MAX_FILE", 1_000)
        assert refusal(path, (FILES / "camt_02.xml").read_bytes()).code == "too_large"
    monkeypatch.setattr(values, "MAX_BANK_LINES", 2)
    for name in ("camt_02.xml", "mt940_german.sta", "sparkasse.csv"):
        assert refusal(path, (FILES / name).read_bytes()).code == "too_many_lines"


def test_pages_of_a_long_statement_are_one() -> None:
    page = ":20:S\n:25:NL91ABNA0417164300\n:28C:1/{n}\n:60{a}:C261102EUR{o}\n"
    line = ":61:2611031103C1,00NTRF\n:86:A\n:62{a}:C261103EUR{c}\n-\n-EOF\n"
    text = (page + line).format(n=1, a="M", o="5,", c="6,") + (page + line).format(
        n=2, a="M", o="6,", c="7,"
    )
    [found] = read_mt940(text)
    assert (found.opening, found.closing, len(found.lines)) == (500, 700, 2)


def test_equal_lines_of_a_day_are_told_apart() -> None:
    [camt] = read_file("camt_02.xml")
    twice = BankStatement(
        format=camt.format, iban=camt.iban, currency="EUR", lines=[camt.lines[0]] * 2
    )
    first, second = digests_of(twice)
    assert first != second
    assert first == digests_of(camt)[0]


SAMPLES = [file.read_bytes() for file in sorted(FILES.iterdir())]


@pytest.mark.fuzz
@given(st.sampled_from(SAMPLES), st.integers(0, 8_000), st.integers(0, 40), st.binary(max_size=12))
def test_any_change_of_a_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, start: int, cut: int, new: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_bytes(content[:start] + new + content[start + cut :])
    with suppress(Invalid):
        for each in read_bank_file(path, "changed", "EUR"):
            assert all(isinstance(line, BankLine) for line in each.lines)
            assert len(digests_of(each)) == len(each.lines)
