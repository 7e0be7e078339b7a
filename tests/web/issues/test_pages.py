"""The pages of issues: list, show, create and edit, and the addresses of sent copies."""

import asyncio
import csv
import html
import io
import re
from typing import Any

import pytest

from masthead.web.issues import pages as issues
from masthead.web.kit import csv_export
from tests.conftest import Cast
from tests.support.factories import (
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.walk import walk
from tests.web.conftest import Person
from tests.web.reports.test_home import words
from tests.web.subscriptions.test_renew import make_bundle


async def listed(cast: Cast) -> list[dict[str, Any]]:
    """All issues, as the API returns them."""
    return await walk(cast, "/v1/issues/", limit=200)


async def test_the_filter_has_the_countries_in_the_order_of_the_language(
    owner: Person, acme: Cast
) -> None:
    issue = await make_issue(acme)
    for country in ("VN", "AT", "EG", "DK", "DE"):
        await make_subscription(acme, country=country)
    await owner.post("/you/locale/", {"locale": "de_DE"})
    page = await owner.text("issues", issue["id"])
    chosen = page[page.index('<select id="country"') :].partition("</select>")[0]
    assert re.findall(r'<option value="(\w\w)"', chosen) == ["EG", "DK", "DE", "AT", "VN"]


# --- The list ------------------------------------------------------------------------------------


async def test_without_issues_the_page_offers_to_create_one(owner: Person) -> None:
    page = await owner.text("issues")
    assert page.count('role="button"') == 1
    assert f'href="{owner.address("issues", "new")}"' in page


async def test_issues_are_listed_highest_number_first_with_their_copies_to_send(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    await make_issue(acme, 2, name="Tides")
    for _ in range(2):
        await make_subscription(acme, length=1)
    page = words(await owner.text("issues"))
    assert page.index("Tides") < page.index("Issue 1 (current)")
    assert "1 Jan 2026 2 " in page


async def test_the_list_can_begin_with_the_lowest_number(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 23)
    page = await owner.text("issues", order="oldest")
    assert 'aria-sort="ascending"' in page
    assert "23 issues" in words(page)
    found = re.findall(r'class="number"[^>]*>(\d+)</td>\s*<th', page)
    following = re.search(r'href="([^"]+)" rel="next"', page)
    assert following
    page = (await owner.http.get(html.unescape(following[1]))).text
    found += re.findall(r'class="number"[^>]*>(\d+)</td>\s*<th', page)
    assert found == [str(number) for number in range(1, 24)]
    other = await owner.see("issues", cursor=following[1].partition("cursor=")[2])
    assert other.status_code == 400


async def test_the_list_is_paginated(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issues, "ISSUES_PER_PAGE", 2)
    await make_issues(acme, 1, 5)
    address: str | None = owner.address("issues")
    found: list[str] = []
    while address:
        page = (await owner.http.get(address)).text
        found += re.findall(r'class="number"[^>]*>(\d+)</td>\s*<th', page)
        following = re.search(r'href="([^"]+)" rel="next"', page)
        address = following[1] if following else None
    assert found == ["5", "4", "3", "2", "1"]


# --- One issue -----------------------------------------------------------------------------------


async def test_an_issue_shows_every_field_in_the_accounts_locale(acme: Cast, owner: Person) -> None:
    made = await make_issue(
        acme,
        7,
        name="Tides",
        release_date_actual="2026-05-03",
        release_date_fuzzy="early summer",
        date_as_start_issue="2026-04-01",
        recurring_charge_date="2026-03-02",
        newsstand_ean="4012345678901",
    )
    page = words(await owner.text("issues", made["id"]))
    for text in (
        "Number 7",
        "ID " + made["id"],
        "3 May 2026",
        "early summer",
        "1 April 2026",
        "2 March 2026",
        "4012345678901",
    ):
        assert text in page
    assert "No subscription includes this issue yet" in page


async def test_copies_are_counted_by_status_and_country_and_filtered_by_status(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await make_issue(acme)
    await make_subscription(acme, first_name="Vera", country="AT")
    await import_row(acme, first_name="Nils", start_issue="1", length="4", sent_issues="1")
    await import_row(acme, start_issue="1", length="4", first_name="", company="Bakery")
    page = words(await owner.text("issues", made["id"]))
    assert "Not sent 2 Sent 1 Cancelled 0" in page
    assert "Austria 1 0 0" in page
    assert "Print 2 1 0" in page
    assert all(name in page for name in ("Vera", "Nils", "Bakery"))
    sent = words(await owner.text("issues", made["id"], status="Sent"))
    assert "Nils" in sent
    assert "no date recorded" in sent
    assert "Vera" not in sent
    austrian = await owner.text("issues", made["id"], country="AT")
    assert '<option value="AT" selected>Austria</option>' in austrian
    assert "Vera" in austrian
    assert "Nils" not in austrian
    none = await owner.text("issues", made["id"], status="Cancelled")
    assert "No copies match this filter." in none
    monkeypatch.setattr(issues, "MAX_COUNTED_BY_MEDIUM", 2)
    many = await owner.text("issues", made["id"])
    assert "shows the copies of an upcoming issue by medium" in words(many)
    assert f'href="{owner.address("forecast")}?number=1#chosen"' in many


async def test_the_copies_of_a_bundle_that_look_alike_are_one_row(
    acme: Cast, owner: Person
) -> None:
    made = await make_issue(acme)
    await make_bundle(acme, 3)
    await make_subscription(acme, first_name="Vera", email="desk@harbour.example")
    page = words(await owner.text("issues", made["id"]))
    assert "Not sent 4 Sent 0" in page
    assert page.count("Harbour Books") == 1
    assert "Germany 3 copies" in page
    _vera, copy, *_others = (await acme.get("/v1/copies/")).json()["items"]
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    page = words(await owner.text("issues", made["id"]))
    assert page.count("Harbour Books") == 2
    assert "Germany 2 copies" in page


async def test_a_request_of_htmx_gets_only_the_block_that_changes(
    acme: Cast, owner: Person
) -> None:
    made = await make_issue(acme)
    await make_subscription(acme, first_name="Vera")
    response = await owner.http.get(
        owner.address("issues", made["id"]), headers={"HX-Request": "true", "HX-Target": "copies"}
    )
    assert "Vera" in response.text
    assert "<html" not in response.text


async def test_a_message_appears_on_the_next_page_not_in_a_block(acme: Cast, owner: Person) -> None:
    address = owner.address("issues", "new")
    response = await owner.send(address)
    await owner.http.get(address, headers={"HX-Request": "true", "HX-Target": "copies"})
    assert "Issue 1 is created" in (await owner.http.get(response.headers["Location"])).text


async def test_an_unknown_status_is_refused(acme: Cast, owner: Person) -> None:
    made = await make_issue(acme)
    assert (await owner.see("issues", made["id"], status="Lost")).status_code == 400


@pytest.mark.parametrize("page", ["", "edit", "addresses", "dispatch"])
async def test_an_issue_of_another_account_is_not_found(
    page: str, acme: Cast, rival: Cast, owner: Person
) -> None:
    made = await make_issue(rival)
    for id in (made["id"], "0NOSUCH"):
        parts = [part for part in ("issues", id, page) if part]
        assert (await owner.see(*parts)).status_code == 404


# --- Creating one --------------------------------------------------------------------------------


async def test_an_issue_is_created_with_every_field_and_its_copies(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    typed = {
        "name": " Tides ",
        "release_date_actual": "2026-05-03",
        "release_date_fuzzy": "early summer",
        "date_as_start_issue": "2026-04-01",
        "recurring_charge_date": "2026-03-02",
        "newsstand_ean": "4012345678901",
    }
    response = await owner.send(owner.address("issues", "new"), typed)
    made = (await listed(acme))[0]
    assert response.status_code == 303
    assert response.headers["Location"] == owner.address("issues", made["id"])
    assert made == {"id": made["id"], "number": 2, **typed, "name": "Tides"}
    page = (await owner.http.get(response.headers["Location"])).text
    assert "Tides is created, with 1 copy to send." in page


async def test_the_form_proposes_the_next_number_and_needs_no_name(
    acme: Cast, owner: Person
) -> None:
    for _ in range(2):
        assert (await owner.send(owner.address("issues", "new"))).status_code == 303
    assert [(issue["number"], issue["name"]) for issue in await listed(acme)] == [
        (2, "Issue 2"),
        (1, "Issue 1"),
    ]


async def test_the_form_shows_how_many_copies_the_issue_will_have(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscription(acme, length=2)
    await make_subscription(acme, length=3)
    await make_membership(acme)
    text = words(await owner.text("issues", "new"))
    assert "Issue 2 will have 2 copies" in text
    assert "Memberships include the issue only after" in text
    assert "Issue 3 will have 1 copy." in words(await owner.text("issues", "new", number="3"))
    dated = await owner.text("issues", "new", number="3", release_date_actual="2099-05-05")
    assert "Issue 3 will have 2 copies" in words(dated)
    assert 'value="2099-05-05"' in dated  # and keeps the typed values


async def test_an_existing_number_has_no_preview(acme: Cast, owner: Person) -> None:
    made = await make_issue(acme)
    page = await owner.text("issues", "new", number="1")
    assert "Issue 1 already exists." in page
    assert owner.address("issues", made["id"]) in page
    assert "will have" not in page
    response = await owner.send(owner.address("issues", "new"), {"number": "1"})
    assert "is taken" in response.text
    assert "will have" not in response.text


async def test_skipping_numbers_needs_confirmation(acme: Cast, owner: Person) -> None:
    await make_issue(acme, 21)
    address = owner.address("issues", "new")
    for number in ("22", "20"):
        assert "skips_numbers" not in await owner.text("issues", "new", number=number)
    assert 'name="skips_numbers"' in await owner.text("issues", "new", number="9999")
    typed = {"number": "9999", "name": "Tides"}
    response = await owner.send(address, typed)
    assert response.status_code == 400
    assert "Use 22, or tick the box to keep 9999." in response.text
    assert 'name="skips_numbers"' in response.text
    assert 'value="Tides"' in response.text
    assert len(await listed(acme)) == 1
    assert (await owner.send(address, {**typed, "skips_numbers": "y"})).status_code == 303
    assert (await listed(acme))[0]["number"] == 9999


async def test_a_release_date_before_that_of_a_lower_number_has_a_warning(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme, 1, release_date_actual="2026-05-03")
    text = "issue 1 has a lower number, but its release date is later: 3 May 2026"
    for day, is_odd in (("2020-01-01", True), ("2026-05-03", False)):
        page = await owner.text("issues", "new", number="2", release_date_actual=day)
        assert (text in page) is is_odd
    odd = await make_issue(acme, 2, release_date_actual="2020-01-01")
    assert text in await owner.text("issues", odd["id"])
    fine = await make_issue(acme, 3, release_date_actual="2026-06-03")
    assert "Check the release date" not in await owner.text("issues", fine["id"])


@pytest.mark.parametrize(
    "typed", [{"number": "two"}, {"number": ""}, {"number": "2", "release_date_actual": "soon"}]
)
async def test_an_invalid_number_or_date_has_no_preview(
    typed: dict[str, str], owner: Person
) -> None:
    page = await owner.text("issues", "new", **typed)
    assert "Type a number to see how many copies" in page


@pytest.mark.parametrize(
    "field, value, text",
    [
        ("number", "1", "is taken"),
        ("number", "", "number"),
        ("number", "two", "two"),
        ("number", "0", "0"),
        ("number", "99999999999", "99999999999"),
        ("release_date_actual", "31.12.2026", "31.12.2026"),
        ("name", "x" * 256, "255"),
    ],
)
async def test_an_invalid_field_is_marked_and_the_form_keeps_its_values(
    acme: Cast, owner: Person, field: str, value: str, text: str
) -> None:
    await make_issue(acme)
    typed = {"newsstand_ean": "4012345678901", field: value}
    response = await owner.send(owner.address("issues", "new"), typed)
    assert response.status_code == 400
    assert "Nothing has been saved yet." in response.text
    error = re.search(rf'<small id="{field}-error" class="error">(.*?)</small>', response.text)
    assert error
    assert text in error[1]
    assert 'value="4012345678901"' in response.text
    assert f'value="{value}"' in response.text or not value
    assert len(await listed(acme)) == 1


async def test_a_form_sent_twice_creates_one_issue_and_shows_it(acme: Cast, owner: Person) -> None:
    address = owner.address("issues", "new")
    await owner.http.get(address)
    first = await owner.send(address)
    second, third = await asyncio.gather(*(owner.post(address, owner.sent) for _ in range(2)))
    (made,) = await listed(acme)
    for response in (first, second, third):
        assert response.headers["Location"] == owner.address("issues", made["id"])


@pytest.mark.parametrize("name", ["=cmd()", "<script>alert(1)</script>", "שלום עולם", "x" * 255])
async def test_any_name_is_stored_and_escaped(acme: Cast, owner: Person, name: str) -> None:
    await owner.send(owner.address("issues", "new"), {"name": name})
    (made,) = await listed(acme)
    assert made["name"] == name
    for parts in (
        ("issues",),
        ("issues", made["id"]),
        ("issues", made["id"], "edit"),
        ("forecast",),
    ):
        page = await owner.text(*parts)
        assert "<script>alert" not in page


# --- Editing -------------------------------------------------------------------------------------


async def test_only_changed_fields_are_saved_and_empty_ones_are_removed(
    acme: Cast, owner: Person
) -> None:
    made = await make_issue(acme, name="Tides", release_date_actual="2026-05-03")
    address = owner.address("issues", made["id"], "edit")
    response = await owner.send(
        address, {"release_date_actual": "", "release_date_fuzzy": "in summer"}
    )
    assert response.status_code == 303
    (now,) = await listed(acme)
    assert now == {**made, "release_date_actual": None, "release_date_fuzzy": "in summer"}
    assert "The changes are saved." in (await owner.http.get(response.headers["Location"])).text


async def test_saving_without_a_change_says_so(acme: Cast, owner: Person) -> None:
    made = await make_issue(acme)
    response = await owner.send(owner.address("issues", made["id"], "edit"))
    assert "Nothing was changed." in (await owner.http.get(response.headers["Location"])).text


@pytest.mark.parametrize("field, value", [("name", ""), ("date_as_start_issue", "2026-02-30")])
async def test_an_invalid_field_of_an_edit_is_marked(
    acme: Cast, owner: Person, field: str, value: str
) -> None:
    made = await make_issue(acme)
    address = owner.address("issues", made["id"], "edit")
    response = await owner.send(address, {field: value, "newsstand_ean": "kept"})
    assert response.status_code == 400
    assert f'id="{field}-error"' in response.text
    assert 'value="kept"' in response.text
    assert await listed(acme) == [made]


# --- Addresses ---------------------------------------------------------------------------------


async def sent(cast: Cast, **fields: str) -> None:
    """A subscription whose copy of issue 1 is sent."""
    await import_row(cast, start_issue="1", length="4", sent_issues="1", **fields)


async def test_the_addresses_are_a_csv_file_without_formulas(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_export, "ROWS", 2)
    made = await make_issue(acme)
    names = ["=cmd()", "+1", "-1", "@x", "Ada, Countess", "<script>", "שלום"]
    for name in names:
        await sent(acme, first_name=name, address1='5 "Sea" Street')
    await sent(acme, first_name="Online", medium="Digital")
    await make_subscription(acme, first_name="Unsent")
    response = await owner.see("issues", made["id"], "addresses")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert 'filename="issue-1-sent-to.csv"' in response.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(response.text.removeprefix("\ufeff"))))
    assert [row["first_name"] for row in rows] == [
        "'=cmd()",
        "'+1",
        "'-1",
        "'@x",
        "Ada, Countess",
        "<script>",
        "שלום",
    ]
    assert rows[0]["address1"] == '5 "Sea" Street'
    assert rows[0]["country_name"] == "Germany"
    assert rows[0]["last_name"] == ""


async def test_the_csv_file_names_countries_in_the_language_of_the_account(
    acme: Cast, owner: Person
) -> None:
    made = await make_issue(acme)
    await sent(acme)
    form = owner.address("settings", "account")
    assert (await owner.send(form, {"locale": "de_DE"})).status_code == 303
    assert "Deutschland" in (await owner.see("issues", made["id"], "addresses")).text


async def test_only_the_addresses_of_sent_copies_are_a_file_without_a_run(
    acme: Cast, owner: Person
) -> None:
    made = await make_issue(acme)
    await make_subscription(acme, first_name="Vera")
    address = owner.address("issues", made["id"], "addresses")
    assert address not in await owner.text("issues", made["id"])
    await sent(acme, first_name="Nils")
    file = (await owner.see("issues", made["id"], "addresses", status="Sent")).text
    assert "Nils" in file
    assert "Vera" not in file
    assert f'href="{address}?status=Sent"' in await owner.text("issues", made["id"])
    unsent = await owner.see("issues", made["id"], "addresses", status="Not sent")
    assert unsent.status_code == 400
    assert "prepare a mailing" in unsent.text


# --- Dispatch ------------------------------------------------------------------------------------


async def test_an_issue_shows_what_is_left_to_send_and_its_runs(acme: Cast, owner: Person) -> None:
    made = await make_issue(acme)
    assert "no copies to send yet" in await owner.text("issues", made["id"])
    await make_subscription(acme)
    page = await owner.text("issues", made["id"])
    assert "Prepare mailing 1 (1)" in page
    assert f'href="{owner.address("issues", made["id"], "dispatch")}"' in page
    response = await owner.send(owner.address("issues", made["id"], "dispatch"))
    page = await owner.text("issues", made["id"])
    assert f'href="{response.headers["Location"]}"' in page
    assert "Mailing 1 Prepared" in words(page)
    await owner.send(response.headers["Location"] + "mark/", opened=response.headers["Location"])
    page = words(await owner.text("issues", made["id"]))
    assert "Nothing is left to send." in page
    assert "Mailing 1 Sent" in page
    await make_subscription(acme)
    assert "1 late order: prepare mailing 2" in await owner.text("issues", made["id"])
