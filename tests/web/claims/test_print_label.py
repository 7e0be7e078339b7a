"""The label of a replacement is printed at once."""

import re

from masthead.model.dispatch.files import DispatchFile
from masthead.services.dispatch.file_builds import prepare_file
from masthead.store.dispatch import files
from tests.conftest import Cast
from tests.web.claims.conftest import Sent
from tests.web.claims.test_claims import new
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, id_in
from tests.web.reports.test_home import words


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
