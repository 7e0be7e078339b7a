"""The page that changes the medium, the start issue and the number of issues."""

import pytest

from tests.conftest import Cast
from tests.support.checks import faults
from tests.support.factories import (
    copies_of,
    import_row,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, mark, shown, statuses
from tests.web.subscriptions.test_pages import trail


def numbers(subscription: dict[str, list[int]]) -> list[int]:
    return subscription["issue_list"]


async def test_the_start_issue_moves_until_a_copy_is_sent(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 4)
    sub = await make_subscription(acme, length=2)
    kept = {copy["issue"]["number"]: copy["id"] for copy in await copies_of(acme, sub["id"])}
    path = owner.address("subscriptions", sub["id"], "terms")
    assert (await owner.send(path, {"start_issue": "2", "length": "4"})).is_redirect
    after = await shown(acme, sub["id"])
    assert (numbers(after), after["start_issue"]["number"]) == ([2, 3, 4, 5], 2)
    assert (after["length"], after["total_length"]) == (4, 4)
    assert await statuses(acme, sub["id"]) == dict.fromkeys((2, 3, 4), "Not sent")
    assert kept[2] in {copy["id"] for copy in await copies_of(acme, sub["id"])}
    page = words(await owner.see("subscriptions", sub["id"]))
    assert "The changes are saved. 2 copies were added. 1 copy was removed." in page
    [entry] = (await trail(acme, sub["id"]))[1:]
    assert (entry["action"], entry["before"]) == (
        "subscription.change_terms",
        {"start_issue": 1, "length": 2},
    )
    assert await faults(acme) == []
    await mark(acme, sub["id"], 2)
    response = await owner.send(path, {"start_issue": "3"})
    assert response.status_code == 400
    assert "the copy of issue 2 was sent" in words(response)
    assert fields_of(response.text)["start_issue"] == "3"


async def test_a_subscription_with_a_renewal_moves_as_a_whole(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 6)
    sub = await make_subscription(acme, length=2, order_id="FIRST-1")
    await import_row(acme, renews="FIRST-1", length="2")
    path = owner.address("subscriptions", sub["id"], "terms")
    assert (await owner.send(path, {"start_issue": "2", "length": "3"})).is_redirect
    after = await shown(acme, sub["id"])
    assert [period["issue_list"] for period in after["periods"]] == [[2, 3], [4, 5, 6]]
    assert await faults(acme) == []
    assert (await owner.send(path, {"start_issue": "1"})).is_redirect
    after = await shown(acme, sub["id"])
    assert [period["issue_list"] for period in after["periods"]] == [[1, 2], [3, 4, 5]]
    assert await faults(acme) == []


async def test_a_subscription_can_shrink_to_the_last_issue_that_was_sent(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    sub = await make_subscription(acme, length=6)
    await mark(acme, sub["id"], 1, 2)
    path = owner.address("subscriptions", sub["id"], "terms")
    response = await owner.send(path, {"length": "1"})
    assert response.status_code == 400
    assert "The copy of issue 2 was sent, so this order has at least 2 issues." in words(response)
    assert (await owner.send(path, {"length": "2"})).is_redirect
    after = await shown(acme, sub["id"])
    assert (after["status"], after["total_length"]) == ("Complete", 2)
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: "Sent"}
    assert await faults(acme) == []
    # and grow again
    assert (await owner.send(path, {"length": "3"})).is_redirect
    after = await shown(acme, sub["id"])
    assert (after["status"], after["total_length"]) == ("Active", 3)
    assert await statuses(acme, sub["id"]) == {1: "Sent", 2: "Sent", 3: "Not sent"}
    assert await faults(acme) == []


async def test_a_copy_in_a_frozen_run_is_not_removed(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    second = await make_issue(acme, 2)
    sub = await make_subscription(acme, length=2)
    run = await make_dispatch(acme, second["id"])
    path = owner.address("subscriptions", sub["id"], "terms")
    assert (
        "The copy of issue 2 is in mailing 1, which is prepared. It goes out as it was."
        in words(await owner.http.get(path))
    )
    for typed in ({"length": "1"}, {"start_issue": "2"}):
        response = await owner.send(path, typed)
        assert response.status_code == 400
        assert "The copy of issue 2 is in dispatch 1 of that issue, which is prepared." in words(
            response
        )
    assert await statuses(acme, sub["id"]) == {1: "Not sent", 2: "Not sent"}
    address = owner.address("dispatches", run["id"], "discard")
    assert (await owner.send(address)).is_redirect
    assert (await owner.send(path, {"length": "1"})).is_redirect
    assert await statuses(acme, sub["id"]) == {1: "Not sent"}
    assert await faults(acme) == []


async def test_a_copy_that_a_report_is_about_is_not_removed(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_issue(acme, 2)
    sub = await make_subscription(acme, length=2)
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {"date": "2026-02-01"})
    await make_delivery_report(acme, sub["id"])
    for verb in ("undo", "discard"):
        address = owner.address("dispatches", run["id"], verb)
        opened = owner.address("dispatches", run["id"])
        assert (await owner.send(address, opened=opened if verb == "undo" else None)).is_redirect
    assert await statuses(acme, sub["id"]) == {1: "Not sent", 2: "Not sent"}
    path = owner.address("subscriptions", sub["id"], "terms")
    response = await owner.send(path, {"start_issue": "2"})
    assert response.status_code == 400
    assert "There is a claim or a delivery report about the copy of issue 1" in words(response)


async def test_another_medium_is_for_what_has_not_gone_out(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    sub = await make_subscription(acme, length=2)
    run = await make_dispatch(acme, issue["id"])
    path = owner.address("subscriptions", sub["id"], "terms")
    assert (await owner.send(path, {"medium": "Digital"})).is_redirect
    assert (await shown(acme, sub["id"]))["medium"] == "Digital"
    [line] = (await acme.get(f"/v1/dispatches/{run['id']}/lines/")).json()["items"]
    assert line["medium"] == "Print"
    assert await faults(acme) == []
    assert (await owner.send(path)).is_redirect
    assert "Nothing was changed." in words(await owner.see("subscriptions", sub["id"]))
    assert len(await trail(acme, sub["id"])) == 2


async def test_a_membership_has_no_issues_to_change(owner: Person, acme: Cast) -> None:
    member = await make_membership(acme)
    path = owner.address("subscriptions", member["id"], "terms")
    assert "start_issue" not in fields_of((await owner.http.get(path)).text)
    assert (await owner.send(path, {"medium": "Print + digital"})).is_redirect
    assert (await shown(acme, member["id"]))["medium"] == "Print + digital"
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "typed, message",
    [
        ({"medium": "Papyrus"}, "Choose a medium."),
        ({"start_issue": "one"}, "Type a whole number from 1 to"),
        ({"start_issue": "9"}, "There is no issue 9 yet."),
        ({"length": "0"}, "Type a whole number from 1 to 1000."),
        ({"length": "1001"}, "Type a whole number from 1 to 1000."),
        ({"seen": "{}"}, "The form is incomplete."),
    ],
)
async def test_wrong_terms_are_refused_at_their_field(
    owner: Person, acme: Cast, typed: dict[str, str], message: str
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    path = owner.address("subscriptions", sub["id"], "terms")
    response = await owner.send(path, typed)
    assert response.status_code == 400
    assert message in words(response)
    assert len(await trail(acme, sub["id"])) == 1


async def test_a_change_that_others_made_meanwhile_is_not_undone(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=2, order_id="FIRST-2")
    path = owner.address("subscriptions", sub["id"], "terms")
    opened = fields_of((await owner.http.get(path)).text)
    await import_row(acme, renews="FIRST-2", length="2")
    response = await owner.post(path, {**opened, "length": "3"})
    assert response.status_code == 400
    assert "has changed since you opened it" in words(response)
    assert (await owner.post(path, fields_of(response.text))).is_redirect
    after = await shown(acme, sub["id"])
    assert [len(period["issue_list"]) for period in after["periods"]] == [2, 3]
    assert await faults(acme) == []


async def test_a_cancelled_subscription_must_be_reopened_first(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    path = owner.address("subscriptions", sub["id"], "terms")
    opened = fields_of((await owner.http.get(path)).text)
    await cancel(acme, sub["id"])
    response = await owner.post(path, {**opened, "length": "9"})
    assert response.status_code == 400
    assert "Reopen it first, then change it." in words(response)
    assert (await shown(acme, sub["id"]))["total_length"] == 4


async def test_print_needs_a_complete_address_or_a_confirmation(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, medium="Digital", country="DE", address1=None)
    path = owner.address("subscriptions", sub["id"], "terms")
    assert "is_address_right" not in (await owner.http.get(path)).text
    answer = await owner.send(path, {"medium": "Print"})
    assert answer.status_code == 400
    text = words(answer)
    assert "The street or PO box is missing. Printed issues need it." in text
    assert "Edit the address first." in text
    assert (await shown(acme, sub["id"]))["medium"] == "Digital"
    confirmed = {**fields_of(answer.text), "is_address_right": "y"}
    assert (await owner.post(path, confirmed)).is_redirect
    assert (await shown(acme, sub["id"]))["medium"] == "Print"
    assert (await owner.send(path, {"length": "3"})).is_redirect  # what was incomplete before
    assert (await owner.send(path, {"medium": "Vinyl"})).status_code == 400
