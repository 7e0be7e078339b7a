"""The PDF of invoices: what is on its pages, read back from the file."""

from datetime import date
from io import BytesIO

import pytest
from msgspec import structs
from PIL import Image
from pypdf import PdfReader
from segno.helpers import make_epc_qr

from masthead.model.billing.documents import Document
from masthead.model.billing.printing import LetterheadPicture, PrintedDocument
from masthead.model.billing.vat import VatCategory
from masthead.model.translations import in_language
from masthead.services.billing.files.invoice_pdf import write_pdf
from masthead.services.billing.files.pay_code import pay_code
from masthead.services.billing.files.wording import facts_of
from tests.services.billing.files.documents import (
    AUSTRIAN,
    IN_EUROS,
    SELLER,
    credit_note,
    document,
    line,
    untaxed,
)


def _picture() -> LetterheadPicture:
    written = BytesIO()
    Image.new("RGB", (400, 100), "teal").save(written, "PNG")
    return LetterheadPicture(written.getvalue(), 400, 100)


PICTURE = _picture()


def pages_of(*documents: Document, picture: LetterheadPicture | None = None) -> list[str]:
    """The text of each page."""
    content = write_pdf([PrintedDocument(each, picture) for each in documents])
    return [
        each.extract_text().replace("\N{NO-BREAK SPACE}", " ")
        for each in PdfReader(BytesIO(content)).pages
    ]


def test_an_invoice_says_what_the_law_asks_for() -> None:
    (page,) = pages_of(document(line(1), line(2, rate=1900, text="Digital", quantity=2)))
    for expected in (
        "Rechnung 2026-00012",
        "Stadtbücherei Köln",
        "z. Hd. Herrn Łukasz Żak",
        "27.11.2026",
        "11.12.2026",
        "1042",
        "4500012345",
        "01.12.2026 – 30.11.2027",
        "Die Zeitschrift, 6 Ausgaben",
        "Für Erika Müller 1; Ausgaben 12–17",
        "46,65 €",
        "MwSt. 19 % auf 39,21 €",
        "MwSt. 7 % auf 43,60 €",
        "93,31 €",
        "USt-IdNr.: DE136695976",
        "Steuernummer: 37/123/45678",
        "IBAN: DE89 3704 0044 0532 0130 00",
        "Amtsgericht Charlottenburg HRB 12345",
        "Seite 1 von 1",
    ):
        assert expected in page


def test_an_invoice_is_in_the_language_of_the_account() -> None:
    (page,) = pages_of(document(line(1), language="en_GB"))
    for expected in ("Invoice 2026-00012", "27 Nov 2026", "€46.65", "VAT 7% on €43.60", "Page 1"):
        assert expected in page


@pytest.mark.parametrize(
    "first, last, expected",
    [
        (date(2026, 12, 1), date(2027, 11, 30), "01.12.2026 – 30.11.2027"),
        (date(2026, 12, 1), date(2026, 12, 1), "01.12.2026"),
        (date(2026, 12, 1), None, "ab 01.12.2026"),
        (None, None, "mit den Ausgaben unten"),
    ],
)
def test_an_invoice_says_when_it_is_delivered(
    first: date | None, last: date | None, expected: str
) -> None:
    it = document(line(1), supplied_from=first, supplied_to=last)
    with in_language("de"):
        assert dict(facts_of(it))["Leistungszeitraum"] == expected


@pytest.mark.parametrize(
    "language, expected",
    [
        ("de_DE", "MwSt. in EUR: 3,27 € (1 EUR = 0,9342 CHF, Kurs ab 01.11.2026)."),
        ("en_GB", "VAT in EUR: €3.27 (1 EUR = 0.9342 CHF, rate from 1 Nov 2026 on)."),
    ],
)
def test_an_invoice_in_another_currency_says_its_vat_in_that_of_the_country(
    language: str, expected: str
) -> None:
    it = document(line(1), currency="CHF", language=language, converted=IN_EUROS)
    (page,) = pages_of(it)
    assert expected in page
    (other,) = pages_of(document(line(1), currency="CHF", language=language))
    assert "EUR" not in other


def test_prices_without_vat_are_shown_without_it() -> None:
    (page,) = pages_of(document(line(1), shows_net=True))
    assert "Ohne MwSt. (EUR)" in page
    assert "43,60 €" in page.split("MwSt. 7 %")[0]


