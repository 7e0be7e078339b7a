"""What banks write otherwise than the standard says, as users of other programs reported."""

from pathlib import Path

import pytest

from masthead.model.billing.bank_lines import UNKNOWN_REASON, shorten
from masthead.model.billing.named_numbers import find_references
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements.mt940_details import read_details
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


@pytest.mark.parametrize("behind", ["<Nm>Bea Roth</Nm>", "<Pty><Nm>Bea Roth</Nm></Pty>"])
@pytest.mark.parametrize("payer, expected", [("Ada", "Bea Roth"), ("Bea Roth", "")])
def test_for_whom_a_payer_pays_is_read(
    tmp_path: Path, behind: str, payer: str, expected: str
) -> None:
    detail = PAYER.format(amount="", name=payer, iban=IBANS["Ada"])
    detail = detail.replace("</Dbtr>", f"</Dbtr><UltmtDbtr>{behind}</UltmtDbtr>")
    path = camt(tmp_path / "a.xml", "558.56", "CRDT")
    entry = f"<Amt Ccy='EUR'>429.56</Amt><CdtDbtInd>CRDT</CdtDbtInd>{DATE}"
    batch = f"<Ntry>{entry}<NtryDtls>{detail}</NtryDtls></Ntry></Stmt>"
    path.write_text(path.read_text().replace("</Stmt>", batch))
    [found] = read_bank_file(path, "a.xml", "EUR")
    kept = shorten(found.lines[-1])
    assert (kept.name, kept.ultimate_name) == (payer, expected)


@pytest.mark.parametrize(
    "details, names",
    [
        ("?20SVWZ+Rg 12 ABWA+Bea?21 Roth?32Ada", ("Ada", "Bea Roth")),
        ("?20SVWZ+Rg 12 ABWA+Bea?21 Roth", ("Bea Roth", "Bea Roth")),
        ("?20SVWZ+Rg 12?32Ada", ("Ada", "")),
    ],
)
def test_for_whom_a_payer_pays_is_read_from_mt940(details: str, names: tuple[str, str]) -> None:
    found = read_details(f"166?00GUTSCHRIFT{details}")
    assert (found.name, found.ultimate_name) == names


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


@pytest.mark.parametrize(
    "closing, way", [("89.00", "DBIT"), ("89.00", "CRDT")], ids=["standard", "of-the-reversed"]
)
def test_a_credit_that_the_bank_takes_back_is_a_return(
    tmp_path: Path, closing: str, way: str
) -> None:
    [found] = read_bank_file(camt(tmp_path / "a.xml", closing, way), "a.xml", "EUR")
    assert [(each.amount, each.return_reason, each.is_kept) for each in found.lines] == [
        (900, "", True),
        (-2000, UNKNOWN_REASON, True),
    ]
    mt940 = MT940.format(mark="RC", details="166?00STORNO?20A", closing="D260102EUR20,00")
    [found] = read_bank_file(write(tmp_path / "a.sta", mt940), "a.sta", "EUR")
    assert [(each.amount, each.return_reason) for each in found.lines] == [(-2000, UNKNOWN_REASON)]


@pytest.mark.parametrize(
    "said",
    [
        "<BkTxCd><Domn><Fmly><SubFmlyCd>UPDD</SubFmlyCd></Fmly></Domn></BkTxCd>",
        "<BkTxCd><Prtry><Cd>NRTI+109+00931</Cd></Prtry></BkTxCd>",
        "<NtryDtls><TxDtls><RtrInf/></TxDtls></NtryDtls>",
    ],
    ids="iso german return-information".split(),
)
def test_a_return_without_a_reason_is_known_by_its_code(tmp_path: Path, said: str) -> None:
    path = camt(tmp_path / "a.xml", "89.00", "DBIT")
    text = path.read_text().replace("<RvslInd>true</RvslInd>", said)
    [found] = read_bank_file(write(path, text), "a.xml", "EUR")
    assert found.lines[1].return_reason == UNKNOWN_REASON
    [found] = read_bank_file(write(path, text.replace(said, "")), "a.xml", "EUR")
    assert found.lines[1].return_reason == ""


def test_a_dutch_payer_is_read_from_the_part_about_who_ordered_it() -> None:
    found = read_details(f"/IBAN/{IBANS['Ada']}/ORDP//NAME/J. DE VRIES/REMI/Factuur 12/")
    assert (found.name, found.iban, found.text) == ("J. DE VRIES", IBANS["Ada"], "Factuur 12")


def test_what_we_paid_and_the_bank_gives_back_is_no_return(tmp_path: Path) -> None:
    [found] = read_bank_file(camt(tmp_path / "a.xml", "129.00", "CRDT"), "a.xml", "EUR")
    mt940 = MT940.format(mark="RD", details="166?20A", closing="C260102EUR20,00")
    [other] = read_bank_file(write(tmp_path / "a.sta", mt940), "a.sta", "EUR")
    assert [found.lines[1].return_reason, other.lines[0].return_reason] == ["", ""]


MT940 = """:20:S
:25:12030000/0000202051
:60F:C260101EUR0,00
:61:2601020102{mark}20,00N062NONREF
:86:{details}
:62F:{closing}
-
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "details, name, text",
    [
        ("paid at 20:\n:44:45 for 2026-00012", "", "paid at 20: :44:45 for 2026-00012"),
        ("166?20SVWZ+2026-00012?21danke?32Ada?33Lee", "Ada Lee", "2026-00012 danke"),
        (
            "166?20SVWZ+Rechnung 2026-00012 Dan?21ke?32Ada Lovelace-Byron of Ockham?33 Lee",
            "Ada Lovelace-Byron of Ockham Lee",
            "Rechnung 2026-00012 Danke",
        ),
        (f"166?20{'A':<27}?21B?32{'Ada':<20}?3\n3Lee", "Ada Lee", "A B"),
    ],
    ids=["colons", "short", "full", "blank-at-the-end-of-a-line"],
)
def test_details_are_joined_as_the_payer_wrote_them(
    tmp_path: Path, details: str, name: str, text: str
) -> None:
    content = MT940.format(mark="C", details=details, closing="C260102EUR20,00")
    [found] = read_bank_file(write(tmp_path / "a.sta", content), "a.sta", "EUR")
    [line] = map(shorten, found.lines)
    assert (line.name, line.text) == (name, text)


def test_an_interim_report_is_no_statement(tmp_path: Path) -> None:
    content = ":20:S\n:25:1\n:34F:EUR0,\n:13D:2601021200+0100\n:61:260102C1,00N062\n:90C:1EUR1,\n"
    with pytest.raises(Invalid, match="The file is MT942, not a statement"):
        read_bank_file(write(tmp_path / "a.sta", content), "a.sta", "EUR")


def test_amounts_that_are_filled_up_with_zeros_are_read(tmp_path: Path) -> None:
    path = camt(tmp_path / "a.xml", "0000000000129.00", "CRDT")
    text = "\n" + path.read_text().replace(">20.00<", ">0000000000020<")
    [found] = read_bank_file(write(path, text), "a.xml", "EUR")
    assert [each.amount for each in found.lines] == [900, 2000]


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
