"""VAT ids as people copy them."""

import pytest

from masthead.model.billing.tax_ids import check_vat_id
from masthead.model.errors import Invalid
from masthead.model.translations import in_language


@pytest.mark.parametrize(
    "text, expected",
    [
        ("de 136.695.976", "DE136695976"),
        ("USt-IdNr.: DE136695976", "DE136695976"),
        ("UID ATU13585627", "ATU13585627"),
        ("VAT no. NO 995 525 828 MVA", "NO995525828MVA"),
        ("MwSt-Nr. CHE-107.787.577", "CHE107787577"),
        ("EL 094259216", "EL094259216"),
        ("XI 366303068", "XI366303068"),
        ("EU372000041", "EU372000041"),
        ("AU 51 824 753 556", "AU51824753556"),
    ],
)
def test_a_vat_id_is_read_as_it_is_copied(text: str, expected: str) -> None:
    assert check_vat_id("vat_id", text) == expected


@pytest.mark.parametrize(
    "text", ["136695976", "MC", "unknown", "Steuernummer 143/815/08155", "USt DE", "-"]
)
def test_what_names_no_country_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="begins with the code of its country") as refusal:
        check_vat_id("vat_id", text)
    assert refusal.value.field == "vat_id"


def test_a_typing_error_in_the_id_of_an_eu_country_is_refused() -> None:
    with pytest.raises(Invalid, match="is not a valid VAT ID of Germany"):
        check_vat_id("vat_id", "USt-ID DE136695977")


def test_a_refusal_names_the_country_in_the_language_of_the_page() -> None:
    for code, english, german in (
        ("DE", "Germany", "Deutschland"),
        ("EL", "Greece", "Griechenland"),
        ("XI", "Northern Ireland", "Nordirland"),
    ):
        with pytest.raises(Invalid, match=f"is not a valid VAT ID of {english}"):
            check_vat_id("vat_id", f"{code}123")
        with in_language("de"), pytest.raises(Invalid, match=f"USt-IdNr. \\({german}\\)"):
            check_vat_id("vat_id", f"{code}123")
