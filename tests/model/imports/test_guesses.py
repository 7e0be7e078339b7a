"""Tests what the columns of unknown files are taken for."""

import pytest

from masthead.model.imports.guesses import column_words, field_of, guess_mapping, is_guessable
from masthead.model.imports.layouts import name_columns
from masthead.model.imports.targets import TARGETS


def guessed(header: str, separator: str = ",") -> dict[str, str]:
    """The columns of each field, with + between columns that are joined."""
    rules = guess_mapping(header.split(separator)).columns
    assert rules.keys() <= TARGETS.keys()
    return {field: "|".join(rule.columns) or "+".join(rule.join) for field, rule in rules.items()}


@pytest.mark.parametrize(
    "name, words",
    [
        ("Straße/Hausnr.", "strasse hausnr"),
        ("  Plz-Ort ", "plz ort"),
        ("firstName", "first name"),
        ("order_id", "order id"),
        ("Preis (€)", "preis"),
        ("Téléphone", "telephone"),
    ],
)
def test_the_name_of_a_column_becomes_words(name: str, words: str) -> None:
    assert column_words(name) == words


def test_a_german_list_of_subscribers_is_understood() -> None:
    header = "Anrede;Vorname;Name;Firma;Straße;Hausnummer;PLZ;Ort;Land;EMail;Telefon;"
    header += "Abo-Nr.;Abobeginn;Anzahl Hefte;Preis;Bemerkungen"
    assert guessed(header, ";") == {
        "salutation": "Anrede",
        "first_name": "Vorname",
        "last_name": "Name",
        "company": "Firma",
        "address1": "Straße+Hausnummer",
        "postcode": "PLZ",
        "city": "Ort",
        "country": "Land",
        "email": "EMail",
        "phone": "Telefon",
        "order_id": "Abo-Nr.",
        "start_date": "Abobeginn",
        "order_date": "Abobeginn",
        "length": "Anzahl Hefte",
        "price": "Preis",
        "notes": "Bemerkungen",
    }


def test_abbreviated_german_names_are_understood() -> None:
    found = guessed("Name;Straße / Nr.;PLZ;Ort;Land;ab Heft;Anz. Hefte;Betrag €", ";")
    assert (found["start_issue"], found["length"]) == ("ab Heft", "Anz. Hefte")


@pytest.mark.parametrize(
    "name",
    (
        "Kundennr.;KundenNr;Kd.-Nr.;Kundennummer;Customer no.;Klantnummer;N° client;"
        "Numéro de client;Número de cliente"
    ).split(";"),
)
def test_a_customer_number_is_that_of_a_payer_if_orders_are_billed(name: str) -> None:
    assert guessed(f"Name;Ort;{name};By invoice", ";")["payer_number"] == name
    assert "payer_number" not in guessed(f"Name;Ort;{name}", ";")
    assert field_of(name) == "payer_number"


def test_the_second_of_two_equal_names_is_not_guessed() -> None:
    columns, notes = name_columns(["Name", "Address", "City", "Price", "Address"])
    assert guess_mapping(columns).columns["address1"].columns == ("Address",)
    assert "address2" not in guess_mapping(columns).columns
    assert "Address 2" in guessed("Name,Address,Address 2,City,Price")["address2"]
    assert notes == [
        "More than one column is called `Address`; column 5 is now `Address (2)`. It is used only "
        "if you choose it for a field."
    ]


def test_an_english_list_of_subscribers_is_understood() -> None:
    header = "Subscriber Name,Mailing Address,Address Line 2,City,ST,Zip,Country,Sub Type,"
    header += "Amount Paid,Date Paid,Comments"
    assert guessed(header) == {
        "full_name": "Subscriber Name",
        "address1": "Mailing Address",
        "address2": "Address Line 2",
        "city": "City",
        "state": "ST",
        "postcode": "Zip",
        "country": "Country",
        "product": "Sub Type",
        "price": "Amount Paid",
        "order_date": "Date Paid",
        "notes": "Comments",
    }


