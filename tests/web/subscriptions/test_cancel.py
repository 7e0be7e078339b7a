"""The page that cancels subscriptions: reason, refund and preview."""

import re

import pytest

from tests.conftest import Cast
from tests.support.billing import bill, owed, turn_on_billing
from tests.support.factories import (
    copies_of,
    import_row,
    make_claim,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.subscribers import make_gift
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel
from tests.web.subscriptions.test_pages import trail

WHY = {"reason": "moved"}


async def test_a_cancellation_has_a_preview_and_is_then_done(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=6)
    [first, *_] = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    path = owner.address("subscriptions", made["id"], "cancel")
    text = words(await owner.http.get(path))
    assert "2 copies not sent yet (issues 2–3) will be cancelled." in text
    assert "3 issues not created yet (issues 4–6) will not be delivered." in text
    assert "1 copy was already sent and does not change." in text
    assert "Stop renewals" not in text
    response = await owner.send(path, WHY)
    assert response.status_code == 303
    page = words(await owner.text("subscriptions", made["id"]))
    assert "The subscription is cancelled. 2 copies will not be sent." in page
    [entry] = (await trail(acme, made["id"]))[1:]
    assert (entry["action"], entry["actor_kind"]) == ("subscription.cancel", "user")
    assert (await owner.post(path, owner.sent)).status_code == 303  # sent twice
    assert len(await trail(acme, made["id"])) == 2
    assert "The subscription is already cancelled." in words(await owner.http.get(path))


async def test_after_a_death_the_other_subscriptions_of_the_person_are_named(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    own, other = [
        await make_subscription(acme, email="ada@example.test", length=3) for _ in range(2)
    ]
    person = own["subscriber"]["id"]
    assert other["subscriber"]["id"] == person
    gift = await make_gift(acme, giver=person, email="niece@example.test")
    response = await owner.send(
        owner.address("subscriptions", own["id"], "cancel"), {"reason": "died"}
    )
    assert response.headers["location"].endswith(f"/subscribers/{person}/")
    page = words(await owner.text("subscribers", person))
    assert "3 copies will not be sent. 1 other subscription of the same person goes on." in page
    assert "This person gave or pays for 1 subscription of someone else." in page
    for each in (gift, other):
        response = await owner.send(
            owner.address("subscriptions", each["id"], "cancel"), {"reason": "died"}
        )
    assert response.headers["location"].endswith(f"/subscriptions/{other['id']}/")


async def test_the_message_names_no_copies_if_there_are_none(owner: Person, acme: Cast) -> None:
    made = await make_membership(acme)
    await owner.send(owner.address("subscriptions", made["id"], "cancel"), WHY)
    page = words(await owner.text("subscriptions", made["id"]))
    assert "The subscription is cancelled." in page
    assert "will not be sent" not in page


async def test_a_german_message_names_the_copies(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3)
    await owner.send(owner.address("settings", "account"), {"locale": "de_AT"})
    await owner.send(owner.address("subscriptions", made["id"], "cancel"), WHY)
    page = words(await owner.text("subscriptions", made["id"]))
    assert "Das Abonnement ist gekündigt. 3 Hefte werden nicht versendet." in page
    assert "Grund: Der Abonnent ist verzogen." in page


async def test_the_renewals_of_a_recurring_subscription_can_be_stopped(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    await make_issue(acme, 4, recurring_charge_date="2099-02-01")
    made = await make_subscription(acme, length=3, is_recurring=True)
    path = owner.address("subscriptions", made["id"], "cancel")
    page = (await owner.http.get(path)).text
    text = words(page)
    assert "2 copies not sent yet (issues 1–2) will still be sent." in text
    assert "The charge due on 1 February 2099 will not be made." in text
    assert "1 issue not created yet (issue 3) will still be delivered." in text
    assert "Active - Renewals stopped" in text
    assert "Cancel the subscription and 2 copies" in text
    form = re.search(r"<form(?:(?!<form).)*?stop_renewals.*?</form>", page, re.DOTALL)
    assert form
    response = await owner.post(path, fields_of(form[0]))
    assert response.status_code == 303
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["status"] == "Active - Renewals stopped"
    assert "There are no renewals to stop." in words(await owner.http.get(path))


async def test_the_preview_shows_until_when_a_membership_is_paid(owner: Person, acme: Cast) -> None:
    made = await make_membership(acme, is_recurring="yes")
    text = words(await owner.text("subscriptions", made["id"], "cancel"))
    assert "The membership is paid until 31 December 2099." in text
    assert (
        "paid until 31 December 2099, but issues released after today will not be delivered."
        in text
    )


async def test_a_cancellation_is_previewed_again_after_a_change(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "cancel")
    opened = fields_of((await owner.http.get(path)).text)
    await make_issue(acme, 2)
    response = await owner.post(path, {**opened, **WHY})
    assert response.status_code == 400
    text = words(response)
    assert "has changed since you opened this page" in text
    assert "2 copies not sent yet" in text
    assert len(await trail(acme, made["id"])) == 1
    assert (await owner.post(path, {**fields_of(response.text), **WHY})).status_code == 303


@pytest.mark.parametrize("mode", ["", "stop_renewals", "destroy"])
async def test_an_option_that_is_not_offered_is_refused(
    owner: Person, acme: Cast, mode: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "cancel")
    response = await owner.send(path, {**WHY, "mode": mode})
    assert response.status_code == 400
    assert "Choose one of the options below" in words(response)


async def test_renewals_are_not_stopped_after_a_preview_that_is_out_of_date(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, is_recurring=True)
    path = owner.address("subscriptions", made["id"], "cancel")
    response = await owner.post(path, {"mode": "stop_renewals", "digest": "x"})
    assert response.status_code == 400
    assert "has changed since you opened this page" in words(response)
    assert len(await trail(acme, made["id"])) == 1


async def test_an_unknown_kind_of_refund_is_no_refund(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    path = owner.address("subscriptions", made["id"], "cancel")
    assert (await owner.send(path, {**WHY, "refund": "twice"})).is_redirect
    assert (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()["refunded"] == "0.00"


async def test_a_complete_subscription_offers_renewal_and_no_cancellation(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=1)
    [copy] = await copies_of(acme, made["id"])
    path = owner.address("subscriptions", made["id"], "cancel")
    opened = fields_of((await owner.http.get(path)).text)
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    page = (await owner.see("subscriptions", made["id"])).text
    assert owner.address("subscriptions", made["id"], "renew") in page
    assert path not in page
    shown = await owner.http.get(path)
    assert "The subscription is complete: there is nothing left to cancel." in words(shown)
    assert 'name="reason"' not in shown.text
    assert (await owner.post(path, {**opened, **WHY})).status_code == 400


async def test_an_order_that_was_cut_short_is_not_complete(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=1, order_id=f"CUT-{acme.account_id}")
    [copy] = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await import_row(acme, renews=f"CUT-{acme.account_id}", length="2")
    await make_issue(acme, 2)
    await make_issue(acme, 3)
    member = await make_membership(acme)
    for id in (made["id"], member["id"]):
        await owner.send(owner.address("subscriptions", id, "cancel"), WHY)
    rows = re.findall(r"<tr>.*?</tr>", await owner.text("subscriptions", made["id"]), re.DOTALL)
    [first] = [row for row in rows if f"CUT-{acme.account_id}<" in row]
    assert ">Complete<" in first
    [second] = [row for row in rows if 'data-label="Status">Cancelled<' in row]
    assert "2–3" in second
    assert 'data-label="Status">Cancelled<' in await owner.text("subscriptions", member["id"])


async def test_what_is_billed_is_credited_and_not_refunded(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme, length=4)).subscriptions[0].id
    path = owner.address("subscriptions", id, "cancel")
    page = words(await owner.http.get(path))
    assert "What is credited of the invoice" in page
    assert "The share for issues not sent: €60.00" in page
    assert "paid share" not in page
    assert "The order costs €60.00; issues that were sent: 0 of 4." in page
    done = await owner.send(path, {**WHY, "refund": "share"})
    assert "The credit is recorded." in words(await owner.http.get(done.headers["Location"]))
    assert await owed(acme) == [(60_00, 0), (-60_00, 0)]


async def test_the_share_is_explained_and_the_button_says_the_money(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 8)
    made = await make_subscription(acme, length=8, price="79.50")
    [first, *_] = sorted(await copies_of(acme, made["id"]), key=lambda it: it["issue"]["number"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    path = owner.address("subscriptions", made["id"], "cancel")
    page = words(await owner.http.get(path))
    assert "The price of €79.50 is for 8 issues; 1 issue was sent: €9.93, rounded down." in page
    assert "The rest is €69.57." in page
    assert "Cancel the subscription and 7 copies, refund €69.57" in page
    assert "below" not in page
    await owner.send(path, {**WHY, "refund": "share"})
    page = words(await owner.text("subscriptions", made["id"]))
    assert "Refunded: €69.57." in page.split("Copies")[0]


async def test_a_typed_reason_is_shown_alone(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    one, other = [await make_subscription(acme, email=f"{n}@x.test") for n in range(2)]
    typed = {"reason": "other", "notes": "Moves in with a reader"}
    await owner.send(owner.address("subscriptions", one["id"], "cancel"), typed)
    page = words(await owner.see("subscriptions", one["id"]))
    assert "Reason: Moves in with a reader" in page
    await owner.send(owner.address("subscriptions", other["id"], "cancel"), {"reason": "illness"})
    assert "Reason: Illness." in words(await owner.see("subscriptions", other["id"]))


async def test_the_preview_names_a_replacement_that_is_still_sent(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3)
    await make_claim(acme, made)
    page = words(await owner.see("subscriptions", made["id"], "cancel"))
    assert "The replacement of issue 1 will still be sent." in page


async def test_a_cancelled_membership_does_not_run_until_its_last_paid_day(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    made = await make_membership(acme)
    assert "membership until" in words(await owner.see("subscriptions")).lower()
    await owner.send(owner.address("subscriptions", made["id"], "cancel"), WHY)
    for page in (("subscriptions",), ("subscriptions", made["id"])):
        text = words(await owner.see(*page))
        assert "membership until" not in text.lower()


async def test_a_cancelled_subscription_does_not_renew_by_itself(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, is_recurring=True)
    here = ("subscriptions", made["id"])
    assert "<dd>renews by itself</dd>" in await owner.text(*here)
    await cancel(acme, made["id"])
    assert "<dd>does not renew by itself</dd>" in await owner.text(*here)
