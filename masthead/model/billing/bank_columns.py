"""The names that banks give to the columns of their CSV files, in German, English and Dutch."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from masthead.model.billing.bank_lines import mask_ibans
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _
from masthead.model.types.text import MAX_TEXT, fold


class BankColumn(StrEnum):
    """What a column of a bank's file can hold."""

    BOOKED = "booked"
    VALUE = "value"
    AMOUNT = "amount"
    ORIGINAL = "original"
    PAID_IN = "paid_in"
    PAID_OUT = "paid_out"
    DIRECTION = "direction"
    CURRENCY = "currency"
    NAME = "name"
    PAYER = "payer"
    PAYEE = "payee"
    IBAN = "iban"
    OWN = "own"
    TEXT = "text"
    REFERENCE = "reference"
    KIND = "kind"
    STATUS = "status"


# Written as `_plain` returns them, the most usual first
_NAMES: Mapping[BankColumn, str] = {
    BankColumn.BOOKED: (
        "buchungstag buchungsdatum buchung datum bookingdate booked bookedon date transactiondate "
        "postingdate dateposted datecompleted completeddate settlementdate operationdate boekdatum "
        "boekingsdatum transactiedatum"
    ),
    BankColumn.VALUE: "valutadatum valuta wertstellung wertstellungstag valuedate rentedatum",
    BankColumn.AMOUNT: (
        "betrag betrageur betragineur umsatz umsatzeur umsatzineur amount amounteur amountingbp "
        "betragaw betragkontowahrung netamount bedrag bedrageur transactionamount totalamount"
    ),
    BankColumn.ORIGINAL: "lastschriftursprungsbetrag",  # what was collected, of a return
    BankColumn.PAID_IN: (
        "haben gutschrift gutschriften habeneur einnahmen credit credits credited creditamount "
        "paidin moneyin deposit deposits bij"
    ),
    BankColumn.PAID_OUT: (
        "soll belastung belastungen solleur ausgaben debit debits debited debitamount paidout "
        "moneyout withdrawal withdrawals af"
    ),
    BankColumn.DIRECTION: (
        "sollhaben sh habensoll debitcredit creditdebit dc cd drcr crdr afbij bijaf direction "
        "creditdebitindicator"
    ),
    BankColumn.CURRENCY: (
        "wahrung waehrung kontowahrung kontowaehrung currency ccy munt muntsoort valutacode"
    ),
    BankColumn.NAME: (
        "beguenstigterzahlungspflichtiger begunstigterzahlungspflichtiger namezahlungsbeteiligter "
        "zahlungsbeteiligter auftraggeberempfanger auftraggeberempfaenger "
        "auftraggeberbegunstigter auftraggeberbeguenstigter begunstigterauftraggeber "
        "beguenstigterauftraggeber empfangerzahlungspflichtiger empfaengerzahlungspflichtiger "
        "empfangerauftraggeber "
        "empfaengerauftraggeber gegenpartei gegenparteiname partnername partner "
        "nameauftraggeber counterparty counterpartyname payername payeepayer nameofpayer "
        "beneficiaryorpayer otherparty naamtegenpartij naamomschrijving naam "
        "name kontoinhaber gegenkontoinhaber"
    ),
    BankColumn.PAYER: (
        "zahlungspflichtiger zahlungspflichtige auftraggeber absender payer sender debtor "
        "debtorname orderingparty"
    ),
    BankColumn.PAYEE: (
        "zahlungsempfanger zahlungsempfaenger zahlungsempfangerin zahlungsempfaengerin empfanger "
        "empfaenger begunstigter beguenstigter payee beneficiary recipient creditor creditorname"
    ),
    BankColumn.IBAN: (
        "ibanzahlungsbeteiligter kontonummeriban ibankontonummer gegenkonto gegenkontoiban "
        "ibangegenkonto ibandesauftraggebersempfangers partneriban counterpartyiban "
        "counterpartyaccount payeriban ibanofpayer tegenrekening tegenrekeningibanbban iban "
        "accountnumber kontonummer"
    ),
    BankColumn.OWN: (
        "auftragskonto ibanauftragskonto eigeneskonto eigeneiban konto ownaccount owniban account "
        "accountiban myaccount rekening ibanbban bezeichnungauftragskonto"
    ),
    BankColumn.TEXT: (
        "verwendungszweck verwendungszweckzeile1 verwendungszwecke zahlungsgrund zahlungsreferenz "
        "vorgangverwendungszweck buchungsdetails buchungsinfo text vwz remittanceinformation "
        "remittance paymentdetails paymentreference description details "
        "reference narrative message memo mededelingen omschrijving omschrijving1 betalingskenmerk"
    ),
    BankColumn.REFERENCE: (
        "kundenreferenzendtoend kundenreferenz endtoendreferenz endtoendid endtoendreference "
        "endtoendidentification e2ereference customerreference transactiereferentie "
        "endtoendreferenzendtoend"
    ),
    BankColumn.KIND: (
        "buchungstext umsatztyp umsatzart vorgang buchungsart transactiontype type mutatiesoort "
        "transactioncode geschaftsvorfall"
    ),
    BankColumn.STATUS: "status info state",
}
_PARENTHESIS = re.compile(r"\([^)]*\)")
_FIELDS = {name: field for field, names in _NAMES.items() for name in names.split()}
_RANKS = {name: rank for names in _NAMES.values() for rank, name in enumerate(names.split())}


def _plain(name: str) -> str:
    """A name in small letters and digits only, without accents; `(€)` is left out."""
    text = fold(_PARENTHESIS.sub("", name[:MAX_TEXT]).replace("*r", "r").replace("*in", "in"))
    return re.sub(r"[^a-z0-9]", "", text)


def columns_of_names(names: Sequence[str]) -> dict[BankColumn, tuple[int, ...]]:
    """The places of the columns of each kind, the most usual name first.

    Several columns of text count, as in `Omschrijving-1`, and one of each other kind.
    Raises: Invalid if there is no date or no amount.
    """
    found: dict[BankColumn, list[tuple[int, int]]] = {}
    for place, name in enumerate(names):
        plain = _plain(name)
        if plain.startswith(("verwendungszweck", "omschrijving")):
            found.setdefault(BankColumn.TEXT, []).append((0, place))
        elif (field := _FIELDS.get(plain)) is not None:
            found.setdefault(field, []).append((_RANKS[plain], place))
    columns = {
        field: tuple(place for _rank, place in sorted(places)) for field, places in found.items()
    }
    if BankColumn.TEXT not in columns and BankColumn.KIND in columns:  # Commerzbank
        columns[BankColumn.TEXT] = columns[BankColumn.KIND][:1]
    if BankColumn.BOOKED not in columns and BankColumn.VALUE in columns:
        columns[BankColumn.BOOKED] = columns[BankColumn.VALUE]
    has_amount = BankColumn.AMOUNT in columns or BankColumn.PAID_IN in columns
    if BankColumn.BOOKED in columns and has_amount:
        return columns
    what = _("the amount") if BankColumn.BOOKED in columns else _("the date")
    raise Invalid(
        _(
            "No column of the file is {what}: they are called {names}. Rename it to `{example}`, "
            "or download the statement as camt.053 or MT940 and use that file."
        ).format(
            what=what,
            names=", ".join(f"`{mask_ibans(excerpt(each)[:40])}`" for each in names[:20]),
            example="amount" if BankColumn.BOOKED in columns else "date",
        ),
        code="unknown_columns",
        field="columns",
    )
