"""Address lines: as the recipient's country writes them, and without losing a field."""

from itertools import product

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from masthead.model.dispatch.address_layout import (
    address_lines,
    build_layout,
    fit_address,
    formal_name,
    person_name,
    split_po_box,
)
from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.postal.rules import address_format
from masthead.model.dispatch.runs import CountryGroup, CountryLayout, Layout
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.enums import Salutation
from tests.model.dispatch.addresses import address
from tests.support.cases import for_each

FIELDS = {
    "first_name": "Ann",
    "last_name": "Lee",
    "company": "Acme & Söhne",
    "address1": "Gorch-Fock-Straße 7",
    "address2": "Hof 2",
    "city": "Oldenburg",
    "state": "Niedersachsen",
    "postcode": "26133",
}


def lines_from(home: str | None, **fields: str | None) -> list[str]:
    line = address(**fields)  # type: ignore[arg-type]
    return address_lines(line, build_layout([line.country], home))


@for_each(
    "country, lines",
    [
        ("DE", ["26133 OLDENBURG", "GERMANY"]),
        ("FR", ["26133 OLDENBURG", "FRANCE"]),
        ("US", ["OLDENBURG 26133", "UNITED STATES"]),
        ("GB", ["OLDENBURG", "26133"]),
        ("CH", ["CH-26133 Oldenburg", "SWITZERLAND"]),
        ("LU", ["L-26133 OLDENBURG", "LUXEMBOURG"]),
        ("JP", ["Oldenburg", "26133", "JAPAN"]),
        ("AZ", ["AZ 26133 OLDENBURG", "AZERBAIJAN"]),
        ("LC", ["OLDENBURG 26133", "ST. LUCIA"]),
        ("CI", ["1 Street OLDENBURG 26133", "CÔTE D’IVOIRE"]),
    ],
)
def test_the_place_is_written_as_its_country_does(country: str, lines: list[str]) -> None:
    found = lines_from(
        "GB", address1="1 Street", city="Oldenburg", postcode="26133", country=country
    )
    assert found[-len(lines) :] == lines


def test_a_complete_address_abroad() -> None:
    assert lines_from("AT", **FIELDS) == [
        "Ann Lee",
        "Acme & Söhne",
        "Gorch-Fock-Straße 7",
        "Hof 2",
        "26133 OLDENBURG",
        "DEUTSCHLAND",
    ]


@for_each(
    "country, state, lines",
    [
        ("DE", "DE-BY", ["1 Street", "1000 TOWN", "GERMANY"]),
        ("CH", "ZH", ["1 Street", "CH-1000 Town", "SWITZERLAND"]),
        ("GB", "Surrey", ["1 Street", "TOWN", "1000"]),
        ("NL", "NH", ["1 Street", "1000 TOWN", "NETHERLANDS"]),
        ("US", "IL", ["1 Street", "TOWN, IL 1000", "UNITED STATES"]),
        ("CA", "ON", ["1 STREET", "TOWN ON 1000", "CANADA"]),
        ("AU", "NSW", ["1 Street", "TOWN NSW 1000", "AUSTRALIA"]),
        ("BR", "SP", ["1 Street", "TOWN-SP", "1000", "BRAZIL"]),
        ("IT", "TO", ["1 Street", "1000 TOWN TO", "ITALY"]),
        ("ES", "Madrid", ["1 Street", "1000 TOWN MADRID", "SPAIN"]),
        ("IE", "Co. Cork", ["1 Street", "TOWN", "Co. Cork", "1000", "IRELAND"]),
        ("TR", "Ankara", ["1 Street", "1000 TOWN/Ankara", "TÜRKIYE"]),
    ],
)
def test_a_state_is_written_only_where_the_post_uses_it(
    country: str, state: str, lines: list[str]
) -> None:
    values = {"address1": "1 Street", "city": "Town", "postcode": "1000", "state": state}
    assert lines_from("GB", **values, country=country)[1:] == lines


@for_each(
    "country, town, state, lines",
    [
        ("IT", "Milano", "MILANO", ["1 MILANO", "ITALIEN"]),
        ("ES", "Barcelona", "Barcelona", ["1 BARCELONA", "SPANIEN"]),
        ("AE", "Dubai", "Dubai", ["DUBAI 1", "VEREINIGTE ARABISCHE EMIRATE"]),
        ("IT", "Segrate", "Milano", ["1 SEGRATE MILANO", "ITALIEN"]),
        ("US", "New York", "New York", ["NEW YORK, NEW YORK 1", "VEREINIGTE STAATEN"]),
    ],
)
def test_a_state_with_the_name_of_its_town_is_written_once(
    country: str, town: str, state: str, lines: list[str]
) -> None:
    found = lines_from("DE", city=town, state=state, postcode="1", country=country)
    assert found[-2:] == lines


