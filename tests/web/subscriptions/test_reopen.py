"""The page that reopens a cancelled subscription."""

import pytest

from tests.conftest import Cast
from tests.support.checks import faults
from tests.support.factories import (
    copies_of,
    import_row,
    make_dispatch,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, rows_of, shown, statuses
from tests.web.subscriptions.test_pages import trail


async def test_reopening_restores_and_adds_copies_after_a_preview(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    sub = await make_subscription(acme, length=5)
    [first, *_] = await copies_of(acme, sub["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    await cancel(acme, sub["id"])
    await make_issue(acme, 4, release_date_actual="2026-01-01")
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: "Cancelled", 3: "Cancelled"}
    path = owner.address("subscriptions", sub["id"], "reopen")
    text = words(await owner.http.get(path))
    assert "2 cancelled copies (issues 2–3) will be sent after all." in text
    assert "1 copy is added, of an issue that was created meanwhile (4)." in text
    assert "1 issue not created yet (issue 5) will still be delivered." in text
    assert "1 copy was already sent and does not change." in text
    assert "The status will be Active." in text
    response = await owner.send(path)
    assert response.status_code == 303
    assert await statuses(acme, sub["id"]) == {1: "Sent"} | dict.fromkeys((2, 3, 4), "Not sent")
    assert (await shown(acme, sub["id"]))["status"] == "Active"
    page = words(await owner.text("subscriptions", sub["id"]))
    assert "The subscription is reopened. It is now Active." in page
    [cancelled, entry] = (await trail(acme, sub["id"]))[1:]
    assert (entry["action"], entry["actor_kind"]) == ("subscription.undo_cancel", "user")
    assert entry["after"]["restored_copies"] == cancelled["after"]["cancelled_copies"]
    [row] = await rows_of(acme, "cancellation")
    assert row["reopened_date"] is not None
    assert await faults(acme) == []
    assert (await owner.post(path, owner.sent)).status_code == 303  # sent twice
    assert len(await trail(acme, sub["id"])) == 3


async def test_a_subscription_can_be_cancelled_and_reopened_again(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=2)
    path = owner.address("subscriptions", sub["id"], "reopen")
    for _ in range(2):
        await cancel(acme, sub["id"])
        assert (await owner.send(path)).status_code == 303
        assert await statuses(acme, sub["id"]) == {1: "Not sent", 2: "Not sent"}
    assert await faults(acme) == []


async def test_reopening_leaves_frozen_runs_as_they_are(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    sub, _other = [await make_subscription(acme, length=1) for _ in range(2)]
    run = await make_dispatch(acme, issue["id"])
    await cancel(acme, sub["id"])
    before = (await acme.get(f"/v1/dispatches/{run['id']}/")).json()
    assert (await owner.send(owner.address("subscriptions", sub["id"], "reopen"))).is_redirect
    assert (await acme.get(f"/v1/dispatches/{run['id']}/")).json() == before
    again = await make_dispatch(acme, issue["id"])
    assert (run["copies"], again["copies"]) == (2, 1)
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "before, mode", [("Active - Renewals stopped", "stop_renewals"), ("Active", None)]
)
async def test_stopped_renewals_stay_stopped(
    owner: Person, acme: Cast, before: str, mode: str | None
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, length=3, is_recurring=True)
    if mode:
        await acme.post(f"/v1/subscriptions/{sub['id']}/cancel/", {"mode": mode})
    await cancel(acme, sub["id"])
    path = owner.address("subscriptions", sub["id"], "reopen")
    assert f"The status will be {before}." in words(await owner.http.get(path))
    await owner.send(path)
    assert (await shown(acme, sub["id"]))["status"] == before
    assert await faults(acme) == []


async def test_a_subscription_with_nothing_left_to_send_is_complete_again(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, length=1)
    [copy] = await copies_of(acme, sub["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await cancel(acme, sub["id"])
    path = owner.address("subscriptions", sub["id"], "reopen")
    assert "The status will be Complete." in words(await owner.http.get(path))
    await owner.send(path)
    assert (await shown(acme, sub["id"]))["status"] == "Complete"
    assert await faults(acme) == []


async def test_an_ended_membership_is_past_due_when_it_is_reopened(
    owner: Person, acme: Cast
) -> None:
    member = await make_membership(
        acme, period_start="2025-01-01", period_end="2025-12-31", is_recurring="yes"
    )
    await cancel(acme, member["id"])
    await make_issue(acme, release_date_actual="2025-06-01")
    path = owner.address("subscriptions", member["id"], "reopen")
    text = words(await owner.http.get(path))
    assert "The membership is paid until 31 December 2025." in text
    assert "Issue 1 is out already: its copy goes with the next mailing of that issue." in text
    await owner.send(path)
    reopened = await shown(acme, member["id"])
    assert (reopened["status"], reopened["total_length"]) == ("Past due", 1)
    assert await faults(acme) == []


async def test_an_imported_cancellation_can_be_undone(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    sub = await import_row(
        acme, start_issue="1", length="2", status="Cancelled", sent_issues="1", refunded="2.00"
    )
    path = owner.address("subscriptions", sub["id"], "reopen")
    text = words(await owner.http.get(path))
    assert "Refund of €2.00, recorded on 15 January 2026" in text
    [refund] = await rows_of(acme, "refund")
    assert "novalidate" in (await owner.http.get(path)).text
    refused = words(await owner.send(path))
    assert "Please correct the fields marked below." in refused
    assert "Choose whether the money has been transferred." in refused
    assert (await owner.send(path, {f"refund_{refund['id']}": "paid"})).is_redirect
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: "Not sent"}
    assert await faults(acme) == []


async def test_only_a_cancelled_subscription_can_be_reopened(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    path = owner.address("subscriptions", sub["id"], "reopen")
    assert "This subscription is not cancelled" in words(await owner.http.get(path))
    response = await owner.post(path, {"digest": "x"})
    assert response.status_code == 400
    assert "it is Active" in words(response)


async def test_a_preview_that_is_out_of_date_is_shown_again(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    await cancel(acme, sub["id"])
    path = owner.address("subscriptions", sub["id"], "reopen")
    opened = fields_of((await owner.http.get(path)).text)
    await make_issue(acme, 2)
    response = await owner.post(path, opened)
    assert response.status_code == 400
    assert "has changed since you opened this page" in words(response)
    assert "(2)" in words(response)
    assert (await owner.post(path, fields_of(response.text))).status_code == 303
