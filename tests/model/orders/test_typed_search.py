"""What was typed to find a subscriber becomes the fields of a new one."""

import pytest

from masthead.model.orders.typed_search import fields_of_search


@pytest.mark.parametrize(
    "text, fields",
    [
        ("Kirsten Albers", {"first_name": "Kirsten", "last_name": "Albers"}),
        ("kirsten albers", {"first_name": "Kirsten", "last_name": "Albers"}),
        ("Albers, Kirsten", {"first_name": "Kirsten", "last_name": "Albers"}),
        ("anna von der lind", {"first_name": "Anna", "last_name": "von der Lind"}),
        ("Albers", {"last_name": "Albers"}),
        ("Werft GmbH", {"company": "Werft GmbH"}),
        ("Stadtbibliothek Ulm", {"company": "Stadtbibliothek Ulm"}),
        ("Stadtbibliothek", {"company": "Stadtbibliothek"}),
        ("Kunsthalle Emden", {"company": "Kunsthalle Emden"}),
        ("Ev. Kirchengemeinde Leer", {"company": "Ev. Kirchengemeinde Leer"}),
        ("Stadttheater", {"company": "Stadttheater"}),
        ("Stadtkasse Husum", {"company": "Stadtkasse Husum"}),
        ("Ubbo-Emmius-Gymnasium Leer", {"company": "Ubbo-Emmius-Gymnasium Leer"}),
        ("Schule", {"last_name": "Schule"}),
        ("Stadt Kassel", {"company": "Stadt Kassel"}),
        ("Acme Books, Inc.", {"company": "Acme Books, Inc."}),
        ("Lund & Söhne", {"company": "Lund & Söhne"}),
        ("ada@example.test", {"email": "ada@example.test"}),
        (
            "Ada Lund ada@example.test",
            {"first_name": "Ada", "last_name": "Lund", "email": "ada@example.test"},
        ),
        ("89073", {"postcode": "89073"}),
        (
            "Ada Lund, 89073 Ulm",
            {"first_name": "Ada", "last_name": "Lund", "postcode": "89073", "city": "Ulm"},
        ),
        ("SW1A 1AA", {"postcode": "SW1A 1AA"}),
        ("  ", {}),
    ],
)
def test_a_search_has_fields_of_a_subscriber(text: str, fields: dict[str, str]) -> None:
    assert fields_of_search(text) == fields
