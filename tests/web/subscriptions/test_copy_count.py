"""Change the number of copies for one address, from an issue on."""

from typing import Any

import httpx

from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.store.engine.interface import Database
from tests.conftest import Cast
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import (
    made,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import mark, rows_of, shown
from tests.web.subscriptions.test_copies import subscriber_of
from tests.web.subscriptions.test_renew import make_bundle
from tests.web.test_rights import give


async def change(owner: Person, id: str, **typed: str) -> httpx.Response:
    """Open the form, type into it and send it."""
    path = owner.address("subscriptions", id, "copies")
    opened = fields_of((await owner.http.get(path)).text)
    return await owner.post(path, {**opened, **typed})


async def issues_of(cast: Cast) -> list[Any]:
    """The first and last issue of each subscription, oldest first."""
    rows = await rows_of(cast, "subscription")
    return [(row["start_issue"], row["last_issue"]) for row in rows]


async def test_three_copies_become_five_from_an_issue_on(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    ids = await make_bundle(acme, 3)
    await mark(acme, ids[0], 1)
    page = await owner.see("subscriptions", ids[0], "copies")
    assert "There are 3 copies of each issue, up to issue 2." in words(page)
    assert "€5.00 for each further copy from issue 2 on" in words(page)
    assert fields_of(page.text)["first_issue"] == "2"
    assert (await change(owner, ids[0], count="5")).is_redirect
    assert await issues_of(acme) == [(1, 2)] * 3 + [(2, 2)] * 2
    rows = await rows_of(acme, "subscription")
    assert {row["bundle_id"] for row in rows} == {ids[0]}
    assert [row["price"] for row in await rows_of(acme, "period")][3:] == [500, 500]
    text = words(await owner.see("subscriptions", ids[0]))
    assert "From issue 2 on, there are 5 copies of each issue." in text
    assert "5 copies: Print, issues 1–2" in text
    assert "3 copies from issue 1 on, 5 from issue 2 on." in text
    text = words(await owner.see("subscribers", await subscriber_of(acme, ids[0])))
    assert "Issue 2 5 copies: not sent yet:" in text
    assert await faults(acme) == []


async def test_three_copies_become_two_from_an_issue_on(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    ids = await make_bundle(acme, 3)
    saved = await change(owner, ids[0], count="2", first_issue="2", refunds="y")
    assert saved.is_redirect
    assert await issues_of(acme) == [(1, 2), (1, 2), (1, 1)]
    assert [(await shown(acme, id))["refunded"] for id in ids] == ["0.00", "0.00", "5.00"]
    text = words(await owner.see("subscriptions", ids[0]))
    assert "2 copies: Print, issues 1–2" in text
    assert "3 copies from issue 1 on, 2 from issue 2 on." in text
    text = words(await owner.see("subscribers", await subscriber_of(acme, ids[0])))
    assert text.count("copies: Print, issues 1–2") == 1
    assert "Print, issue 1," not in text
    assert "3 copies from issue 1 on, 2 from issue 2 on." in text
    assert "Issue 1 3 copies: not sent yet:" in text
    assert "Issue 2 2 copies: not sent yet:" in text
    assert await faults(acme) == []


async def test_one_copy_becomes_several_and_copies_that_never_began_are_cancelled(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    first = (await make_subscription(acme, length=2))["id"]
    altered = await change(owner, first, count="3", first_issue="2", seen="one")
    assert "This subscription has changed since you opened it." in words(altered)
    assert (await change(owner, first, count="3", first_issue="2", price="7,01")).is_redirect
    assert [row["price"] for row in await rows_of(acme, "period")][1:] == [351, 350]
    assert (await change(owner, first, count="1", first_issue="2")).is_redirect
    rows = await rows_of(acme, "subscription")
    assert [row["status"] for row in rows] == ["Active", "Cancelled", "Cancelled"]
    assert await faults(acme) == []


async def test_what_is_not_possible_is_refused_with_the_way_out(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    ids = await make_bundle(acme, 3)
    for id in ids:
        await mark(acme, id, 1)
    for typed, message in (
        ({"count": "0"}, "Type a whole number from 1 to 100."),
        ({"count": "3"}, "There are 3 copies already. Type another number."),
        ({"count": "2", "first_issue": "1"}, "Fewer copies are possible from issue 2 on."),
        ({"count": "4", "first_issue": "3"}, "The subscription is for issues 1–2"),
        ({"count": "4", "price": "x"}, "Type the amount like 42.00."),
        ({"count": "4", "payment_method": "gold"}, "Choose how it was paid."),
        ({"count": "4", "seen": "2"}, "This subscription has changed since you opened it."),
        ({"count": "4", "payment_method": "shells"}, "Choose how it was paid."),
    ):
        response = await change(owner, ids[0], **typed)
        assert response.status_code == 400
        assert message in words(response), typed
    assert await issues_of(acme) == [(1, 2)] * 3


async def test_copies_begin_with_an_issue_that_exists_and_have_an_order_id_of_their_own(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=4, order_id="H-1")
    for typed, name, message in (
        ({"first_issue": "3"}, "first_issue", "but there is no issue with that number"),
        ({"order_id": "H-1"}, "order_id", "already belongs to subscription"),
    ):
        response = await change(owner, sub["id"], count="3", **typed)
        assert response.status_code == 400
        assert message in words(response)
        assert f'id="{name}-error"' in response.text
    assert await issues_of(acme) == [(1, 4)]


async def test_a_complimentary_copy_has_no_price(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, is_comp=True, price="0.00")
    refused = await change(owner, sub["id"], count="2", price="5.00")
    assert "The subscription is complimentary, so its price is 0." in words(refused)
    assert (await change(owner, sub["id"], count="2", price="0.00")).is_redirect
    assert len(await issues_of(acme)) == 2
    assert await faults(acme) == []


async def test_copies_in_a_prepared_mailing_and_renewed_ones_stay(
    owner: Person, acme: Cast
) -> None:
    [first, _second] = await make_issues(acme, 1, 2)
    ids = await make_bundle(acme, 3)
    made(await acme.post("/v1/dispatches/", {"issue": first["id"]}))
    refused = await change(owner, ids[0], count="2", first_issue="1")
    assert "All copies of issue 1 are in a prepared mailing." in words(refused)
    assert "possible from issue 2 on, or discard the mailing first." in words(refused)
    for place, id in enumerate(ids):
        order = {"source": acme.shop, "order_id": f"R{place}", "order_date": "2026-02-01"}
        made(await acme.post(f"/v1/subscriptions/{id}/renewals/", {**order, "price": "10.00"}))
    for number in ("2", "3"):
        refused = await change(owner, ids[0], count="2", first_issue=number)
        assert "are renewed from issue 3 on. Fewer copies are possible from issue 4 on" in words(
            refused
        )
    assert (await change(owner, ids[0], count="2", first_issue="4")).is_redirect
    assert sorted(await issues_of(acme)) == [(1, 3), (1, 4), (1, 4)]
    assert await faults(acme) == []


async def test_copies_of_a_membership_are_ended_one_by_one(owner: Person, acme: Cast) -> None:
    member = (await make_membership(acme))["id"]
    page = await owner.see("subscriptions", member, "copies")
    assert "A membership is for days, not for issues." in words(page)


async def test_a_copy_that_was_taken_off_is_not_asked_to_renew(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, date_as_start_issue="2026-01-01")
    await make_issues(acme, 2, 3)
    ids = await make_bundle(acme, 3)
    assert (await change(owner, ids[0], count="2", first_issue="2")).is_redirect
    for id in ids:
        await mark(acme, id, 1)
    text = words(await owner.see("ending"))
    assert "Harbour Books" not in text
    assert "Harbour Books" in words(await owner.see("ending", "next"))


async def test_further_copies_by_invoice_wait_for_a_user_who_may_bill(
    db: Database, staff: Person, owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await make_issue(acme, 2)
    where = {"address1": "Weg 1", "city": "Ulm", "postcode": "89073", "country": "DE"}
    id = (await make_subscription(acme, length=2, **where))["id"]
    await give(db, acme, staff, STAFF_RIGHTS - {Right.BILL})
    page = await staff.see("subscriptions", id, "copies")
    assert "By invoice, the order waits for its invoice." in words(page)
    typed = {"count": "2", "first_issue": "2", "price": "9.00", "payment_method": "invoice"}
    assert (await change(staff, id, **typed)).is_redirect
    assert "The order waits for its invoice." in words(await staff.see("subscriptions", id))
    assert await newest_invoices(acme) == []
    saved = await change(owner, id, **{**typed, "count": "3"})
    assert saved.is_redirect, words(saved)
    [invoice] = await newest_invoices(acme)
    text = words(await owner.see("subscriptions", id))
    assert f"Invoice {invoice.document.number} is issued" in text
