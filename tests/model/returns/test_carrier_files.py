"""Header and columns of the files that carriers send."""

import csv
from collections.abc import Sequence

import pytest

from masthead.model.dispatch.copy_keys import key_of
from masthead.model.errors import Invalid
from masthead.model.returns.carrier_files import (
    CarrierLayout,
    find_layout as find_layout_of,
    report_header,
    report_row,
)
from masthead.model.returns.columns import CarrierField

KEY = f"#{key_of(1, 7)}#"
OTHER = key_of(1, 8)


def find_layout(lines: Sequence[str], chosen: dict[CarrierField, str]) -> CarrierLayout:
    """The layout of a file with these lines."""
    rows = enumerate(csv.reader(lines, delimiter=";"), 1)
    return find_layout_of([row for row in rows if any(row[1])], chosen)


def fields(*lines: str, **chosen: str) -> dict[str, tuple[int, ...]]:
    """The places of the fields in a file with these lines."""
    layout = find_layout(lines, {CarrierField(name): text for name, text in chosen.items()})
    return {field.value: places for field, places in layout.columns.items()}


def test_title_rows_come_before_the_header() -> None:
    lines = ["Kunde;12", "Versandbericht, Mai", "", "Schlüssel;Versanddatum", f"{KEY};1.5.2026"]
    assert find_layout(lines, {}).header_line == 4


def test_a_file_without_header_is_read_by_its_cells() -> None:
    layout = find_layout([f"x;{KEY};2026-05-01", f"y;{OTHER};2026-05-02"], {})
    assert layout.header_line == 0
    assert layout.columns == {CarrierField.KEY: (1,), CarrierField.DATE: (2,)}
    assert layout.names == ("column 1", "column 2", "column 3")
    assert fields(KEY) == {"key": (0,)}
    assert fields("4294967297", "4294967298") == {"key": (0,)}
    chosen = find_layout([f"{KEY};x", f"{OTHER};y"], {CarrierField.REASON: "2"})
    assert chosen.columns == {CarrierField.KEY: (0,), CarrierField.REASON: (1,)}
    left_out = find_layout([f"{KEY};2026-05-01"], {CarrierField.DATE: ""})
    assert left_out.columns == {CarrierField.KEY: (0,)}


def test_a_header_of_unknown_names_is_not_a_row() -> None:
    layout = find_layout(["Was;Wozu", f"x;{KEY}", f"y;{OTHER}"], {})
    assert (layout.header_line, layout.names) == (1, ("Was", "Wozu"))
    assert layout.columns == {CarrierField.KEY: (1,)}


@pytest.mark.parametrize(
    "header, expected",
    [
        (
            "Sequence Number;Keyline / Sequence / Serial Number;Move Effective Date;"
            "Deliverability Code;New Primary Number;New Street Name;New Suffix;"
            "New Unit Designator;New Secondary Number;New City;New State;New 5-Digit ZIP;New ZIP+4",
            {
                "key": (1,),
                "date": (2,),
                "reason": (3,),
                "address1": (4, 5, 6),
                "address2": (7, 8),
                "city": (9,),
                "state": (10,),
                "postcode": (11, 12),
            },
        ),
        (
            "Kundenreferenz;Meldung;Unzustellbarkeitsgrund;Straße;PLZ;Ort;"
            "Neue Straße;Neue Hausnummer;Neuer Adresszusatz;Neue PLZ;Neuer Ort;Neues Land",
            {
                "key": (0,),
                "kind": (1,),
                "reason": (2,),
                "address1": (6, 7),
                "address2": (8,),
                "postcode": (9,),
                "city": (10,),
                "country": (11,),
            },
        ),
        (
            "Clé;Motif du retour;Date de retour;Nouvelle adresse;Nouveau code postal;"
            "Nouvelle ville",
            {"key": (0,), "date": (2,), "address1": (3,), "postcode": (4,), "city": (5,)},
        ),
        (
            "sleutel;reden;retourdatum;straat_nieuw;huisnummer_nieuw;postcode_nieuw;plaats_nieuw",
            {
                "key": (0,),
                "reason": (1,),
                "date": (2,),
                "address1": (3, 4),
                "postcode": (5,),
                "city": (6,),
            },
        ),
    ],
)
def test_the_columns_of_carriers_are_recognized(
    header: str, expected: dict[str, tuple[int, ...]]
) -> None:
    found = fields(header)
    assert {name: found.get(name) for name in expected} == expected


def test_columns_can_be_named() -> None:
    header = "Nummer;Text;Strasse;Nr"
    assert fields(header, key="Nummer")["key"] == (0,)
    assert fields(header, key="1", reason="text", address1="3+4")["address1"] == (2, 3)
    with pytest.raises(Invalid, match="no header with the columns `Nix`"):
        fields(header, key="Nix")
    chosen = {CarrierField.KEY: "1", CarrierField.REASON: "3"}  # a column without a name
    layout = find_layout(["Nummer;Text;", f"{KEY};x;"], chosen)
    assert len(layout.names) > max(layout.columns[CarrierField.REASON])
    with pytest.raises(Invalid, match="no header"):
        fields(f"{KEY};x", f"{OTHER};y", reason="9")


def test_a_file_without_keys_says_its_first_line() -> None:
    with pytest.raises(Invalid, match=r"no column with copy keys or copy IDs.*`Name;Town`"):
        fields("Name;Town", "Ann;Berlin")
    with pytest.raises(Invalid, match="empty"):
        fields()


def test_a_report_runs_no_formula() -> None:
    assert report_row(["=1+1", "-x", "ok", ""]) == ["'=1+1", "'-x", "ok", ""]
    assert report_header(["key", "=1"]) == ["problem_line", "problem", "key", "'=1"]
