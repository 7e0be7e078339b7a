"""CSV files: encodings, separators, formulas, columns."""

import pytest
from msgspec.structs import replace

from masthead.model.dispatch.built_in_profiles import BUILT_IN, columns_of
from masthead.model.dispatch.copy_keys import line_of_key
from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.profiles import (
    FileColumn,
    FileField,
    FileFormat,
    FormulaRule,
    ProfileSettings,
    Separator,
)
from masthead.model.errors import Invalid
from masthead.services.dispatch import profiles
from masthead.store.dispatch import files as store
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build, freeze_run, request, rows_of

CSV = FileFormat.CSV
MAILING_HOUSE = BUILT_IN["mailing-house"].settings


async def own(cast: Cast, settings: ProfileSettings) -> str:
    """The id of a new profile."""
    made = await profiles.create_profile(
        cast.db, cast.account_id, name="Own", settings=settings, by=BY
    )
    return made.id


async def test_every_field_has_its_column(acme: Cast) -> None:
    run = await freeze_run(
        acme,
        {
            "first_name": "Ada",
            "last_name": "Ng",
            "company": "Müller; Söhne",
            "address1": "Am Markt 3",
            "address2": "Postfach 12 34",
            "city": "Dresden",
            "postcode": "01067",
            "country": "DE",
        },
    )
    settings = replace(
        MAILING_HOUSE,
        columns=columns_of(*FileField),
        block=AddressSpace(lines=7, width=35, shortening=Shortening.NEVER),
    )
    _, content = await build(acme, run, CSV, await own(acme, settings))
    (row,) = rows_of(content)
    assert line_of_key(acme.account_id, row.pop("key")) == run.first_line
    for id in ("subscriber_id", "subscription_id", "copy_id"):
        assert row.pop(id)
    lines = [row.pop(f"line{number}") for number in range(1, 8)]
    assert [line for line in lines if line][:2] == ["Ada Ng", "Müller; Söhne"]
    assert row == {
        "sequence": "1",
        "issue": "1",
        "salutation": "",
        "title": "",
        "name": "Ada Ng",
        "first_name": "Ada",
        "last_name": "Ng",
        "company": "Müller; Söhne",
        "extra_lines": "",
        "street": "Am Markt 3",
        "po_box": "Postfach 12 34",
        "address1": "Am Markt 3",
        "address2": "Postfach 12 34",
        "postcode": "01067",
        "postcode_text": "\t01067",
        "city": "Dresden",
        "state": "",
        "country": "DE",
        "country_name": row["country_name"],
        "country_group": row["country_group"],
        "medium": "Print",
        "copies": "1",
        "kind": "copy",
    }


@pytest.mark.parametrize("separator", list(Separator))
async def test_a_text_with_a_separator_or_a_quote_is_quoted(
    acme: Cast, separator: Separator
) -> None:
    run = await freeze_run(acme, {"company": 'a;b, "c"', "first_name": "Ada"})
    profile = await own(acme, replace(MAILING_HOUSE, separator=separator))
    _, content = await build(acme, run, CSV, profile)
    (row,) = rows_of(content, separator=separator.value)
    assert row["company"] == 'a;b, "c"'
    assert content.endswith(b"\r\n")


async def test_a_single_column_is_readable(acme: Cast) -> None:
    run = await freeze_run(acme, {"company": None, "first_name": "Ada"})
    profile = await own(acme, replace(MAILING_HOUSE, columns=columns_of(FileField.COMPANY)))
    _, content = await build(acme, run, CSV, profile)
    assert content == b'\xef\xbb\xbfcompany\r\n""\r\n'


@pytest.mark.parametrize(
    "rule, start",
    [
        (FormulaRule.SPACE, "\N{NO-BREAK SPACE}"),
        (FormulaRule.APOSTROPHE, "'"),
        (FormulaRule.KEEP, ""),
    ],
)
@pytest.mark.parametrize("text", ["=1+1", "+49 30", "-5", "@SUM(A1)"])
async def test_a_formula_is_guarded_as_the_profile_says(
    acme: Cast, rule: FormulaRule, start: str, text: str
) -> None:
    run = await freeze_run(acme, {"first_name": "Ada", "company": text})
    columns = (FileColumn(FileField.COMPANY, text), FileColumn(FileField.NAME, "name"))
    profile = await own(acme, replace(MAILING_HOUSE, formulas=rule, columns=columns))
    _, content = await build(acme, run, CSV, profile)
    (row,) = rows_of(content)
    assert row == {start + text: start + text, "name": "Ada"}


