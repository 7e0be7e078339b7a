"""The notes on the page of a subscriber."""

import re

from tests.conftest import Cast
from tests.support.factories import make_issue
from tests.support.subscribers import make_subscriber
from tests.web.conftest import Person, fields_of


async def test_a_note_is_added_on_the_page_of_the_subscriber(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    page = await staff.text("subscribers", id)
    key = fields_of(page)["idempotency_key"]
    sent = {"idempotency_key": key, "text": "Rings twice"}
    for _again in range(2):
        response = await staff.post(staff.address("subscribers", id, "notes"), sent)
        assert response.headers["Location"] == staff.address("subscribers", id) + "#notes"
    page = await staff.text("subscribers", id)
    assert page.count("Rings twice") == 1
    assert page.count(f"<bdi>{staff.email}</bdi>, ") == 1


async def test_an_empty_note_is_refused_at_the_field(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    for text in ("", "  "):
        response = await staff.send(staff.address("subscribers", id, "notes"), {"text": text})
        assert response.status_code == 400
        assert "Type the note." in response.text


async def test_a_note_is_deleted_after_a_question(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    await staff.send(staff.address("subscribers", id, "notes"), {"text": "Rings twice"})
    page = await staff.text("subscribers", id)
    [address] = re.findall(r'href="([^"]*/delete/)"', page)
    assert "Rings twice" in (await staff.http.get(address)).text
    await staff.send(address)
    shown = await staff.text("subscribers", id)
    assert "The note is deleted." in shown
    assert "Rings twice" not in shown
    assert f"was deleted by <bdi>{staff.email}</bdi>" in shown
    again = await staff.http.get(address)
    assert again.headers["Location"] == staff.address("subscribers", id)
    assert "already deleted" in await staff.text("subscribers", id)
