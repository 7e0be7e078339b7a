"""PO boxes in the main languages of the post."""

import re

import pytest
from hypothesis import given, strategies as st

from masthead.model.dispatch.postal.po_boxes import divide
from tests.support.cases import for_each


@for_each(
    "text, country",
    [
        ("PO Box 12", "GB"),
        ("P.O. Box 12345", "US"),
        ("P. O. Box 5 Station B", "CA"),
        ("POB 7", "IL"),
        ("Post Office Box 7", "US"),
        ("GPO Box 99", "AU"),
        ("Locked Bag 12", "AU"),
        ("Private Bag X12", "ZA"),
        ("Postfach", "CH"),
        ("Postfach 12 34 56", "DE"),
        ("POSTFACH 1234", "AT"),
        ("Pf. 12", "HU"),
        ("BP 123", "FR"),
        ("B.P. 7 Cotonou", "BJ"),
        ("CS 12345", "FR"),
        ("Boîte postale 12", "LU"),
        ("Case postale 12", "CH"),
        ("C.P. 12", "CH"),
        ("Casella postale n. 5", "IT"),
        ("CP 65", "IT"),
        ("Apartado de Correos 33", "ES"),
        ("Apdo. Postal 33", "MX"),
        ("Apartado 33", "PT"),
        ("Casilla 7", "CL"),
        ("Caixa Postal 33", "BR"),
        ("Postbus 123", "NL"),
        ("Antwoordnummer 12", "NL"),
        ("Box 123", "SE"),
        ("Postboks 12 Sentrum", "NO"),
        ("PL 12", "FI"),
        ("skr. poczt. 12", "PL"),
        ("p.p. 12", "HR"),
        ("P.K. 12", "TR"),
        ("а/я 12", "RU"),
        ("п.к. 12", "BG"),
        ("Τ.Θ. 12", "GR"),
        ("Postfach Nr. 5", "DE"),
    ],
)
def test_a_line_that_is_a_po_box(text: str, country: str) -> None:
    assert divide(text, country) == ("", text)


@for_each(
    "text, country",
    [
        ("", "DE"),
        ("Am Markt 1", "DE"),
        ("Postfachweg 5", "DE"),
        ("Am Postfach", "DE"),
        ("BPW 5", "DE"),
        ("Boxhill 5", "SE"),
        ("Box 123", "GB"),
        ("PL 12", "DE"),
        ("CP 65", "ES"),
        ("POB Road", "GB"),
        ("Casilla Street", "GB"),
    ],
)
def test_other_lines_are_not_po_boxes(text: str, country: str) -> None:
    assert divide(text, country) == (text, "")


@pytest.mark.parametrize(
    "text, country, street, box",
    [
        ("Hauptstr. 5, Postfach", "CH", "Hauptstr. 5", "Postfach"),
        ("Hauptstr. 5 (Postfach 7)", "CH", "Hauptstr. 5", "Postfach 7"),
        ("12 rue Verte BP 45", "FR", "12 rue Verte", "BP 45"),
        ("PO Box 5, 12 High Street", "GB", "12 High Street", "PO Box 5"),
        ("Tower 2; P.O.Box 5; Floor 3", "AE", "Tower 2, Floor 3", "P.O.Box 5"),
    ],
)
def test_a_street_and_a_po_box_in_one_line(text: str, country: str, street: str, box: str) -> None:
    assert divide(text, country) == (street, box)


@given(
    text=st.lists(
        st.sampled_from(["Postfach", "PO Box", "BP", "12", "7a", "Weg", ",", "(", ")", ";", "-"]),
        max_size=8,
    ).map(" ".join)
)
def test_no_word_is_lost(text: str) -> None:
    parts = divide(text, "CH")
    assert sorted(re.findall(r"\w+", text)) == sorted(re.findall(r"\w+", " ".join(parts)))
