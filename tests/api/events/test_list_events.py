"""GET /v1/events/: what happened in the account, oldest first, with a cursor to go on from."""

from typing import Any

import pytest

from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import make_issue, make_issues, make_subscription

PATH = "/v1/events/"


async def page(cast: Cast, **query: object) -> Any:
    """A page of events."""
    response = await cast.get(PATH, **query)
    assert response.status_code == 200, response.text
    return response.json()


async def numbers(cast: Cast, **query: object) -> list[int]:
    """The numbers of the events that match a filter, read in pages of two."""
    found = await page(cast, limit=2, **query)
    listed = [each["number"] for each in found["items"]]
    while found["has_more"]:
        found = await page(cast, limit=2, **query, cursor=found["cursor"])
        listed += [each["number"] for each in found["items"]]
    return listed


async def execute(cast: Cast, sql: str) -> None:
    """Change the events, as no service does."""

    async def work(tx: Transaction) -> None:
        await tx.execute(sql, {"account_id": cast.account_id})

    await cast.db.write(work)


async def test_an_event_has_its_actor_and_the_record_of_that_moment(acme: Cast) -> None:
    made = await make_issue(acme)
    await acme.patch(f"/v1/issues/{made['id']}/", {"name": "Autumn"})
    (created, updated) = (await page(acme))["items"]
    assert (created["type"], created["data"]) == ("issue.created", made)
    assert created["actor"]["kind"] == "key"
    assert created["record"] == updated["record"] == {"type": "issue", "id": made["id"]}
    assert updated["data"] == {**made, "name": "Autumn"}


async def test_the_cursor_of_the_last_page_leads_to_what_happens_later(acme: Cast) -> None:
    start = await page(acme)
    assert (start["items"], start["has_more"]) == ([], False)
    assert (await page(acme, cursor=start["cursor"]))["items"] == []
    await make_issue(acme)
    later = await page(acme, cursor=start["cursor"])
    assert [each["type"] for each in later["items"]] == ["issue.created"]
    assert (await page(acme, cursor=later["cursor"]))["items"] == []


async def test_pages_follow_one_another_without_gaps(acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    assert await numbers(acme) == [1, 2, 3, 4, 5]


async def test_the_list_can_be_filtered_by_type_and_by_record(acme: Cast) -> None:
    await make_issue(acme)
    one, _other = await make_subscription(acme), await make_subscription(acme)
    await acme.patch(f"/v1/subscriptions/{one['id']}/", {"city": "Rome"})
    assert await numbers(acme, record=one["id"]) == [3, 6]
    assert await numbers(acme, record=one["id"], type="subscription.created") == [3]
    assert await numbers(acme, type="subscription.created") == [3, 5]
    assert await numbers(acme, record="0" * 31) == []


async def test_a_cursor_fits_other_filters(acme: Cast) -> None:
    await make_issue(acme)
    cursor = (await page(acme, type="copy.sent"))["cursor"]
    await make_issue(acme, 2)
    later = await page(acme, type="issue.created", cursor=cursor)
    assert [each["number"] for each in later["items"]] == [2]


async def test_values_that_can_match_nothing_are_refused(acme: Cast, rival: Cast) -> None:
    refused(await acme.get(PATH, type="subscription.bought"), "validation_error")
    assert "`record.id`" in refused(await acme.get(PATH, record="1"), "validation_error")
    cursor = (await page(acme))["cursor"]
    message = refused(await acme.get(PATH, cursor=f"{cursor}x"), "invalid_cursor")
    assert "filters" not in message
    assert "oldest event" in message
    refused(await rival.get(PATH, cursor=cursor), "invalid_cursor")


@pytest.mark.parametrize("limit", [0, 201])
async def test_the_limit_is_that_of_other_lists(acme: Cast, limit: int) -> None:
    refused(await acme.get(PATH, limit=limit), "validation_error")


async def test_the_cursor_of_a_deleted_event_says_where_to_begin(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    cursor = (await page(acme, limit=1))["cursor"]
    at_the_gap = (await page(acme, limit=2))["cursor"]
    await execute(acme, "DELETE FROM event WHERE account_id = :account_id AND number <= 2")
    message = refused(await acme.get(PATH, cursor=cursor), "cursor_expired", status=410)
    assert message.endswith("without `cursor`: the first event is then that with `number` 3.")
    assert await numbers(acme) == [3]
    assert [each["number"] for each in (await page(acme, cursor=at_the_gap))["items"]] == [3]


async def test_a_cursor_from_before_a_restore_is_refused(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    cursor = (await page(acme))["cursor"]
    await execute(acme, "DELETE FROM event WHERE account_id = :account_id AND number = 2")
    await execute(acme, "UPDATE account_state SET last_event = 1 WHERE account_id = :account_id")
    refused(await acme.get(PATH, cursor=cursor), "cursor_expired", status=410)
