"""Files of banks that are made to cost or to break something are read, or refused."""

import io
import zipfile
from datetime import date
from pathlib import Path

import pytest

from masthead.model.billing.bank_columns import columns_of_names
from masthead.model.billing.bank_lines import BankLine, mask_ibans, shorten
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements import camt
from masthead.services.billing.bank_statements.import_file import ReadFile, import_file, read_file
from masthead.services.billing.bank_statements.mt940 import read_mt940
from masthead.services.billing.bank_statements.read import read_bank_file
from masthead.services.child_process import SMALL
from masthead.services.imports.work.open_uploads import cost_of
from tests.conftest import BY, Cast
from tests.support.bank import list_lines

IBAN = "DE89370400440532013000"
CAMT = (
    "<Document><BkToCstmrStmt><Stmt><Acct><Ccy>EUR</Ccy></Acct><Ntry><Amt Ccy='EUR'>1.00</Amt>"
    "<CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>{day}</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt>"
    "</Document>"
)


def mt940(line: str, *, account: str = IBAN, details: str = "A") -> str:
    """A statement with one line of 1.00."""
    balances = ":60F:C260228EUR1,00\n{}:62F:C260302EUR2,00\n"
    return f":20:A\n:25:{account}\n" + balances.format(f":61:{line}\n:86:{details}\n")


