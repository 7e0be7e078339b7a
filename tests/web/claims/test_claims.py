"""The claims: their list and counts, a new claim, and the run of the replacements."""

import csv
import html
import io
import re

import pytest

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.dispatch.copy_keys import key_of
from masthead.services.claims import records as service
from masthead.services.holds.by_hand import hold
from masthead.store.dispatch import lines
from tests.conftest import BY, Cast
from tests.support.dispatches import hold_address
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.walk import walk
from tests.web.claims.conftest import ANNA, Sent, send
from tests.web.conftest import Person
from tests.web.nasty import NASTY, is_harmless
from tests.web.subscriptions.test_renew import make_bundle


def words(page: str) -> str:
    """The text of a page, without its markup."""
    plain = html.unescape(re.sub(r"<[^>]+>", " ", page.partition("<main")[2]))
    return " ".join(plain.split())


def new(person: Person, reference: object) -> str:
    """The address of a new claim of a copy."""
    return f"{person.address('claims', 'new')}?copy={reference}"


async def test_a_claim_is_recorded_and_its_replacement_gets_a_run_of_its_own(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    page = words(await staff.text("claims", "new", copy=str(sent.copy["id"])))
    assert (
        "Issue 1 was sent to Anna Ek: mailing 1 of 3 May 2026, to Storgatan 1, 111 22 Stockholm."
        in page
    )
    assert "Address now" in page
    response = await staff.send(
        new(staff, sent.copy["id"]), {"reason": "damaged", "notes": "Wet and torn"}
    )
    assert response.headers["Location"] == staff.address("subscribers", sent.subscriber)
    page = await staff.text("subscribers", sent.subscriber)
    assert f'<a href="{staff.address("claims", "print")}?claim=' in page
    link = f"{staff.address('issues', sent.issue['id'], 'dispatch')}?only_replacements=1"
    assert "Prepare mailing 2: 1 replacement" in words((await staff.http.get(link)).text)
    page = words(page)
    assert "The claim is recorded. The replacement is in the next mailing of issue 1." in page
    said = r"Claimed on \d+ \w+ \d{4}, the replacement waits for the next mailing"
    assert re.search(said, page.replace(" ,", ","))
    assert "Claim for issue 1 recorded" in page
    assert new(staff, sent.copy["id"]) not in await staff.text("subscribers", sent.subscriber)
    page = words(await staff.text("subscriptions", sent.subscription["id"]))
    assert re.search(said, page.replace(" ,", ","))
    listed = words(await staff.text("claims"))
    assert "Issue 1 : 1 replacement waits for the next mailing" in listed
    assert "Anna Ek Issue 1 Damaged Wet and torn Sweden" in listed
    response = await staff.post(staff.address("issues", sent.issue["id"], "replacements"))
    location = response.headers["Location"]
    run_id = location.rstrip("/").rpartition("/")[2]
    (line,) = await lines.list_lines(acme.db, acme.account_id, run_id, after=0, limit=9)
    assert (line.copy_id, line.claim_id is not None) == (sent.copy["id"], True)
    listed = words(await staff.text("claims"))
    assert "Mailing 2 of issue 1 is prepared with 1 replacement." in listed
    assert "In a prepared mailing" in listed
    page = words(await staff.text("subscribers", sent.subscriber))
    assert ", the replacement is in a prepared mailing" in page
    refused = await staff.post(staff.address("issues", sent.issue["id"], "replacements"))
    assert refused.status_code == 400
    assert "Nothing is left to send of issue 1" in words(refused.text)


async def test_a_claim_by_the_key_on_the_label(staff: Person, acme: Cast, sent: Sent) -> None:
    key = key_of(acme.account_id, sent.run.first_line)
    response = await staff.send(new(staff, f"%23{key}%23"), {"reason": "never_arrived"})
    assert response.status_code == 303
    wrong = key[:-1] + ("0" if key[-1] != "0" else "1")
    response = await staff.see("claims", "new", copy=wrong)
    assert response.status_code == 400
    assert "wrong check digit" in words(response.text)
    response = await staff.see("claims", "new", copy="4294967297")
    assert response.status_code == 404
    assert "There is no copy 4294967297" in words(response.text)
    label = "Name or address of the subscriber, or copy key on the label"
    assert label in words(await staff.text("claims", "new")).replace("\xa0", " ")


async def test_a_reason_is_required_and_a_form_sent_twice_makes_one_claim(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    address = new(staff, sent.copy["id"])
    refused = await staff.send(address, {"reason": "", "notes": "kept"})
    assert refused.status_code == 400
    assert "Choose a reason." in refused.text
    assert "kept" in refused.text
    response = await staff.send(address, {"reason": "other"})
    assert response.status_code == 303
    again = await staff.post(address, staff.sent)
    assert again.headers["Location"] == staff.address("subscribers", sent.subscriber)
    assert "already has this claim" in words(await staff.text("subscribers", sent.subscriber))
    shown = await staff.see("claims", "new", copy=str(sent.copy["id"]))
    assert shown.status_code == 400
    assert "of this copy is open" in words(shown.text)


async def test_a_claim_over_the_limit_must_be_confirmed(
    owner: Person, acme: Cast, sent: Sent
) -> None:
    limit = {"max_replacements": "0", "max_replacements_issues": "6"}
    response = await owner.send(owner.address("settings", "replacements"), limit)
    assert response.headers["Location"] == owner.address("settings", "replacements")
    assert "The limit is saved." in await owner.text("settings", "replacements")
    address = new(owner, sent.copy["id"])
    page = words(await owner.text("claims", "new", copy=str(sent.copy["id"])))
    assert "This is replacement 1 for this subscriber within 6 issues" in page
    refused = await owner.send(address, {"reason": "other"})
    assert refused.status_code == 400
    assert "Read the warning, and confirm it." in refused.text
    response = await owner.send(address, {"reason": "other", "is_confirmed": "y"})
    assert response.status_code == 303


async def test_a_replacement_that_waits_is_in_no_mailing(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    """The page of the subscriber says why, and leads to what ends it."""
    await hold_address(acme, sent.copy)
    claimed = {"reason": "other", "replacement": "y", "is_confirmed": "y"}
    asked = words(await staff.text("claims", "new", copy=str(sent.copy["id"])))
    assert "Yes, record a replacement that waits" in asked
    assert "nevertheless" not in asked
    await staff.send(new(staff, sent.copy["id"]), claimed)
    page = words(await staff.text("subscribers", sent.subscriber))
    assert "The replacement waits until the address is corrected. Change the address" in page
    assert "in the next mailing" not in page


async def test_a_replacement_waits_while_the_subscription_is_held(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    await hold(acme.db, acme.account_id, sent.copy["subscription_id"], reason="Asked", by=BY)
    warned = "The subscription is held. The replacement waits until it is released."
    assert warned in words(await staff.text("claims", "new", copy=str(sent.copy["id"])))
    claimed = {"reason": "other", "replacement": "y", "is_confirmed": "y"}
    await staff.send(new(staff, sent.copy["id"]), claimed)
    assert warned in words(await staff.text("subscribers", sent.subscriber))


async def test_copies_of_several_issues_are_claimed_in_one_form(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    made = await make_subscription(acme, **{**ANNA, "city": "Lund"}, length=3)
    await send(acme, (await make_issue(acme, 2))["id"])
    await service.update_policy(acme.db, acme.account_id, replacements=1, issues=6, by=BY)
    one, two = await copies_of(acme, made["id"])
    await send(acme, sent.issue["id"])
    address = new(staff, two["id"])
    page = await staff.text("claims", "new", copy=str(two["id"]))
    sent_on, other = "sent on 3 May 2026", "Anna Ek, Stockholm"
    assert (
        f"either? optional Issue 2, {sent_on}, {other} Issue 1, {sent_on} "
        f"Issue 1, {sent_on}, {other} Notes"
    ) in words(page)
    assert "This is replacement" not in page
    chosen = {"reason": "never_arrived", "others": str(one["id"])}
    refused = await staff.send(address, chosen)
    assert "This is replacement 2 for this subscriber" in words(refused.text)
    assert f'value="{one["id"]}" checked' in refused.text
    gone = await staff.send(address, {**chosen, "others": "4294967297"})
    assert "One of these copies cannot be claimed any more." in gone.text
    assert await walk(acme, "/v1/claims/") == []
    await staff.send(address, {**chosen, "is_confirmed": "y"})
    page = await staff.text("claims")
    ids = " ".join(sorted(claim["id"] for claim in await walk(acme, "/v1/claims/")))
    [link] = re.findall(r'<a href="[^"]*/claims/print/\?claim=([^"]+)">Print the label now', page)
    assert sorted(link.split("+")) == ids.split()
    listed = words(page)
    assert (
        "2 claims are recorded. The replacements are in the next mailings of issues 1, 2." in listed
    )
    assert {each["copy_id"] for each in await walk(acme, "/v1/claims/")} == {one["id"], two["id"]}


async def test_a_limit_must_be_a_number(owner: Person) -> None:
    for text, message in (("two", "Not a valid integer"), ("-1", "expected a whole number")):
        response = await owner.send(
            owner.address("settings", "replacements"), {"max_replacements": text}
        )
        assert response.status_code == 400
        assert message in response.text


async def test_a_claim_without_a_replacement_and_one_that_is_withdrawn(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    address = new(staff, sent.copy["id"])
    fields = {"reason": "other"}
    page = await staff.http.get(address)
    key = re.search(r'name="idempotency_key"[^>]*value="([^"]+)"', page.text)
    assert key is not None
    response = await staff.post(address, {**fields, "idempotency_key": key[1]})
    assert response.status_code == 303
    assert "No replacement wanted" in words(await staff.text("claims"))
    await staff.send(address, {"reason": "never_arrived"})
    listed = await staff.text("claims")
    close = re.search(r'action="([^"]*/claims/[^"]+/close/)"', listed)
    assert close is not None
    response = await staff.post(close[1])
    assert response.status_code == 303
    listed = words(await staff.text("claims"))
    assert "The claim is withdrawn." in listed
    assert "Withdrawn" in listed
    held = await record(acme, sent.copy["id"])
    await staff.post(staff.address("issues", sent.issue["id"], "replacements"))
    refused = await staff.post(staff.address("claims", held, "close"))
    assert refused.status_code == 400
    assert "so it stays there" in words(refused.text)


async def record(cast: Cast, copy_id: int, **fields: str) -> str:
    body = ClaimCreate(copy=copy_id, reason=ClaimReason.NEVER_ARRIVED, notes=fields.get("notes"))
    return (await service.create_claim(cast.db, cast.account_id, body, by=BY)).id


async def test_the_counts_show_where_copies_are_lost(staff: Person, acme: Cast, sent: Sent) -> None:
    assert "Where copies are lost" not in await staff.text("claims")
    austrian = await make_subscription(acme, country="AT")
    await send(acme, sent.issue["id"])
    (copy,) = await copies_of(acme, austrian["id"])
    await record(acme, copy["id"])
    page = words(await staff.text("claims"))
    assert "Issue 1 , all countries 2 1 500 1 0 0 Austria 1 1 1,000 1 0 0" in page
    file = await staff.see("claims", "csv")
    assert file.headers["Content-Disposition"].endswith('"claims-by-issue-and-country.csv"')
    rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))
    assert [(row["country_name"], row["sent"], row["claims"], row["rate"]) for row in rows] == [
        ("Austria", "1", "1", "1.0000"),
        ("Sweden", "1", "0", "0.0000"),
    ]


async def test_the_list_is_filtered(staff: Person, acme: Cast, sent: Sent) -> None:
    assert "There are no claims yet." in await staff.text("claims")
    await record(acme, sent.copy["id"])
    found = await staff.text("claims", status="open", issue=sent.issue["id"])
    assert "Anna" in words(found)
    assert "Show all claims" in found
    assert "No claims match" in await staff.text("claims", reason="damaged")
    refused = await staff.see("claims", status="gone")
    assert refused.status_code == 400
    assert "gone" in words(refused.text)
    block = await staff.http.get(
        staff.address("claims"),
        params={"status": "gone"},
        headers={"HX-Request": "true", "HX-Target": "results"},
    )
    assert "gone" in block.text


@pytest.mark.parametrize("text", NASTY)
async def test_names_and_notes_are_shown_as_text(
    staff: Person, acme: Cast, sent: Sent, text: str
) -> None:
    made = await make_subscription(acme, **{**ANNA, "first_name": text, "email": "n@example.com"})
    await send(acme, sent.issue["id"])
    (copy,) = await copies_of(acme, made["id"])
    assert is_harmless(await staff.text("claims", "new", copy=str(copy["id"])), text)
    await record(acme, copy["id"], notes=text)
    assert is_harmless(await staff.text("claims"), text)
    page = await staff.text("issues", sent.issue["id"], "why", subscriber="n@example.com")
    assert is_harmless(page, text)


async def claim_three_copies(acme: Cast) -> None:
    """Claims of the three copies of a company for one address, one for another reason."""
    issue = await make_issue(acme)
    ids = await make_bundle(acme, 3, address1="Kai 4", city="Kiel", postcode="24103")
    await send(acme, issue["id"])
    for id in ids:
        (copy,) = await copies_of(acme, id)
        reason = ClaimReason.DAMAGED if id == ids[0] else ClaimReason.NEVER_ARRIVED
        claim = ClaimCreate(copy=copy["id"], reason=reason)
        await service.create_claim(acme.db, acme.account_id, claim, by=BY)


async def test_copies_for_one_address_are_one_row_that_is_withdrawn_as_one(
    staff: Person, acme: Cast
) -> None:
    await claim_three_copies(acme)
    page = await staff.text("claims")
    assert page.count(">Harbour Books</bdi>") == 2
    assert "2 copies : Did not arrive" in words(page)
    row = page[page.index("2 copies") :]
    (id,) = re.findall(r"/claims/(\w+)/close/", row)[:1]
    (other,) = re.findall(r'name="with" value="(\w+)"', row)
    await staff.post(staff.address("claims", id, "close"), {"with": other})
    listed = words(await staff.text("claims"))
    assert "The claims of 2 copies are withdrawn. No replacements will be sent." in listed
    assert "1 replacement waits for the next mailing" in listed
    assert "2 copies : Did not arrive Germany" in listed


async def test_the_file_has_one_row_for_copies_to_one_address(staff: Person, acme: Cast) -> None:
    await claim_three_copies(acme)
    found = await staff.see("downloads", "claims", "csv")
    rows = csv.DictReader(io.StringIO(found.content.decode("utf-8-sig")))
    assert sorted((row["reason"], row["copies"]) for row in rows) == [
        ("Damaged", "1"),
        ("Did not arrive", "2"),
    ]


async def test_the_file_of_claims_says_which_have_a_replacement(
    acme: Cast, staff: Person, sent: Sent
) -> None:
    for replacement in (False, True):
        body = {"copy": sent.copy["id"], "reason": "other", "replacement": replacement}
        claim = (await acme.post("/v1/claims/", body)).json()
        content = (await staff.see("downloads", "claims", "csv", status=claim["status"])).text
        (row,) = csv.DictReader(io.StringIO(content))
        assert row["replacement"] == ("yes" if replacement else "no")
