"""Warnings about addresses, before they cost postage."""

import tracemalloc

import pytest

from masthead.model.dispatch.address_checks import (
    AddressChecker,
    AddressReport,
    ProblemKind,
    character_name,
    explain_characters,
    missing_characters,
)
from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.translations import in_language
from masthead.model.types.countries import COUNTRIES
from tests.model.dispatch.addresses import address

GOOD = {"address1": "Weg 1", "city": "Ulm", "postcode": "89073"}


def good(id: int = 1, **fields: str | None) -> DispatchLine:
    return address(id=id, **GOOD | fields)  # type: ignore[arg-type]


def check(*lines: DispatchLine, home: str | None = "DE", **options: object) -> AddressReport:
    layout = build_layout([line.country for line in lines], home)
    return AddressChecker(layout, **options).check(lines)  # type: ignore[arg-type]


def problem(line: DispatchLine, **options: object) -> tuple[ProblemKind, str]:
    """The only problem of the line: kind and message."""
    report = check(line, **options)  # type: ignore[arg-type]
    assert list(report.counts.values()) == [1]
    ((kind, (found,)),) = report.problems.items()
    assert found.kind is kind
    assert found.line is line
    return kind, found.message


def test_a_good_address_has_no_problems() -> None:
    assert check(good(), encoding="windows-1252", space=AddressSpace(lines=4, width=30)) == (
        AddressReport(lines=1)
    )


def test_a_town_none_is_in_italy() -> None:
    assert check(good(city="None", country="IT", postcode="10060")) == AddressReport(lines=1)


def test_a_country_has_its_name_in_the_language_of_the_reader() -> None:
    with in_language("de"):
        _, message = problem(good(city=None, country="NZ", postcode="6011"))
    assert message == "Ann Lee: Der Ort fehlt, nötig für Post nach: Neuseeland."


@pytest.mark.parametrize(
    "line, kind, message",
    [
        (
            good(address1=None),
            ProblemKind.MISSING_STREET,
            "Ann Lee, Ulm: there is no street or PO box, which mail to Germany needs.",
        ),
        (
            good(city=None),
            ProblemKind.MISSING_TOWN,
            "Ann Lee: there is no town, which mail to Germany needs.",
        ),
        (
            good(postcode=None),
            ProblemKind.MISSING_POSTCODE,
            "Ann Lee, Ulm: there is no postcode; in Germany, one looks like `26133`.",
        ),
        (
            good(postcode="D-89073"),
            ProblemKind.WRONG_POSTCODE,
            "Ann Lee, Ulm: the postcode is `D-89073`; in Germany, one looks like `26133`.",
        ),
        (
            good(last_name="O&#039;Brien", city="#REF!"),
            ProblemKind.NOT_AN_ADDRESS,
            "Ann O&#039;Brien, #REF!: the last name is `O&#039;Brien`, which has codes of HTML.",
        ),
        (
            good(city="2026-01-15"),
            ProblemKind.NOT_AN_ADDRESS,
            "Ann Lee, 2026-01-15: the town is `2026-01-15`, which is a date.",
        ),
        (
            good(city="None"),
            ProblemKind.NOT_AN_ADDRESS,
            "Ann Lee, None: the town is `None`, which programs write for an empty field.",
        ),
        (
            good(address1="May-12"),
            ProblemKind.NOT_AN_ADDRESS,
            "Ann Lee, Ulm: the address is `May-12`, which is a date.",
        ),
        (
            good(last_name="NULL"),
            ProblemKind.NOT_AN_ADDRESS,
            "Ann NULL, Ulm: the last name is `NULL`, which programs write for an empty field.",
        ),
        (
            good(country="PA", state=None, postcode=None),
            None,
            "",
        ),
        (
            good(country="AE", city=None, postcode=None),
            ProblemKind.MISSING_TOWN,
            "Ann Lee: there is no town, which mail to United Arab Emirates needs.",
        ),
        (
            good(country="VE", city="Caracas", postcode=None),
            ProblemKind.MISSING_STATE,
            "Ann Lee, Caracas: there is no state and no postcode; mail to Venezuela needs one of "
            "them.",
        ),
    ],
)
def test_missing_and_wrong_fields(
    line: DispatchLine, kind: ProblemKind | None, message: str
) -> None:
    if kind is None:
        assert check(line).counts == {}
    else:
        assert problem(line) == (kind, message)