def archive(content: bytes, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive with one file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as packed:
        packed.writestr("a.sta", content)
    return target.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "statement"


def stored(path: Path, text: str, currency: str = "EUR") -> ReadFile:
    """A file with a text, as it is read."""
    path.write_text(text)
    return read_file(path, path.name, currency)


def refusal(path: Path, content: bytes) -> Invalid:
    path.write_bytes(content)
    with pytest.raises(Invalid) as caught:
        read_bank_file(path, path.name, "EUR")
    return caught.value


def test_a_small_archive_costs_as_much_as_a_large_file(path: Path) -> None:
    path.write_bytes(archive(b" " * 10_000_000))
    assert path.stat().st_size < SMALL < cost_of(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_however_it_was_packed(path: Path, method: int) -> None:
    content = bytearray(archive(mt940("260228C1,00NTRF").encode() * 20, method))
    content[45:75] = bytes(each ^ 0x55 for each in content[45:75])
    assert refusal(path, bytes(content)).code == "damaged_file"


def test_a_document_of_too_many_elements_is_refused_before_it_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(camt, "MAX_TAGS", 100)
    assert refusal(path, b"<Document>" + b"<a/>" * 100).code == "too_many_lines"


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-31", "2100-01-01", "9999-12-31"])
def test_a_day_with_which_nobody_can_calculate_is_refused(path: Path, day: str) -> None:
    assert f"`{day}`" in str(refusal(path, CAMT.format(day=day).encode()))
    path.write_text(CAMT.format(day="2026-01-02"))
    assert len(read_bank_file(path, "a", "EUR")[0].lines) == 1


@pytest.mark.parametrize(
    "before, after, problem",
    [
        ("<Amt Ccy='EUR'>1.00</Amt>", "", "the amount is ``"),
        (">1.00<", ">1,2,3<", "the amount is `1,2,3`"),
        ("Ccy='EUR'", "Ccy='EURO'", "the currency is `EURO`"),
        (">CRDT<", ">CREDIT<", "the direction is `CREDIT`"),
        ("<BookgDt><Dt>2026-01-02</Dt></BookgDt>", "", "the date is ``"),
        ("2026-01-02", "2026-02-30", "the date is `2026-02-30`"),
    ],
    ids="no-amount other-amount other-currency other-direction no-date other-date".split(),
)
def test_camt_without_what_a_line_needs_is_refused(
    path: Path, before: str, after: str, problem: str
) -> None:
    content = CAMT.format(day="2026-01-02").replace(before, after)
    assert f"Line 1: {problem}" in str(refusal(path, content.encode()))


@pytest.mark.parametrize(
    "row, problem",
    [
        ("2026-01-06,Bea,Abo,", "Line 3: the amount is ``"),
        (",Bea,Abo,49.00", "Line 3: the date is ``"),
        ("2026-02-30,Bea,Abo,49.00", "Line 3: the date is `2026-02-30`"),
    ],
    ids="no-amount no-date other-date".split(),
)
def test_csv_without_what_a_line_needs_is_refused(path: Path, row: str, problem: str) -> None:
    content = f"date,name,text,amount\n2026-01-05,Ada,Abo,49.00\n{row}\n"
    assert problem in str(refusal(path, content.encode()))


def test_mt940_with_another_balance_or_a_part_of_a_character_is_refused(path: Path) -> None:
    content = mt940("260228C1,00NTRF")
    other = content.replace(":60F:C", ":60F:X")
    assert "Line 3: the balance is `X260228EUR1,00`" in str(refusal(path, other.encode()))
    assert refusal(path, content.encode() + "ü".encode()[:1]).code == "damaged_file"


def test_a_file_without_lines_and_balances_is_refused(path: Path) -> None:
    content = "<Document><BkToCstmrStmt><Stmt/></BkToCstmrStmt></Document>"
    error = refusal(path, content.encode())
    assert (error.code, "has no lines" in str(error)) == ("empty_file", True)


def test_an_archive_with_a_password_is_refused(path: Path) -> None:
    content = bytearray(archive(mt940("260228C1,00NTRF").encode()))
    content[content.index(b"PK\1\2") + 8] |= 1  # in the list of entries: it is encrypted
    assert refusal(path, bytes(content)).code == "password"


@pytest.mark.parametrize(
    "line, value, booked",
    [
        ("2602300302C1,00NTRF", "2026-02-28", "2026-03-02"),
        ("2602280229C1,00NTRF", "2026-02-28", "2026-02-28"),
        ("280230C1,00NTRF", "2028-02-29", "2028-02-29"),
        ("260431C1,00NTRF", "2026-04-30", "2026-04-30"),
        ("2809010229C1,00NTRF", "2028-09-01", "2029-02-28"),
        ("260228    C1,00NTRF", "2026-02-28", "2026-02-28"),
    ],
    ids="30-February 29-February leap-year 31-April next-year blanks".split(),
)
def test_days_of_months_with_30_days_and_blanks_for_one_are_read(
    line: str, value: str, booked: str
) -> None:
    [found] = read_mt940(mt940(line))[0].lines
    assert (str(found.value_date), str(found.booking_date)) == (value, booked)


def test_a_day_that_is_in_no_calendar_is_refused() -> None:
    for day in ("260001", "261301", "260100", "260132"):
        with pytest.raises(Invalid, match=f"`{day}`"):
            read_mt940(mt940(f"{day}C1,00NTRF"))


@pytest.mark.parametrize(
    "text, masked",
    [
        (f"IBAN: {IBAN} BIC: X", "IBAN: DE89…3000 BIC: X"),
        ("DE89 3704 0044 0532 0130 00 RECHNUNG 12", "DE89…3000 RECHNUNG 12"),
        (f"{IBAN}RE 2026-00012", "DE89…3000 RE 2026-00012"),
        ("ibannl20ingb0001234567", "ibanNL20…4567"),
        ("DE89 3704 0044 0532 0130 01", "DE89 3704 0044 0532 0130 01"),
        (
            "RE 2026-00012 KD10023 ABONNEMENT FUER 2026",
            "RE 2026-00012 KD10023 ABONNEMENT FUER 2026",
        ),
    ],
    ids="word groups joined small no-iban others".split(),
)
def test_ibans_in_texts_are_masked(text: str, masked: str) -> None:
    assert mask_ibans(text) == masked


def test_no_text_of_a_line_keeps_an_iban_and_no_error_tells_one() -> None:
    line = BankLine(
        booking_date=date(2026, 1, 2),
        amount=1,
        currency="EUR",
        name=f"Ada {IBAN}",
        reference=IBAN,
        text=f"von {IBAN}",
    )
    short = shorten(line)
    assert (short.name, short.reference, short.text) == (
        "Ada DE89…3000",
        "DE89…3000",
        "von DE89…3000",
    )
    with pytest.raises(Invalid) as caught:
        columns_of_names(["Ada", IBAN])
    assert IBAN not in str(caught.value)
    assert "DE89…3000" in str(caught.value)
    with pytest.raises(Invalid) as caught:
        read_mt940(mt940(f"X {IBAN}"))
    assert IBAN not in str(caught.value)


async def test_a_file_is_stored_in_the_currency_of_the_account_only(acme: Cast, path: Path) -> None:
    content = CAMT.format(day="2026-01-02").replace("EUR", "CHF")
    file = stored(path, content, "CHF")  # the currency when it was uploaded
    with pytest.raises(Invalid, match="The currency of the account has changed"):
        await import_file(acme.db, acme.account_id, file, by=BY)
    assert not await list_lines(acme)


async def test_control_characters_in_numbers_of_accounts_are_stored_by_no_database(
    acme: Cast, path: Path
) -> None:
    details = "166?20a?31\0\0DE\x011111111111?32Ada"
    file = stored(path, mt940("260105C1,00NTRF", account="\0B\0", details=details))
    await import_file(acme.db, acme.account_id, file, by=BY)
    [line] = await list_lines(acme)
    assert (line.name, line.iban) == ("Ada", "DE11…1111")
