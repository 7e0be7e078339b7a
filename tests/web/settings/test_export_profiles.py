"""Settings: the pages of export profiles."""

import re
from typing import Any

from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.labels import OwnSheet, Paper
from masthead.model.dispatch.profiles import (
    Encoding,
    ExportProfile,
    FileColumn,
    FileField,
    FileFormat,
    Separator,
)
from masthead.store.dispatch import profiles as store
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.web.conftest import Person, fields_of
from tests.web.reports.test_home import words

OWN_SHEET = {
    "sheet": "own",
    "paper": "A4",
    "sheet_columns": "2",
    "sheet_rows": "4",
    "sheet_width": "90,5",
    "sheet_height": "60",
    "sheet_left": "10",
    "sheet_top": "12.5",
    "sheet_column_gap": "2",
    "sheet_row_gap": "0",
}


async def profiles_of(cast: Cast) -> list[ExportProfile]:
    """The profiles that the account has made."""
    return await store.list_profiles(cast.db, cast.account_id)


def form_of(page: str) -> list[tuple[str, str]]:
    """All fields of the form of a profile, in their order; ticked boxes only."""
    form = page[page.index('id="profile"') :]
    values = fields_of(f'<form method="post" {form}')
    order = re.findall(r'name="column" value="([^"]+)"', form)
    used = re.findall(r'name="used" value="([^"]+)" checked', form)
    rest = {name: value for name, value in values.items() if name not in ("column", "used", "do")}
    return [
        *rest.items(),
        *(("column", field) for field in order),
        *(("used", field) for field in used),
    ]


async def send(
    person: Person, address: str, do: str, drop: tuple[str, ...] = (), /, **typed: str
) -> Any:
    """Open the page of a profile, change fields and press a button."""
    fields = form_of((await person.http.get(address)).text)
    kept = [(name, value) for name, value in fields if name not in typed and name not in drop]
    data: dict[str, list[str]] = {}
    for name, value in [*kept, *typed.items(), ("do", do)]:
        data.setdefault(name, []).append(value)
    return await person.http.post(address, data=data, headers={"Sec-Fetch-Site": "same-origin"})


async def test_built_in_profiles_are_listed_and_cannot_be_edited(owner: Person) -> None:
    page = await owner.text("settings", "export-profiles")
    assert "Mailing house (CSV)" in page
    assert "3 × 7 labels on A4" in page
    assert "Built in" in page
    assert "/edit/" not in page
    response = await owner.see("settings", "export-profiles", "mailing-house", "edit")
    assert response.status_code == 404


async def test_a_copy_of_a_built_in_profile_is_created_and_edited(
    acme: Cast, owner: Person
) -> None:
    address = owner.address("settings", "export-profiles", "new") + "?from=lines-7x35"
    response = await send(
        owner,
        address,
        "save",
        ("zip",),
        name="Print shop",
        encoding="windows-1252",
        separator=",",
        lines="6",
        width="38",
        shortening="cut",
        **{"header-key": "Code"},
    )
    assert response.status_code == 303, words(response.text)
    (made,) = await profiles_of(acme)
    settings = made.settings
    assert (made.name, made.is_active) == ("Print shop", True)
    assert settings.formats == (FileFormat.CSV, FileFormat.XLSX)
    assert (settings.encoding, settings.separator) == (Encoding.WINDOWS_1252, Separator.COMMA)
    assert settings.block == AddressSpace(lines=6, width=38, shortening=Shortening.CUT)
    assert FileColumn(FileField.KEY, "Code") in settings.columns
    address = owner.address("settings", "export-profiles", made.id, "edit")
    response = await send(owner, address, "save", name="Printer")
    assert response.status_code == 303
    (changed,) = await profiles_of(acme)
    assert changed.name == "Printer"
    assert changed.settings == settings


async def test_columns_are_moved_and_left_out_without_saving_before_the_end(
    acme: Cast, owner: Person
) -> None:
    address = owner.address("settings", "export-profiles", "new") + "?from=lines-4x30"
    page = (await send(owner, address, "down:sequence", name="Mine")).text
    assert "Nothing has been saved" not in page
    order = re.findall(r'name="column" value="([^"]+)"', page)
    assert order[:3] == ["key", "sequence", "address_lines"]
    assert 'value="Mine"' in page
    page = (await send(owner, address, "up:sequence")).text
    assert re.findall(r'name="column" value="([^"]+)"', page)[0] == "sequence"
    assert await profiles_of(acme) == []
    fields = [("name", "Mine"), ("csv", "y"), ("do", "save"), ("sheet", "L7160")]
    fields += [("column", "city"), ("column", "key"), ("column", "nonsense"), ("used", "key")]
    fields += [("used", "city"), ("header-city", " Town ")]
    given = {name for name, _ in fields}
    rest = [pair for pair in form_of((await owner.http.get(address)).text) if pair[0] not in given]
    data: dict[str, list[str]] = {}
    for name, value in [*fields, *rest]:
        data.setdefault(name, []).append(value)
    response = await owner.http.post(address, data=data)
    assert response.status_code == 303, words(response.text)
    (made,) = await profiles_of(acme)
    assert made.settings.columns == (
        FileColumn(FileField.CITY, "Town"),
        FileColumn(FileField.KEY, "key"),
    )


