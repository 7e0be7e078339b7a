"""What is known of a country's post: names in the right language, groups, lazy loading."""

import re
import subprocess
import sys

import pytest
from babel.core import get_global

from masthead.model.dispatch.postal.rules import (
    EUROPE,
    address_format,
    country_group,
    name_in_capitals,
    postal_rules,
    postcode_form,
)
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.types.countries import COUNTRIES
from tests.support.cases import for_each


@for_each(
    "home, name",
    [
        ("DE", "FRANKREICH"),
        ("CH", "FRANKREICH"),  # of four languages, most people speak German
        ("LI", "FRANKREICH"),
        ("BE", "FRANKRIJK"),
        ("ES", "FRANCIA"),
        ("BR", "FRANÇA"),
        ("TR", "FRANSA"),
        ("GB", "FRANCE"),
        ("IE", "FRANCE"),
        ("MT", "FRANCE"),  # English before Maltese, which has more speakers
        ("IN", "FRANCE"),
        ("JP", "FRANCE"),  # no Latin letters
        ("RU", "FRANCE"),
        ("GR", "FRANCE"),
        ("KM", "FRANCE"),  # the first language is unknown to Babel
        ("AQ", "FRANCE"),
        (None, "FRANCE"),
    ],
)
def test_a_country_has_the_name_that_the_sorting_office_at_home_reads(
    home: str | None, name: str
) -> None:
    assert name_in_capitals("FR", home) == name


def test_no_country_is_named_at_home() -> None:
    assert {name_in_capitals(country, country) for country in COUNTRIES} == {""}


@for_each("home", ["AF", "BG", "BT", "CN", "EG", "ET", "KG", "NP", "TH", "VU"])
def test_names_are_in_capitals_and_latin_letters(home: str) -> None:
    assert re.fullmatch("[A-Z]+", name_in_capitals("AT", home))


@pytest.mark.parametrize("home", ["DE", "GB", "FR", "PL", None])
def test_names_fit_on_a_label(home: str | None) -> None:
    long = {code for code in COUNTRIES if len(name_in_capitals(code, home)) > 40}
    assert long <= {"GS", "IO", "PS", "TF", "UM"}


def test_capitals_of_turkish_names_have_their_dots() -> None:
    assert name_in_capitals("IT", "TR") == "İTALYA"
    assert name_in_capitals("IT", "AZ") == "İTALİYA"


def test_a_code_without_a_name_is_its_own_name() -> None:
    assert name_in_capitals("QY", "DE") == "QY"


def test_home_is_the_country_itself() -> None:
    assert country_group("DE", "DE") is CountryGroup.HOME
    assert country_group("US", "US") is CountryGroup.HOME
    assert country_group("DE", None) is CountryGroup.EUROPE
    assert country_group("DE", "US") is CountryGroup.EUROPE
    assert country_group("US", "DE") is CountryGroup.REST
    assert country_group("PR", "US") is CountryGroup.REST


def test_europe_agrees_with_the_time_zones_of_cldr() -> None:
    zones = get_global("territory_zones")
    european = {
        code
        for code in COUNTRIES
        if any(zone.startswith("Europe/") for zone in zones.get(code, ()))
    }
    assert european < EUROPE
    assert EUROPE - european == {"AM", "AZ", "CY", "FO", "GE", "IS", "SJ", "XK"}


def test_europe_has_the_members_of_the_european_union() -> None:
    union = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"
    assert set(union.split()) <= EUROPE <= COUNTRIES.keys()


def test_every_country_has_usable_rules() -> None:
    for country in COUNTRIES:
        rules = postal_rules(country)
        for text in (rules.local, rules.latin):
            assert set(re.findall("%(.)", text)) <= set("NOACSZn")
            assert {"%N", "%O", "%A"} <= set(re.findall("%.", text)), country
        assert set(rules.requires) <= set("ACSZ")
        form = postcode_form(country)
        if form and rules.example:
            assert form.fullmatch(rules.example), country


@pytest.mark.parametrize(
    "country, postcode",
    [
        ("CH", "8001"),
        ("CH", "CH-8001"),
        ("CH", "ch 8001"),
        ("LU", "L-4711"),
        ("SI", "1000"),
        ("GB", "w1a 1aa"),
        ("NL", "1012AB"),
        ("AZ", "AZ 1000"),
        ("SG", "546080"),
    ],
)
def test_a_postcode_may_have_its_prefix(country: str, postcode: str) -> None:
    form = postcode_form(country)
    assert form
    assert form.fullmatch(postcode)


@pytest.mark.parametrize("country, postcode", [("CH", "D-8001"), ("DE", "1234"), ("DE", "12345 ")])
def test_other_postcodes_do_not_match(country: str, postcode: str) -> None:
    form = postcode_form(country)
    assert form
    assert not form.fullmatch(postcode)


def test_a_country_without_postcodes_has_no_form() -> None:
    assert postcode_form("HK") is None


def test_a_country_without_data_has_general_rules() -> None:
    assert postal_rules("QY").latin == "%N%n%O%n%A%n%C"
    assert address_format("QY", "DE") == "%N%n%O%n%A%n%C"


def test_nothing_is_read_before_it_is_needed() -> None:
    program = (
        "import sys\n"
        "from masthead.model.dispatch import address_layout\n"
        "from masthead.model.dispatch.postal.rules import postal_rules\n"
        "assert postal_rules.cache_info().currsize == 0\n"
        "assert 'requests' not in sys.modules\n"
        "address_layout.build_layout(['DE'], 'DE')\n"
        "assert postal_rules.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