def test_a_state_without_a_town_is_the_town() -> None:
    found = lines_from("DE", postcode="28195", state="Bremen", country="DE")
    assert found == ["Ann Lee", "28195 Bremen"]


def test_french_addresses_begin_with_the_company() -> None:
    assert lines_from("FR", **FIELDS, country="FR")[:2] == ["Acme & Söhne", "Ann Lee"]


def test_a_country_that_writes_in_capitals() -> None:
    found = lines_from("GB", **FIELDS, country="CA")
    assert found == [
        "ANN LEE",
        "ACME & SÖHNE",
        "GORCH-FOCK-STRASSE 7",
        "HOF 2",
        "OLDENBURG NIEDERSACHSEN 26133",
        "CANADA",
    ]


def test_japan_writes_from_the_country_to_the_person_at_home_only() -> None:
    assert lines_from("JP", **FIELDS, country="JP") == [
        "〒26133",
        "NIEDERSACHSEN",
        "Oldenburg",
        "Gorch-Fock-Straße 7",
        "Hof 2",
        "Acme & Söhne",
        "Ann Lee",
    ]
    assert lines_from("GB", **FIELDS, country="JP")[:4] == [
        "Ann Lee",
        "Acme & Söhne",
        "Gorch-Fock-Straße 7",
        "Hof 2",
    ]


@pytest.mark.parametrize("postcode", ["L-4711", "l 4711", "L4711"])
def test_a_prefix_is_not_written_twice(postcode: str) -> None:
    assert lines_from("DE", city="Luxembourg", postcode=postcode, country="LU")[-2:] == [
        f"{postcode} LUXEMBOURG",
        "LUXEMBURG",
    ]


@pytest.mark.parametrize("country", ["CH", "FI", "SE"])
def test_a_prefix_for_mail_from_abroad_is_left_out_at_home(country: str) -> None:
    assert lines_from(country, postcode="12345", country=country)[-1] == "12345"
    assert lines_from("DE", postcode="12345", country=country)[-2] == f"{country}-12345"


@pytest.mark.parametrize("city", ["Singapore", "SINGAPORE", None])
def test_a_town_that_the_format_contains_is_not_written_twice(city: str | None) -> None:
    found = lines_from("GB", address1="1 Road", city=city, postcode="546080", country="SG")
    assert found == ["Ann Lee", "1 Road", "SINGAPORE 546080", "SINGAPORE"]


def test_a_town_beside_the_one_in_the_format_has_its_own_line() -> None:
    found = lines_from("GB", city="Jurong", postcode="546080", country="SG")
    assert found == ["Ann Lee", "JURONG", "SINGAPORE 546080", "SINGAPORE"]


def test_a_word_of_the_format_stays_without_a_postcode() -> None:
    assert lines_from("US", city="San Juan", state="PR", country="PR")[-2:] == [
        "SAN JUAN PR",
        "PUERTO RICO",
    ]
    assert "JERSEY" in lines_from("JE", city="St. Helier", country="JE")


@pytest.mark.parametrize(
    "country, city, postcode, expected",
    [
        ("JE", "St. Helier", "JE2 3AS", ["ST. HELIER", "JE2 3AS", "JERSEY"]),
        ("GG", "St. Peter Port", "GY1 1AA", ["ST. PETER PORT", "GY1 1AA", "GUERNSEY"]),
        ("AX", "Mariehamn", "22100", ["AX-22100 MARIEHAMN", "ÅLAND ISLANDS"]),
        ("GI", None, "GX11 1AA", ["GX11 1AA", "GIBRALTAR"]),
    ],
)
def test_a_country_is_named_once_on_a_letter_from_abroad(
    country: str, city: str | None, postcode: str, expected: list[str]
) -> None:
    found = lines_from("GB", city=city, postcode=postcode, country=country)
    assert found == ["Ann Lee", *expected]


@for_each("country", ["DE", "AT", "CH", "US", "FR", "GB"])
@for_each(
    "care_of", ["c/o Lindner", "C/O Lindner", "℅ Lindner", "c / o Lindner", "care of Lindner"]
)
def test_care_of_is_above_the_street_in_either_field(country: str, care_of: str) -> None:
    street = "Deichstraße 25"
    for first, second in ((street, care_of), (care_of, street)):
        found = lines_from(
            country, address1=first, address2=second, city="Ulm", postcode="89073", country=country
        )
        folded = [each.casefold() for each in found]
        name = next(place for place, each in enumerate(folded) if "lee" in each)
        place = folded.index(care_of.casefold())
        assert folded[place + 1].startswith("deichstra"), found
        assert name < place