async def test_a_sheet_of_an_own_size_is_saved(acme: Cast, owner: Person) -> None:
    address = owner.address("settings", "export-profiles", "new") + "?from=labels-l7160"
    response = await send(owner, address, "save", name="Big labels", start_label="3", **OWN_SHEET)
    assert response.status_code == 303, words(response.text)
    (made,) = await profiles_of(acme)
    assert made.settings.start_label == 3
    assert made.settings.own_sheet == OwnSheet(
        paper=Paper.A4,
        columns=2,
        rows=4,
        width=90.5,
        height=60.0,
        left=10.0,
        top=12.5,
        column_gap=2.0,
        row_gap=0.0,
    )
    page = await owner.text("settings", "export-profiles", made.id, "edit")
    assert "2 × 4 labels on A4; the first is printed on label 3" in page
    assert page.count('class="sheet-label sheet-used"') == 2
    assert 'value="90.5"' in page


@for_each(
    "typed, field, text",
    [
        ({"name": " "}, "name", "Give the profile a name."),
        ({"name": "x" * 81}, "name", "80"),
        ({"name": "mailing house (csv)"}, "name", "already has this name"),
        ({"lines": "1", "width": "30"}, "lines", "“Number of lines”"),
        ({"lines": "x", "width": "30"}, "lines", "Type a number, such as 12.5"),
        ({"lines": "4.5", "width": "30"}, "lines", "Type a whole number"),
        ({"start_label": "22"}, "start_label", "“First label to print on”"),
        ({"font_size": "inf"}, "font_size", "Type a number, such as 12.5"),
        ({**OWN_SHEET, "sheet_width": "300"}, "sheet_width", ""),
        ({**OWN_SHEET, "sheet_rows": "0"}, "sheet_rows", "“Labels down”"),
        ({"sheet": "9999"}, "sheet", ""),
    ],
    ids=str,
)
async def test_an_invalid_setting_is_marked_and_nothing_is_saved(
    acme: Cast, owner: Person, typed: dict[str, str], field: str, text: str
) -> None:
    address = owner.address("settings", "export-profiles", "new") + "?from=labels-l7160"
    response = await send(owner, address, "save", **{"name": "Mine", **typed})
    assert response.status_code == 400
    error = re.search(rf'<small id="{field}-error" class="error">(.*?)</small>', response.text)
    assert error, words(response.text)
    assert text in error[1]
    assert await profiles_of(acme) == []


async def test_a_profile_without_files_or_columns_is_refused(acme: Cast, owner: Person) -> None:
    address = owner.address("settings", "export-profiles", "new")
    response = await send(owner, address, "save", ("csv", "xlsx", "zip"), name="Mine")
    assert "Choose at least one format" in response.text
    response = await send(owner, address, "save", ("used",), name="Mine")
    assert "Choose at least one column" in response.text
    assert await profiles_of(acme) == []


async def test_the_sample_shows_two_lines_by_the_typed_settings(owner: Person) -> None:
    form = owner.address("settings", "account")
    await owner.send(form, {"country": "DK"})
    address = owner.address("settings", "export-profiles", "new")
    page = (await send(owner, address, "sample", **{"header-city": "Place"})).text
    sample = words(page[page.index('id="sample"') :])
    assert "Place Seaford" in sample
    assert "country_name SVERIGE" in sample
    page = (await send(owner, address, "sample", ("used",))).text
    assert "Choose at least one column" in page[page.index('id="sample"') :]
    page = (await send(owner, address, "sample", sheet="9999")).text
    assert 'class="warning"' in page[page.index('id="sample"') :]


async def test_htmx_gets_the_columns_or_the_sample_only(owner: Person) -> None:
    address = owner.address("settings", "export-profiles", "new")
    fields = dict(form_of((await owner.http.get(address)).text))
    for block, text in (("columns", "Move Key up"), ("sample", "Ada Byron")):
        response = await owner.http.post(
            address, data=fields, headers={"HX-Request": "true", "HX-Target": block}
        )
        assert text in response.text
        assert "<form" not in response.text


async def test_a_profile_is_deactivated_and_activated(acme: Cast, owner: Person) -> None:
    await send(owner, owner.address("settings", "export-profiles", "new"), "save", name="Mine")
    (made,) = await profiles_of(acme)
    for verb, is_active in (("deactivate", False), ("activate", True)):
        address = owner.address("settings", "export-profiles", made.id, verb)
        response = await owner.post(address)
        page = (await owner.http.get(response.headers["Location"])).text
        assert f"Mine is {'active' if is_active else 'inactive'}." in page
        assert (await profiles_of(acme))[0].is_active is is_active


async def test_an_unknown_profile_is_not_found(acme: Cast, rival: Cast, owner: Person) -> None:
    assert (await owner.see("settings", "export-profiles", "0NOSUCH", "edit")).status_code == 404
    missing = await owner.http.get(
        owner.address("settings", "export-profiles", "new"), params={"from": "0NOSUCH"}
    )
    assert missing.status_code == 404
