"""The label of a replacement is printed at once."""

import re

from masthead.model.dispatch.files import DispatchFile
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.services.dispatch.file_builds import prepare_file
from masthead.store.dispatch import files
from masthead.store.engine.interface import Database
from tests.conftest import Cast
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.claims.conftest import ANNA, Sent, send
from tests.web.claims.test_claims import new
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, id_in
from tests.web.reports.test_home import words
from tests.web.test_rights import give


async def claim(person: Person, acme: Cast, sent: Sent) -> str:
    """Record a claim; returns the id."""
    await person.send(new(person, sent.copy["id"]), {"reason": "damaged"})
    [claimed] = (await acme.get("/v1/claims/")).json()["items"]
    return str(claimed["id"])


async def print_label(person: Person, id: str, **fields: str) -> str:
    """Print a label; returns the address of the page of its mailing."""
    response = await person.send(
        person.address("claims", "print"),
        {"claim": id, "format": "pdf", **fields},
        opened=f"{person.address('claims', 'print')}?claim={id}",
    )
    assert response.status_code == 303, response.text
    return str(response.headers["Location"]).partition("#")[0]


async def test_a_claim_is_printed_marked_and_undone(staff: Person, acme: Cast, sent: Sent) -> None:
    id = await claim(staff, acme, sent)
    page = await staff.text("subscribers", sent.subscriber)
    assert page.count("Print the label now") == 2  # in the message, and beside the claim
    page = words(await staff.text("claims", "print", claim=id))
    assert "for Anna Ek : Storgatan 1 , 111 22 Stockholm , Sweden" in page
    address = await print_label(staff, id, profile="labels-l7163", first_label="5")
    [file] = await files.list_files(acme.db, acme.account_id, id_in(address))
    assert (file.profile_id, file.settings.start_label) == ("labels-l7163", 5)
    ready: DispatchFile = await prepare_file(acme.db, acme.account_id, file.id)
    assert ready.totals is not None
    assert ready.totals.addresses == 1
    page = await follow(staff, address, "mark", {"date": "2026-05-03"})
    assert "1 copy is marked as sent" in page
    assert (await acme.get(f"/v1/claims/{id}/")).json()["status"] == "sent"
    assert "1 copy is Not sent again" in await follow(staff, address, "undo", {})
    again = await staff.text("claims", "print", claim=id)
    assert "No replacement waits here" in again
    assert "the replacement is in a prepared mailing" in words(
        await staff.text("subscribers", sent.subscriber)
    )


async def test_home_counts_the_other_replacements_of_an_issue_in_the_same_line(
    staff: Person, acme: Cast
) -> None:
    issue = await make_issue(acme)
    made = [await make_subscription(acme, email=f"{name}@example.com") for name in "abc"]
    await send(acme, issue["id"])
    for each in made:
        (copy,) = await copies_of(acme, each["id"])
        await staff.send(new(staff, copy["id"]), {"reason": "damaged"})
    ids = [each["id"] for each in (await acme.get("/v1/claims/")).json()["items"]]
    assert to_do(await staff.text()) == ["Replacements to send 3"]
    address = await print_label(staff, ids[0], profile="labels-l7163")
    assert to_do(await staff.text()) == [
        "Open mailing 2 to download (1 replacement)",
        "Replacements to send 2",
    ]
    await follow(staff, address, "mark", {"date": "2026-05-03"})
    assert to_do(await staff.text()) == ["Replacements to send 2"]
    assert "Replacements to send 2" in words(await staff.text("dispatches"))
    of_issue = words(await staff.text("issues", issue["id"]))
    assert "2 replacements: prepare mailing 3" in of_issue


def to_do(page: str) -> list[str]:
    """What Home says about mailings and replacements."""
    steps = r"Prepare mailing \d+|Open mailing [^)]*\)|\d+ replacements?: prepare"
    return re.findall(rf"{steps}|Replacements to send \d+", words(page))


async def test_a_position_that_the_sheet_does_not_have_changes_nothing(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    id = await claim(staff, acme, sent)
    response = await staff.send(
        staff.address("claims", "print"),
        {"claim": id, "format": "pdf", "profile": "labels-l7160", "first_label": "22"},
        opened=f"{staff.address('claims', 'print')}?claim={id}",
    )
    assert response.status_code == 400
    assert re.search(r'name="first_label"[^>]*value="22"', response.text)
    assert (await acme.get(f"/v1/claims/{id}/")).json()["status"] == "open"


async def test_the_replacement_of_a_past_issue_goes_out_at_once_unless_chosen_otherwise(
    staff: Person, acme: Cast, sent: Sent
) -> None:
    chosen = r'name="how"[^>]*value="(\w+)"[^>]*checked|checked[^>]*name="how"[^>]*value="(\w+)"'
    for date, how in (("2999-01-01", "mailing"), ("2026-01-01", "label")):
        await make_issue(acme, 2 if how == "mailing" else 3, date_as_start_issue=date)
        page = await staff.text("claims", "new", copy=str(sent.copy["id"]))
        assert [how in each for each in re.findall(chosen, page)] == [True]


async def test_the_form_of_a_claim_says_how_the_replacement_goes_out(
    db: Database, staff: Person, acme: Cast, sent: Sent
) -> None:
    page = words(await staff.text("claims", "new", copy=str(sent.copy["id"])))
    assert "How does the replacement go out? With the next mailing of issue 1 At once" in page
    typed = {"reason": "damaged", "how": "label"}
    saved = await staff.send(new(staff, sent.copy["id"]), typed)
    location = saved.headers["Location"]
    assert location.startswith(f"{staff.address('claims', 'print')}?claim=")
    page = words((await staff.http.get(location)).text)
    assert "The claim is recorded." in page
    assert "Replacement of issue 1 for Anna Ek" in page
    other = await make_subscription(acme, **{**ANNA, "email": "bo@example.com"})
    (copy,) = await copies_of(acme, other["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    await give(db, acme, staff, STAFF_RIGHTS - {Right.DISPATCH})
    page = words(await staff.text("claims", "new", copy=str(copy["id"])))
    assert "How does the replacement go out?" not in page
    assert "The replacement goes out with the next mailing of issue 1." in page
    saved = await staff.send(new(staff, copy["id"]), typed)
    subscriber = other["subscriber"]["id"]
    assert saved.headers["Location"] == staff.address("subscribers", subscriber)