@pytest.mark.parametrize(
    "line",
    [
        good(address1=None, address2="Postfach 12"),
        good(country="HK", state="Kowloon", city=None, postcode=None),
        good(country="HK", city="Hong Kong", postcode=None),
        good(country="US", postcode="95014"),
        good(country="IT", postcode="00184"),
        good(country="IE", postcode=None),
        good(country="CH", postcode="CH-8001"),
        good(country="SG", city=None, postcode="546080"),
        good(postcode=" 89073 "),
    ],
)
def test_what_a_country_does_not_need_is_no_problem(line: DispatchLine) -> None:
    assert check(line).counts == {}


def test_a_company_without_a_person_is_named() -> None:
    line = good(first_name=None, last_name=None, company="Acme", postcode=None)
    assert problem(line)[1].startswith("Acme, Ulm: ")


def test_an_address_without_a_name_and_town_has_a_message() -> None:
    line = address(first_name=None, last_name=None, postcode="1")
    report = check(line)
    assert report.counts.keys() == {
        ProblemKind.MISSING_STREET,
        ProblemKind.MISSING_TOWN,
        ProblemKind.WRONG_POSTCODE,
    }
    assert report.problems[ProblemKind.MISSING_TOWN][0].message.startswith("Copy 1: there is no")


def test_lines_that_do_not_fit_are_too_long() -> None:
    space = AddressSpace(lines=7, width=12, shortening=Shortening.NEVER)
    line = good(address1="Gorch-Fock-Straße 7")
    assert problem(line, space=space) == (
        ProblemKind.TOO_LONG,
        "Ann Lee, Ulm: `Gorch-Fock-Straße 7` has 19 characters, and there is space for 12.",
    )
    space = AddressSpace(lines=2, width=12, shortening=Shortening.ARRANGE)
    assert problem(good(address1="Gorch Fock 7"), space=space) == (
        ProblemKind.TOO_LONG,
        "Ann Lee, Ulm: the address has 3 lines, and there is space for 2.",
    )


def test_what_the_profile_rearranges_is_no_problem() -> None:
    space = AddressSpace(lines=2, width=20, shortening=Shortening.ARRANGE)
    assert check(good(), space=space).counts == {}


def test_what_the_profile_shortens_is_listed() -> None:
    space = AddressSpace(lines=3, width=9, shortening=Shortening.CUT)
    assert problem(good(address1="Weg 123456"), space=space) == (
        ProblemKind.SHORTENED,
        "Ann Lee, Ulm: shortened to fit: `Weg 123456`.",
    )


def test_characters_that_the_encoding_lacks_are_named_with_their_field() -> None:
    line = good(last_name="Wałęsa", city="Łódź")
    assert problem(line, encoding="windows-1252") == (
        ProblemKind.MISSING_CHARACTER,
        "Ann Wałęsa, Łódź: the last name is `Wałęsa`; Windows-1252 has no ł (Latin small letter l "
        "with stroke), ę (Latin small letter e with ogonek), Ł (Latin capital letter l with "
        "stroke), ź (Latin small letter z with acute).",
    )
    assert check(line, encoding="utf-8").counts == {}


def test_at_most_five_characters_are_named() -> None:
    line = good(last_name="ĄąĆćĘęŁ")
    _, message = problem(line, encoding="windows-1252")
    assert message.startswith("Ann ĄąĆćĘęŁ, Ulm: the last name is `ĄąĆćĘęŁ`; Windows-1252 has no Ą")
    assert message.endswith("Ę (Latin capital letter e with ogonek), and 2 more.")


def test_a_character_of_no_field_is_one_of_the_address() -> None:
    layout = build_layout(["DE"], None)
    assert explain_characters(good(), layout, "漢", "a font").startswith("the address is `Ann Lee")


def test_the_name_of_the_country_must_be_in_the_encoding_too() -> None:
    line = good(country="IT", postcode="00184")
    kind, message = problem(line, home="PL", encoding="windows-1252")
    assert kind is ProblemKind.MISSING_CHARACTER
    assert "the country is `WŁOCHY`" in message