def test_a_file_of_a_shop_has_two_addresses() -> None:
    header = "Order ID,Customer Email,Order Date,Order Status,Order Total (inc tax),"
    header += "Order Currency Code,Billing First Name,Billing Last Name,Billing Street 1,"
    header += "Billing Suburb,Billing Zip,Billing Country,Shipping First Name,Shipping Last Name,"
    header += "Shipping Street 1,Shipping Suburb,Shipping Zip,Shipping Country,Transaction ID"
    assert guessed(header) == {
        "order_id": "Order ID",
        "email": "Customer Email",
        "order_date": "Order Date",
        "status": "Order Status",
        "price": "Order Total (inc tax)",
        "currency": "Order Currency Code",
        "billing_first_name": "Billing First Name",
        "billing_last_name": "Billing Last Name",
        "billing_address1": "Billing Street 1",
        "billing_city": "Billing Suburb",
        "billing_postcode": "Billing Zip",
        "billing_country": "Billing Country",
        "first_name": "Shipping First Name",
        "last_name": "Shipping Last Name",
        "address1": "Shipping Street 1",
        "city": "Shipping Suburb",
        "postcode": "Shipping Zip",
        "country": "Shipping Country",
        "transaction_id": "Transaction ID",
    }


def test_members_have_an_address_of_their_own_and_one_for_deliveries() -> None:
    header = "first_name,last_name,email,plan_name,gifted,subscription_period,"
    header += "subscription_state,subscribed_at,cancelled_at,expires_at,shipping_first_name,"
    header += "shipping_last_name,shipping_company_name,shipping_street_and_number,"
    header += "shipping_city,shipping_zip_code,shipping_state,shipping_country_code"
    assert guessed(header) == {
        "billing_first_name": "first_name",
        "billing_last_name": "last_name",
        "email": "email",
        "product": "plan_name",
        "is_gift": "gifted",
        "billing_period": "subscription_period",
        "status": "subscription_state",
        "order_date": "subscribed_at",
        "cancelled_date": "cancelled_at",
        "period_end": "expires_at",
        "first_name": "shipping_first_name",
        "last_name": "shipping_last_name",
        "company": "shipping_company_name",
        "address1": "shipping_street_and_number",
        "city": "shipping_city",
        "postcode": "shipping_zip_code",
        "state": "shipping_state",
        "country": "shipping_country_code",
    }


def test_a_period_with_an_end_makes_memberships() -> None:
    found = guessed("Name,Mail,Valid from,Paid until,Amount")
    assert found == {
        "full_name": "Name",
        "email": "Mail",
        "period_start": "Valid from",
        "order_date": "Valid from",
        "period_end": "Paid until",
        "price": "Amount",
    }


def test_the_better_name_of_two_columns_comes_first() -> None:
    assert guessed("Address,Address 1,Date,Order date") == {
        "address1": "Address 1|Address",
        "order_date": "Order date|Date",
    }


def test_tables_of_databases_are_named_in_front() -> None:
    found = guessed("subscriptions.id,customers.email,subscriptions.status,customers.first_name")
    assert found == {
        "order_id": "subscriptions.id",
        "email": "customers.email",
        "status": "subscriptions.status",
        "first_name": "customers.first_name",
    }


def test_names_of_buyer_and_recipient_raise_the_question_of_gifts() -> None:
    assert guess_mapping(["Billing Name", "Shipping Name"]).gifts == "ask"
    assert guess_mapping(["Name"]).gifts == ""


def test_a_market_place_names_the_buyer_but_not_the_recipient() -> None:
    found = guessed("Order ID,Buyer Name,Purchase Email,Street 1,Ship City,Ship Zipcode,Refunded?")
    assert found == {
        "order_id": "Order ID",
        "billing_full_name": "Buyer Name",
        "email": "Purchase Email",
        "address1": "Street 1",
        "city": "Ship City",
        "postcode": "Ship Zipcode",
    }


