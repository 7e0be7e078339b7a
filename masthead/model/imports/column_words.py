"""The names that people give to columns, in some languages, as `guesses` compares them.

Words are separated by spaces, without accents; the best name of a field is the first one.
"""

NAMES_AND_ADDRESSES: dict[str, tuple[str, ...]] = {
    "first_name": (
        *("first name", "firstname", "vorname", "given name", "rufname", "forename", "prenom"),
    ),
    "last_name": ("last name", "lastname", "nachname", "surname", "family name", "zuname", "nom"),
    "full_name": (
        *("full name", "fullname", "name", "addressee", "recipient", "vor und nachname"),
        *("vorname nachname", "name vorname", "nachname vorname", "abonnent", "abonnentin"),
        *("subscriber", "subscriber name", "member name", "abonnentenname"),
        *("empfaenger", "kunde", "customer", "contact name"),
    ),
    "company": (
        *("company", "company name", "firma", "firmenname", "organisation", "organization"),
        *("institution", "unternehmen", "business name", "firma institution", "societe"),
    ),
    "address1": (
        *("address 1", "address1", "address line 1", "addressline1", "street address", "street"),
        *("street 1", "street1", "strasse", "strasse hausnummer", "strasse und hausnummer"),
        *("strasse nr", "strasse hausnr", "street and number", "address", "adresse", "anschrift"),
        *("adresszeile 1", "adresse 1", "line1", "line 1", "strasse hausnummer"),
        *("mailing address", "postal address", "home address", "postanschrift"),
    ),
    "address2": (
        *("address 2", "address2", "address line 2", "addressline2", "street 2", "street2"),
        *("adresszusatz", "zusatz", "adresszeile 2", "adresse 2", "apartment", "suite", "c o"),
        *("line2", "line 2", "address second line"),
    ),
    "city": ("city", "town", "town city", "ort", "stadt", "wohnort", "suburb", "locality", "ville"),
    "state": (
        *("state", "province", "region", "county", "bundesland", "kanton", "state province"),
        *("state region", "state or province", "state code", "province code", "st"),
    ),
    "postcode": (
        *("postcode", "post code", "postal code", "postalcode", "zip", "zip code", "zipcode"),
        *("zip postal code", "plz", "postleitzahl", "code postal"),
    ),
    "country": (
        *("country code", "country", "country name", "laenderkuerzel", "land", "laendercode"),
        *("laenderkennzeichen", "staat", "nation", "pays"),
    ),
    "phone": (
        *("phone", "phone number", "telephone", "telefon", "telefonnummer", "tel", "mobile"),
        *("mobil", "handy", "mobilnummer", "telefon nr"),
    ),
}
OTHERS: dict[str, tuple[str, ...]] = {
    "salutation": (
        *("salutation", "anrede", "courtesy title", "name prefix", "mr ms", "mr mrs", "civilite"),
        *("aanhef", "tratamiento"),
    ),
    "title": ("title", "titel", "akademischer titel", "akad titel", "academic title"),
    "email": (
        *("email", "e mail", "email address", "e mail address", "mail", "e mail adresse"),
        *("emailadresse", "mailadresse", "email adresse", "customer email", "contact email"),
        *("e mailadresse", "purchase email", "courriel"),
    ),
    "order_id": (
        *("order id", "order number", "order no", "order nr", "order", "bestellnummer"),
        *("bestellnr", "bestell nr", "bestell id", "auftragsnummer", "auftragsnr", "auftrags nr"),
        *("subscription id", "subscription number", "subscription no", "abonummer", "abonr"),
        *("abo nr", "abo nummer", "abo id", "vertragsnummer", "vertrags nr", "increment id"),
        *("invoice number", "rechnungsnummer", "rechnungs nr", "abonnement id", "id"),
    ),
    "order_date": (
        *("order date", "ordered at", "ordered on", "bestelldatum", "auftragsdatum", "bestellt am"),
        *("purchase date", "created at", "created", "date created", "subscribed at", "date"),
        *("datum", "abo seit", "member since", "joined", "joined at", "started at", "kunde seit"),
        *("eintrittsdatum", "erstellt am", "start date", "rechnungsdatum", "angelegt am"),
        *("sale date", "paid at", "paid on", "bezahlt am", "date de debut"),
        *("date paid", "payment date", "date ordered", "order placed", "date of order"),
        *("date joined", "date subscribed", "zahlungsdatum", "zahldatum"),
    ),
    "status": (
        *("status", "subscription status", "subscription state", "order status", "abostatus"),
        *("abo status", "membership status", "vertragsstatus"),
    ),
    "cancelled_date": (
        *("cancelled date", "cancelled at", "canceled at", "cancelled on", "canceled on"),
        *("cancellation date", "kuendigungsdatum", "gekuendigt am", "gekuendigt"),
    ),
    "transaction_id": (
        *("transaction id", "payment reference", "payment id", "zahlungsreferenz"),
        *("transaktionsnummer", "transaktionscode", "transaktions id"),
    ),
    "notes": (
        *("notes", "note", "comment", "comments", "customer note", "customer notes", "remarks"),
        *("order notes", "customer message", "bemerkung", "bemerkungen", "notiz", "notizen"),
        *("kommentar", "anmerkung", "anmerkungen", "hinweis", "kundennotiz"),
    ),
    "is_gift": ("gift", "is gift", "gifted", "geschenk", "geschenkabo", "ist geschenk"),
    "gifter_name": ("gifter name", "gifter", "giver", "giver name", "schenker", "geschenk von"),
    "gifter_email": ("gifter email", "giver email", "schenker e mail", "e mail schenker"),
    "product": (
        *("product name", "product", "lineitem name", "line item", "item name", "item", "plan"),
        *("plan name", "tier", "tiers", "membership", "produkt", "produktname", "artikel"),
        *("artikelbezeichnung", "artikelname", "abo", "aboart", "abo art", "abotyp", "abo typ"),
        *("abonnement", "tarif", "bezeichnung", "products", "subscription plan", "plan id"),
        *("subscription type", "sub type", "subscription level", "membership type"),
        *("membership level", "art des abos"),
    ),
    "quantity": (
        *("quantity", "qty", "copies", "number of copies", "lineitem quantity", "menge"),
        *("exemplare", "anzahl exemplare", "stueckzahl", "stueck", "anzahl", "plan quantity"),
    ),
    "medium": ("medium", "format", "ausgabeform", "bezugsart", "edition type", "print digital"),
    "start_issue": (
        *("start issue", "first issue", "starting issue", "from issue", "startausgabe"),
        *("erste ausgabe", "ab ausgabe", "ab heft", "erstes heft", "startheft", "ab nr"),
        *("abo ab heft", "abo ab ausgabe", "beginn mit heft", "beginn mit ausgabe"),
    ),
    "length": (
        *("number of issues", "length", "issues", "issue count", "term issues", "anz hefte"),
        *("anz ausgaben", "hefte anzahl", "ausgaben anzahl"),
        *("anzahl ausgaben", "anzahl hefte", "ausgaben", "hefte", "laufzeit ausgaben"),
    ),
    "last_issue": (
        *("last issue", "final issue", "expires with issue", "expires issue", "expiry issue"),
        *("end issue", "until issue", "to issue", "last issue number", "expire issue"),
        *("letzte ausgabe", "letztes heft", "bis ausgabe", "bis heft", "bis nr", "endet mit heft"),
        *("endet mit ausgabe", "abo bis heft", "abo bis ausgabe", "endausgabe", "endheft"),
    ),
    "sent_issues": (
        *("sent issues", "issues sent", "verschickte ausgaben", "gesendete ausgaben"),
        *("gelieferte ausgaben", "gelieferte hefte", "verschickte hefte"),
    ),
    "sent_dates": ("sent dates", "versanddaten"),
    "is_recurring": (
        *("is recurring", "recurring", "auto renew", "autorenew", "renews", "renewing"),
        *("renews automatically", "automatische verlaengerung", "verlaengert sich"),
    ),
    "interval_months": ("interval months", "months", "laufzeit monate", "monate"),
    "billing_period": (
        *("billing period", "billing cycle", "billing frequency", "subscription period"),
        *("interval", "frequency", "charge frequency", "zahlungsweise", "zahlungsrhythmus"),
        *("abrechnungszeitraum", "turnus", "intervall", "zahlungsintervall", "recurrence"),
    ),
    "billing_interval": ("billing interval", "interval count"),
    "period_start": (
        *("period start", "current period start", "current term start", "valid from"),
        *("gueltig ab", "laufzeitbeginn", "abobeginn", "abo beginn", "beginn", "start", "von"),
    ),
    "period_end": (
        *("period end", "current period end", "current term end", "paid until", "valid until"),
        *("expires", "expires at", "expires on", "expiry", "expiry date", "expiration date"),
        *("end date", "ends at", "bezahlt bis", "gueltig bis", "laufzeitende", "aboende"),
        *("abo ende", "ablaufdatum", "ende", "bis", "laeuft bis", "date de fin", "last day"),
        *("letzter tag",),
    ),
    "next_payment_date": (
        *("next payment date", "next payment", "next billing date", "next billing at"),
        *("next charge date", "next renewal", "renewal date", "renews on", "naechste zahlung"),
        *("naechste abbuchung", "naechste rechnung"),
    ),
    "last_payment_date": ("last payment date", "last payment", "letzte zahlung"),
    "price": (
        *("order total", "grand total", "grand total purchased", "grand total base", "total"),
        *("item total", "line total", "total price", "amount paid", "total paid", "sale price"),
        *("amount", "price", "montant", "prix"),
        *("preis", "abopreis", "gesamtpreis", "gesamtbetrag", "betrag", "summe", "gesamt"),
        *("bruttobetrag", "brutto", "order total inc tax", "plan amount"),
    ),
    "item_price": ("lineitem price", "item price", "unit price", "einzelpreis", "stueckpreis"),
    "currency": ("currency", "currency code", "order currency", "order currency code", "waehrung"),
    "discount_amount": (
        *("discount amount", "discount", "discount total", "rabatt", "rabattbetrag", "nachlass"),
    ),
    "promo_code": (
        *("promo code", "coupon", "coupon code", "discount code", "voucher", "gutschein"),
        *("gutscheincode", "aktionscode", "rabattcode"),
    ),
    "refunded": (
        *("refunded", "refunded amount", "amount refunded", "refund amount", "erstattet"),
        *("erstattung", "rueckerstattung", "total refunded"),
    ),
    "is_comp": (
        *("is comp", "comp", "complimentary", "complimentary plan", "free copy", "freiexemplar"),
        *("freiabo", "freiabonnement", "freistueck", "belegexemplar", "kostenlos", "gratis"),
    ),
    "is_billed": ("by invoice", "billed", "on invoice", "auf rechnung", "per rechnung"),
    "payer_number": (
        *("customer number", "customer no", "customer nr", "client number", "subscriber number"),
        *("subscriber no", "kundennummer", "kundennr", "kunden nr", "kd nr", "kdnr", "debitor"),
        *("abonnentennummer", "abonnentennr", "debitorennummer", "debitorennr"),
        *("numero client", "numero de client", "no client", "n client", "code client"),
    ),
    "payer_vat_id": ("vat id", "vat number", "vat no", "ust id", "ust idnr", "ust id nr", "ustid"),
    "due_days": ("days until due", "payment days", "zahlungsziel", "zahlungsziel tage"),
    "bic": ("bic", "swift"),
    "account_holder": ("account holder", "kontoinhaber"),
    "mandate_reference": ("mandate reference", "mandatsreferenz", "mandatsnummer", "mandate id"),
    "mandate_date": ("mandate date", "mandatsdatum", "mandat vom", "unterschriftsdatum"),
    "mandate_last_used": ("last direct debit", "letzte lastschrift", "letzter einzug"),
    "order_reference": (
        *("purchase order", "purchase order number", "po number", "po no", "customer reference"),
        *("bestellzeichen", "bestellnummer des kunden", "ihre bestellnummer"),
    ),
}
# What columns of an address are called before or after the name of the field
SHIPPING = (
    *("shipping", "delivery", "ship to", "ship", "lieferung", "liefer", "versand", "lieferadresse"),
    *("lieferanschrift", "recipient", "empfaenger"),
)
BILLING = (
    *("billing", "bill to", "invoice", "rechnung", "rechnungs", "rechnungsadresse"),
    *("rechnungsanschrift", "besteller", "buyer", "customer", "kunde", "kunden"),
)
# The same for who gets the invoice; alone, they are the name
PAYERS = ("payer", "invoice recipient", "rechnungsempfaenger", "rechnungsempfaengerin", "zahler")
NOISE = frozenset(  # words that say nothing about the field
    "subscriptions subscription customers addresses address metadata the".split()
    + "in eur euro euros usd gbp chf u und and".split()
)
HOUSE_NUMBERS = (
    *("hausnummer", "hausnr", "haus nr", "house number", "street number", "nr", "huisnummer"),
    *("huisnr", "nr domu", "numer domu", "civico", "numero"),
)
HOUSE_ADDITIONS = ("toevoeging", "toev", "hausnummernzusatz", "hausnummerzusatz")
# Without words that mean different things in two of the languages, such as `stato`
OTHER_LANGUAGES: dict[str, str] = {
    "first_name": (
        "voornaam, voornamen, roepnaam, voorletters, initialen, imie, nombre, nome, ad, adi"
    ),
    "last_name": (
        "achternaam, familienaam, nazwisko, apellidos, apellido, primer apellido, apellido 1, "
        "apellido1, cognome, soyad, soyadi, soyisim"
    ),
    "full_name": (
        "naam, imie i nazwisko, nombre y apellidos, nombre completo, nome e cognome, "
        "nominativo, ad soyad, adi soyadi, isim soyisim, abonnee"
    ),
    "company": (
        "bedrijf, bedrijfsnaam, organisatie, nazwa firmy, empresa, razon social, azienda, "
        "ragione sociale, sirket"
    ),
    "address1": (
        "straat, straatnaam, adres, adresregel 1, adres 1, ulica, direccion, direccion 1, "
        "calle, domicilio, indirizzo, indirizzo 1"
    ),
    "address2": "adresregel 2, adres 2, direccion 2, indirizzo 2",
    "city": (
        "plaats, plaatsnaam, woonplaats, stad, miasto, miejscowosc, ciudad, poblacion, "
        "localidad, municipio, citta, comune, localita, sehir"
    ),
    "state": "provincie, wojewodztwo, provincia",
    "postcode": "kod pocztowy, codigo postal, cp, cap, codice postale, posta kodu",
    "country": "kraj, pais, paese, nazione, uelke",
    "phone": "telefoon, telefoonnummer, mobiel, numer telefonu, telefono, movil, cellulare",
    "email": (
        "e mailadres, emailadres, correo electronico, posta elettronica, indirizzo email, "
        "indirizzo e mail, adres email, adres e mail, e posta, eposta"
    ),
    "order_id": (
        "bestelnummer, ordernummer, abonneenummer, numer zamowienia, nr zamowienia, numero de "
        "pedido, no de pedido, n de pedido, pedido, numero ordine, n ordine, siparis no, "
        "siparis numarasi"
    ),
    "order_date": (
        "besteldatum, orderdatum, data zamowienia, fecha de pedido, fecha del pedido, fecha, "
        "data ordine, siparis tarihi"
    ),
    "payer_number": (
        "klantnummer, klantnr, klant nr, debiteurnummer, debiteurennummer, numer klienta, "
        "numero de cliente, numero cliente, codice cliente, musteri no, musteri numarasi"
    ),
    "product": "producto, prodotto, ueruen, suscripcion, abbonamento, prenumerata, abonelik",
    "quantity": "aantal, ilosc, cantidad, quantita, adet",
    "price": (
        "bedrag, prijs, totaal, kwota, cena, importe, precio, importo, prezzo, totale, tutar, fiyat"
    ),
    "currency": "waluta, moneda, divisa, para birimi",
    "notes": "opmerkingen, opmerking, uwagi, notas, observaciones, osservazioni, notlar",
}
# Words that count only beside another one, as they mean something else in other languages
BESIDE: dict[str, frozenset[str]] = {
    "nombre": frozenset({"apellidos", "apellido", "primer apellido", "apellido 1", "apellido1"}),
    "nome": frozenset({"cognome"}),
    "title": frozenset({"first name", "last name", "surname", "firstname", "lastname"}),
    "titel": frozenset({"vorname", "nachname", "voornaam", "achternaam"}),
    "ad": frozenset({"soyad", "soyadi"}),
    "adi": frozenset({"soyad", "soyadi"}),
    "kraj": frozenset({"kod pocztowy", "nazwisko", "imie i nazwisko", "miasto", "ulica"}),
}
# Parts of a name in columns of their own: before it, and after it
NAME_PARTS: dict[str, tuple[str, str]] = {
    "first_name": (
        "",
        "middle name, middlename, second name, zweiter vorname, tweede voornaam, segundo nombre,"
        " drugie imie",
    ),
    "last_name": (
        "tussenvoegsel, tussenvoegsels, voorvoegsel, voorvoegsels, surname prefix, "
        "last name prefix, namensvorsatz, vorsatzwort",
        "segundo apellido, apellido 2, apellido2, second surname",
    ),
}
