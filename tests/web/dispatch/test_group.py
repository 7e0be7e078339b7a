"""What is left of several issues is one mailing: one preview, file and confirmation, one undo."""

from masthead.services.dispatch.file_builds import prepare_file
from masthead.services.dispatch.run_groups import freeze_replacements
from masthead.store.dispatch import files
from tests.conftest import BY, Cast
from tests.services.dispatch.test_run_groups import DAY, make_late, statuses
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, text_of
from tests.web.reports.test_home import words

ALL = "One mailing of several issues\N{NO-BREAK SPACE}…"


async def prepare(person: Person, ids: list[str], expected: str = "") -> str:
    """Prepare a mailing of issues; returns the address of its page."""
    response = await person.send(
        person.address("dispatches", "group"),
        {"issue": ids, "expected": expected},
    )
    assert response.status_code == 303, response.text
    return str(response.headers["Location"])


def run_of(page: str) -> str:
    """The address of the first run, whose forms mark, undo and discard all."""
    return page.removesuffix("group/")


async def make_labels(cast: Cast, person: Person, address: str) -> str:
    """Make the labels of a mailing of several issues; returns the id of the file."""
    run = run_of(address)
    response = await person.send(f"{run}files/", {"file": "pdf:labels-l7160"}, opened=address)
    assert response.headers["Location"].startswith(f"{address}#file-")
    [file] = await files.list_files(cast.db, cast.account_id, run.strip("/").rpartition("/")[2])
    await prepare_file(cast.db, cast.account_id, file.id)
    return file.id


async def make_issues(cast: Cast) -> list[str]:
    """Three issues that are out, with late copies, and a current one without copies."""
    ids = await make_late(cast)
    await make_issue(cast, 4, date_as_start_issue="2026-01-01")
    return ids


async def test_home_and_dispatch_lead_to_one_mailing_of_all(acme: Cast, staff: Person) -> None:
    ids = await make_issues(acme)
    for page in (await staff.text(), await staff.text("dispatches")):
        assert "6 copies of 3 issues that are out can be sent" in words(page)
        assert ALL in page
    page = await staff.text("dispatches", "group")
    assert page.count(" checked>") == 3
    shown = words(page)
    for number in (1, 2, 3):
        assert f"Issue {number} 2 Check issue {number}" in shown
    assert "Total 6 0" in shown
    address = await prepare(staff, ids, " ".join(f"{id}:2" for id in ids))
    shown = await text_of(staff, address)
    assert "6 copies are prepared. Download their labels." in shown
    assert "The preview showed" not in shown
    assert "6 copies: 5 by post and 1 digital; 2 addresses" in shown
    assert "1 copy is digital: it needs no label" in shown
    assert "Mark as sent (6)" in shown
    assert "Macro" not in shown
    for page in (await staff.text(), await staff.text("dispatches")):
        assert "Mailing of 3 issues, 6 copies: prepared" in words(page)
        assert ALL not in page
    shown = words(await staff.text("dispatches"))
    assert shown.count("Mailing of 3 issues") == 2  # what is to do, and one row of the list
    assert "Mailings, newest first" in shown
    assert "with other issues" not in shown
    assert "Mailing 1 with other issues" in words(await staff.text("issues", ids[0]))


async def test_it_is_marked_after_a_file_is_ready_like_a_mailing_of_one_issue(
    acme: Cast, staff: Person
) -> None:
    address = await prepare(staff, await make_issues(acme))
    shown = await text_of(staff, address)
    assert "Download the addresses (5 copies)" in shown
    assert "After you have downloaded the addresses and sent the copies, come back" in shown
    assert "Mark as sent without a file" in shown
    await make_labels(acme, staff, address)
    shown = await text_of(staff, address)
    assert "Download the addresses (2 labels for 5 copies)" in shown
    assert "When the copies have left, mark them." in shown
    assert "Mark as sent without a file" not in shown


async def test_a_marked_mailing_of_several_issues_says_when_it_was_sent(
    acme: Cast, staff: Person
) -> None:
    address = await prepare(staff, await make_issues(acme))
    page = await follow(staff, run_of(address), "mark", {"date": "2026-07-01"})
    assert "3 subscriptions ended with these issues: they no longer count as active." in page
    assert "Sent , with the date 1 July 2026 Contents" in page
    assert "6 copies are Sent, with the date 1 July 2026." in page
    assert "Mailing of 3 issues Sent 1 Jul 2026 6" in words(await staff.text("dispatches"))


async def test_one_confirmation_and_one_undo_for_all(acme: Cast, staff: Person) -> None:
    address = await prepare(staff, await make_issues(acme))
    run = run_of(address)
    file = await make_labels(acme, staff, address)
    page = await text_of(staff, address)
    assert "2 labels for 5 copies" in page
    assert "Anna Ek Storgatan 1" in page
    assert (await staff.http.get(f"{run}files/{file}/")).content.startswith(b"%PDF")
    page = await follow(staff, run, "mark", {"date": DAY.isoformat()})
    assert "6 copies are marked as sent." in page
    assert "Marked as sent (6)" in page
    assert "Undo: make 6 copies Not sent again …" in page
    asked = await text_of(staff, f"{run}undo/")
    assert "Undo the marking of the mailing of 3 issues?" in asked
    assert "Make 6 copies Not sent again" in asked
    assert await statuses(acme) == ["Sent"] * 6
    page = await follow(staff, run, "undo", {})
    assert "6 copies are Not sent again." in page
    assert await statuses(acme) == ["Not sent"] * 6
    page = words((await staff.http.get(f"{run}discard/")).text)
    assert "Discard the mailing of 3 issues?" in page
    page = await follow(staff, run, "discard", {})
    assert "The mailing is discarded." in page
    assert "One mailing of several issues …" in page