def test_letters_that_capitals_change_are_checked_in_both_forms() -> None:
    line = good(city="Ulmı", country="FR")
    kind, message = problem(line, encoding="windows-1252")
    assert kind is ProblemKind.MISSING_CHARACTER
    assert "the town is `Ulmı`" in message
    line = good(city="ƒ", country="FR")  # only the capital is missing
    kind, message = problem(line, encoding="windows-1252")
    assert "the town is `ƒ`" in message


def test_letters_in_two_characters_are_no_problem() -> None:
    line = good(city="Ko\N{COMBINING DIAERESIS}ln")
    assert check(line, encoding="windows-1252").counts == {}


@pytest.mark.parametrize(
    "text, missing",
    [("", ""), ("Straße €", ""), ("łŁ€ł", "łŁ"), ("e\N{COMBINING ACUTE ACCENT}", "\u0301")],
)
def test_missing_characters(text: str, missing: str) -> None:
    assert missing_characters(text, "windows-1252") == missing


@pytest.mark.parametrize(
    "character, name",
    [
        ("ł", "ł (Latin small letter l with stroke)"),
        ("Ж", "Ж (Cyrillic capital letter zhe)"),
        ("\u0301", "◌\u0301 (Combining acute accent)"),
        ("\ue000", "\ue000 (U+E000)"),
    ],
)
def test_a_character_has_a_name(character: str, name: str) -> None:
    assert character_name(character) == name


def test_duplicates_and_households_name_the_other_copy() -> None:
    report = check(
        good(id=7), good(id=8, last_name="LEE", address1="Weg  1"), good(id=9, last_name="Bo")
    )
    assert report.counts == {ProblemKind.DUPLICATE: 1, ProblemKind.HOUSEHOLD: 1}
    (duplicate,) = report.problems[ProblemKind.DUPLICATE]
    assert duplicate.other_copy_id == 7
    assert duplicate.line.copy_id == 8
    assert duplicate.message == (
        "Ann LEE, Ulm: another copy has the same name and address, `Weg  1, 89073, Ulm`."
    )
    (household,) = report.problems[ProblemKind.HOUSEHOLD]
    assert household.other_copy_id == 7
    assert household.message == (
        "Ann Bo, Ulm: another subscriber has the same address, `Weg 1, 89073, Ulm`."
    )


def test_all_lines_count_but_only_the_first_are_listed() -> None:
    lines = [good(id=number, postcode=None) for number in range(1, 31)]
    report = check(*lines, keep=3)
    assert report.lines == 30
    assert report.counts == {ProblemKind.MISSING_POSTCODE: 30, ProblemKind.DUPLICATE: 29}
    listed = report.problems[ProblemKind.MISSING_POSTCODE]
    assert [found.line.copy_id for found in listed] == [1, 2, 3]
    assert len(report.problems[ProblemKind.DUPLICATE]) == 3


def test_lines_can_be_checked_in_parts() -> None:
    checker = AddressChecker(build_layout(["DE"], "DE"))
    assert checker.check([good(id=1)]).counts == {}
    report = checker.check([good(id=2)])
    assert report.lines == 2
    assert report.counts == {ProblemKind.DUPLICATE: 1}
    assert checker.report is report


def test_two_reports_share_nothing() -> None:
    check(good(postcode=None))
    assert check(good()).counts == {}


def test_a_line_takes_only_a_few_bytes() -> None:
    checker = AddressChecker(build_layout(["DE"], "DE"))
    checker.check([good()])
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        checker.check(good(id=number, address1=f"Weg {number}") for number in range(2, 5_002))
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert used / 5_000 < 250


def test_an_empty_address_can_be_checked_in_every_country() -> None:
    lines = [address(country=country) for country in COUNTRIES]
    report = check(*lines, home=None, encoding="windows-1252", space=AddressSpace(lines=1, width=4))
    assert report.counts[ProblemKind.MISSING_STREET] == len(COUNTRIES)
    assert ProblemKind.DUPLICATE not in report.counts


def test_each_kind_has_a_label() -> None:
    assert len({kind.label for kind in ProblemKind}) == len(ProblemKind)
