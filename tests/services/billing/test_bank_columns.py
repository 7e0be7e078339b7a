"""CSV files with the columns of real banks: amounts, directions, names and texts are found."""

from pathlib import Path

import pytest

from masthead.model.billing.bank_lines import UNKNOWN_REASON, BankLine
from masthead.model.errors import Invalid
from masthead.services.billing.bank_statements.read import read_bank_file

VOLKSBANK = """"Volksbank";;;;;;;;;;;;
"Buchungstag";"Valuta";"Auftraggeber/Zahlungsempfänger";"Empfänger/Zahlungspflichtiger";\
"Konto-Nr.";"IBAN";"BLZ";"BIC";"Vorgang/Verwendungszweck";"Kundenreferenz";"Währung";"Umsatz";" "
"05.01.2026";"05.01.2026";"Acme";"ANNA MÜLLER";"";"DE02120300000000202051";"";"X";\
"Gutschrift RE 2026-00001";"";"EUR";"49,00";"H"
"05.01.2026";"05.01.2026";"Acme";"Vermieter";"";"DE02120300000000202051";"";"X";\
"Miete";"";"EUR";"500,00";"S"
;;;;;;;;;;;;
"01.01.2026";;;;;;;;;"Anfangssaldo";"EUR";"1.000,00";"H"
"05.01.2026";;;;;;;;;"Endsaldo";"EUR";"549,00";"H"
"""
DEUTSCHE_BANK = """Buchungstag;Wert;Umsatzart;Begünstigter / Auftraggeber;Verwendungszweck;IBAN;\
Betrag;Soll;Haben;Währung
05.01.2026;05.01.2026;Überweisung von;Anna Müller;2026-00001;DE02120300000000202051;;;49,00;EUR
05.01.2026;05.01.2026;Überweisung an;Vermieter;Miete;DE02120300000000202051;;-500,00;;EUR
Kontostand;07.01.2026;;;;;;549,00;;EUR
"""
COMMERZBANK = """Buchungstag;Wertstellung;Umsatzart;Buchungstext;Betrag;Währung
05.01.2026;05.01.2026;Gutschrift;ANNA MUELLER 2026-00001;49,00;EUR
"""
ERSTE = """Buchungsdatum;Partnername;Partner IBAN;Betrag;Währung;Buchungs-Details
05.01.2026;Anna Müller;DE02120300000000202051;49,00;EUR;RE 2026-00001
"""
QONTO = """Settlement date (local);Counterparty name;Total amount (incl. VAT);Currency;Reference
05-01-2026 10:00:00;Anna;49,00;EUR;2026-00001
"""
VALUE_DAY_ONLY = """Valuta;Verwendungszweck;Betrag
05.01.2026;RE 2026-00001;49,00
"""
OURS = "date;name;text;amount\n2026-01-05;Anna;Kontostand;49.00\n"


def read_lines(path: Path, text: str, currency: str = "EUR") -> list[BankLine]:
    """The lines of a file with this text."""
    path.write_text(text, encoding="utf-8")
    return [line for each in read_bank_file(path, "a.csv", currency) for line in each.lines]


@pytest.mark.parametrize(
    "text, lines",
    [
        (
            VOLKSBANK,
            [
                (4900, "ANNA MÜLLER", "Gutschrift RE 2026-00001"),
                (-50000, "Vermieter", "Miete"),
            ],
        ),
        (DEUTSCHE_BANK, [(4900, "Anna Müller", "2026-00001"), (-50000, "Vermieter", "Miete")]),
        (COMMERZBANK, [(4900, "", "ANNA MUELLER 2026-00001")]),
        (ERSTE, [(4900, "Anna Müller", "RE 2026-00001")]),
        (QONTO, [(4900, "Anna", "2026-00001")]),
        (VALUE_DAY_ONLY, [(4900, "", "RE 2026-00001")]),
        (OURS, [(4900, "Anna", "Kontostand")]),
    ],
    ids="volksbank deutsche-bank commerzbank erste qonto value-day ours".split(),
)
def test_directions_names_and_texts_are_found(
    tmp_path: Path, text: str, lines: list[tuple[int, str, str]]
) -> None:
    found = read_lines(tmp_path / "a.csv", text)
    assert [(each.amount, each.name, each.text) for each in found] == lines
    assert {str(each.booking_date) for each in found} == {"2026-01-05"}


def test_an_amount_that_was_collected_marks_a_return(tmp_path: Path) -> None:
    text = "Buchungstag;Buchungstext;Verwendungszweck;Lastschrift Ursprungsbetrag;Betrag\n"
    text += "05.01.26;LASTSCHRIFT;Abo;49,00;-52,00\n05.01.26;UEBERWEISUNG;Miete;;-500,00\n"
    returned, paid = read_lines(tmp_path / "a.csv", text)
    assert (returned.return_reason, returned.original_amount) == (UNKNOWN_REASON, 4900)
    assert (paid.return_reason, paid.original_amount) == ("", None)


def test_days_come_first_unless_the_account_is_american(tmp_path: Path) -> None:
    text = "date,amount,text\n05-01-2026,49.00,A\n04/02/2026,5.00,B\n"
    found = read_lines(tmp_path / "a.csv", text)
    assert [str(each.booking_date) for each in found] == ["2026-01-05", "2026-02-04"]
    with pytest.raises(Invalid, match=r"can be read in two ways.*camt\.053"):
        read_lines(tmp_path / "a.csv", text, "USD")
    with pytest.raises(Invalid, match="can be read in two ways"):
        read_lines(tmp_path / "a.csv", text + "31/01/2026,1.00,C\n01/31/2026,1.00,D\n")
    american = read_lines(tmp_path / "a.csv", text + "01/31/2026,1.00,D\n")
    assert [str(each.booking_date) for each in american][1:] == ["2026-04-02", "2026-01-31"]
