"""The pages of a dispatch run: freeze, download, mark, undo, discard."""

import asyncio
import html
import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.clock import now
from masthead.model.dispatch.profiles import ExportProfile, FileFormat
from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.claims import records as claims
from masthead.services.dispatch import runs as service
from masthead.services.dispatch.file_builds import prepare_file
from masthead.services.dispatch.profiles import list_active
from masthead.services.holds.by_hand import hold
from masthead.store.dispatch import files as file_store, runs as store
from masthead.store.engine.interface import Connection
from masthead.web.dispatch import freeze as page_of_freeze, run as page_of_run
from tests.conftest import BY, Cast
from tests.services.returns.test_shipped import ship
from tests.support.dispatch_files import build, rows_of
from tests.support.factories import copies_of, import_row, make_issue, make_subscription
from tests.support.returns import Sending
from tests.web.conftest import Person
from tests.web.reports.test_home import words
from tests.web.subscriptions.test_renew import make_bundle

SELECTED = re.compile(r'<input type="hidden" name="(country|medium|source)" value="([^"]+)"')


async def freeze(person: Person, issue: dict[str, Any]) -> str:
    """Freeze a run of all copies; returns the address of its page."""
    response = await person.send(person.address("issues", issue["id"], "dispatch"))
    assert response.status_code == 303, response.text
    return str(response.headers["Location"])


def id_in(address: str) -> str:
    """The id of the run in the address of its page."""
    return address.strip("/").rpartition("/")[2]


async def text_of(person: Person, address: str) -> str:
    """The text of a page."""
    return words((await person.http.get(address)).text)


async def follow(person: Person, address: str, what: str, fields: dict[str, str]) -> str:
    """Send a form of the page of a run; the text of the page after it."""
    response = await person.send(f"{address}{what}/", fields, opened=address)
    assert response.status_code == 303, response.text
    return await text_of(person, response.headers["Location"])


async def statuses(cast: Cast, *made: dict[str, Any]) -> list[str]:
    """The status of the first copy of each subscription."""
    return [(await copies_of(cast, each["id"]))[0]["status"] for each in made]


# --- What this is for ----------------------------------------------------------------------------


async def test_a_subscriber_who_is_added_after_the_download_is_not_marked_but_in_the_next_run(
    acme: Cast, owner: Person, staff: Person
) -> None:
    """Without runs, the late subscriber would be marked as sent, and be in no file."""
    issue = await make_issue(acme)
    early = [await make_subscription(acme, first_name=f"Early{n}") for n in range(3)]
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    file, _ = await build(acme, run, FileFormat.CSV)
    downloaded = (await owner.http.get(f"{address}files/{file.id}/")).content

    late = await make_subscription(acme, first_name="Late")  # by a colleague, or from the shop
    assert "1 late order: prepare another mailing" in await text_of(staff, address)
    page = await follow(owner, address, "mark", {"date": "2026-05-03"})
    assert "3 copies are marked as sent." in page
    assert [row["name"] for row in rows_of(downloaded)] == ["Early0", "Early1", "Early2"]
    assert await statuses(acme, *early, late) == ["Sent", "Sent", "Sent", "Not sent"]

    following = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(following))
    assert (run.number, run.lines) == (2, 1)
    _, content = await build(acme, run, FileFormat.CSV)
    assert [row["name"] for row in rows_of(content)] == ["Late"]


