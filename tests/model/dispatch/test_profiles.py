"""Export profiles: what settings are allowed, and the built-in ones."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from masthead.model.dispatch.built_in_profiles import (
    BUILT_IN,
    columns_of,
    default_profile,
    profile_name,
)
from masthead.model.dispatch.files import FileTotals, no_failures, run_file_name
from masthead.model.dispatch.fitting import AddressSpace
from masthead.model.dispatch.labels import OwnSheet, Paper
from masthead.model.dispatch.profiles import (
    Encoding,
    FileColumn,
    FileField,
    FileFormat,
    ProfileSettings,
    check_settings,
    sheet_of,
)
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.translations import in_language
from tests.support.cases import for_each

TABLE = BUILT_IN["mailing-house"].settings
LABELS = BUILT_IN["labels-l7160"].settings
SHEET = OwnSheet(paper=Paper.A4, columns=2, rows=4, width=90, height=60, left=10, top=10)


@for_each("id", BUILT_IN)
def test_a_built_in_profile_is_valid_and_can_be_stored(id: str) -> None:
    profile = BUILT_IN[id]
    assert (profile.id, profile.is_built_in, profile.is_active) == (id, True, True)
    assert check_settings(profile.settings) is profile.settings
    text = msgspec.json.encode(profile.settings)
    assert msgspec.json.decode(text, type=ProfileSettings) == profile.settings


def test_the_built_in_profiles_have_different_names() -> None:
    assert len({profile.name for profile in BUILT_IN.values()}) == len(BUILT_IN)


@for_each("format", FileFormat)
@for_each("home", [None, "DE", "US"])
def test_every_format_has_a_default_profile(format: FileFormat, home: str | None) -> None:
    profile = default_profile(format, home)
    assert format in profile.settings.formats
    if format is FileFormat.PDF:
        paper = sheet_of(profile.settings).paper
        assert paper is (Paper.LETTER if home == "US" else Paper.A4)


def test_every_field_has_a_label() -> None:
    assert all(each.label for each in FileField)


def with_columns(*columns: FileColumn) -> ProfileSettings:
    return replace(TABLE, columns=columns)


@for_each(
    "settings, message",
    [
        (replace(TABLE, formats=()), "Choose at least one format"),
        (replace(TABLE, contents=FileFormat.ZIP), "`contents` is `zip`"),
        (replace(TABLE, columns=()), "Choose at least one column"),
        (
            with_columns(*[FileColumn(FileField.NAME, f"c{n}") for n in range(61)]),
            "61 columns; at most 60",
        ),
        (with_columns(FileColumn(FileField.NAME, "")), "`header` is empty"),
        (with_columns(FileColumn(FileField.NAME, "x" * 61)), "61 characters; at most 60"),
        (with_columns(FileColumn(FileField.NAME, "a\tb")), "line break or a tab"),
        (
            replace(
                with_columns(FileColumn(FileField.NAME, "Imię")), encoding=Encoding.WINDOWS_1252
            ),
            "The name `Imię`",
        ),
        (
            with_columns(FileColumn(FileField.NAME, "n"), FileColumn(FileField.CITY, "n")),
            "2 columns have the name `n`",
        ),
        (with_columns(*columns_of(FileField.ADDRESS_LINES)), "how many lines of how many"),
        (
            replace(
                with_columns(
                    FileColumn(FileField.ADDRESS_LINES, "a"),
                    FileColumn(FileField.ADDRESS_LINES, "b"),
                ),
                block=AddressSpace(lines=7, width=35),
            ),
            "the address lines twice",
        ),
        (replace(TABLE, block=AddressSpace(lines=1, width=35)), "`lines` is 1; .* 2 to 12"),
        (replace(TABLE, block=AddressSpace(lines=7, width=9)), "`width` is 9; .* 10 to 200"),
        (replace(LABELS, sheet="L716"), "Did you mean `L716"),
        (replace(LABELS, start_label=22), "`start_label` is 22; .* 1 to 21"),
        (replace(LABELS, font_size=5.5), "`font_size` is 5.5; .* 6 to 24"),
        (replace(LABELS, own_sheet=replace(SHEET, columns=3)), "280.0 mm of width"),
        (replace(LABELS, own_sheet=replace(SHEET, rows=5)), "310.0 mm of height"),
        (replace(LABELS, own_sheet=replace(SHEET, width=10)), "`width` is 10"),
    ],
)
def test_invalid_settings_are_refused(settings: ProfileSettings, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        check_settings(settings)


def test_windows_1252_allows_the_headers_that_it_has() -> None:
    settings = with_columns(FileColumn(FileField.NAME, "Vorname – €"))
    settings = replace(settings, encoding=Encoding.WINDOWS_1252)
    assert check_settings(settings) == settings


def test_labels_need_no_columns_and_tables_in_a_zip_do() -> None:
    assert check_settings(replace(LABELS, columns=())).columns == ()
    with pytest.raises(Invalid, match="Choose at least one column"):
        check_settings(replace(LABELS, columns=(), contents=FileFormat.CSV))
    assert check_settings(replace(TABLE, formats=(FileFormat.CSV,))).columns == TABLE.columns


def test_an_own_sheet_is_measured_from_its_gaps() -> None:
    sheet = SHEET.check()
    assert (sheet.across, sheet.down) == (90, 60)
    assert replace(SHEET, column_gap=2, row_gap=1).check().across == 92


@pytest.mark.parametrize("attempts, none", [(0, 0), (1, 3), (2, 3), (3, 3), (4, 6)])
def test_the_number_of_attempts_never_falls(attempts: int, none: int) -> None:
    assert no_failures(attempts) == none


def test_the_name_of_a_file_has_only_plain_characters() -> None:
    names = ["issue_number", "number", "group_id", "created_at"]
    run: Any = msgspec.defstruct("Run", names)(12, 3, None, datetime(2026, 5, 3, tzinfo=UTC))
    own = "Drückerei Łódź: 7+35!"
    assert run_file_name(run, own, "csv", zone=UTC) == "issue-12-mailing-3-druckerei-lodz-7-35.csv"
    group = CountryGroup.HOME
    assert run_file_name(run, "中文", "zip", zone=UTC, group=group) == "issue-12-mailing-3-home.zip"
    assert run_file_name(run, "x" * 41, "csv", zone=UTC) == f"issue-12-mailing-3-{'x' * 40}.csv"
    with in_language("de"):
        assert (
            run_file_name(run, own, "csv", zone=UTC)
            == "ausgabe-12-aussendung-3-drueckerei-lodz-7-35.csv"
        )
        assert (
            run_file_name(run, "中文", "zip", zone=UTC, group=group)
            == "ausgabe-12-aussendung-3-inland.zip"
        )
        name = run_file_name(run, BUILT_IN["mailing-house"].name, "xlsx", zone=UTC)
        assert name == "ausgabe-12-aussendung-3-lettershop-csv.xlsx"


def test_notes_are_limited_and_sections_sorted() -> None:
    totals = FileTotals(
        countries={"FR": 1, "DE": 2}, groups={CountryGroup.REST: 1, CountryGroup.HOME: 2}
    )
    for number in range(30):
        totals.add_note(str(number))
    assert len(totals.notes) == 20
    assert list(totals.by_section()["countries"]) == ["DE", "FR"]
    assert list(totals.by_section()["groups"]) == ["home", "rest"]


def test_own_profiles_keep_their_names_in_every_language() -> None:
    assert [profile_name(each.name) for each in BUILT_IN.values()] == [
        each.name for each in BUILT_IN.values()
    ]
    assert profile_name("Labels of Nord") == "Labels of Nord"
