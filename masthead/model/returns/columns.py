"""The names that carriers and mailing houses give to their columns, in several languages."""

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum

from masthead.model.imports.column_words import NAMES_AND_ADDRESSES
from masthead.model.types.text import MAX_TEXT, fold


class CarrierField(StrEnum):
    """What a column of a carrier's file can hold. The last seven are a new address."""

    KEY = "key"
    COPY = "copy"
    DATE = "date"
    KIND = "kind"
    REASON = "reason"
    NAME = "name"
    ADDRESS1 = "address1"
    ADDRESS2 = "address2"
    POSTCODE = "postcode"
    CITY = "city"
    STATE = "state"
    COUNTRY = "country"


_ADDRESS_PARTS = tuple(CarrierField)[5:]

# Beside those of imports; written as `_plain` returns them
_NAMES: Mapping[CarrierField, str] = {
    CarrierField.KEY: (
        "key copykey copykeys keyline acskeyline keylinesequenceserialnumber keylinesequence "
        "serialnumber labelkey labelcode code barcode scan scancode scannedcode reference ref "
        "customerreference mailpieceid pieceid uniqueid schlussel schluessel exemplarschlussel "
        "exemplarschluessel referenz kundenreferenz referenznummer sendungskennung kennung "
        "sendungsnummer cle clef clexemplaire cleexemplaire codebarres referenceclient "
        "sleutel kenmerk klantreferentie referentie matchcode"
    ),
    CarrierField.COPY: (
        "copy copyid copynumber copyno itemid subscriptionitem subscriptionitemid exemplar "
        "exemplarid exemplarnummer exemplarnr exemplaire idexemplaire numeroexemplaire exemplaarid "
        "exemplaarnummer"
    ),
    CarrierField.DATE: (
        "date shippeddate shippingdate shipdate dateshipped shipped shippedon shippedat "
        "dispatchdate dispatcheddate dispatched dispatchedon senddate sentdate datesent senton "
        "mailingdate maildate maileddate datemailed mailedon postingdate posteddate inductiondate "
        "eventdate scandate reportdate returndate datereturned returnedon processingdate "
        "moveeffectivedate moveeffectivedateccyymm filedate notificationdate "
        "datum versanddatum versandtag versandam versendetam aufgabedatum auflieferungsdatum "
        "einlieferungsdatum postauflieferung retourendatum rucksendedatum ruecksendedatum "
        "meldedatum erfassungsdatum bearbeitungsdatum umzugsdatum zustelldatum "
        "dateexpedition datedexpedition dateenvoi datedenvoi expediele dateretour datederetour "
        "datedepot verzenddatum verzonden verzondenop retourdatum datumretour"
    ),
    CarrierField.KIND: (
        "kind type result status category resultcode returntype eventtype movetypedescription "
        "art ergebnis meldung meldungsart meldeart kategorie retourenart ergebniscode statustext "
        "statut resultat categorie typeretour soort resultaat"
    ),
    CarrierField.REASON: (
        "reason returnreason reasonforreturn reasoncode returnreasoncode returncode cause "
        "deliverabilitycode deliverability nixie nixiecode nixiereason footnote ncoafootnote "
        "remark remarks comment comments note description "
        "grund retourengrund rucksendegrund ruecksendegrund unzustellbarkeitsgrund "
        "unzustellbarkeit grundderruckgabe grundderunzustellbarkeit adressmangel bemerkung hinweis "
        "motif motifretour motifderetour raison raisonretour cause remarque commentaire "
        "reden retourreden redenretour opmerking"
    ),
    CarrierField.NAME: (
        "recipientname customername contact empfanger empfangername nom nomcomplet "
        "destinataire naam geadresseerde"
    ),
    CarrierField.ADDRESS1: (
        "streetname streetline addressline deliveryaddress deliveryaddressline primarynumber "
        "housenumber streetnumber predirectional streetsuffix suffix postdirectional "
        "strassenname strasseundnr hausnummer hausnr hausnummerzusatz hausnrzusatz "
        "zustellanschrift rue voie numero numerovoie numeroetrue adresseligne1 straat "
        "straatnaam huisnummer huisnr adres adres1 straatenhuisnummer pobox postfach"
    ),
    CarrierField.ADDRESS2: (
        "extraline unit unitdesignator secondarynumber apt careof additional adressezusatz "
        "anschriftenzusatz zusatzzeile ortsteil adresseligne2 complement complementadresse "
        "complementdadresse adres2 toevoeging adrestoevoeging"
    ),
    CarrierField.CITY: (
        "cityname place placename posttown ortsname commune localite plaats plaatsnaam "
        "woonplaats stad"
    ),
    CarrierField.STATE: ("stateabbreviation canton etat provincie"),
    CarrierField.POSTCODE: ("postcodezip zip5 5digitzip 5digitzipcode zip4 plus4 zipplus4 cp npa"),
    CarrierField.COUNTRY: (
        "countrycodeiso iso isocode iso2 isocountry landescode landercode landcode landname "
        "codepays nompays"
    ),
}


