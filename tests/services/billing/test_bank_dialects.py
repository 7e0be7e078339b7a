"""What banks write otherwise than the standard says, as users of other programs reported."""

from pathlib import Path

import pytest

from masthead.model.billing.references import find_references
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements.read import read_bank_file

CAMT = """<Document><BkToCstmrStmt><Stmt><Acct><Ccy>EUR</Ccy></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy='EUR'>100.00</Amt>
<CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy='EUR'>{closing}</Amt>
<CdtDbtInd>CRDT</CdtDbtInd></Bal>
<Ntry><Amt Ccy='EUR'>9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>{date}</Ntry>
<Ntry><Amt Ccy='EUR'>20.00</Amt><CdtDbtInd>{way}</CdtDbtInd><RvslInd>true</RvslInd>{date}
<NtryDtls><TxDtls><RmtInf><Ustrd>{text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>
</Stmt></BkToCstmrStmt></Document>"""
DATE = "<BookgDt><Dt>2026-01-02</Dt></BookgDt>"


def camt(path: Path, closing: str, way: str, text: str = "A") -> Path:
    path.write_text(CAMT.format(closing=closing, way=way, date=DATE, text=text))
    return path


@pytest.mark.parametrize(
    "closing, way, amount",
    [
        ("129.00", "CRDT", 2000),  # the direction of the reversal, as ISO 20022 says
        ("89.00", "DBIT", -2000),
        ("129.00", "DBIT", 2000),  # that of what is reversed
        ("89.00", "CRDT", -2000),
    ],
)
def test_the_balances_tell_the_direction_of_a_reversal(
    tmp_path: Path, closing: str, way: str, amount: int
) -> None:
    [found] = read_bank_file(camt(tmp_path / "a.xml", closing, way), "a.xml", "EUR")
    assert [each.amount for each in found.lines] == [900, amount]


def test_balances_that_no_direction_explains_refuse_the_file(tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        read_bank_file(camt(tmp_path / "a.xml", "130.00", "CRDT"), "a.xml", "EUR")
    assert refused.value.code == "wrong_balance"


PAYER = """<TxDtls>{amount}<RltdPties><Dbtr><Nm>{name}</Nm></Dbtr><DbtrAcct><Id><IBAN>{iban}</IBAN>
</Id></DbtrAcct></RltdPties><RmtInf><Ustrd>{name} pays</Ustrd></RmtInf></TxDtls>"""
IBANS = {"Ada": "NL38ABNA0554789741", "Bea": "DE89370400440532013000"}


@pytest.mark.parametrize(
    "amounts, lines",
    [
        (["329.56", "100.00"], [(32956, "Ada", "Ada pays"), (10000, "Bea", "Bea pays")]),
        (["329.56", "90.00"], [(42956, "", "Ada pays Bea pays")]),  # less fees, or something else
        (["", ""], [(42956, "", "Ada pays Bea pays")]),
        (["400.00"], [(42956, "Ada", "Ada pays")]),  # what arrived counts
    ],
)
def test_a_sum_of_several_payers_is_not_all_of_the_first(
    tmp_path: Path, amounts: list[str], lines: list[tuple[int, str, str]]
) -> None:
    details = "".join(
        PAYER.format(amount=amount and f"<Amt Ccy='EUR'>{amount}</Amt>", name=name, iban=iban)
        for amount, (name, iban) in zip(amounts, IBANS.items(), strict=False)
    )
    path = camt(tmp_path / "a.xml", "558.56", "CRDT")
    entry = f"<Amt Ccy='EUR'>429.56</Amt><CdtDbtInd>CRDT</CdtDbtInd>{DATE}"
    batch = f"<Ntry>{entry}<NtryDtls>{details}</NtryDtls></Ntry></Stmt>"
    path.write_text(path.read_text().replace("</Stmt>", batch))
    [found] = read_bank_file(path, "a.xml", "EUR")
    assert [(each.amount, each.name, each.text) for each in found.lines[2:]] == lines
    assert [each.iban for each in found.lines[2:]] == [IBANS.get(name, "") for _, name, _ in lines]


@pytest.mark.parametrize("number", ["23-00/00416", "2023/00157", "R.2026-00012"])
def test_a_number_with_signs_is_kept_whole_and_found(tmp_path: Path, number: str) -> None:
    path = camt(tmp_path / "a.xml", "129.00", "CRDT", f"Rechnung {number} vom 3.1.")
    [found] = read_bank_file(path, "a.xml", "EUR")
    assert found.lines[1].text == f"Rechnung {number} vom 3.1."
    series, last = number[:-5], int(number[-5:])
    assert (series, last) in find_references([found.lines[1].text], [series]).sure


@pytest.mark.parametrize("amount", ["--€21.78", "-€21.78", "21.78-", "(21.78)"])
def test_a_sign_that_is_there_twice_is_refused_and_others_are_read(
    tmp_path: Path, amount: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"date;amount;text\n2026-01-02;{amount};A\n2026-01-03;5.00;B\n")
    if amount.startswith("--"):
        with pytest.raises(Invalid, match="amount"):
            read_bank_file(path, "a.csv", "EUR")
    else:
        [found] = read_bank_file(path, "a.csv", "EUR")
        assert [each.amount for each in found.lines] == [-2178, 500]
