"""Rehearse, run, mend and undo an import on its pages."""

import asyncio
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import python_calamine
import xlsxwriter

from masthead.services import accounts
from masthead.services.imports.work.page_batches import work_on
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription
from tests.support.walk import walk
from tests.web.conftest import Person
from tests.web.imports.uploads import CHOSEN, FILES, choose, form_of, uploaded
from tests.web.subscribers.test_pages import words

COLUMNS = "Wer;Wohin;PLZ;Ort;Land;Was;Ab;Betrag;Wann\n"
GOOD = "Ann Fox;Kai 1;20457;Hamburg;Deutschland;Jahresabo;12;42,00 €;13.01.2026\n"
BAD = "Bo Lund;Gade 2;2100;København;Depot;Jahresabo;12;x;02.02.2026\n"
CONTENT = (COLUMNS + GOOD + BAD).encode()


def workbook(name: str, rows: Sequence[Sequence[object]]) -> bytes:
    """An XLSX file with one sheet."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet(name)
        for number, values in enumerate(rows):
            sheet.write_row(number, 0, values)
    return target.getvalue()


async def ask(person: Person, cast: Cast, id: str, what: str, **fields: str) -> str:
    """Press a button of an import, and let the background job work; the page afterwards."""
    sent = await person.post(person.address("imports", id, what), fields)
    assert sent.status_code == 303, sent.text
    waiting = await person.text("imports", id)
    assert "<progress" in waiting
    await work_on(cast.db, cast.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    return await person.text("imports", id)


async def speak(cast: Cast, locale: str) -> None:
    """Choose the language of the account."""
    await accounts.update_account(cast.db, cast.account_id, locale=locale, country="DE", by=BY)


async def rehearsed(
    person: Person, cast: Cast, content: bytes = CONTENT, name: str = "list.csv", **fields: str
) -> str:
    """The id of an import that was rehearsed."""
    id = await uploaded(person, content, name)
    await choose(person, id, {**CHOSEN, **fields})
    await ask(person, cast, id, "rehearse")
    return id


async def test_a_rehearsal_says_what_would_be_made_and_changes_nothing(
    owner: Person, acme: Cast
) -> None:
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert "What the import would do" in page
    assert "Import 1 row now" in page
    assert "“Land” is “Depot”" in page
    assert "“Betrag” is “x”" in page
    assert await walk(acme, "/v1/subscriptions/") == []
    refused = await owner.http.get(owner.address("imports", id, "refused"))
    assert "list.refused.csv" in refused.headers["Content-Disposition"]
    assert "Depot" in refused.text


async def test_each_reason_names_whose_row_is_the_first(owner: Person, acme: Cast) -> None:
    without_town = GOOD.replace("Ann Fox", "Cy Gray").replace("Hamburg", "")
    id = await rehearsed(owner, acme, CONTENT + (without_town + GOOD).encode())
    page = await owner.text("imports", id)
    first = r'data-label="First line">(\d+), <bdi>([^<]+)'
    assert re.findall(first, page) == [
        *[("3", "Bo Lund")] * 2,
        ("4", "Cy Gray"),
        ("5", "Ann Fox"),
    ]
    assert re.findall(r'<a href="#reasons-(\w+)">(\d)', page) == [
        ("skipped", "1"),
        ("refused", "1"),
        ("imported", "1"),
    ]
    assert page.index("Correct refused rows first") < page.index("Refused rows<")
    assert "Line 4: <bdi>Cy Gray</bdi>" in await owner.text("imports", id, "rows")
    done = await ask(owner, acme, id, "run")
    assert re.findall(first, done) == re.findall(first, page)


async def test_a_rehearsal_and_an_import_say_that_a_line_has_totals(
    owner: Person, acme: Cast
) -> None:
    id = await rehearsed(owner, acme, f"{COLUMNS}{GOOD}Summe;;;;;;;42,00;\n".encode())
    columns = words(await owner.text("imports", id, "columns"))
    assert "It has 2 rows: 1 with orders, and 1 with totals." in columns
    said = "Left out1 Line 3 has totals and is left out."
    for page in (await owner.text("imports", id), await ask(owner, acme, id, "run")):
        assert said in words(page)
        assert "Rows read2" in words(page)


async def test_rows_of_a_rehearsal_are_not_called_imported(owner: Person, acme: Cast) -> None:
    content = (COLUMNS + GOOD.replace("20457", "1067")).encode()
    id = await rehearsed(owner, acme, content)
    page = await owner.text("imports", id, "rows", outcome="imported")
    assert "<h1>With remarks</h1>" in page
    await ask(owner, acme, id, "run")
    assert "<h1>Imported</h1>" in await owner.text("imports", id, "rows", outcome="imported")


async def test_an_import_is_run_mended_and_undone(staff: Person, acme: Cast) -> None:
    id = await rehearsed(staff, acme)
    page = await ask(staff, acme, id, "run")
    assert "This import is done" in page
    assert "Import 1:" in page
    rows = await staff.text("imports", id, "rows", outcome="imported")
    [made] = await walk(acme, "/v1/subscriptions/")
    assert f"/subscriptions/{made['id']}/" in rows
    assert "København" in await staff.text("imports", id, "rows", outcome="refused")

    refused = await staff.http.get(staff.address("imports", id, "refused"))
    mended = refused.text.replace("Depot", "Danmark").replace(";x;", ";9,50;")
    second = await uploaded(staff, mended.encode(), "mended.csv")
    await ask(staff, acme, second, "rehearse")
    page = await ask(staff, acme, second, "run")
    assert "Import 2:" in page
    assert len(await walk(acme, "/v1/subscriptions/")) == 2

    question = await staff.text("imports", id, "undo")
    assert "Undo import 1?" in question
    assert "Nothing has happened to these subscriptions since." in question
    page = await ask(staff, acme, id, "undo", touched="stop")
    assert "This import was undone" in page
    assert "Import it again" in page
    assert "1 row was taken back." in page
    assert [each["last_name"] for each in await walk(acme, "/v1/subscriptions/")] == ["Lund"]
    assert "Undone" in await staff.text("imports")


@pytest.mark.parametrize("name", ["list.xlsx", "list.ods"])
async def test_the_refused_rows_of_a_workbook_are_a_workbook(
    owner: Person, acme: Cast, name: str, tmp_path: Path
) -> None:
    """It is corrected in Excel and imported as it is."""
    rows = [line.strip().split(";") for line in (COLUMNS, GOOD, BAD)]
    id = await rehearsed(owner, acme, workbook("Abos", rows), name=name)
    assert "`Abos`" not in await owner.text("imports", id, "columns")
    await ask(owner, acme, id, "run")
    refused = await owner.http.get(owner.address("imports", id, "refused"))
    assert "''list.refused.xlsx" in refused.headers["Content-Disposition"]
    assert refused.headers["Content-Type"].endswith(".spreadsheetml.sheet")
    file = tmp_path / "list.refused.xlsx"
    file.write_bytes(refused.content)
    [sheet] = python_calamine.load_workbook(file).sheet_names
    head, row = python_calamine.load_workbook(file).get_sheet_by_name(sheet).to_python()
    assert (sheet, head[:6]) == ("Refused rows", "line column value reason Wer Wohin".split())
    assert "`Depot`" in str(row[3])
    mended = [{"Depot": "Danmark", "x": "9,50"}.get(str(cell), cell) for cell in row]
    second = await uploaded(owner, workbook(sheet, [head, mended]), "mended.xlsx")
    await ask(owner, acme, second, "rehearse")
    await ask(owner, acme, second, "run")
    assert len(await walk(acme, "/v1/subscriptions/")) == 2


async def test_the_same_file_twice_is_said_and_changes_nothing(owner: Person, acme: Cast) -> None:
    first = await rehearsed(owner, acme)
    await ask(owner, acme, first, "run")
    second = await rehearsed(owner, acme)
    page = await owner.text("imports", second)
    assert "The same file was imported as" in page
    assert "Already here" in page
    assert "<bdi>order_id</bdi>" not in page  # a column that the file does not have
    assert "Import 1 row now" not in page
    rows = await owner.text("imports", second, "rows", outcome="skipped")
    assert "Line 2" in rows


async def test_the_first_import_of_a_file_does_not_name_the_later_one(
    owner: Person, acme: Cast
) -> None:
    both = [await rehearsed(owner, acme), await rehearsed(owner, acme)]
    for id in both:
        await ask(owner, acme, id, "run")
    told = ["The same file was imported" in await owner.text("imports", id) for id in both]
    assert told == [False, True]


async def test_what_became_of_rows_is_told_in_the_tense_of_the_status(
    owner: Person, acme: Cast
) -> None:
    content = (COLUMNS + GOOD.replace("20457", "1067") + BAD).encode()
    first, second = [await rehearsed(owner, acme, content) for _ in range(2)]
    page = words(await owner.text("imports", first))
    assert "Nothing will be made from these rows." in page
    assert "will be imported. Check them first." in page
    for id in (first, second):
        await ask(owner, acme, id, "run")
    page = words(await owner.text("imports", first))
    assert "Nothing was made from these rows." in page
    assert "These rows were imported. Check them." in page
    assert "Here before, or twice in the file (" in await owner.text("imports", second)
    page = words(await ask(owner, acme, first, "undo", touched="stop"))
    assert "These rows had been imported." in page
    assert "Taken back (1)" in page


async def test_rows_that_were_touched_stop_an_undo_or_stay(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme)
    await ask(owner, acme, id, "run")
    [made] = await walk(acme, "/v1/subscriptions/")
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"notes": "called"})
    question = await owner.text("imports", id, "undo")
    assert "Something has happened to 1 order since" in question
    page = await ask(owner, acme, id, "undo", touched="stop")
    assert "Nothing was taken back" in page
    page = await ask(owner, acme, id, "undo", touched="keep")
    assert "1 row stays" in page
    assert "changed" in await owner.text("imports", id, "rows", outcome="kept")


async def test_likely_duplicates_are_decided_all_or_one_by_one(owner: Person, acme: Cast) -> None:
    await make_issue(acme, number=12)
    known = await make_subscription(
        acme,
        start_issue=12,
        first_name="Ann",
        last_name="Fox",
        address1="Kai 1",
        postcode="20457",
        city="Hamburg",
        country="DE",
        email="ann@example.test",
    )
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert "Likely duplicates (1)" in page
    here = owner.address("imports", id, "duplicates")
    await owner.post(here, {"all": "same"})
    assert "they go to the existing subscribers" in await owner.text("imports", id)
    await owner.post(here, {"all": "new"})
    rows = await owner.text("imports", id, "rows", outcome="likely")
    assert "Ann Fox; Kai 1; 20457 Hamburg" in rows
    name = re.search(r'name="(row-\d+)" value="(\w+)"', rows)
    assert name is not None
    wrong = {"row-" + "9" * 5_000: "", "row-7": "somebody", "row-²": ""}
    assert (await owner.post(here, wrong)).status_code == 303
    await owner.post(here, {name[1]: name[2]})
    assert "1 is decided otherwise." in await owner.text("imports", id)
    await ask(owner, acme, id, "run")
    rows = await owner.text("imports", id, "rows", outcome="likely")
    assert "There are no such rows." in rows
    found = await walk(acme, "/v1/subscriptions/")
    assert {each["subscriber"]["id"] for each in found} == {known["subscriber"]["id"]}


async def test_only_the_progress_is_loaded_while_it_works(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, CONTENT)
    await choose(owner, id, CHOSEN)
    await owner.post(owner.address("imports", id, "rehearse"))
    headers = {"HX-Request": "true", "HX-Target": "progress"}
    block = await owner.http.get(owner.address("imports", id), headers=headers)
    assert "<html" not in block.text
    assert "The rehearsal is running" in block.text
    assert "HX-Refresh" not in block.headers
    refused = await owner.post(owner.address("imports", id, "run"))
    assert refused.status_code == 400
    assert "working on this import" in refused.text
    for page in ("columns", "preview", "undo"):
        assert (await owner.see("imports", id, page)).status_code == 303
    await work_on(acme.db, acme.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    block = await owner.http.get(owner.address("imports", id), headers=headers)
    assert block.headers["HX-Refresh"] == "true"


async def test_the_history_of_a_subscription_leads_to_its_import(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme)
    await ask(owner, acme, id, "run")
    [made] = await walk(acme, "/v1/subscriptions/")
    page = await owner.text("subscriptions", made["id"])
    assert f'href="{owner.address("imports", id)}"' in page
    assert "import 1" in page


@pytest.mark.parametrize("file", sorted(FILES.glob("*.csv")), ids=lambda path: path.stem)
async def test_the_file_of_each_preset_is_imported_and_undone(
    owner: Person, acme: Cast, file: Path
) -> None:
    for number, day in ((1, "2015-01-01"), (2, "2026-01-01"), (3, "2027-01-01")):
        await make_issue(acme, number=number, release_date_actual=day, date_as_start_issue=day)
    id = await uploaded(owner, await asyncio.to_thread(file.read_bytes), file.name)
    page = await owner.text("imports", id, "columns")
    shown = form_of(page, owner.address("imports", id, "columns"))
    unsaid = {name: "4" for name, text in shown.items() if name.startswith("length-") and not text}
    unsaid = {} if "ghost" in file.name else unsaid
    await choose(owner, id, {"create_issues": "yes", **unsaid})
    page = await ask(owner, acme, id, "rehearse")
    would = re.search(r"Import (\d+) rows? now", page)
    assert would is not None, page
    assert "This import is done" in await ask(owner, acme, id, "run")
    assert await walk(acme, "/v1/subscriptions/")
    assert "This import was undone" in await ask(owner, acme, id, "undo", touched="stop")
    assert await walk(acme, "/v1/subscriptions/") == []


async def test_reasons_are_in_the_language_of_the_account(owner: Person, acme: Cast) -> None:
    await speak(acme, "de_DE")
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert "Was der Import bewirken würde" in page
    assert "Gelesen als UTF-8" in page
    assert "expected" not in page


async def test_an_issue_that_does_not_exist_is_refused_with_both_ways_out(
    owner: Person, acme: Cast
) -> None:
    id = await uploaded(owner, CONTENT)
    await choose(owner, id, {each: CHOSEN[each] for each in CHOSEN if each != "create_issues"})
    page = await ask(owner, acme, id, "rehearse")
    assert "“Ab” is 12, but there is no issue with that number." in page
    assert "let the import create the issues that do not exist yet." in page


async def test_rows_that_are_left_out_are_listed_with_the_value(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, (FILES / "shopify-orders.csv").read_bytes())
    await ask(owner, acme, id, "rehearse")
    page = await owner.text("imports", id, "rows", outcome="left_out")
    assert "“Financial Status” is “pending”." in page


async def test_a_rehearsal_asks_about_copies_of_issues_that_are_out(
    owner: Person, acme: Cast
) -> None:
    """The default is that they were sent; Home has nothing to dispatch afterwards."""
    for number, day in ((12, "2020-01-01"), (13, "2020-03-01"), (14, "2099-01-01")):
        await make_issue(acme, number, release_date_actual=day)
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert ">Copies of issues that are out</h2>" in page
    assert "makes 2 copies of 2 issues that are out already" in words(page)
    assert '<input type="radio" name="sent_through" value="13" form="run" checked>' in page
    assert '<option value="12">12: 1 copy of 1 issue</option>' in page
    for wrong in ({"sent_through": "14"}, {"sent_through": "x"}, {"sent_through": "earlier"}):
        refused = await owner.post(owner.address("imports", id, "run"), wrong)
        assert refused.status_code == 400
        assert "sent_through" in refused.text
    page = await ask(owner, acme, id, "run", sent_through="13")
    assert "Copies of issues that are out: treated as sent</dt><dd>2</dd>" in page
    assert "still to send</dt>" not in page
    home = await owner.text()
    assert "Prepare mailing" not in home
    assert "not sent</summary>" not in home
    [made] = await walk(acme, "/v1/subscriptions/")
    shown = await owner.text("subscriptions", made["id"], "history")
    assert "12–13" in shown


@pytest.mark.parametrize(
    "fields, sent, unsent",
    [({"sent_through": "none"}, 0, 2), ({"sent_through": "earlier", "earlier": "12"}, 1, 1)],
)
async def test_copies_of_issues_that_are_out_can_be_still_to_send(
    owner: Person, acme: Cast, fields: dict[str, str], sent: int, unsent: int
) -> None:
    for number in (12, 13):
        await make_issue(acme, number, release_date_actual=f"2020-01-{number}")
    id = await rehearsed(owner, acme)
    page = await ask(owner, acme, id, "run", **fields)
    assert (f"treated as sent</dt><dd>{sent}</dd>" in page) is bool(sent)
    assert f"still to send</dt><dd>{unsent}</dd>" in page
    assert "Prepare mailing 1 (1)" in await owner.text()  # issue 13


async def test_the_page_says_if_most_copies_of_the_current_issue_are_to_send(
    owner: Person, acme: Cast
) -> None:
    for number in (12, 13):
        await make_issue(acme, number, release_date_actual=f"2020-01-{number}")
    await make_subscription(acme, start_issue=13, length=1)
    id = await uploaded(owner, CONTENT)
    columns = await owner.text("imports", id, "columns")
    assert 'name="sent_through"' not in columns, "asked once, after the rehearsal"
    assert "the rehearsal says how many these are, and asks whether they were sent." in columns
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert 'name="sent_through" value="12" form="run" checked' in page
    warning = "Has issue 13 gone out? Most of its copies are not sent yet (1 of 1)."
    assert warning in words(page)
    assert "Treat those up to issue 12 as sent; those of issue 13 are still to send" in words(page)
    page = await ask(owner, acme, id, "run", sent_through="12")
    assert "still to send</dt><dd>1</dd>" in page
    assert "Prepare mailing 1 (2)" in await owner.text()


async def test_a_list_of_nothing_but_an_issue_that_is_still_to_send_is_to_send(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 12, release_date_actual="2020-01-12")
    await make_subscription(acme, start_issue=12, length=1)
    id = await rehearsed(owner, acme)
    page = await owner.text("imports", id)
    assert 'name="sent_through" value="none" form="run" checked' in page
    assert page.count('form="run" checked') == 1


async def test_a_file_is_rehearsed_without_the_preview(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 12)
    id = await uploaded(owner, CONTENT)
    page = await choose(owner, id, CHOSEN, "rehearse")
    assert "<progress" in page.text
    await work_on(acme.db, acme.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    assert "Import 1 row now" in await owner.text("imports", id)


async def test_the_answer_of_a_mapping_is_proposed_and_can_be_changed(
    owner: Person, acme: Cast
) -> None:
    for number in (12, 13):
        await make_issue(acme, number, release_date_actual=f"2020-01-{number}")
    id = await rehearsed(owner, acme, sent_through="12")
    page = await owner.text("imports", id)
    assert 'id="some" name="sent_through" value="earlier" form="run" checked' in page
    columns = await owner.text("imports", id, "columns")
    assert "treat as sent up to issue 12" in columns
    await choose(owner, id, {"sent_through": "none"})
    page = await ask(owner, acme, id, "rehearse")
    assert 'name="sent_through" value="none" form="run" checked' in page
    await choose(owner, id, {"sent_through": "99"})
    page = await ask(owner, acme, id, "rehearse")
    assert "“sent_through” is 99, but there is no issue with that number." in words(page)


async def test_one_click_adds_lost_zeros_to_postcodes(owner: Person, acme: Cast) -> None:
    codes = {"Ann": "1067", "Bea": "4109", "Cem": "20457"}
    rows = (GOOD.replace("Ann", name).replace("20457", code) for name, code in codes.items())
    content = COLUMNS + "".join(rows)
    id = await rehearsed(owner, acme, content.encode())
    page = await owner.text("imports", id)
    assert "Postcodes that have lost a zero (2)" in page
    assert "Add the lost zero to 2 rows" in page
    page = await ask(owner, acme, id, "add-zeros")
    assert "Add the lost zero" not in page
    assert "Postcode “1067” has lost a zero; it is imported as “01067”." in page
    await ask(owner, acme, id, "run")
    made = await walk(acme, "/v1/subscriptions/")
    postcodes = sorted(each["shipping_address"]["postcode"] for each in made)
    assert postcodes == ["01067", "04109", "20457"]
    refused = await owner.post(owner.address("imports", id, "add-zeros"))
    assert refused.status_code == 400
    assert "This import is imported" in refused.text


async def test_the_page_of_the_columns_shows_and_takes_back_lost_zeros(
    owner: Person, acme: Cast
) -> None:
    id = await rehearsed(owner, acme, (COLUMNS + GOOD.replace("20457", "1067")).encode())
    await ask(owner, acme, id, "add-zeros")
    shown = form_of(
        await owner.text("imports", id, "columns"), owner.address("imports", id, "columns")
    )
    assert shown.pop("add_zeros") == "yes"
    await owner.post(owner.address("imports", id, "columns"), {**shown, "preview": "yes"})
    page = await ask(owner, acme, id, "rehearse")
    assert "Add the lost zero to 1 row" in page