def test_a_second_line_that_is_no_care_of_stays_below_the_street() -> None:
    for second in ("Hof 2", "Coburger Haus", "Chezhaus 3", "c", "3. Stock"):
        assert lines_from("DE", address1="Deichstraße 25", address2=second)[1:] == [
            "Deichstraße 25",
            second,
        ]


def test_an_address_that_begins_with_the_country_has_care_of_beside_the_name() -> None:
    found = lines_from("JP", address1="1-2-3 Ginza", address2="c/o Sato", city="X", country="JP")
    assert found[-3:] == ["1-2-3 Ginza", "c/o Sato", "Ann Lee"]


def test_a_small_space_does_not_cut_care_of_or_the_street() -> None:
    space = AddressSpace(lines=4, width=40, shortening=Shortening.CUT)
    for first, second in (("Deichstraße 25", "c/o Lindner"), ("c/o Haus 7", "Deichstraße 25")):
        line = address(address1=first, address2=second, city="Ulm", postcode="89073")
        lines = address_lines(line, build_layout(["DE"], "DE"))
        fitted = fit_address(line, lines, space)
        assert {first, second} <= set(fitted.lines)


def test_blanks_and_line_breaks_become_single_spaces() -> None:
    found = lines_from("DE", address1=" Weg \n 5\t", address2="  ", city="\N{NO-BREAK SPACE}Ulm ")
    assert found == ["Ann Lee", "Weg 5", "Ulm"]


def test_letters_in_two_characters_become_one() -> None:
    assert lines_from("DE", city="Ko\N{COMBINING DIAERESIS}ln") == ["Ann Lee", "Köln"]


def test_control_characters_become_blanks() -> None:
    assert lines_from("DE", city="Bad\0Ems\x85\x7f")[-1] == "Bad Ems"


def has_state(country: str, home: str | None) -> bool:
    return "%S" in address_format(country, home)


def shown(value: str) -> str:
    return value.upper().casefold()


CUT = AddressSpace(lines=4, width=20, shortening=Shortening.CUT)


@for_each(
    "fields, expected",
    [
        (
            {"company": "Acme & Söhne GmbH", "address1": "Gorch-Fock-Platz 7", "address2": "Hof"},
            ["Ann Lee, Acme & Söh…", "Gorch-Fock-Pl. 7, H…", "26133 OLDENBURG", "DEUTSCHLAND"],
        ),
        (
            {"last_name": "Hohenstein-Wagner", "company": "Acme", "address1": "Gorch-Fock-Weg 7"},
            ["Ann Hohenstein-Wagn…", "Gorch-Fock-Weg 7", "26133 OLDENBURG", "DEUTSCHLAND"],
        ),
        (
            {"address1": "bei Lieselotte Meyer", "address2": "Gorch-Fock-Weg 77"},
            None,  # which of the lines is the street, is not known
        ),
    ],
)
def test_a_small_space_never_loses_name_street_town_and_country(
    fields: dict[str, str], expected: list[str] | None
) -> None:
    line = address(**{"city": "Oldenburg", "postcode": "26133", **fields})  # type: ignore[arg-type]
    layout = build_layout([line.country], "AT")
    fitted = fit_address(line, address_lines(line, layout), CUT)
    assert (fitted.lines if fitted.fits else None) == expected


VALUES = st.one_of(
    st.none(),
    st.text(st.sampled_from("aBß1ıŁ-’ \n"), max_size=6),
    st.sampled_from(["Singapore", "PR", "L-1", "Gibraltar", "Åland", "〒1", "%C", "%n", "AZ"]),
)


@given(
    fields=st.fixed_dictionaries(dict.fromkeys(FIELDS, VALUES)),
    country=st.sampled_from(sorted(COUNTRIES)),
    home=st.sampled_from(["DE", "JP", "SG", None]),
)
def test_no_field_is_ever_lost(
    fields: dict[str, str | None], country: str, home: str | None
) -> None:
    lines = lines_from(home, **fields, country=country)
    assert all(line == " ".join(line.split()) for line in lines)
    text = shown("\n".join(lines))
    if fields["city"] and not has_state(country, home):
        fields = {**fields, "state": None}
    for value in fields.values():
        for part in (value or "").split():
            assert shown(part) in text


SUBSETS = [
    dict(zip(FIELDS, chosen, strict=True))
    for chosen in product(*([None, value] for value in FIELDS.values()))
]
SHOWN = {value: shown(value) for value in FIELDS.values()}


