"""Change the address of several subscriptions at once, and take back what is planned."""

from datetime import timedelta
from typing import Any

import pytest

from masthead.model.addresses.changes import ChangeStatus, NewAddress
from masthead.model.errors import Invalid, NotFound
from masthead.services.addresses.changes import cancel_changes, change_addresses
from masthead.services.addresses.groups import list_groups
from masthead.services.addresses.requests import ChangeRequest
from masthead.services.background.daily import run_daily_pass
from masthead.store.addresses import changes as store
from tests.conftest import BY, Cast
from tests.support.addresses import EARLIER, HOME, LATER, TODAY, VIENNA, move
from tests.support.checks import faults
from tests.support.factories import (
    copies_of,
    make_delivery_report,
    make_issue,
    make_issues,
    make_subscription,
)
from tests.support.walk import walk


@pytest.fixture
async def two(acme: Cast) -> list[dict[str, Any]]:
    """Two subscriptions of one subscriber, for the issues 1 to 4 and 1 to 2."""
    await make_issue(acme, 1, release_date_actual=EARLIER)
    subscriber = {"email": "ada@subscriber.test", **HOME}
    return [
        await make_subscription(acme, **subscriber),
        await make_subscription(acme, length=2, **subscriber),
    ]


async def address_of(cast: Cast, subscription: dict[str, Any]) -> dict[str, Any]:
    body = (await cast.get(f"/v1/subscriptions/{subscription['id']}/")).json()
    address: dict[str, Any] = body["shipping_address"]
    return address


async def statuses(cast: Cast, subscription: dict[str, Any]) -> list[ChangeStatus]:
    subscriber = subscription["subscriber"]["id"]
    found = await store.list_of_subscriber(cast.db, cast.account_id, subscriber, limit=10)
    return [each.status for each in found if each.subscription_id == subscription["id"]]


async def status_of(cast: Cast, report: dict[str, Any]) -> str:
    found = await walk(cast, "/v1/delivery-reports/")
    return next(str(each["status"]) for each in found if each["id"] == report["id"])


async def test_changes_planned_together_are_one_group(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=2, last=2)
    later = NewAddress(address1="Ring 2", city="Graz", postcode="8010", country="AT")
    await move(acme, two[0], first=3, to=later)
    async with acme.db.read() as db:
        groups = await list_groups(db, acme.account_id, two[0]["subscriber"]["id"])
    assert [(each.first.first_issue, each.subscriptions) for each in groups] == [(3, 1), (2, 2)]
    assert groups[0].first.address == later