async def test_copies_that_a_limited_run_leaves_out_are_not_called_late(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    for country in ("DE", "AT", "AT"):
        await make_subscription(acme, country=country)
    path = owner.address("issues", issue["id"], "dispatch")
    response = await owner.send(path, opened=f"{path}?country=DE")
    address = str(response.headers["Location"])
    page = await text_of(owner, address)
    assert "2 more copies: prepare another mailing" in page
    assert "late order" not in page
    page = await follow(owner, address, "mark", {})
    assert "2 more copies: prepare another mailing" in page


async def test_the_choice_of_the_mailing_before_is_one_click_away(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    for country in ("DE", "AT", "AT", "FR"):
        await make_subscription(acme, country=country)
    path = owner.address("issues", issue["id"], "dispatch")
    assert "took only a part" not in await owner.text("issues", issue["id"], "dispatch")
    await owner.send(path, opened=f"{path}?country=AT&medium=Print")
    await make_subscription(acme, country="AT")
    page = await owner.text("issues", issue["id"], "dispatch")
    assert "Mailing 1 took only a part: Austria, Print." in words(page)
    [again] = re.findall(r'href="([^"]*)">Choose the same again', page)
    chosen = (await owner.http.get(unescape(again))).text
    assert SELECTED.findall(chosen) == [("country", "AT"), ("medium", "Print")]
    assert "Mailing 2 takes 1 copy" in words(chosen)
    assert "took only a part" not in chosen


# --- Preview and freeze --------------------------------------------------------------------------


async def test_the_preview_counts_by_group_country_and_medium(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    for country, medium in (("DE", "Print"), ("DE", "Digital"), ("AT", "Print"), ("JP", "Print")):
        await make_subscription(acme, country=country, medium=medium)
    page = await owner.text("issues", issue["id"], "dispatch")
    text = words(page)
    assert "Mailing 1 takes 4 copies. 3 by post, 1 digital." in text
    assert "Home country (Germany) 2 Europe 1 Rest of the world 1" in text
    assert "Print 3 Digital 1" in text
    assert "By country: 3 countries Germany 2" in text
    assert "Germany counts as the country that you send from" in text
    form = owner.address("settings", "account")
    assert (await owner.send(form, {"country": "AT"})).status_code == 303
    text = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "Home country (Austria) 1 Europe 2" in text
    assert "counts as the country" not in text


async def test_a_run_can_be_limited_and_the_rest_is_in_the_next_run(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    for country in ("DE", "AT", "JP"):
        await make_subscription(acme, country=country)
    address = owner.address("issues", issue["id"], "dispatch")
    page = (await owner.http.get(f"{address}?country=DE&country=AT&medium=Print")).text
    assert SELECTED.findall(page) == [("country", "AT"), ("country", "DE"), ("medium", "Print")]
    assert "Mailing 1 takes 2 copies" in words(page)
    assert "Not selected 1 copy" in words(page)
    fields = {"country": "AT", "source": acme.shop}
    response = await owner.send(address, fields)
    page = await text_of(owner, response.headers["Location"])
    assert "1 copy is in mailing 1. The preview showed 3" in page
    assert "Selected Austria, Shop" in page
    home = words(await owner.text("issues", issue["id"]))
    assert "2 more copies: prepare mailing 2" in home
    none = words((await owner.http.get(f"{address}?source={acme.imported}")).text)
    assert "Nothing is left to send with these filters." in none


async def test_unknown_filters_are_ignored(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    page = await owner.text("issues", issue["id"], "dispatch", country="XX", medium="Stone")
    assert "Mailing 1 takes 1 copy" in words(page)


async def test_an_issue_that_is_not_out_has_a_warning(acme: Cast, owner: Person) -> None:
    days: list[tuple[int, dict[str, str], str]] = [
        (1, {"date_as_start_issue": "2026-01-01"}, ""),
        (2, {}, "it has no release date"),
        (3, {"release_date_actual": "2099-05-03"}, "its release date is 3 May 2099"),
        (4, {"release_date_actual": "2026-05-03"}, ""),
    ]
    made = [(await make_issue(acme, number, **sent), text) for number, sent, text in days]
    await make_subscription(acme, start_issue=1, length=4)
    for issue, text in made:
        page = await owner.text("issues", issue["id"], "dispatch")
        assert ("This issue is not out yet" in page) is bool(text)
        assert text in page


async def test_of_two_people_who_freeze_one_gets_the_run_and_the_other_is_told(
    acme: Cast, owner: Person, staff: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = owner.address("issues", issue["id"], "dispatch")
    both = await asyncio.gather(owner.send(address), staff.send(address))
    first, second = sorted(both, key=lambda response: response.status_code)
    assert (first.status_code, second.status_code) == (303, 400)
    text = words(second.text)
    assert "Nothing has been prepared." in text
    assert "1 copy is in dispatch 1, which is prepared" in text
    assert f'href="{first.headers["Location"]}"' in second.text
    assert "Mailing 1 1 copy, prepared and not marked as sent yet" in text


async def test_a_run_that_is_frozen_while_the_page_is_read_is_on_the_next_page(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    everything = DispatchSelection()

    async def list_and_freeze(db: Connection, account_id: int) -> list[ExportProfile]:
        found = await list_active(db, account_id)
        await service.freeze_dispatch(acme.db, account_id, issue["id"], everything, by=BY)
        return found

    address = owner.address("issues", issue["id"], "dispatch")
    with monkeypatch.context() as patched:
        patched.setattr(page_of_freeze, "list_active", list_and_freeze)
        await owner.http.get(address)
    page = await owner.http.get(address)
    assert "Mailing 1 1 copy, prepared and not marked as sent yet" in words(page.text)


async def test_a_freeze_that_is_sent_twice_makes_one_run(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = owner.address("issues", issue["id"], "dispatch")
    first = await owner.send(address)
    await make_subscription(acme)
    second = await owner.post(address, owner.sent)
    assert second.headers["Location"] == first.headers["Location"]
    assert len(await store.list_of_issues(acme.db, acme.account_id, [1])) == 1


async def test_htmx_gets_the_preview_and_what_is_chosen(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    response = await owner.http.get(
        owner.address("issues", issue["id"], "dispatch"),
        headers={"HX-Request": "true", "HX-Target": "preview"},
    )
    assert "Prepare mailing 1: 1 copy" in words(response.text)
    kept = re.search(r'hx-select-oob="([^"]+)"', response.text)
    assert kept is not None
    assert "#chips" in kept[1]
    assert 'id="chosen-profile"' in response.text


# --- Files ---------------------------------------------------------------------------------------


async def test_a_file_is_prepared_and_downloaded_and_the_download_is_recorded(
    acme: Cast, owner: Person, staff: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, first_name="Vera", city="Jena")
    await make_subscription(acme, medium="Digital")
    address = await freeze(staff, issue)
    page = (await staff.http.get(address)).text
    assert "Download the addresses (1 copy)" in page
    assert "After you have downloaded the addresses" in page
    response = await staff.send(f"{address}files/", {"file": "csv:mailing-house"}, opened=address)
    (file,) = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    assert response.headers["Location"] == f"{address}#file-{file.id}"
    page = (await staff.http.get(address)).text
    assert f'<meta http-equiv="refresh" content="3; url={address}"></noscript>' in page
    assert 'hx-trigger="every 1s"' in page
    assert "Waiting to be prepared" in page
    assert f'id="file-{file.id}"' not in page
    await prepare_file(acme.db, acme.account_id, file.id)
    file = await file_store.get_file(acme.db, acme.account_id, file.id)
    page = (await staff.http.get(address)).text
    assert "http-equiv" not in page
    assert "1 row ·" in words(page)
    assert f'<a id="file-{file.id}" href="{address}files/{file.id}/"' in page
    assert f"SHA-256 {file.sha256}" in words(page)
    assert "Left out 1 digital" in words(page)
    assert "Germany: 1" in page
    got = await staff.http.get(f"{address}files/{file.id}/")
    assert got.headers["Content-Disposition"] == f'attachment; filename="{file.name}"'
    assert int(got.headers["Content-Length"]) == len(got.content) == file.bytes
    assert b"Vera" in got.content
    assert (await owner.http.get(f"{address}files/{file.id}/")).content == got.content
    history = words((await owner.http.get(address)).text)
    assert f"Addresses of a mailing downloaded · {staff.email} · Mailing house: CSV" in history


async def test_when_the_last_file_is_ready_htmx_loads_only_the_steps(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    await owner.send(f"{address}files/", {"file": "csv:spreadsheet"}, opened=address)
    asked = {"HX-Request": "true", "HX-Target": "files"}
    waiting = await owner.http.get(address, headers=asked)
    assert "<html" not in waiting.text
    assert "run-steps" not in waiting.text
    (file,) = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    await prepare_file(acme.db, acme.account_id, file.id)
    ready = await owner.http.get(address, headers=asked)
    assert "HX-Refresh" not in ready.headers  # a search that is typed below the steps stays
    assert 'hx-get="" hx-trigger="load" hx-target="#run-steps"' in ready.text
    steps = await owner.http.get(address, headers={**asked, "HX-Target": "run-steps"})
    assert 'id="run-steps"' in steps.text
    assert "hx-trigger" not in steps.text.partition('id="run-steps"')[2].partition("</ol>")[0]


@pytest.mark.parametrize("choice", [":", "doc:mailing-house", "csv:none", "csv:labels-l7160"])
async def test_an_unknown_file_is_refused(acme: Cast, owner: Person, choice: str) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    response = await owner.send(f"{address}files/", {"file": choice}, opened=address)
    assert response.status_code == 400
    assert "Nothing has been changed." in response.text
    assert await file_store.list_files(acme.db, acme.account_id, id_in(address)) == []


async def test_the_first_label_is_chosen_for_each_file_of_labels(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    for typed, status in (("x", 400), ("99", 400), ("5", 303)):
        labels = {"file": "pdf:labels-l7160", "first_label": typed}
        response = await owner.send(f"{address}files/", labels, opened=address)
        assert response.status_code == status, typed
    both = {"file": "csv:mailing-house", "first_label": "5"}
    assert (await owner.send(f"{address}files/", both, opened=address)).status_code == 303
    made = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    assert [file.settings.start_label for file in made] == [5, 1]


async def test_only_a_ready_file_of_the_run_can_be_downloaded(acme: Cast, owner: Person) -> None:
    issue, other = await make_issue(acme, 1), await make_issue(acme, 2)
    await make_subscription(acme, length=2)
    address, elsewhere = await freeze(owner, issue), await freeze(owner, other)
    await owner.send(f"{address}files/", {"file": "csv:mailing-house"}, opened=address)
    (file,) = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    assert (await owner.http.get(f"{address}files/{file.id}/")).status_code == 404
    await prepare_file(acme.db, acme.account_id, file.id)
    assert (await owner.http.get(f"{address}files/{file.id}/")).status_code == 200
    assert (await owner.http.get(f"{elsewhere}files/{file.id}/")).status_code == 404


async def test_a_run_of_digital_copies_needs_no_file(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, medium="Digital")
    address = await freeze(owner, issue)
    page = await text_of(owner, address)
    assert "there are no addresses to download" in page
    assert "Mark 1 copy as sent" in page
    assert "Mark as sent without a file" not in page


# --- Mark, undo, discard -------------------------------------------------------------------------


async def test_a_run_is_marked_undone_and_marked_again(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(2)]
    address = await freeze(owner, issue)
    page = await follow(owner, address, "mark", {"date": "2026-05-03"})
    assert "✓ Sent" not in page
    assert "Status Sent , with the date 3 May 2026" in page
    assert "Undo: make 2 copies Not sent again …" in page
    assert "You can undo this at least until" in page
    asked = await text_of(owner, f"{address}undo/")
    assert "Undo the marking of mailing 1 of issue" in asked
    assert "2 copies become Not sent again, and stay in the mailing." in asked
    assert await statuses(acme, *made) == ["Sent", "Sent"]
    page = await follow(owner, address, "undo", {})
    assert "2 copies are Not sent again." in page
    assert "Status Prepared" in page
    assert await statuses(acme, *made) == ["Not sent", "Not sent"]
    again = await owner.http.get(f"{address}undo/")
    assert again.is_redirect, "nothing is left to undo"
    page = await follow(owner, address, "mark", {"date": ""})
    assert "Status Sent , without a date" in page
    assert "Marking of a mailing undone" in page


async def test_the_page_says_why_an_old_marking_cannot_be_undone(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    await follow(owner, address, "mark", {})
    tomorrow = now() + timedelta(days=1, minutes=1)
    for module in (service, page_of_run):
        monkeypatch.setattr(module, "now", lambda: tomorrow)
    page = await text_of(owner, address)
    assert "You can undo this until another mailing of the issue is marked" in page
    await make_subscription(acme)
    later = await freeze(owner, issue)
    await follow(owner, later, "mark", {})
    page = await text_of(owner, address)
    assert "another dispatch of the issue was marked since" in page
    assert "Undo:" not in page
    assert (await owner.http.get(f"{address}undo/")).headers["Location"] == address
    response = await owner.send(f"{address}undo/", opened=address)
    assert response.status_code == 400


async def test_of_two_people_who_mark_the_second_is_told_and_sees_the_run_as_it_is(
    acme: Cast, owner: Person, staff: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    opened = (await staff.http.get(address)).text
    key = re.findall(r'name="idempotency_key"[^>]*value="([^"]+)"', opened)[-1]
    await follow(owner, address, "mark", {"date": "2026-05-03"})
    response = await staff.post(f"{address}mark/", {"idempotency_key": key, "date": "2026-05-04"})
    assert response.status_code == 400
    text = words(response.text)
    assert "Nothing has been changed." in text
    assert "already marked as sent with the date 2026-05-03" in text
    assert "Undo: make 1 copy Not sent again" in text


async def test_marking_that_is_sent_twice_marks_once(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    await follow(owner, address, "mark", {"date": "2026-05-03"})
    again = await owner.post(f"{address}mark/", owner.sent)
    assert (again.status_code, again.headers["Location"]) == (303, address)


@pytest.mark.parametrize("day", ["2026-02-30", "soon", "2999-01-01"])
async def test_an_invalid_date_is_refused_and_nothing_is_marked(
    acme: Cast, owner: Person, day: str
) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    address = await freeze(owner, issue)
    response = await owner.send(f"{address}mark/", {"date": day}, opened=address)
    assert response.status_code == 400
    assert 'id="date-error"' in response.text
    assert await statuses(acme, made) == ["Not sent"]


async def test_a_run_is_discarded_after_a_question(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    assert f'href="{address}discard/"' in (await owner.http.get(address)).text
    response = await owner.send(f"{address}discard/")
    assert response.headers["Location"] == owner.address("issues", issue["id"], "dispatch")
    page = await text_of(owner, response.headers["Location"])
    assert "Mailing 1 is discarded." in page
    assert "Mailing 2 takes 1 copy" in page
    page = await text_of(owner, address)
    assert "This mailing was discarded" in page
    assert "No longer in this mailing" not in page
    assert (await owner.http.get(f"{address}discard/")).headers["Location"] == address
    assert (await owner.post(f"{address}discard/")).status_code == 400
    assert "Prepare mailing 2 (1)" in words(await owner.text("issues", issue["id"]))


# --- What changed since the freeze ---------------------------------------------------------------


async def test_copies_that_left_the_run_are_shown_with_their_reasons(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    marked, cancelled, moved, _ = [
        await make_subscription(acme, first_name=name, address1="1 Sea Street")
        for name in ("Marked", "Cancelled", "Moved", "Kept")
    ]
    address = await freeze(owner, issue)
    (copy,) = await copies_of(acme, marked["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    await acme.patch(f"/v1/subscriptions/{moved['id']}/", {"address1": "2 Hill Road"})
    page = (await owner.http.get(address)).text
    left = page[page.index('id="left"') : page.index('id="changed"')]
    assert "No longer in this mailing (2)" in left
    assert re.search(r"Marked.*Marked as sent outside of the mailing", words(left))
    assert re.search(r"Cancelled.*Subscription cancelled", words(left))
    changed = page[page.index('id="changed"') : page.index('id="counts"')]
    assert "Addresses changed since it was prepared (1)" in changed
    assert f'href="{owner.address("subscriptions", moved["id"])}"' in changed
    assert "1 Sea Street" in page
    assert "2 Hill Road" not in page
    page = await follow(owner, address, "mark", {"date": "2026-05-03"})
    assert "2 copies are marked as sent." in page


async def test_a_run_from_which_all_copies_left_can_only_be_discarded(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    address = await freeze(owner, issue)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    page = await text_of(owner, address)
    assert "No copy is left in this mailing" in page
    assert "Mark as sent" not in page
    assert "Prepared by mistake?" not in page
    for path in ("", "dispatches"):
        page = words(await owner.text(*([path] if path else [])))
        assert "Discard mailing 1: no copy is left in it" in page
        assert "as sent (0)" not in page


async def test_a_run_whose_other_copies_were_shipped_is_marked_to_finish_it(
    acme: Cast, owner: Person
) -> None:
    sending = await Sending.freeze(acme, 2)
    address = owner.address("dispatches", sending.run.id)
    await ship(acme, f"key\n{(await sending.keys())[0]}\n")
    await acme.post(
        f"/v1/subscriptions/{sending.subscriptions[1]['id']}/cancel/", {"mode": "cancel"}
    )
    assert "Mark mailing 1 as sent: all its copies were shipped" in words(await owner.text())
    page = await text_of(owner, address)
    assert "All copies that are left in this mailing were reported as shipped." in page
    assert "Discard" not in page
    assert "Status Sent" in await follow(owner, address, "mark", {})


async def test_the_lines_have_their_keys_and_are_paginated(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of_run, "PAGE", 2)
    issue = await make_issue(acme)
    for name in "CABED":
        await make_subscription(acme, first_name=f"Reader {name}")
    address: str | None = await freeze(owner, issue)
    found: list[str] = []
    keys: list[str] = []
    while address:
        page = (await owner.http.get(address)).text
        lines = page[page.index('id="lines"') :]
        found += re.findall(r"Reader (\w)</bdi>", lines)
        keys += re.findall(r"<code>(#\w{9}#)</code>", lines)
        following = re.search(r'href="([^"]+)" rel="next"', page)
        address = following[1] if following else None
    assert found == sorted("CABED")
    assert len(set(keys)) == 5


async def test_copies_for_one_address_are_one_row_that_no_page_divides(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of_run, "PAGE", 3)
    issue = await make_issue(acme)
    for name, country in (("Ada", "AT"), ("Bea", "AT"), ("Zoe", "SE")):
        await make_subscription(acme, first_name=name, country=country)
    await make_bundle(acme, 3, address1="Kai 4", city="Kiel", postcode="24103")
    address = await freeze(owner, issue)
    first = (await owner.http.get(address)).text
    assert "Harbour Books" not in first
    following = re.search(r'href="([^"]+)" rel="next"', first)
    assert following
    second = (await owner.http.get(following[1])).text
    rows = words(second[second.index('id="lines"') :])
    assert re.search(r"3–5 #\w{9}# Harbour Books Kai 4, 24103 Kiel 3 copies : Print", rows)
    assert rows.count("Harbour Books") == 1


async def test_a_run_of_another_account_is_not_found(
    acme: Cast, rival: Cast, owner: Person
) -> None:
    issue = await make_issue(rival)
    await make_subscription(rival)
    run = await service.freeze_dispatch(
        rival.db, rival.account_id, issue["id"], DispatchSelection(), by=BY
    )
    for parts in ((run.id,), (run.id, "discard")):
        assert (await owner.see("dispatches", *parts)).status_code == 404
    for verb in ("mark", "undo", "files", "discard"):
        response = await owner.post(owner.address("dispatches", run.id, verb))
        assert response.status_code in (400, 404)
    assert (await store.get_dispatch(rival.db, rival.account_id, run.id)).is_live


# --- The list ------------------------------------------------------------------------------------


async def test_all_runs_are_listed_after_what_is_due(acme: Cast, owner: Person) -> None:
    page = await owner.text("dispatches")
    assert "There are no mailings yet." in page
    issue = await make_issue(acme, name="Tides", date_as_start_issue="2026-01-01")
    await make_subscription(acme)
    assert "Prepare mailing 1 (1)" in await owner.text("dispatches")
    address = await freeze(owner, issue)
    page = words(await owner.text("dispatches"))
    assert "Open the mailing to download (1)" in page
    assert "Tides , mailing 1 Prepared" in page
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    await build(acme, run, FileFormat.CSV)
    page = words(await owner.text("dispatches"))
    assert "Addresses ready ✓ Mark as sent (1)" in page
    await follow(owner, address, "mark", {"date": "2026-05-03"})
    page = words(await owner.text("dispatches"))
    assert "Nothing is left to send" in page
    assert "Tides , mailing 1 Sent 3 May 2026 1" in page


# --- Replacements --------------------------------------------------------------------------------


async def test_replacements_are_counted_and_listed(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, name="Tides", date_as_start_issue="2026-01-01")
    subscriber = await import_row(
        acme, first_name="Nils", start_issue="1", sent_issues="1", length="4"
    )
    (copy,) = await copies_of(acme, subscriber["id"])
    body = ClaimCreate(copy=copy["id"], reason=ClaimReason.NEVER_ARRIVED)
    await claims.create_claim(acme.db, acme.account_id, body, by=BY)
    home = words(await owner.text())
    assert "Replacements to send 1" in home
    assert "Prepare mailing 1" not in home
    await make_subscription(acme, first_name="Vera")
    preview = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "Mailing 1 takes 1 copy and 1 replacement" in preview
    address = await freeze(owner, issue)
    page = (await owner.http.get(address)).text
    assert "Contents 1 copy and 1 replacement" in words(page)
    assert "Mark 1 copy and 1 replacement as sent" in words(page)
    listed = words(page[page.index('id="lines"') : page.index('id="history"')])
    assert "1 of them is a replacement, and is marked." in listed
    assert page.count('<bdi class="cut">Nils') == 1
    assert re.search(r"Nils[^,]* replacement ", listed)
    assert f'/claims/?issue={issue["id"]}"' in page
    assert "2 copies are marked as sent." in await follow(owner, address, "mark", {})


async def test_copies_on_hold_are_shown(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, name="Tides", date_as_start_issue="2026-01-01")
    made = await make_subscription(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    (copy,) = await copies_of(acme, made["id"])
    report = {"reports": [{"copy": copy["id"], "kind": "undeliverable"}]}
    response = await acme.post("/v1/delivery-reports/", report)
    assert response.status_code < 300, response.text
    assert "1 address of this mailing was reported as undeliverable" in await text_of(
        owner, address
    )
    await owner.send(f"{address}discard/")
    preview = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "Mailing 2 takes 1 copy" in preview
    assert "On hold 1 copy" in preview
    home = words(await owner.text())
    assert "1 copy is on hold, because its address is undeliverable." in home
    assert "copy is held" not in home
    assert "Undeliverable addresses 1" in home


async def test_copies_of_held_subscriptions_are_shown(acme: Cast, owner: Person) -> None:
    await make_issue(acme, name="Tides", date_as_start_issue="2026-01-01")
    made = await make_subscription(acme)
    await make_subscription(acme)
    assert await hold(acme.db, acme.account_id, made["id"], reason="Dispute", by=BY) == 1
    home = words(await owner.text())
    assert "1 copy is held, because an invoice is not paid, or by hand." in home
    assert "copy is on hold" not in home
    assert "Held subscriptions 1" in home


# --- Problems of addresses -----------------------------------------------------------------------


async def test_the_preview_names_problems_and_links_to_where_they_can_be_corrected(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    good = {"address1": "1 Sea Street", "city": "Ulm", "postcode": "89073"}
    made = await make_subscription(acme, first_name="Vera", **{**good, "address1": ""})
    await make_subscription(acme, first_name="Łukasz", **good)
    page = await owner.text("issues", issue["id"], "dispatch")
    assert "No street or PO box: 1" in words(page)
    assert f'href="{owner.address("subscriptions", made["id"], "address")}"' in page
    assert "Windows" not in words(page[page.index('id="checks"') : page.index("In numbers")])
    page = await owner.text("issues", issue["id"], "dispatch", profile="mailing-house-windows")
    assert "Characters that the file cannot contain: 1" in words(page)
    above = words(page[: page.index("Prepare mailing 1: 2 copies")])
    assert "No street or PO box: 1; Characters that the file cannot contain: 1. Look at" in above
    assert "has no Ł" in words(page)
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"address1": "2 Hill Road"})
    page = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "No street" not in page
    assert "Look at them below" not in page
    assert "Address changed in the last seven days: 1" in page


async def test_many_addresses_are_checked_after_the_page_is_shown(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_of_freeze, "MAX_CHECKED", 1)
    issue = await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme)
    page = await owner.text("issues", issue["id"], "dispatch", country="DE")
    assert "No street" not in page
    link = re.search(r'href="([^"]+)" hx-get="([^"]+)" hx-trigger="load, click"', page)
    assert link
    address = html.unescape(link[1])
    assert "country=DE&check=1" in address
    response = await owner.http.get(address, headers={"HX-Request": "true", "HX-Target": "checks"})
    assert "No street or PO box: 2" in words(response.text)
    assert "<html" not in response.text


async def test_a_preview_without_problems_says_so(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, address1="1 Sea Street", city="Ulm", postcode="89073")
    page = words(await owner.text("issues", issue["id"], "dispatch"))
    assert "No problems were found in 1 address." in page


async def test_a_prepared_mailing_names_the_addresses_to_correct(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = await make_issue(acme)
    there = {"country": "DE", "address1": "Hauptstr. 5", "city": "Ulm"}
    await make_subscription(acme, **there, last_name="Lang", postcode="89073")
    made = await make_subscription(acme, **there, last_name="Kurz", postcode="")
    await make_subscription(acme, country="DE", last_name="Digi", medium="Digital")
    address = await freeze(staff, issue)
    page = (await staff.http.get(address)).text
    text = words(page)
    assert "No postcode: 1. Look at them below first." in text
    assert "Kurz, Ulm : there is no postcode; in Germany, one looks like 26133." in text
    assert f'href="{staff.address("subscriptions", made["id"], "address")}"' in page
    assert "If you correct some of them, discard this mailing and prepare another" in text
    assert "Lang, Ulm :" not in text
    assert "Digi :" not in text
    monkeypatch.setattr(page_of_run, "MAX_CHECKED", 1)
    later = (await staff.http.get(address)).text
    assert "No postcode" not in later
    assert f'<a href="{address}?check=1#problems">Check the addresses</a>' in later
    assert "No postcode: 1." in await text_of(staff, f"{address}?check=1")
    marked = await follow(staff, address, "mark", {"date": now().date().isoformat()})
    assert "No postcode" not in marked


async def test_a_prepared_mailing_without_problems_says_nothing_about_them(
    acme: Cast, staff: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, country="DE", address1="Weg 5", city="Ulm", postcode="89073")
    page = await text_of(staff, await freeze(staff, issue))
    assert "Before it costs postage" not in page
