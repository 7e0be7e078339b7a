"""Delete and renumber issues of which nothing has been sent."""

from typing import Any

import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.services.dispatch import runs
from masthead.services.issues.numbers import delete_issue, preview_number, renumber_issue
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.support.checks import faults
from tests.support.dispatches import hold_address
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.walk import walk


async def numbers_of(cast: Cast, subscription: dict[str, Any]) -> list[int]:
    copies = await copies_of(cast, subscription["id"])
    return sorted(copy["issue"]["number"] for copy in copies)


async def test_deleting_deletes_the_copies_and_keeps_the_lists(acme: Cast, rival: Cast) -> None:
    issues = await make_issues(acme, 1, 3)
    theirs = (await make_issues(rival, 1, 3))[2]
    other = await make_subscription(rival)
    subscription = await make_subscription(acme)
    ended = await make_subscription(acme, length=3)
    await acme.post(f"/v1/subscriptions/{ended['id']}/cancel/", {"mode": "cancel"})
    preview = await preview_number(acme.db, acme.account_id, issues[2]["id"], None)
    assert not preview.obstacles
    assert (preview.effects.deleted, preview.effects.lists) == (2, 2)
    await delete_issue(acme.db, acme.account_id, issues[2]["id"], seen=preview.digest, by=BY)
    assert await numbers_of(acme, subscription) == [1, 2]
    shown = (await acme.get(f"/v1/subscriptions/{subscription['id']}/")).json()
    assert shown["issue_list"] == [1, 2, 3, 4]
    assert [each["number"] for each in await walk(acme, "/v1/issues/")] == [2, 1]
    assert await faults(acme) == []
    await make_issue(acme, 3)  # the copies come back with the issue
    assert await numbers_of(acme, subscription) == [1, 2, 3]
    assert (await rival.get(f"/v1/issues/{theirs['id']}/")).status_code == 200
    assert await numbers_of(rival, other) == [1, 2, 3]


async def test_deleting_recounts_memberships(acme: Cast) -> None:
    await make_issue(acme)
    issue = await make_issue(acme, 2, release_date_actual="2099-03-01")
    member = await make_membership(acme)
    assert member["total_length"] == 1
    await delete_issue(acme.db, acme.account_id, issue["id"], by=BY)
    shown = (await acme.get(f"/v1/subscriptions/{member['id']}/")).json()
    assert (shown["total_length"], shown["issue_list"]) == (0, [])
    assert await faults(acme) == []


async def test_renumbering_adds_keeps_and_deletes_copies(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    issue = await make_issue(acme, 5, release_date_actual="2099-03-01")
    short = await make_subscription(acme, length=3)
    long = await make_subscription(acme, length=5)
    late = await make_subscription(acme, start_issue=2, length=5)
    member = await make_membership(acme)
    kept = [copy["id"] for copy in await copies_of(acme, long["id"])]
    preview = await preview_number(acme.db, acme.account_id, issue["id"], 3)
    effects = preview.effects
    assert (effects.added, effects.kept, effects.deleted) == (1, 3, 0)
    await renumber_issue(acme.db, acme.account_id, issue["id"], 3, seen=preview.digest, by=BY)
    assert await numbers_of(acme, short) == [1, 2, 3]
    assert await numbers_of(acme, long) == [1, 2, 3]
    assert [copy["id"] for copy in await copies_of(acme, long["id"])] == kept
    assert await numbers_of(acme, late) == [2, 3]
    assert await numbers_of(acme, member) == [3]
    shown = (await acme.get(f"/v1/subscriptions/{member['id']}/")).json()
    assert shown["issue_list"] == [3]
    assert await faults(acme) == []
    preview = await preview_number(acme.db, acme.account_id, issue["id"], 6)
    effects = preview.effects
    assert (effects.added, effects.kept, effects.deleted) == (0, 2, 2)
    await renumber_issue(acme.db, acme.account_id, issue["id"], 6, by=BY)
    assert await numbers_of(acme, long) == [1, 2]
    assert await faults(acme) == []


async def test_a_copy_moves_to_the_period_with_the_new_number(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    issue = await make_issue(acme, 4)
    first = await import_row(acme, order_id="FIRST", start_issue="1", length="2")
    await import_row(acme, order_id="NEXT", renews="FIRST", length="2")
    assert await numbers_of(acme, first) == [1, 2, 4]
    await renumber_issue(acme.db, acme.account_id, issue["id"], 3, by=BY)
    assert await numbers_of(acme, first) == [1, 2, 3]
    assert await faults(acme) == []


async def test_the_charge_date_follows_the_issue(acme: Cast) -> None:
    await make_issue(acme)
    issue = await make_issue(acme, 6, recurring_charge_date="2099-01-01")
    subscription = await make_subscription(acme, length=4, is_recurring=True)
    path = f"/v1/subscriptions/{subscription['id']}/"
    before = (await acme.get(path)).json()["next_charge_date"]
    await renumber_issue(acme.db, acme.account_id, issue["id"], 5, by=BY)
    assert ((await acme.get(path)).json()["next_charge_date"], before) == ("2099-01-01", None)
    assert await faults(acme) == []
    await delete_issue(acme.db, acme.account_id, issue["id"], by=BY)
    assert (await acme.get(path)).json()["next_charge_date"] is None
    assert await faults(acme) == []


async def refusal(cast: Cast, issue: dict[str, Any]) -> str:
    """Why an issue cannot be deleted or renumbered: the same for both."""
    messages = set()
    for change in (
        delete_issue(cast.db, cast.account_id, issue["id"], by=BY),
        renumber_issue(cast.db, cast.account_id, issue["id"], 9, by=BY),
    ):
        with pytest.raises(Invalid) as refused:
            await change
        assert refused.value.code == "issue_in_use"
        messages.add(str(refused.value))
    [message] = messages
    return message


async def test_an_issue_with_sent_copies_stays(acme: Cast) -> None:
    _, second = await make_issues(acme, 1, 2)
    subscription = await make_subscription(acme)
    copy = (await copies_of(acme, subscription["id"]))[1]
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    assert "1 copy of this issue is sent or being sent" in await refusal(acme, second)
    assert await numbers_of(acme, subscription) == [1, 2]


async def test_an_issue_with_a_run_stays_until_that_is_discarded(acme: Cast) -> None:
    _, second = await make_issues(acme, 1, 2)
    subscription = await make_subscription(acme)
    run = await runs.freeze_dispatch(
        acme.db, acme.account_id, second["id"], DispatchSelection(), by=BY
    )
    assert "sent or being sent" in await refusal(acme, second)
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "cancel"})
    assert "has a mailing" in await refusal(acme, second)
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    preview = await preview_number(acme.db, acme.account_id, second["id"], None)
    assert preview.effects.discarded_runs == 1
    await delete_issue(acme.db, acme.account_id, second["id"], by=BY)
    assert (await acme.get(f"/v1/dispatches/{run.id}/")).status_code == 404
    assert await faults(acme) == []