async def test_now_changes_all_chosen_subscriptions_at_once(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    result = await move(acme, *two)
    assert (result.changed, result.planned, result.group_id) == (2, 0, "")
    for each in two:
        address = await address_of(acme, each)
        assert (address["address1"], address["city"], address["country"]) == (
            "Ring 1",
            "Wien",
            "AT",
        )
        assert {copy["country"] for copy in await copies_of(acme, each["id"])} == {"AT"}
        assert await statuses(acme, each) == []
    subscriber = (await acme.get(f"/v1/subscribers/{two[0]['subscriber']['id']}/")).json()
    assert subscriber["latest_country"] == "AT"
    assert await faults(acme) == []


async def test_subscriptions_that_were_not_chosen_do_not_change(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, two[1])
    assert (await address_of(acme, two[0]))["city"] == "Berlin"
    assert (await address_of(acme, two[1]))["city"] == "Wien"


async def test_names_stay_unless_a_new_one_is_given(acme: Cast, two: list[dict[str, Any]]) -> None:
    await move(acme, *two)
    first = (await acme.get(f"/v1/subscriptions/{two[0]['id']}/")).json()
    assert first["first_name"] == "Ada"
    named = NewAddress(
        company="Lovelace Ltd", address1="Ring 2", city="Wien", country="AT", phone="+43 1"
    )
    await move(acme, *two, to=named)
    first = (await acme.get(f"/v1/subscriptions/{two[0]['id']}/")).json()
    assert first["first_name"] is None
    assert first["shipping_address"]["company"] == "Lovelace Ltd"
    assert first["shipping_address"]["phone"] == "+43 1"
    assert await faults(acme) == []


async def test_a_change_now_closes_reports_on_the_old_address(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    report = await make_delivery_report(acme, two[0]["id"])
    await move(acme, *two)
    assert await status_of(acme, report) == "corrected"


async def test_a_change_for_good_waits_for_its_issue_and_is_then_made_once(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await make_issue(acme, 2, release_date_actual=LATER)
    result = await move(acme, *two, first=2)
    assert (result.changed, result.planned) == (0, 2)
    assert (await address_of(acme, two[0]))["city"] == "Berlin"
    assert await statuses(acme, two[0]) == [ChangeStatus.PLANNED]
    assert {copy["country"] for copy in await copies_of(acme, two[0]["id"])} == {"DE"}
    assert await faults(acme) == []

    day = TODAY + timedelta(days=60)
    await run_daily_pass(acme.db, acme.account_id, day - timedelta(days=1), by=BY)
    assert await statuses(acme, two[0]) == [ChangeStatus.PLANNED]
    await run_daily_pass(acme.db, acme.account_id, day, by=BY)
    assert (await address_of(acme, two[0]))["city"] == "Wien"
    assert {copy["country"] for copy in await copies_of(acme, two[0]["id"])} == {"AT"}
    assert await statuses(acme, two[0]) == [ChangeStatus.DONE]
    assert await faults(acme) == []

    # somebody corrects the address; a second pass does not undo that
    await acme.patch(f"/v1/subscriptions/{two[0]['id']}/", {"city": "Graz"})
    await run_daily_pass(acme.db, acme.account_id, day, by=BY)
    assert (await address_of(acme, two[0]))["city"] == "Graz"


async def test_a_change_for_good_closes_reports_when_it_is_made(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await make_issue(acme, 2, release_date_actual=LATER)
    report = await make_delivery_report(acme, two[0]["id"])
    await move(acme, *two, first=2)
    assert await status_of(acme, report) == "open"
    await run_daily_pass(acme.db, acme.account_id, TODAY + timedelta(days=60), by=BY)
    assert await status_of(acme, report) == "corrected"


async def test_a_change_for_good_is_made_at_once_if_its_issue_is_released(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    result = await move(acme, *two, first=1)
    assert (result.changed, result.planned) == (2, 0)
    assert (await address_of(acme, two[1]))["city"] == "Wien"
    assert await statuses(acme, two[1]) == [ChangeStatus.DONE]


async def test_a_change_for_good_is_made_when_the_release_date_is_set_to_the_past(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    issue = await make_issue(acme, 2, release_date_actual=LATER)
    await move(acme, *two, first=2)
    await acme.patch(f"/v1/issues/{issue['id']}/", {"release_date_actual": EARLIER})
    assert (await address_of(acme, two[0]))["city"] == "Wien"


async def test_a_change_for_good_from_a_number_that_is_skipped_is_made_with_the_next_issue(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=2)
    await make_issue(acme, 3, release_date_actual=EARLIER)
    assert (await address_of(acme, two[0]))["city"] == "Wien"


async def test_a_change_for_some_issues_never_changes_the_subscription(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await make_issue(acme, 2, release_date_actual=EARLIER)
    result = await move(acme, *two, first=2, last=3)
    assert (result.changed, result.planned) == (0, 2)
    await make_issue(acme, 3, release_date_actual=EARLIER)
    await make_issue(acme, 4, release_date_actual=EARLIER)
    day = TODAY + timedelta(days=1)
    await run_daily_pass(acme.db, acme.account_id, day, by=BY)
    # copies of issue 2 and 3 still have to be sent
    assert await statuses(acme, two[0]) == [ChangeStatus.PLANNED]
    for copy in await copies_of(acme, two[0]["id"]):
        await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    await run_daily_pass(acme.db, acme.account_id, day, by=BY)
    assert await statuses(acme, two[0]) == [ChangeStatus.DONE]
    for each in two:
        assert (await address_of(acme, each))["city"] == "Berlin"
    assert await faults(acme) == []


async def test_two_planned_changes_of_one_kind_for_the_same_issues_are_refused_by_name(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, two[0], first=3, last=4)
    for first, last in ((4, 6), (3, 3)):
        with pytest.raises(Invalid, match="issues 3 to 4, to Ring 1, 1010 Wien") as refused:
            await move(acme, *two, first=first, last=last, to=graz())
        assert refused.value.code == "address_change_overlaps"
    assert await statuses(acme, two[1]) == []  # all or none
    await move(acme, *two, first=5, to=graz())
    await move(acme, two[0], first=2, last=2, to=graz())
    with pytest.raises(Invalid, match="only issue 2, to Gasse 9"):
        await move(acme, two[0], first=2, last=2)
    await move(acme, two[1], first=6, last=7)
    with pytest.raises(Invalid, match="from issue 5 on, to Gasse 9"):
        await move(acme, two[1], first=8)  # the change for good is divided, and still as a whole
    assert await faults(acme) == []


def graz() -> NewAddress:
    return NewAddress(address1="Gasse 9", city="Graz", postcode="8010", country="AT")


async def test_a_change_to_the_address_that_somebody_typed_meanwhile_ends_quietly(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=2)
    await move(acme, two[0])
    issue = await make_issue(acme, 2, release_date_actual=EARLIER)
    assert await statuses(acme, two[0]) == [ChangeStatus.DONE]
    assert (await address_of(acme, two[0]))["city"] == "Wien"
    await move(acme, two[0], first=3, to=graz())
    await move(acme, two[0], to=graz())
    await acme.patch(f"/v1/issues/{issue['id']}/", {"name": "Two"})
    await make_issue(acme, 3, release_date_actual=EARLIER)
    assert await statuses(acme, two[0]) == [ChangeStatus.DONE, ChangeStatus.DONE]


async def test_a_planned_change_can_be_cancelled(acme: Cast, two: list[dict[str, Any]]) -> None:
    planned = await move(acme, *two, first=3)
    subscriber = two[0]["subscriber"]["id"]
    where = (acme.db, acme.account_id, subscriber, planned.group_id)
    assert await cancel_changes(*where, by=BY) == 2
    assert await statuses(acme, two[0]) == [ChangeStatus.CANCELLED]
    await make_issues(acme, 2, 3)
    await run_daily_pass(acme.db, acme.account_id, TODAY, by=BY)
    assert (await address_of(acme, two[0]))["city"] == "Berlin"
    with pytest.raises(Invalid, match="cancelled already"):
        await cancel_changes(*where, by=BY)
    await move(acme, *two, first=3, to=graz())


async def test_a_change_that_was_made_cannot_be_cancelled(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    made = await move(acme, *two, first=1)
    subscriber = two[0]["subscriber"]["id"]
    with pytest.raises(Invalid, match="made already"):
        await cancel_changes(acme.db, acme.account_id, subscriber, made.group_id, by=BY)


async def test_changes_of_other_subscribers_and_accounts_are_not_found(
    acme: Cast, rival: Cast, two: list[dict[str, Any]]
) -> None:
    planned = await move(acme, *two, first=3)
    other = await make_subscription(acme, email="bob@subscriber.test")
    for cast, subscriber in (
        (acme, other["subscriber"]["id"]),
        (rival, two[0]["subscriber"]["id"]),
    ):
        with pytest.raises(NotFound):
            await cancel_changes(cast.db, cast.account_id, subscriber, planned.group_id, by=BY)
    with pytest.raises(NotFound):
        await move(rival, *two)


@pytest.mark.parametrize("ids", [[], ["00001UNKNOWN"]])
async def test_the_subscriptions_must_be_of_the_subscriber(
    acme: Cast, two: list[dict[str, Any]], ids: list[str]
) -> None:
    request = ChangeRequest(subscription_ids=ids, address=VIENNA)
    with pytest.raises(Invalid, match="Choose which subscriptions"):
        await change_addresses(acme.db, acme.account_id, two[0]["subscriber"]["id"], request, by=BY)


@pytest.mark.parametrize(
    "change, field",
    [
        ({"first": None, "last": 3}, "first_issue"),
        ({"first": 3, "last": 2}, "last_issue"),
        ({"to": NewAddress(city="Wien", country="AT")}, "address1"),
        ({"to": NewAddress(address1="Ring 1", country="AT")}, "city"),
        ({"to": NewAddress(**HOME)}, "address1"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused_at_its_field(
    acme: Cast, two: list[dict[str, Any]], change: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        await move(acme, *two, **change)
    assert refused.value.field == field


async def test_a_change_for_issues_that_are_over_is_refused(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    await make_issue(acme, 2, release_date_actual=EARLIER)
    for each in two:
        copy, *_ = await copies_of(acme, each["id"])
        await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    with pytest.raises(Invalid, match="up to 1 are over"):
        await move(acme, *two, first=1, last=1)
    assert await statuses(acme, two[0]) == []


async def test_planning_and_cancelling_are_in_the_history(
    acme: Cast, two: list[dict[str, Any]]
) -> None:
    planned = await move(acme, two[0], first=3, last=4)
    subscriber = two[0]["subscriber"]["id"]
    await cancel_changes(acme.db, acme.account_id, subscriber, planned.group_id, by=BY)
    rows = await acme.db.fetch_all(
        """
        SELECT action, before, after
        FROM audit
        WHERE account_id = :account_id AND subject_id = :id AND action LIKE '%_address'
        ORDER BY id
        """,
        {"account_id": acme.account_id, "id": two[0]["id"]},
    )
    assert [row["action"] for row in rows] == [
        "subscription.plan_address",
        "subscription.cancel_address",
    ]
    assert '"first_issue":3' in rows[0]["after"]
    assert '"city":"Wien"' in rows[1]["before"]
