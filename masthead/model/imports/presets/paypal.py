"""PayPal: the activity download, in English and German."""

from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.presets.preset import Preset, first_of
from masthead.model.translations import gettext_noop

# What is no sale, though money may come in
_NO_SALES = (
    *("*withdrawal*", "*refund*", "*reversal*", "*conversion*", "*hold*", "*deposit*", "*fee*"),
    *("*transfer*", "*authorization*", "*chargeback*", "*dispute*"),
    *("*abbuchung*", "*rückzahlung*", "*rückerstattung*", "*storn*", "*rückbuchung*"),
    *("*umrechnung*", "*einbehalt*", "*gutschrift*", "*gebühr*", "*einzahlung*", "*autorisierung*"),
)
_REGION = "State/Province/Region/County/Territory/Prefecture/Republic"

PRESET = Preset(
    name="paypal-activity",
    label="PayPal activity",
    result=gettext_noop(
        "Each completed payment that you received becomes a subscription for a number of issues. "
        "Payments that you made, refunds, fees, transfers and holds are left out."
    ),
    export_from=gettext_noop(
        "In PayPal, open Reports › Activity download, choose “Completed payments” or “All "
        "transactions” and CSV. Under “Customize report fields”, include the shipping address."
    ),
    marks=(
        ("Date", "Datum"),
        ("Gross", "Brutto"),
        ("Transaction ID", "Transaktionscode"),
        ("From Email Address", "Absender E-Mail-Adresse"),
    ),
    columns=(
        *("Time", "TimeZone", "Fee", "Net", "To Email Address", "Shipping Address"),
        *("Address Status", "Item ID", "Shipping and Handling Amount", "Insurance Amount"),
        *("Sales Tax", "Option 1 Name", "Option 1 Value", "Option 2 Name", "Option 2 Value"),
        *("Reference Txn ID", "Invoice Number", "Custom Number", "Receipt ID", "Balance"),
        *("Balance Impact", "Payment Source"),
        *("Uhrzeit", "Zeitzone", "Gebühr", "Entgelt", "Netto", "Empfänger E-Mail-Adresse"),
        *("Lieferadresse", "Adress-Status", "Artikelnummer", "Versand- und Bearbeitungsgebühr"),
        *("Versicherungsbetrag", "Umsatzsteuer", "Option 1 Wert", "Option 2 Wert"),
        *("Zugehöriger Transaktionscode", "Rechnungsnummer", "Zollnummer", "Empfangsnummer"),
        *("Guthaben", "Auswirkung auf Guthaben", "Name der Bank", "Bankkonto"),
    ),
    order_prefix="PAYPAL-",
    mapping=ImportMapping(
        start_issue_rule="current",
        positive=("price",),
        only={"Status": ("completed", "abgeschlossen", "")},
        never={"Type": _NO_SALES, "Typ": _NO_SALES, "Beschreibung": _NO_SALES},
        columns={
            "order_id": first_of("Transaction ID", "Transaktionscode"),
            "order_date": first_of("Date", "Datum"),
            "start_date": first_of("Date", "Datum"),
            "email": first_of("From Email Address", "Absender E-Mail-Adresse"),
            "full_name": first_of("Name"),
            "address1": first_of("Address Line 1", "Adresszeile 1"),
            "address2": first_of("Address Line 2/District/Neighborhood", "Adresszusatz"),
            "city": first_of("Town/City", "Ort"),
            "state": first_of(_REGION, "Bundesland"),
            "postcode": first_of("Zip/Postal Code", "PLZ"),
            "country": first_of("Country Code", "Ländervorwahl", "Country", "Land"),
            "phone": first_of("Contact Phone Number", "Telefon"),
            "product": first_of("Item Title", "Artikelbezeichnung", "Subject", "Betreff"),
            "quantity": first_of("Quantity", "Anzahl"),
            "price": first_of("Gross", "Brutto"),
            "currency": first_of("Currency", "Währung"),
            "notes": first_of("Note", "Hinweis"),
        },
    ),
)