def _plain(name: str) -> str:
    """A name in small letters and digits only, without accents."""
    return re.sub(r"[^a-z0-9]", "", fold(name[:MAX_TEXT]))


_IMPORTED = {"full_name": CarrierField.NAME} | {field.value: field for field in _ADDRESS_PARTS[1:]}
_FIELDS = {
    _plain(name): field for known, field in _IMPORTED.items() for name in NAMES_AND_ADDRESSES[known]
} | {name: field for field, names in _NAMES.items() for name in names.split()}
# Names that are part of an address only if they are named as new
_NEW_FIELDS = _FIELDS | dict.fromkeys("number nr no nummer".split(), CarrierField.ADDRESS1)
_NEW = (
    "new neu neue neuer neues neuen nouvelle nouveau nouvel nieuw nieuwe forwarding coa umzug "
    "nachsende corrected korrigierte korrigierter"
).split()


def _new_field(plain: str) -> CarrierField | None:
    """The part of a new address that a name stands for, for example `newstreet`."""
    for mark in _NEW:
        rest = plain.removeprefix(mark) if plain.startswith(mark) else plain.removesuffix(mark)
        field = _NEW_FIELDS.get(rest) if rest != plain else None
        if field in _ADDRESS_PARTS:
            return field
    return None


def columns_of_names(
    names: Sequence[str], chosen: Mapping[CarrierField, str]
) -> dict[CarrierField, tuple[int, ...]] | None:
    """The places of the columns of each field, by their names; None if a chosen one is missing.

    An address can have several columns for one field, such as street and house number. If some
    columns are named as those of a new address, the others are of the old one, and are left out.
    chosen: names, or numbers from 1, that the user gave; an empty one leaves the field out.
    """
    columns: dict[CarrierField, tuple[int, ...]] = {}
    found_new: dict[CarrierField, list[int]] = {}
    found: dict[CarrierField, list[int]] = {}
    for place, name in enumerate(names):
        plain = _plain(name)
        field = _FIELDS.get(plain)
        new = _new_field(plain) if field is None else None
        if new is not None:
            found_new.setdefault(new, []).append(place)
        elif field is not None and (field in _ADDRESS_PARTS or field not in found):
            found.setdefault(field, []).append(place)
    for field, places in found.items():
        if field not in _ADDRESS_PARTS or not found_new:
            columns[field] = tuple(places)
    columns |= {field: tuple(places) for field, places in found_new.items()}
    plain_names = [_plain(name) for name in names]
    for field, text in chosen.items():
        if not text:
            columns.pop(field, None)
            continue
        chosen_places = [_place_of(part, plain_names) for part in _parts(text, plain_names)]
        if None in chosen_places:
            return None
        columns[field] = tuple(place for place in chosen_places if place is not None)
    return columns


def names_new_address(
    names: Sequence[str],
    columns: Mapping[CarrierField, tuple[int, ...]],
    chosen: Mapping[CarrierField, str],
) -> bool:
    """Whether the street is named as that of a new address, or the user chose its column."""
    places = columns.get(CarrierField.ADDRESS1, ())
    return CarrierField.ADDRESS1 in chosen or any(
        _FIELDS.get(_plain(names[place])) is None for place in places
    )


def _parts(text: str, plain_names: Sequence[str]) -> list[str]:
    """The columns in a choice such as `4+5`; a name with a plus sign is one column."""
    return (
        [text]
        if _plain(text) in plain_names or not re.fullmatch(r"[0-9+]+", text)
        else (text.split("+"))
    )


def _place_of(text: str, plain_names: Sequence[str]) -> int | None:
    """The place of the column with a name or a number; None if there is none."""
    if (plain := _plain(text)) in plain_names:
        return plain_names.index(plain)
    if text.isascii() and text.isdigit() and 0 < int(text[:4]) <= len(plain_names):
        return int(text[:4]) - 1
    return None
