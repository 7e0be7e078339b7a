"""The preview of a cancellation matches its result."""

from datetime import date

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.model.types.enums import CancelMode
from masthead.services.subscriptions.cancel_preview import CancelPreview, preview_cancel
from tests.conftest import Cast
from tests.support.factories import (
    copies_of,
    import_row,
    make_claim,
    make_issues,
    make_membership,
    make_subscription,
)

CANCEL, STOP = CancelMode.CANCEL, CancelMode.STOP_RENEWALS
TODAY = date(2026, 6, 30)


async def preview(cast: Cast, id: str, mode: CancelMode) -> CancelPreview:
    """The preview of a cancellation now."""
    async with cast.db.read(aside=True) as connection:
        return await preview_cancel(connection, cast.account_id, id, mode, day=TODAY)


async def test_the_preview_of_a_cancellation_has_the_numbers_of_its_result(acme: Cast) -> None:
    await make_issues(acme, 1, 4)
    made = await make_subscription(acme, start_issue=1, length=6)
    copies = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copies[0]["id"]]})
    told = await preview(acme, made["id"], CANCEL)
    assert (told.before, told.after) == ("Active", "Cancelled")
    assert (told.cancelled, told.to_send, told.sent) == ([2, 3, 4], [], 1)
    assert (told.lost, told.upcoming) == ([5, 6], [])
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    done = await copies_of(acme, made["id"])
    assert [copy["issue"]["number"] for copy in done if copy["status"] == "Cancelled"] == [2, 3, 4]
    again = await preview(acme, made["id"], CANCEL)
    assert (again.before, again.cancelled, again.lost, again.sent) == ("Cancelled", [], [], 1)


async def test_stopping_renewals_keeps_the_paid_issues(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    await acme.post("/v1/issues/", {"number": 4, "recurring_charge_date": "2027-02-01"})
    made = await make_subscription(acme, start_issue=1, length=3, is_recurring=True)
    told = await preview(acme, made["id"], STOP)
    assert (told.before, told.after) == ("Active", "Active - Renewals stopped")
    assert (told.cancelled, told.to_send, told.sent) == ([], [1, 2], 0)
    assert (told.lost, told.upcoming) == ([], [3])
    assert told.charge_date == date(2027, 2, 1)
    done = await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    assert done.json()["status"] == told.after


async def test_the_preview_says_that_stopping_renewals_completes_the_subscription(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 1)
    row = {"start_issue": "1", "length": "1", "sent_issues": "1", "is_recurring": "yes"}
    made = await import_row(acme, **row)
    told = await preview(acme, made["id"], STOP)
    done = await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    assert told.after == done.json()["status"] == "Complete"


async def test_the_preview_of_a_membership_says_until_when_it_is_paid(acme: Cast) -> None:
    made = await make_membership(acme, is_recurring="yes")
    told = await preview(acme, made["id"], STOP)
    assert (told.paid_until, told.charge_date) == (date(2099, 12, 31), date(2100, 1, 1))


async def test_a_subscription_that_does_not_renew_has_no_renewals_to_stop(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme)
    with pytest.raises(Invalid, match="not recurring") as refusal:
        await preview(acme, made["id"], STOP)
    assert refusal.value.code == "not_recurring"


async def test_a_subscription_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    await make_issues(rival, 1, 1)
    made = await make_subscription(rival)
    with pytest.raises(NotFound):
        await preview(acme, made["id"], CANCEL)


@pytest.mark.parametrize("mode", [CANCEL, STOP])
async def test_a_replacement_that_waits_is_still_sent(acme: Cast, mode: CancelMode) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, start_issue=1, length=2, is_recurring=True)
    assert (await preview(acme, made["id"], mode)).replacements == []
    await make_claim(acme, made)
    assert (await preview(acme, made["id"], mode)).replacements == [1]