@pytest.mark.parametrize(
    "category, country, sentence",
    [
        (VatCategory.EXEMPT, "DE", "(§ 19 UStG)"),
        (VatCategory.EXEMPT, "AT", "(§ 6 Abs. 1 Z 27 UStG)"),
        (VatCategory.EXEMPT, "FR", "(Artikel 284 der Richtlinie 2006/112/EG)"),
        (VatCategory.REVERSE_CHARGE, "DE", "Steuerschuldnerschaft des Leistungsempfängers"),
        (VatCategory.INTRA_COMMUNITY, "DE", "Steuerfreie innergemeinschaftliche Lieferung"),
        (VatCategory.EXPORT, "DE", "Steuerfreie Ausfuhrlieferung"),
        (VatCategory.OUTSIDE, "DE", "nicht steuerbar"),
    ],
)
def test_an_invoice_says_why_it_has_no_vat(
    category: VatCategory, country: str, sentence: str
) -> None:
    seller = structs.replace(SELLER, country=country)
    (page,) = pages_of(document(untaxed(category, "AT"), seller=seller, payer=AUSTRIAN))
    assert sentence in " ".join(page.split())
    assert "ATU12011204" in page


def test_a_credit_note_names_the_invoice_and_has_no_payment() -> None:
    (page,) = pages_of(credit_note(line(1)))
    assert "Rechnungskorrektur 2026-00013" in page
    assert "Korrigiert die Rechnung 2026-00012 vom 27.11.2026." in page
    assert "Das Abo wurde gekündigt." in page
    assert "IBAN" not in page
    assert "Fällig am" not in page


def test_300_lines_repeat_the_head_of_the_table_and_count_the_pages() -> None:
    institute = "Bibliothek des Instituts für Altertumswissenschaften der Universität, Zweigstelle"
    pages = pages_of(
        document(
            *(
                line(each, detail=f"Für Erika Müller {each}; {institute * (each % 3)}; bis 17.")
                for each in range(1, 301)
            )
        )
    )
    assert len(pages) > 5
    for number, page in enumerate(pages, 1):
        assert page.count("Beschreibung") == 1
        assert f"Seite {number} von {len(pages)}" in page
        assert "2026-00012" in page
        # All of a line is on one page
        for part in ("Für Erika Müller", "bis 17."):
            assert page.count(part) == page.count("Die Zeitschrift, 6 Ausgaben")
    text = "".join(pages)
    assert all(f"Für Erika Müller {each};" in text for each in range(1, 301))
    assert "Zu zahlen" in pages[-1]


def test_a_detail_of_any_length_goes_on_at_the_next_page() -> None:
    detail = "; ".join(f"Exemplar {each}" for each in range(500))
    pages = pages_of(document(line(1, detail=detail)))
    assert len(pages) > 1
    assert "Exemplar 499" in "".join(pages)


def test_each_of_several_documents_counts_its_own_pages() -> None:
    pages = pages_of(document(line(1)), document(line(2), number="2026-00014"))
    assert ["Seite 1 von 1" in page for page in pages] == [True, True]
    assert "2026-00014" not in pages[0]
    assert "2026-00014" in pages[1]


def test_a_letterhead_replaces_the_name_at_the_top() -> None:
    (plain,) = pages_of(document(line(1)))
    (with_picture,) = pages_of(document(line(1)), picture=PICTURE)
    assert plain.count(SELLER.name) == with_picture.count(SELLER.name) + 1
    content = write_pdf([PrintedDocument(document(line(1)), PICTURE)])
    (image,) = PdfReader(BytesIO(content)).pages[0].images
    assert image.image is not None
    assert image.image.size == (400, 100)


def test_the_same_document_gives_the_same_bytes() -> None:
    it = [PrintedDocument(document(line(1)), PICTURE)]
    assert write_pdf(it) == write_pdf(it)


# --- the code to pay by ---------------------------------------------------------------------------


def test_an_invoice_in_euros_has_a_code_for_banking_apps() -> None:
    found = pay_code(document(line(1)))
    expected = make_epc_qr(
        name=SELLER.name,
        iban=SELLER.iban,
        bic=SELLER.bic,
        amount=46.65,
        text="2026-00012",
        encoding="utf-8",
    )
    assert found == [[bool(each) for each in row] for row in expected.matrix]


@pytest.mark.parametrize(
    "it",
    [
        document(line(1), currency="CHF"),
        document(line(1), seller=structs.replace(SELLER, iban="")),
        document(line(1, net=0)),
        credit_note(line(1)),
    ],
)
def test_no_code_without_iban_or_euros_or_anything_to_pay(it: Document) -> None:
    assert pay_code(it) is None
    assert pages_of(it)


def test_a_publisher_with_a_long_name_has_a_code() -> None:
    assert pay_code(document(line(1), seller=structs.replace(SELLER, name="Ä" * 200)))


def test_a_last_day_that_is_not_known_is_left_out() -> None:
    (page,) = pages_of(document(line(1), supplied_from=date(2026, 12, 1), supplied_to=None))
    assert "ab 01.12.2026" in page
    (page,) = pages_of(document(line(1), supplied_from=None, supplied_to=None))
    assert "mit den Ausgaben unten" in page