async def test_the_files_for_mailing_houses_have_neither_formulas_nor_apostrophes(
    acme: Cast,
) -> None:
    run = await freeze_run(acme, {"first_name": "=cmd", "company": "@x", "city": "-1"})
    for id in ("mailing-house", "lines-7x35", "lines-8x50", "lines-4x30"):
        _, content = await build(acme, run, CSV, id)
        (row,) = rows_of(content)
        assert not [cell for cell in row.values() if cell[:1] in ("=", "+", "-", "@", "'")]


async def test_windows_1252_names_the_characters_that_it_lacks_and_the_subscriber(
    acme: Cast,
) -> None:
    run = await freeze_run(
        acme,
        {"first_name": "Ann", "last_name": "A", "postcode": "1"},
        {"first_name": "Zoë", "last_name": "Łuk", "city": "Łódź", "postcode": "2"},
        {"first_name": "Ivo", "last_name": "C", "company": "Δ", "postcode": "3"},
    )
    file = await request(acme, run, CSV, "mailing-house-windows")
    with pytest.raises(Invalid) as refused:
        await build(acme, run, CSV, "mailing-house-windows")
    message = str(refused.value)
    assert "Line 2 (Zoë Łuk): Windows-1252 does not have `Ł` (U+0141" in message
    assert "Line 3 (Ivo C)" in message
    assert "Line 1" not in message
    failed = await store.get_file(acme.db, acme.account_id, file.id)
    assert (failed.status.value, failed.error) == ("failed", message)
    assert (await build(acme, run, CSV))[0].lines == 3  # other formats are not affected


async def test_windows_1252_writes_decomposed_letters_as_one(acme: Cast) -> None:
    run = await freeze_run(
        acme, {"first_name": "Zoe\u0308", "city": "Köln", "company": "€ 5 – “x”"}
    )
    _, content = await build(acme, run, CSV, "mailing-house-windows")
    (row,) = rows_of(content, encoding="cp1252")
    assert (row["name"], row["city"], row["company"]) == ("Zoë", "Köln", "€ 5 – “x”")


async def test_many_problems_are_counted(acme: Cast) -> None:
    run = await freeze_run(acme, *[{"first_name": "Łu"}] * 22)
    with pytest.raises(Invalid) as refused:
        await build(acme, run, CSV, "mailing-house-windows")
    first, *lines = str(refused.value).split("\n")
    assert first.startswith("22 lines cannot be written to this file. Choose another")
    assert len(lines) == 21
    assert all(line.startswith(f"Line {n} (Łu") for n, line in enumerate(lines[:20], start=1))
    assert lines[20] == "and 2 more lines."


async def test_of_many_characters_that_are_missing_five_are_named(acme: Cast) -> None:
    run = await freeze_run(acme, {"first_name": "αβγδεζη"})
    with pytest.raises(Invalid, match=r"\(U\+03B5, GREEK SMALL LETTER EPSILON\), and 2 more\."):
        await build(acme, run, CSV, "mailing-house-windows")


async def test_an_address_with_too_many_lines_stops_the_file(acme: Cast) -> None:
    run = await freeze_run(acme, {"first_name": "Ada", "company": "C", "address1": "S 1"})
    block = AddressSpace(lines=2, width=35, shortening=Shortening.NEVER)
    settings = replace(BUILT_IN["lines-7x35"].settings, block=block)
    with pytest.raises(Invalid, match=r"Line 1 \(Ada\): the address has 3 lines, but .* for 2"):
        await build(acme, run, CSV, await own(acme, settings))


async def test_shortened_and_long_lines_are_in_the_totals(acme: Cast) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän"
    run = await freeze_run(acme, {"first_name": "Ada", "company": long})
    file, content = await build(acme, run, CSV, "lines-4x30")
    assert file.totals is not None
    assert (file.totals.shortened, file.totals.too_long) == (1, 0)
    assert file.totals.notes == [f"Line 1 (Ada): `{long}` was shortened."]
    (row,) = rows_of(content)
    assert all(len(row[f"line{number}"]) <= 30 for number in range(1, 5))
    block = AddressSpace(lines=7, width=20, shortening=Shortening.NEVER)
    settings = replace(BUILT_IN["lines-7x35"].settings, block=block)
    file, content = await build(acme, run, CSV, await own(acme, settings))
    assert file.totals is not None
    assert (file.totals.shortened, file.totals.too_long) == (0, 1)
    assert file.totals.notes == [f"Line 1 (Ada): `{long}` is too long."]
    assert long in rows_of(content)[0].values()


async def test_a_postcode_without_leading_digit_needs_no_guard(acme: Cast) -> None:
    run = await freeze_run(acme, {"first_name": "Ada", "postcode": "SW1A 1AA"})
    columns = columns_of(FileField.POSTCODE_TEXT, FileField.NAME)
    _, content = await build(
        acme, run, CSV, await own(acme, replace(MAILING_HOUSE, columns=columns))
    )
    assert rows_of(content) == [{"postcode_text": "SW1A 1AA", "name": "Ada"}]
