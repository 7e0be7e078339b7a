"""POST /v1/dispatches/{id}/mark-sent/, …/undo/ and …/discard/."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.dispatches import age_marking
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import copies_of, make_dispatch, make_issue, make_subscription
from tests.support.walk import walk

PATH = "/v1/dispatches/"
ACTIONS = ("mark-sent", "undo", "discard")


@pytest.fixture
async def run(acme: Cast) -> dict[str, Any]:
    """A frozen run of two copies."""
    issue = await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme)
    return await make_dispatch(acme, issue["id"])


async def post(cast: Cast, run: dict[str, Any], action: str, body: object = None) -> Any:
    """The run after an action."""
    response = await cast.post(f"{PATH}{run['id']}/{action}/", body)
    assert response.status_code == 200, response.text
    assert response.json() == (await cast.get(f"{PATH}{run['id']}/")).json()
    return response.json()


async def sent_dates(cast: Cast) -> list[tuple[str, str | None]]:
    return [(copy["status"], copy["date_sent"]) for copy in await walk(cast, "/v1/copies/")]


async def test_marking_a_run_marks_exactly_its_copies(acme: Cast, run: dict[str, Any]) -> None:
    late = await make_subscription(acme)
    marked = await post(acme, run, "mark-sent", {"date": "2026-05-03"})
    assert (marked["status"], marked["date_sent"]) == ("marked", "2026-05-03")
    assert (marked["held"], marked["sent"], marked["left"]) == (0, 2, 0)
    moment = datetime.fromisoformat(marked["marked_at"])
    assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)
    assert datetime.fromisoformat(marked["undo_until"]) - moment == timedelta(days=1)
    dates = await sent_dates(acme)
    assert dates == [("Not sent", None), ("Sent", "2026-05-03"), ("Sent", "2026-05-03")]
    assert (await copies_of(acme, late["id"]))[0]["status"] == "Not sent"


async def test_a_copy_that_is_cancelled_after_freezing_is_not_marked_as_sent(acme: Cast) -> None:
    issue = await make_issue(acme)
    cancelled, kept = [await make_subscription(acme) for _ in range(2)]
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    marked = await post(acme, run, "mark-sent")
    assert (marked["held"], marked["sent"], marked["left"]) == (0, 1, 1)
    [of_cancelled], [of_kept] = [await copies_of(acme, each["id"]) for each in (cancelled, kept)]
    assert (of_cancelled["status"], of_kept["status"]) == ("Cancelled", "Sent")


@pytest.mark.parametrize("body", [None, {}, {"date": None}])
async def test_without_a_date_the_copies_are_sent_without_a_date(
    acme: Cast, run: dict[str, Any], body: object
) -> None:
    marked = await post(acme, run, "mark-sent", body)
    assert (marked["status"], marked["date_sent"], marked["sent"]) == ("marked", None, 2)
    assert await sent_dates(acme) == [("Sent", None)] * 2


@for_each("day", BAD_DATES, ids=repr)
async def test_an_invalid_date_is_refused(acme: Cast, run: dict[str, Any], day: object) -> None:
    response = await acme.post(f"{PATH}{run['id']}/mark-sent/", {"date": day})
    assert "`date`" in refused(response, "validation_error")
    assert await sent_dates(acme) == [("Not sent", None)] * 2


async def test_a_date_far_in_the_future_is_refused(acme: Cast, run: dict[str, Any]) -> None:
    response = await acme.post(f"{PATH}{run['id']}/mark-sent/", {"date": "2999-01-01"})
    assert "2999-01-01" in refused(response, "validation_error")
    assert (await acme.get(f"{PATH}{run['id']}/")).json() == run


async def test_a_retry_of_a_marked_run_is_refused_and_changes_nothing(
    acme: Cast, run: dict[str, Any]
) -> None:
    marked = await post(acme, run, "mark-sent", {"date": "2026-05-03"})
    response = await acme.post(f"{PATH}{run['id']}/mark-sent/", {"date": "2026-05-04"})
    assert "already marked as sent with the date 2026-05-03" in refused(response, "already_marked")
    assert (await acme.get(f"{PATH}{run['id']}/")).json() == marked


async def test_undo_makes_the_run_frozen_again(acme: Cast, run: dict[str, Any]) -> None:
    await post(acme, run, "mark-sent", {"date": "2026-05-03"})
    assert await post(acme, run, "undo") == run
    assert await sent_dates(acme) == [("Not sent", None)] * 2
    refused(await acme.post(f"{PATH}{run['id']}/undo/"), "not_marked")
    marked = await post(acme, run, "mark-sent", {"date": "2026-05-04"})
    assert marked["date_sent"] == "2026-05-04"


async def test_undo_ends_with_the_next_marked_run_after_a_day(
    acme: Cast, run: dict[str, Any]
) -> None:
    await post(acme, run, "mark-sent")
    await age_marking(acme, run["id"], days=2)
    await post(acme, run, "undo")
    await post(acme, run, "mark-sent")
    await age_marking(acme, run["id"], days=2)
    await make_subscription(acme)
    later = await make_dispatch(acme, run["issue"]["id"])
    await post(acme, later, "mark-sent")
    message = refused(await acme.post(f"{PATH}{run['id']}/undo/"), "undo_expired")
    assert "another dispatch of the issue was marked since" in message


async def test_discarding_frees_the_copies(acme: Cast, run: dict[str, Any]) -> None:
    gone = await post(acme, run, "discard")
    assert (gone["status"], gone["held"], gone["left"]) == ("discarded", 0, 2)
    assert gone["discarded_at"] is not None
    assert (gone["lines"], gone["by_country"]) == (2, run["by_country"])
    assert {line["left_reason"] for line in await walk(acme, f"{PATH}{run['id']}/lines/")} == {
        "discarded"
    }
    assert (await make_dispatch(acme, run["issue"]["id"]))["copies"] == 2


async def test_a_discarded_run_stays_discarded(acme: Cast, run: dict[str, Any]) -> None:
    gone = await post(acme, run, "discard", {})
    for action, code in (
        ("mark-sent", "already_discarded"),
        ("discard", "already_discarded"),
        ("undo", "not_marked"),
    ):
        refused(await acme.post(f"{PATH}{run['id']}/{action}/"), code)
    assert (await acme.get(f"{PATH}{run['id']}/")).json() == gone


async def test_a_marked_run_cannot_be_discarded(acme: Cast, run: dict[str, Any]) -> None:
    await post(acme, run, "mark-sent")
    message = refused(await acme.post(f"{PATH}{run['id']}/discard/"), "already_marked")
    assert "Undo that first" in message


async def test_a_run_whose_copies_have_all_left_cannot_be_marked(
    acme: Cast, run: dict[str, Any]
) -> None:
    ids = [copy["id"] for copy in await walk(acme, "/v1/copies/")]
    await acme.post("/v1/copies/mark-sent/", {"ids": ids})
    message = refused(await acme.post(f"{PATH}{run['id']}/mark-sent/"), "nothing_to_send")
    assert "Discard" in message


@for_each("action", ACTIONS)
async def test_an_unknown_field_is_refused(acme: Cast, run: dict[str, Any], action: str) -> None:
    response = await acme.post(f"{PATH}{run['id']}/{action}/", {"dates": "2026-05-03"})
    refused(response, "unknown_field")
    assert (await acme.get(f"{PATH}{run['id']}/")).json() == run


@for_each("action", ACTIONS)
async def test_the_run_of_another_account_does_not_change(
    acme: Cast, rival: Cast, run: dict[str, Any], action: str
) -> None:
    refused(await rival.post(f"{PATH}{run['id']}/{action}/"), "not_found", status=404)
    assert (await acme.get(f"{PATH}{run['id']}/")).json() == run


@pytest.mark.parametrize("action", ["mark-sent", "discard"])
async def test_of_several_requests_at_once_one_succeeds(
    acme: Cast, run: dict[str, Any], action: str
) -> None:
    responses = await asyncio.gather(*(acme.post(f"{PATH}{run['id']}/{action}/") for _ in range(4)))
    assert sorted(response.status_code for response in responses) == [200, 400, 400, 400]


async def test_each_action_is_one_entry_of_the_audit_trail(acme: Cast, run: dict[str, Any]) -> None:
    await post(acme, run, "mark-sent", {"date": "2026-05-03"})
    await post(acme, run, "undo")
    await post(acme, run, "discard")
    rows = await acme.db.fetch_all(
        """
        SELECT action, actor_kind
        FROM audit
        WHERE account_id = :account_id AND subject_id = :id
        ORDER BY id
        """,
        {"account_id": acme.account_id, "id": run["id"]},
    )
    assert [row["action"] for row in rows] == [
        "dispatch.freeze",
        "dispatch.mark",
        "dispatch.undo",
        "dispatch.discard",
    ]
    assert {row["actor_kind"] for row in rows} == {"key"}
