"""POST /v1/subscriptions/{id}/renewals/: a renewal, by the rules of the pages."""

from typing import Any

import httpx
import pytest

from masthead.services.check.accounts import check_account
from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)


async def renew(cast: Cast, id: str, **fields: object) -> httpx.Response:
    """Send a renewal; a field that is given as None is left out."""
    body = {
        "source": cast.shop,
        "order_id": fresh_order_id(),
        "order_date": "2026-06-01",
        "price": "50.00",
        **fields,
    }
    body = {name: value for name, value in body.items() if value is not None}
    return await cast.post(f"/v1/subscriptions/{id}/renewals/", body)


async def renewed(cast: Cast, id: str, **fields: object) -> dict[str, Any]:
    """The subscription after a renewal, which a second request returns too."""
    response = await renew(cast, id, **fields)
    assert response.status_code == 201, response.text
    body: dict[str, Any] = response.json()
    assert body == (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return body


async def test_a_renewal_adds_a_period_after_the_last_issue(acme: Cast) -> None:
    for number in (1, 2, 3):
        await make_issue(acme, number=number)
    made = await make_subscription(acme, start_issue=1, length=2)
    after = await renewed(
        acme, made["id"], order_id="R-1", currency="USD", discount_amount="5", length=3
    )
    assert after["issue_list"] == [1, 2, 3, 4, 5]
    assert (after["price"], after["discount_amount"], after["currency"]) == ("50.00", "5.00", "USD")
    assert [each["length"] for each in after["periods"]] == [2, 3]
    assert after["periods"][1]["order_date"] == "2026-06-01"
    copies = await copies_of(acme, made["id"])
    assert sorted(each["issue"]["number"] for each in copies) == [1, 2, 3]
    found = (await acme.get("/v1/subscriptions/", order_id="R-1")).json()["items"]
    assert [each["id"] for each in found] == [made["id"]]
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


async def test_a_renewal_is_as_long_as_the_period_before_by_default(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, start_issue=1, length=4)
    after = await renewed(acme, made["id"])
    assert [each["length"] for each in after["periods"]] == [4, 4]
    assert after["currency"] == acme.currency


async def test_a_complete_subscription_becomes_active(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, start_issue=1, length=1)
    (copy,) = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    assert (await renewed(acme, made["id"]))["status"] == "Active"


async def test_a_past_due_membership_becomes_active_and_continues(acme: Cast) -> None:
    made = await make_membership(acme, is_recurring="true", status="Past due")
    end = made["current_period_end"]
    after = await renewed(acme, made["id"], interval_months=1200, payment_method="card")
    assert after["status"] == "Active"
    assert after["periods"][1]["period_start"] > end
    assert after["periods"][1]["interval_months"] == 1200


async def test_a_monthly_membership_of_the_31st_loses_no_day_in_short_months(acme: Cast) -> None:
    made = await make_membership(
        acme,
        order_id="M-1",
        interval_months="1",
        period_start="2099-01-31",
        period_end="2099-02-27",
    )
    await renewed(acme, made["id"])
    await import_row(acme, renews="M-1", type="membership")
    after = await renewed(acme, made["id"])
    assert [(each["period_start"], each["period_end"]) for each in after["periods"]] == [
        ("2099-01-31", "2099-02-27"),
        ("2099-02-28", "2099-03-30"),
        ("2099-03-31", "2099-04-29"),
        ("2099-04-30", "2099-05-30"),
    ]
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


async def test_a_membership_may_start_later(acme: Cast) -> None:
    made = await make_membership(acme)
    after = await renewed(acme, made["id"], period_start="2100-02-01")
    assert after["periods"][1]["period_start"] == "2100-02-01"
    response = await renew(acme, made["id"], period_start="2000-01-01")
    assert "`period_start`" in refused(response, "validation_error")


async def test_a_renewal_of_the_other_kind_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    issues = (await make_subscription(acme))["id"]
    months = (await make_membership(acme))["id"]
    for id, name, value in (
        (issues, "interval_months", 1),
        (issues, "period_start", "2099-01-01"),
        (months, "length", 4),
    ):
        response = await renew(acme, id, **{name: value})
        assert f"`{name}`" in refused(response, "validation_error", id=id)


async def test_a_used_order_id_is_refused_with_its_subscription(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, order_id="A-1")
    other = await make_subscription(acme)
    await renewed(acme, made["id"], order_id="A-2")
    for used in ("A-1", "A-2"):
        response = await renew(acme, other["id"], order_id=used)
        refused(response, "duplicate_order_id", id=made["id"])
    assert len((await acme.get(f"/v1/subscriptions/{other['id']}/")).json()["periods"]) == 1


async def test_a_cancelled_subscription_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    refused(await renew(acme, made["id"]), "cancelled")


async def test_a_complimentary_subscription_costs_nothing(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, is_comp=True, price="0")
    refused(await renew(acme, made["id"]), "validation_error")
    assert (await renewed(acme, made["id"], price="0"))["price"] == "0.00"


@pytest.mark.parametrize("name", ["source", "order_id", "order_date", "price"])
async def test_a_required_field_is_named(acme: Cast, name: str) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    response = await renew(acme, made["id"], **{name: None})
    assert f"`{name}`" in refused(response, "validation_error")


async def test_a_source_must_be_open(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    for source in (acme.checkout, acme.inactive_source, rival.shop):
        refused(await renew(acme, made["id"], source=source), "invalid_source")


async def test_an_unknown_subscription_gets_a_404(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    theirs = (await make_subscription(rival))["id"]
    for id in ("NONE", theirs):
        refused(await renew(acme, id), "not_found", status=404)