def test_words_that_say_nothing_are_ignored() -> None:
    found = guessed("Straße u. Nr.;Preis in €;Customer ID;Billing Email;Abo ab Heft", ";")
    assert found == {
        "address1": "Straße u. Nr.",
        "price": "Preis in €",
        "email": "Billing Email",
        "start_issue": "Abo ab Heft",
    }


def test_blocks_of_addresses_may_be_named_at_the_end() -> None:
    assert guessed("City (Shipping),City (Billing)") == {
        "city": "City (Shipping)",
        "billing_city": "City (Billing)",
    }


def test_a_number_beside_a_street_is_that_of_the_house() -> None:
    assert guessed("Street,Nr") == {"address1": "Street+Nr"}
    assert guessed("Nr,Street,City") == {"address1": "Street", "city": "City"}


def test_a_total_counts_more_than_a_price() -> None:
    assert guessed("price,total") == {"price": "total|price"}
    assert guessed("Price,Item Total") == {"price": "Item Total|Price"}


def test_unknown_columns_are_left() -> None:
    assert guessed("Haarfarbe,Lieblingstier") == {}
    assert guessed("Subscription: Name,Subscription Name") == {}  # its number, and no person


@pytest.mark.parametrize(
    "header, expected",
    [
        ("Vorname;Nachname;Bestelldatum;Preis", True),
        ("Mail;Abo;Haarfarbe", True),
        ("Vorname;Nachname;PLZ", False),  # nothing was bought
        ("Bestelldatum;Preis", False),  # by nobody
        ("order_id;email;first_name;prise", False),  # our own columns, one of them misspelled
    ],
)
def test_a_file_is_guessed_if_its_names_say_enough(header: str, expected: bool) -> None:
    assert is_guessable(header.split(";")) is expected


@pytest.mark.parametrize(
    "header, expected",
    [
        (
            "Voornaam;Tussenvoegsel;Achternaam;Straat;Huisnummer;Toevoeging;Postcode;Woonplaats;Land;"
            "Emailadres;Besteldatum;Bedrag",
            "Voornaam;Tussenvoegsel+Achternaam;Straat+Huisnummer+Toevoeging;Postcode;Woonplaats;Land;"
            "Emailadres;Besteldatum;Bedrag",
        ),
        (
            "Imię;Nazwisko;Ulica;Nr domu;Nr lokalu;Kod pocztowy;Miejscowość;Kraj;Email;"
            "Data zamówienia;Kwota",
            "Imię;Nazwisko;Ulica+Nr domu;Kod pocztowy;Miejscowość;Kraj;Email;Data zamówienia;Kwota",
        ),
        (
            "Ad;Soyad;Adres;Posta Kodu;Şehir;Ülke;E-posta;Sipariş tarihi;Tutar",
            "Ad;Soyad;Adres;Posta Kodu;Şehir;Ülke;E-posta;Sipariş tarihi;Tutar",
        ),
        (
            "Nombre;Primer apellido;Segundo apellido;Calle;Número;Código postal;Población;País;"
            "Correo electrónico;Fecha de pedido;Importe",
            "Nombre;Primer apellido+Segundo apellido;Calle+Número;Código postal;Población;País;"
            "Correo electrónico;Fecha de pedido;Importe",
        ),
        (
            "Nome;Cognome;Indirizzo;N. civico;CAP;Città;Paese;Posta elettronica;Data ordine;Totale",
            "Nome;Cognome;Indirizzo+N. civico;CAP;Città;Paese;Posta elettronica;Data ordine;Totale",
        ),
    ],
    ids=["Dutch", "Polish", "Turkish", "Spanish", "Italian"],
)
def test_lists_in_other_languages_are_understood(header: str, expected: str) -> None:
    fields = "first_name last_name address1 postcode city country email order_date price".split()
    found = guessed(header, ";")
    assert found == dict(zip(fields, expected.split(";"), strict=True))
    assert is_guessable(header.split(";"))


