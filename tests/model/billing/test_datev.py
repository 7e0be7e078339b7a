"""The journal as a posting batch of DATEV."""

import csv
from datetime import UTC, date, datetime

import pytest
from msgspec import structs

from masthead.model.billing.datev import datev_head, datev_lines
from masthead.model.billing.journal import JournalEntry, JournalSale, Ledger, TaxedAmount, WriteOff
from masthead.model.billing.ledger_accounts import list_names, propose
from masthead.model.billing.vat import TaxedPart, VatCategory, VatRate, one_stop_shop
from masthead.model.errors import Invalid
from tests.support.cases import for_each

DAY = date(2026, 7, 1)
RATES = [
    VatRate(first_day=DAY, place="home", rate=700),
    VatRate(first_day=DAY, place="eu", rate=700),
    VatRate(first_day=DAY, place="FR", rate=210),
]
SHOP = one_stop_shop(RATES, "DE")
NUMBERS = propose("SKR03", list_names(RATES, small_business={False}, home="DE")) | {
    "consultant": "29098",
    "client": "55003",
}
TAXED, FRENCH = (TaxedPart(VatCategory.STANDARD, rate) for rate in (700, 210))
INVOICE = JournalSale(
    day=DAY,
    document="2026-00012",
    text='Müller "Lesezirkel" GmbH',
    currency="EUR",
    country="DE",
    tax=TAXED,
    net=5607,
    vat=393,
    customer=7,
)
PAYMENT = JournalEntry(
    day=DAY,
    document="P1",
    text="bank",
    debit=Ledger.BANK,
    credit=Ledger.RECEIVABLES,
    amount=-1000,
    currency="EUR",
    customer=7,
)


def lines(
    entries: list[JournalEntry], numbers: dict[str, str] = NUMBERS, **days: date
) -> list[list[str]]:
    """The cells of the file."""
    head = datev_head(
        numbers,
        first=days.get("first", DAY),
        last=days.get("last", date(2026, 7, 31)),
        made_at=datetime(2026, 8, 1, 9, 5, 7, 123456, tzinfo=UTC),
        currency="EUR",
    )
    found = head + "".join(datev_lines(entries, numbers, shop=SHOP))
    return [line.split(";") for line in found.removesuffix("\r\n").split("\r\n")]


def test_the_header_has_31_fields() -> None:
    [head, *_] = lines([])
    assert len(head) == 31
    assert head[:6] == ['"EXTF"', "700", "21", '"Buchungsstapel"', "13", "20260801090507123"]
    assert head[10:16] == ["29098", "55003", "20260101", "4", "20260701", "20260731"]


def test_a_sale_has_its_whole_amount_and_an_account_of_its_rate() -> None:
    _head, names, sale, paid = lines([*INVOICE.entries, PAYMENT])
    assert len(names) == len(sale) == len(paid) == 125
    cells = dict(zip(names, sale, strict=True))
    assert cells["Umsatz (ohne Soll/Haben-Kz)"] == "60,00"
    assert cells["Soll/Haben-Kennzeichen"] == '"S"'
    assert (cells["Konto"], cells["Gegenkonto (ohne BU-Schlüssel)"]) == ("10007", "8300")
    assert (cells["Belegdatum"], cells["Belegfeld 1"]) == ("0107", '"2026-00012"')
    assert cells["Buchungstext"] == '"Müller ""Lesezirkel"" GmbH"'


def test_money_that_went_back_is_a_credit() -> None:
    _head, names, paid = lines([PAYMENT])
    cells = dict(zip(names, paid, strict=True))
    assert cells["Soll/Haben-Kennzeichen"] == '"H"'
    assert (cells["Konto"], cells["Gegenkonto (ohne BU-Schlüssel)"]) == ("1200", "10007")


def test_a_payment_has_the_number_of_the_invoice_that_it_settles() -> None:
    settling = structs.replace(PAYMENT, amount=1000, settles="R_2026-00012")
    _head, names, settled, unused = lines([settling, PAYMENT])
    place = names.index("Belegfeld 1")
    assert (settled[place], unused[place]) == ('"R-2026-00012"', '"P1"')


def test_a_sale_in_the_one_stop_shop_has_its_own_account_country_and_rate() -> None:
    """Its VAT is owed in another country: it is in no German VAT return."""
    sold = structs.replace(INVOICE, country="FR", tax=FRENCH)
    _head, names, french, german = lines([*sold.entries, *INVOICE.entries])
    cells = dict(zip(names, french, strict=True))
    assert (cells["Konto"], cells["Gegenkonto (ohne BU-Schlüssel)"]) == ("10007", "8320")
    assert cells["EU-Land u. UStID (Bestimmung)"] == '"FR"'
    assert cells["EU-Steuersatz (Bestimmung)"] == "2,10"
    assert cells["EU-Land u. UStID (Ursprung)"] == '"DE"'
    cells = dict(zip(names, german, strict=True))
    assert cells["Gegenkonto (ohne BU-Schlüssel)"] == "8300"
    assert cells["EU-Land u. UStID (Bestimmung)"] == ""


def test_a_sale_at_the_rate_for_all_other_countries_is_in_the_return_of_the_own_one() -> None:
    """Below 10,000 € a year, the rates of the own country hold in the whole EU."""
    sold = structs.replace(INVOICE, country="AT")
    _head, names, line = lines([*sold.entries])
    cells = dict(zip(names, line, strict=True))
    assert cells["Gegenkonto (ohne BU-Schlüssel)"] == "8300"
    assert cells["EU-Land u. UStID (Bestimmung)"] == ""
    only = list_names(RATES[:2], small_business={False}, home="DE")
    assert not [name for name in only if "oss" in name]
    assert "sales_standard_700" in only


