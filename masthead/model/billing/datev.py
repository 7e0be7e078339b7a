"""The journal as a file of DATEV: a posting batch (`Buchungsstapel`) in the format EXTF 700, 13.

Source: developer.datev.de, DATEV-Format. Each entry of sales has the whole amount and goes to an
account that knows its rate, so the VAT has no line of its own. Customers have accounts of their
own. `Belegfeld 1` clears their open items: that of a payment is the number of the invoice that it
settles, so a payment for several has a line for each, and that of a credit note is the number of
the invoice that it corrects. Windows-1252, because DATEV expects it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime

from msgspec import structs

from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.ledger_accounts import (
    CLIENT,
    CONSULTANT,
    CUSTOMERS,
    FIRST_CUSTOMER,
    LENGTH,
    account_of,
)
from masthead.model.billing.vat import OneStopShop
from masthead.model.debits.bank_text import in_encoding
from masthead.model.errors import Invalid
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.countries import country_in_words
from masthead.model.types.money import money_text
from masthead.model.types.spreadsheets import guarded

ENCODING = "windows-1252"
_VERSION, _CATEGORY, _FORMAT = 700, 21, 13
_COLUMNS = [
    *("Umsatz (ohne Soll/Haben-Kz)", "Soll/Haben-Kennzeichen", "WKZ Umsatz", "Kurs"),
    *("Basis-Umsatz", "WKZ Basis-Umsatz", "Konto", "Gegenkonto (ohne BU-Schlüssel)"),
    *("BU-Schlüssel", "Belegdatum", "Belegfeld 1", "Belegfeld 2", "Skonto", "Buchungstext"),
    *("Postensperre", "Diverse Adressnummer", "Geschäftspartnerbank", "Sachverhalt"),
    *("Zinssperre", "Beleglink"),
    *(f"Beleginfo - {kind} {place}" for place in range(1, 9) for kind in ("Art", "Inhalt")),
    *("KOST1 - Kostenstelle", "KOST2 - Kostenstelle", "Kost-Menge"),
    *("EU-Land u. UStID (Bestimmung)", "EU-Steuersatz (Bestimmung)", "Abw. Versteuerungsart"),
    *("Sachverhalt L+L", "Funktionsergänzung L+L", "BU 49 Hauptfunktionstyp"),
    *("BU 49 Hauptfunktionsnummer", "BU 49 Funktionsergänzung"),
    *(
        f"{kind} {place}"
        for place in range(1, 21)
        for kind in ("Zusatzinformation - Art", "Zusatzinformation- Inhalt")
    ),
    *("Stück", "Gewicht", "Zahlweise", "Forderungsart", "Veranlagungsjahr"),
    *("Zugeordnete Fälligkeit", "Skontotyp", "Auftragsnummer", "Buchungstyp"),
    *("USt-Schlüssel (Anzahlungen)", "EU-Land (Anzahlungen)", "Sachverhalt L+L (Anzahlungen)"),
    *("EU-Steuersatz (Anzahlungen)", "Erlöskonto (Anzahlungen)", "Herkunft-Kz", "Buchungs GUID"),
    *("KOST-Datum", "SEPA-Mandatsreferenz", "Skontosperre", "Gesellschaftername"),
    *("Beteiligtennummer", "Identifikationsnummer", "Zeichnernummer", "Postensperre bis"),
    *("Bezeichnung SoBil-Sachverhalt", "Kennzeichen SoBil-Buchung", "Festschreibung"),
    *("Leistungsdatum", "Datum Zuord. Steuerperiode", "Fälligkeit", "Generalumkehr (GU)"),
    *("Steuersatz", "Land", "Abrechnungsreferent", "BVV-Position"),
    *("EU-Land u. UStID (Ursprung)", "EU-Steuersatz (Ursprung)", "Abw. Skontokonto"),
]
_MAX_TEXT, _MAX_DOCUMENT = 60, 36  # characters
_NO_DOCUMENT = re.compile(r"[^a-zA-Z0-9$&%*+\-/]")  # DATEV refuses others in `Belegfeld 1`


def datev_head(
    numbers: Mapping[str, str], *, first: date, last: date, made_at: datetime, currency: str
) -> str:
    """The two lines with which the file begins.

    first, last: days of one calendar year. numbers: of accounts, and those of the header.
    Raises: Invalid if a number is missing, or the days are not of one year.
    """
    if first.year != last.year:
        raise Invalid(
            _("A file for DATEV is of one year. Choose days of the same year."), field="to"
        )
    head = [
        *('"EXTF"', _VERSION, _CATEGORY, '"Buchungsstapel"', _FORMAT),
        *(f"{made_at:%Y%m%d%H%M%S}{made_at.microsecond // 1000:03}", "", '"MH"', '""', '""'),
        *(_required(numbers, CONSULTANT), _required(numbers, CLIENT)),
        *(f"{first:%Y}0101", _length(numbers), f"{first:%Y%m%d}", f"{last:%Y%m%d}"),
        *('"masthead"', '""', 1, 0, 0, _quoted(currency), "", '""', "", "", '""', "", ""),
        *('""', '""'),
    ]
    return ";".join(map(str, head)) + "\r\n" + ";".join(_COLUMNS) + "\r\n"


def datev_lines(
    entries: Iterable[JournalEntry], numbers: Mapping[str, str], *, shop: OneStopShop
) -> Iterator[str]:
    """The lines of all entries of some days.

    Raises: Invalid if an account has no number.
    """
    length = _length(numbers)
    for entry in filter(lambda each: each.amount, _whole(entries)):  # DATEV refuses 0,00
        yield _line(entry, numbers, length, shop) + "\r\n"


def _length(numbers: Mapping[str, str]) -> int:
    """The digits of an account."""
    return int(numbers.get(LENGTH) or 4)


def _required(numbers: Mapping[str, str], name: str) -> str:
    """The number with a name. Raises: Invalid if it is missing."""
    if number := numbers.get(name):
        return number
    raise missing_number(name, name)


def missing_number(name: str, words: str) -> Invalid:
    """The error that an account has no number. words: what the account is called."""
    text = _("“{name}” is missing. Type the number under “Accounts”.")
    return Invalid(text.format(name=words), code="missing_number", field=name)


def _whole(entries: Iterable[JournalEntry]) -> Iterator[JournalEntry]:
    """The entries, with the VAT of each sale and of each write-off in its amount."""
    sale: JournalEntry | None = None
    for entry in entries:
        each = _with_sale(entry)
        is_vat = each is not entry
        if sale and is_vat and each == structs.replace(sale, amount=each.amount):
            yield structs.replace(sale, amount=sale.amount + each.amount)
            sale = None
            continue
        if sale is not None:
            yield sale
        has_vat = each.credit is Ledger.SALES or each.debit is Ledger.WRITTEN_OFF
        sale = each if has_vat else None
        if sale is None:
            yield each
    if sale is not None:
        yield sale


def _with_sale(entry: JournalEntry) -> JournalEntry:
    """An entry, with that of VAT on the account of its sale or its write-off.

    A cent that is credited can be VAT only, so that there is no sale before it.
    """
    if entry.credit is Ledger.VAT:
        return structs.replace(entry, credit=Ledger.SALES)
    if entry.debit is Ledger.VAT:
        return structs.replace(entry, debit=Ledger.WRITTEN_OFF)
    return entry


def _line(entry: JournalEntry, numbers: Mapping[str, str], length: int, shop: OneStopShop) -> str:
    """A posting: `Konto` is the debit, or the credit if the amount takes an entry back.

    Sales in the one-stop shop say to which country, from which, and at which rate.
    """
    is_note = entry.settles and Ledger.SALES in (entry.debit, entry.credit)
    text = f"{entry.document} {entry.text}" if is_note else entry.text
    accounts = [
        _account(entry, each, numbers, length, shop) for each in (entry.debit, entry.credit)
    ]
    cells: dict[str, object] = {
        "Umsatz (ohne Soll/Haben-Kz)": money_text(abs(entry.amount), entry.currency).replace(
            ".", ","
        ),
        "Soll/Haben-Kennzeichen": _quoted("H" if entry.amount < 0 else "S"),
        "WKZ Umsatz": _quoted(entry.currency),
        "Konto": accounts[0],
        "Gegenkonto (ohne BU-Schlüssel)": accounts[1],
        "Belegdatum": f"{entry.day:%d%m}",
        "Belegfeld 1": _quoted(_document(entry.settles or entry.document)),
        "Buchungstext": _quoted(guarded(one_line(text)), _MAX_TEXT),
    }
    if entry.tax and shop.has(entry.tax, entry.country):
        cells |= {
            "EU-Land u. UStID (Bestimmung)": _quoted(entry.country),
            "EU-Steuersatz (Bestimmung)": f"{entry.tax.rate / 100:.2f}".replace(".", ","),
            "EU-Land u. UStID (Ursprung)": _quoted(shop.home),
        }
    return ";".join(str(cells.get(name, "")) for name in _COLUMNS)


def _document(text: str) -> str:
    """The number of a document with the signs that DATEV takes; it begins no formula."""
    return _NO_DOCUMENT.sub("-", text)[-_MAX_DOCUMENT:].lstrip("+-")


def _account(
    entry: JournalEntry,
    ledger: Ledger,
    numbers: Mapping[str, str],
    length: int,
    shop: OneStopShop,
) -> str:
    """The number of an account; customers have one more digit than other accounts."""
    if ledger is Ledger.RECEIVABLES and entry.customer is not None:
        if entry.customer >= CUSTOMERS * 10 ** (length - 4):
            raise Invalid(
                _(
                    "Customer number {number} is too high for accounts with {length} digits. Type "
                    "more digits on the page, under “Accounts”."
                ).format(number=entry.customer, length=length),
                field=LENGTH,
            )
        return str(FIRST_CUSTOMER * 10 ** (length - 4) + entry.customer)
    if ledger is Ledger.SALES and entry.tax is None:
        raise Invalid(
            _(
                "There is no rate of VAT for what was sold to {country} on {day}. Add it in the "
                "settings, under VAT."
            ).format(country=country_in_words(entry.country), day=format_day(entry.day)),
            code="missing_rate",
            field="from",
        )
    return _required(numbers, account_of(entry, ledger, shop))


def _quoted(text: str, most: int | None = None) -> str:
    """A text without line breaks, in quotation marks, which are doubled within it."""
    plain = in_encoding(one_line(text), ENCODING)[:most]
    return '"' + plain.replace('"', '""') + '"'