@pytest.mark.parametrize(
    "header, field, columns",
    [
        ("First Name,Middle Name,Last Name", "first_name", "First Name+Middle Name"),
        ("Nom,Prénom,Nombre", "first_name", "Prénom"),  # French: a number
        ("Jméno,Příjmení,Město,Kraj,PSČ", "country", None),  # Czech: a region
        ("Ad,Name", "full_name", "Name"),  # an advertisement
        ("Stato,Nome,Cognome", "status", None),  # Italian: a country, or a status
        ("Voornaam,Voorletters,Tussenvoegsel,Achternaam", "last_name", "Tussenvoegsel+Achternaam"),
    ],
)
def test_a_word_of_another_language_needs_evidence(
    header: str, field: str, columns: str | None
) -> None:
    assert guessed(header).get(field) == columns


PAYER = "Name;Ort;Payer address 1;Payer town;Payer postcode;Payer first name;Payer last name"


def test_who_pays_is_the_payer_if_the_file_says_which_orders_are_billed() -> None:
    assert guessed(f"{PAYER};Payer company;Payer email;E-Mail;By invoice", ";") == {
        "full_name": "Name",
        "city": "Ort",
        "payer_address1": "Payer address 1",
        "payer_city": "Payer town",
        "payer_postcode": "Payer postcode",
        "payer_name": "Payer first name+Payer last name",
        "payer_company": "Payer company",
        "payer_email": "Payer email",
        "email": "E-Mail",
        "is_billed": "By invoice",
    }


def test_who_pays_has_the_billing_address_of_a_file_without_billed_orders() -> None:
    """So their name is asked about, and their address is used if there is no other."""
    assert guessed(PAYER, ";") == {
        "full_name": "Name",
        "city": "Ort",
        "billing_address1": "Payer address 1",
        "billing_city": "Payer town",
        "billing_postcode": "Payer postcode",
        "billing_first_name": "Payer first name",
        "billing_last_name": "Payer last name",
    }


@pytest.mark.parametrize(
    "name, field",
    [
        ("Rechnungsempfänger", "payer_name"),
        ("Rechnungsempfänger Name", "payer_name"),
        ("Rechnungsempfänger Firma", "payer_company"),
        ("Rechnungsempfänger Straße", "payer_address1"),
        ("Rechnung E-Mail", "payer_email"),
        ("Rechnungs-E-Mail", "payer_email"),
        ("Invoice recipient", "payer_name"),
        ("Invoice email", "payer_email"),
        ("payer_company", "payer_company"),
        ("payer_address1", "payer_address1"),
        ("payer_country", "payer_country"),
        ("Rechnung Straße", "billing_address1"),
    ],
)
def test_words_for_who_gets_the_invoice_are_known(name: str, field: str) -> None:
    assert guessed(f"Name;Ort;E-Mail;{name};Auf Rechnung", ";")[field] == name


def test_the_only_email_address_of_a_file_is_that_of_the_subscriber() -> None:
    assert guessed("Name;Ort;Rechnung E-Mail;Auf Rechnung", ";")["email"] == "Rechnung E-Mail"
    shop = guessed("Name;Ort;E-Mail;Rechnung E-Mail", ";")
    assert shop["email"] == "E-Mail|Rechnung E-Mail"


@pytest.mark.parametrize(
    "header, gifts",
    [
        ("Lieferung Name;Rechnung Name", "ask"),
        ("Lieferung Vorname;Lieferung Nachname;Rechnung Vorname;Rechnung Nachname", "ask"),
        ("Vorname;Nachname;Rechnungsempfänger", "ask"),
        ("Vorname;Nachname;Rechnungsempfänger;Auf Rechnung", ""),
        ("Vorname;Nachname;Rechnung Firma", ""),
        ("Name;Ort", ""),
    ],
)
def test_names_for_delivery_and_billing_are_asked_about(header: str, gifts: str) -> None:
    assert guess_mapping(header.split(";")).gifts == gifts