@pytest.mark.parametrize("is_home", [False, True])
def test_every_subset_of_fields_is_complete_in_every_country(is_home: bool) -> None:
    tested = set()
    for country in COUNTRIES:
        layout = build_layout([country], country if is_home else None)
        rules = layout.countries[country]
        if (rules.format, rules.upper) not in tested:
            tested.add((rules.format, rules.upper))
            for fields in SUBSETS:
                line = address(**fields, country=country)  # type: ignore[arg-type]
                lines = address_lines(line, layout)
                text = shown("\n".join(lines))
                if fields["city"] and "%S" not in rules.format:
                    assert SHOWN["Niedersachsen"] not in text
                    fields = {**fields, "state": None}
                assert all(SHOWN[value] in text for value in fields.values() if value)
                assert all(lines)
    assert len(tested) > 60


def test_the_country_is_always_last() -> None:
    for country in COUNTRIES:
        lines = lines_from(None, **FIELDS, country=country)
        layout = build_layout([country], None)
        assert lines[-1] == layout.countries[country].name != ""


def test_a_layout_has_only_its_countries_in_order() -> None:
    layout = build_layout(["US", "AT", "US", "DE"], "DE")
    assert layout == Layout(
        home="DE",
        countries={
            "AT": CountryLayout(
                name="ÖSTERREICH",
                group=CountryGroup.EUROPE,
                format="%O%n%N%n%A%n%Z %C",
                upper="C",
                requires="ACZ",
            ),
            "DE": CountryLayout(
                name="",
                group=CountryGroup.HOME,
                format="%N%n%O%n%A%n%Z %C",
                upper="",
                requires="ACZ",
            ),
            "US": CountryLayout(
                name="VEREINIGTE STAATEN",
                group=CountryGroup.REST,
                format="%N%n%O%n%A%n%C, %S %Z",
                upper="CS",
                requires="ACSZ",
            ),
        },
    )
    assert list(layout.countries) == ["AT", "DE", "US"]


def test_a_frozen_layout_decides_even_if_the_data_changes() -> None:
    frozen = CountryLayout(
        name="ELBONIA", group=CountryGroup.REST, format="%Z–%C%n%A%n%O%n%N", upper="N", requires=""
    )
    line = address(city="Mud", postcode="1", state="North", address1="Hut")
    assert address_lines(line, Layout(home=None, countries={"DE": frozen})) == [
        "1–Mud",
        "Hut",
        "ANN LEE",
        "ELBONIA",
    ]


@pytest.mark.parametrize(
    "first, last, name",
    [("Ann", "Lee", "Ann Lee"), ("Ann", None, "Ann"), (None, " Lee ", "Lee"), (None, "", "")],
)
def test_the_name_of_a_person(first: str | None, last: str | None, name: str) -> None:
    assert person_name(address(first_name=first, last_name=last)) == name


def test_street_and_po_box_are_told_apart() -> None:
    line = address(address1="Hauptstr. 5", address2="Postfach 12 34")
    assert split_po_box(line) == (["Hauptstr. 5"], "Postfach 12 34")
    line = address(address1="PO Box 1", address2="BP 2")
    assert split_po_box(line) == ([], "PO Box 1, BP 2")
    assert split_po_box(address()) == ([], "")


@for_each(
    "country, salutation, title, first, name",
    [
        ("DE", None, None, "Ada", "Ada Ng"),
        ("DE", Salutation.MS, "Dr.", "Ada", "Dr. Ada Ng"),
        ("DE", Salutation.MS, "Dr.", None, "Frau Dr. Ng"),
        ("AT", Salutation.MR, None, None, "Herr Ng"),
        ("FR", Salutation.MS, None, None, "Mme Ng"),
        ("GB", Salutation.MR, None, None, "Mr Ng"),
        ("US", Salutation.MR, None, None, "Mr. Ng"),
        ("JP", Salutation.MS, None, None, "Ms Ng"),
    ],
)
def test_a_title_is_before_the_name_and_a_salutation_before_a_last_name_alone(
    country: str, salutation: Salutation | None, title: str | None, first: str | None, name: str
) -> None:
    plain = address(first_name=first, last_name="Ng", country=country)
    line = replace(plain, salutation=salutation, title=title)
    assert formal_name(line) == name
    assert address_lines(line, build_layout([country], country))[0].casefold() == name.casefold()


def test_a_company_without_a_person_has_no_title() -> None:
    line = replace(address(first_name=None, last_name=None), title="Dr.", salutation=Salutation.MS)
    assert formal_name(line) == ""