LOST = WriteOff(
    day=DAY,
    document="2026-00012",
    text="bankrupt",
    customer=7,
    currency="EUR",
    amount=6000,
    left=[TaxedAmount(country="FR", tax=FRENCH, net=5877, vat=123)],
)


def test_what_is_written_off_of_the_one_stop_shop_has_its_own_account() -> None:
    with pytest.raises(Invalid) as refusal:
        lines([*LOST.entries])
    assert refusal.value.field == "written_off_oss"
    [*_head, line] = lines([*LOST.entries], NUMBERS | {"written_off_oss": "2402"})
    assert line[6] == "2402"


def test_what_has_no_vat_is_posted_before_what_follows() -> None:
    exempt = TaxedPart(VatCategory.EXEMPT, 0)
    free = structs.replace(INVOICE, tax=exempt, net=6000, vat=0)
    left = [TaxedAmount(country="DE", tax=exempt, net=6000, vat=0)]
    lost = structs.replace(LOST, amount=2000, left=left)
    numbers = NUMBERS | {"sales_exempt_0": "8195"}
    *_head, sale, paid, written_off = lines([*free.entries, PAYMENT, *lost.entries], numbers)
    assert [(each[0], each[7]) for each in (sale, paid)] == [("60,00", "8195"), ("10,00", "10007")]
    assert (written_off[0], written_off[6], NUMBERS["written_off"]) == ("20,00", "2400", "2400")


def test_a_cent_that_is_vat_only_goes_to_the_account_of_its_sale() -> None:
    exempt = TaxedPart(VatCategory.EXEMPT, 0)
    free = structs.replace(INVOICE, document="2026-00011", tax=exempt, net=6000, vat=0)
    cent = structs.replace(INVOICE, net=0, vat=-1)
    numbers = NUMBERS | {"sales_exempt_0": "8195"}
    *_head, sale, credited = lines([*free.entries, *cent.entries], numbers)
    assert [(each[0], each[1], each[7]) for each in (sale, credited)] == [
        ("60,00", '"S"', "8195"),
        ("0,01", '"H"', NUMBERS["sales_standard_700"]),
    ]


def test_a_credit_note_has_the_number_of_its_invoice_and_its_own_in_the_text() -> None:
    note = structs.replace(
        INVOICE, document="2026-00013", net=-5607, vat=-393, settles=INVOICE.document
    )
    _head, names, posting = lines([*note.entries])
    cells = dict(zip(names, posting, strict=True))
    assert (cells["Belegfeld 1"], cells["Soll/Haben-Kennzeichen"]) == ('"2026-00012"', '"H"')
    assert cells["Buchungstext"] == '"2026-00013 Müller ""Lesezirkel"" GmbH"'


@pytest.mark.parametrize("missing", ["consultant", "client", "sales_standard_700", "bank"])
def test_a_missing_number_is_named(missing: str) -> None:
    numbers = {name: number for name, number in NUMBERS.items() if name != missing}
    with pytest.raises(Invalid) as refusal:
        lines([*INVOICE.entries, PAYMENT], numbers)
    assert (refusal.value.code, refusal.value.field) == ("missing_number", missing)


def test_a_file_is_of_one_year() -> None:
    with pytest.raises(Invalid, match="of one year"):
        lines([], first=date(2025, 12, 31))


def test_a_customer_number_that_is_too_high_for_the_accounts_is_refused() -> None:
    high = structs.replace(PAYMENT, customer=60_000)
    with pytest.raises(Invalid, match="Type more digits"):
        lines([high])
    assert lines([high], NUMBERS | {"length": "5"})[2][7] == "160000"


@for_each(
    "document, written",
    [
        ("Rg.Ä_2026-00012", "Rg---2026-00012"),
        ("+1-2026", "1-2026"),
        ("=@-1+1", "1+1"),
        ("x" * 10 + "-" * 4 + "2" * 32, "2" * 32),
    ],
)
def test_no_cell_is_a_formula_and_the_document_has_the_signs_that_datev_takes(
    document: str, written: str
) -> None:
    hostile = structs.replace(INVOICE, text="=cmd|' /C calc'!A0;+1", document=document)
    [_head, names] = lines([])
    [line] = datev_lines(hostile.entries, NUMBERS, shop=SHOP)
    cells = dict(zip(names, next(csv.reader([line], delimiter=";")), strict=True))
    assert cells["Buchungstext"] == "'=cmd|' /C calc'!A0;'+1"
    assert cells["Belegfeld 1"] == written


@pytest.mark.parametrize(
    "name, written",
    [
        ("Łódź Čapek Štefan", "Lódz Capek Štefan"),  # windows-1252 has ó and Š
        ("Müller ß €", "Müller ß €"),
        ("Щука", "Shchuka"),
        ("漢 Ltd", "? Ltd"),
    ],
)
def test_letters_that_the_file_does_not_have_are_written_without_accents(
    name: str, written: str
) -> None:
    sale = structs.replace(INVOICE, text=name)
    *_head, line = lines(list(sale.entries))
    assert line[13] == f'"{written}"'


def test_what_is_free_is_no_posting() -> None:
    free = structs.replace(INVOICE, net=0, vat=0)
    assert len(lines([*free.entries])) == 2


def test_a_sale_without_a_known_rate_is_named() -> None:
    untaxed = structs.replace(INVOICE, tax=None, net=6000, vat=0, country="FR")
    with pytest.raises(Invalid, match=r"for what was sold to France on .*26\.") as told:
        lines([*untaxed.entries])
    assert (told.value.code, told.value.field) == ("missing_rate", "from")