async def test_an_issue_with_a_reported_copy_stays(acme: Cast) -> None:
    _, second = await make_issues(acme, 1, 2)
    subscription = await make_subscription(acme)
    await hold_address(acme, (await copies_of(acme, subscription["id"]))[1])
    assert "with a copy" in await refusal(acme, second)


async def test_an_issue_with_which_subscriptions_start_stays(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    assert "1 subscription starts with this issue" in await refusal(acme, issue)
    await make_subscription(acme)
    assert "2 subscriptions start with this issue" in await refusal(acme, issue)


async def test_a_number_that_is_taken_is_answered_with_the_name_of_the_issue(acme: Cast) -> None:
    await make_issue(acme, 1, name="Spring")
    issue = await make_issue(acme, 2)
    with pytest.raises(Invalid, match="taken by “Spring”") as refused:
        await renumber_issue(acme.db, acme.account_id, issue["id"], 1, by=BY)
    assert refused.value.code == "duplicate_issue_number"
    with pytest.raises(Invalid, match="this number already"):
        await renumber_issue(acme.db, acme.account_id, issue["id"], 2, by=BY)


async def test_what_changed_since_the_preview_stops_the_change(acme: Cast) -> None:
    _, second = await make_issues(acme, 1, 2)
    preview = await preview_number(acme.db, acme.account_id, second["id"], None)
    await make_subscription(acme)
    with pytest.raises(Invalid) as refused:
        await delete_issue(acme.db, acme.account_id, second["id"], seen=preview.digest, by=BY)
    assert refused.value.code == CHANGED_MEANWHILE


async def test_issues_of_others_are_not_found(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(rival)
    with pytest.raises(NotFound):
        await delete_issue(acme.db, acme.account_id, issue["id"], by=BY)
    with pytest.raises(NotFound):
        await renumber_issue(acme.db, acme.account_id, issue["id"], 2, by=BY)


async def test_both_are_in_the_log(acme: Cast) -> None:
    issue = await make_issue(acme, 4)
    await renumber_issue(acme.db, acme.account_id, issue["id"], 5, by=BY)
    await delete_issue(acme.db, acme.account_id, issue["id"], by=BY)

    async def work(tx: Transaction) -> list[str]:
        rows = await tx.fetch_all(
            "SELECT action FROM audit WHERE account_id = :account_id AND subject_id = :id"
            " ORDER BY id",
            {"account_id": acme.account_id, "id": issue["id"]},
        )
        return [row["action"] for row in rows]

    assert await acme.db.write(work) == ["issue.create", "issue.renumber", "issue.delete"]