async def test_a_mailing_of_the_group_leads_to_all_and_has_no_steps_of_its_own(
    acme: Cast, staff: Person
) -> None:
    address = await prepare(staff, await make_issues(acme))
    page = (await staff.http.get(run_of(address))).text
    assert f'<a href="{address}">Open all of them</a>' in page
    assert "/mark/" not in page
    assert "/discard/" not in page


async def test_what_changed_after_the_preview_is_said(acme: Cast, staff: Person) -> None:
    ids = await make_issues(acme)
    address = await prepare(staff, ids, " ".join(f"{id}:1" for id in ids))
    assert "The preview showed 3: something changed" in await text_of(staff, address)


async def test_without_a_tick_nothing_is_prepared(acme: Cast, staff: Person) -> None:
    await make_issues(acme)
    response = await staff.send(staff.address("dispatches", "group"), {"issue": []})
    assert response.status_code == 400
    assert "Tick at least one issue." in response.text


async def test_issues_with_a_button_of_their_own_are_not_ticked_nor_late_too(
    acme: Cast, staff: Person
) -> None:
    ids = await make_issues(acme)
    made = await make_subscription(acme, start_issue=4)
    await make_subscription(acme, start_issue=4)
    [copy] = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    claim = (await acme.post("/v1/claims/", {"copy": copy["id"], "reason": "damaged"})).json()
    for has_mailing in (False, True):
        for page in (await staff.text(), await staff.text("dispatches")):
            assert "6 copies of 3 issues that are out can be sent" in words(page)
        page = await staff.text("dispatches", "group")
        assert "Total of the other issues 6 0" in words(page)
        assert words(page).count("has its own button under “To do today”") == 1
        assert page.count(" checked>") == 3
        if not has_mailing:
            await freeze_replacements(acme.db, acme.account_id, [claim["id"]], by=BY)
    # a mailing of the others leaves the late orders of one of them: it has its own button again
    run = run_of(await prepare(staff, ids[:2]))
    await follow(staff, run, "mark", {})
    await make_subscription(acme, start_issue=2, length=1)
    home = words(await staff.text())
    assert "2 copies of earlier issues can be sent" in home
    assert "1 late order: prepare mailing 2" in home


async def test_issues_that_all_have_a_button_of_their_own_can_go_out_together(
    acme: Cast, staff: Person
) -> None:
    ids = await make_issues(acme)
    await follow(staff, run_of(await prepare(staff, ids)), "mark", {})
    assert ALL not in await staff.text()
    for number in (1, 2):
        await make_subscription(acme, start_issue=number, length=1)
    for page in (await staff.text(), await staff.text("dispatches")):
        assert "to send. One mailing of several issues …" in words(page)
        assert words(page).count("1 late order: prepare mailing 2") == 2
        assert "can be sent" not in words(page)
    page = await staff.text("dispatches", "group")
    assert page.count(" checked>") == 2
    assert "Total 2 0" in words(page)


async def test_the_mailing_names_each_address_to_correct_once(acme: Cast, staff: Person) -> None:
    for number in (1, 2, 3):
        await make_issue(acme, number)
    there = {"country": "DE", "address1": "Hauptstr. 5", "city": "Ulm", "postcode": ""}
    made = await make_subscription(acme, **there, last_name="Kurz", length=2)
    ids = [each["id"] for each in (await acme.get("/v1/issues/")).json()["items"]]
    address = await prepare(staff, ids)
    page = (await staff.http.get(address)).text
    assert "No postcode: 1. Look at them below first." in words(page)
    assert "Same name and address twice" not in page
    assert f'href="{staff.address("subscriptions", made["id"], "address")}"' in page
    marked = await follow(staff, run_of(address), "mark", {"date": DAY.isoformat()})
    assert "No postcode" not in marked


async def test_its_first_run_names_only_problems_of_its_own(acme: Cast, staff: Person) -> None:
    for number in (1, 2):
        await make_issue(acme, number)
    there = {"country": "DE", "city": "Ulm", "postcode": "", "length": 1}
    await make_subscription(acme, **there, last_name="Kurz", address1="Weg 1", start_issue=1)
    await make_subscription(acme, **there, last_name="Lang", address1="Weg 2", start_issue=2)
    ids = [each["id"] for each in (await acme.get("/v1/issues/")).json()["items"]]
    address = await prepare(staff, ids)
    assert "No postcode: 2." in await text_of(staff, address)
    assert "No postcode: 1." in await text_of(staff, run_of(address))
