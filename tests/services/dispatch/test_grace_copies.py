"""Grace copies: who gets which issue after the last paid one, and what a renewal makes of it."""

from datetime import date
from typing import Any

import pytest

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.line_resources import kind_of
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.model.errors import Invalid
from masthead.model.returns.copy_references import read_reference
from masthead.model.timeline.codes import WhyCode
from masthead.model.validation import decode_input
from masthead.services import accounts
from masthead.services.billing.payments import create_payment
from masthead.services.claims.why import answer_why
from masthead.services.dispatch import runs as service
from masthead.services.dispatch.preview import preview_dispatch
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.returns.carrier_files import FirstLines
from masthead.services.returns.shipped import ShippedRow, ship
from masthead.store.dispatch import lines
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    copies_of,
    fresh_order_id,
    import_row,
    made,
    make_issue,
    make_subscription,
)
from tests.support.revenue import add_refund

ALL = DispatchSelection()
DAY = date(2026, 5, 3)


async def allow(cast: Cast, count: int) -> None:
    await accounts.update_account(cast.db, cast.account_id, grace_copies=count, by=BY)


async def send(cast: Cast, issue_id: str, day: date | None = DAY) -> Dispatch:
    """A run of all copies of an issue, marked as sent."""
    run = await service.freeze_dispatch(cast.db, cast.account_id, issue_id, ALL, by=BY)
    marked, *_ = await service.mark_dispatch(cast.db, cast.account_id, run.id, day, by=BY)
    return marked


async def kinds(cast: Cast, run: Dispatch) -> list[tuple[str, str]]:
    """The kind and the status of each line."""
    found = await lines.list_lines(cast.db, cast.account_id, run.id, after=0, limit=9)
    return [(kind_of(line).value, line.status.value) for line in found]


async def ended(cast: Cast, **fields: object) -> tuple[dict[str, Any], str, str]:
    """A subscription that issue 1 completed, and the ids of issues 2 and 3."""
    first, second, third = [await make_issue(cast, number) for number in (1, 2, 3)]
    subscription = await make_subscription(cast, length=1, **fields)
    await send(cast, first["id"])
    return subscription, second["id"], third["id"]


async def statuses(cast: Cast, subscription: dict[str, Any]) -> dict[int, str]:
    """The statuses of its copies, by issue."""
    found = await copies_of(cast, subscription["id"])
    return {each["issue"]["number"]: each["status"] for each in found}


async def renew(cast: Cast, id: str, length: int = 4) -> dict[str, Any]:
    body = {
        "source": cast.shop,
        "length": length,
        "order_id": fresh_order_id(),
        "order_date": "2026-05-20",
        "price": "42.00",
    }
    return made(await cast.post(f"/v1/subscriptions/{id}/renewals/", body))


@pytest.mark.parametrize("most", [0, 1, 2])
async def test_as_many_issues_as_the_account_says_follow_the_last_paid_one(
    acme: Cast, most: int
) -> None:
    subscription, second, third = await ended(acme)
    await allow(acme, most)
    for number, issue in ((2, second), (3, third)):
        preview = await preview_dispatch(acme.db, acme.account_id, issue, ALL)
        assert (preview.lines, preview.copies, preview.grace_copies) == (
            (1, 0, 1) if number <= 1 + most else (0, 0, 0)
        )
        if number <= 1 + most:
            run = await send(acme, issue)
            assert (run.lines, run.copies, run.grace_copies) == (1, 0, 1)
            assert await kinds(acme, run) == [("grace", "sent")]
        else:
            with pytest.raises(Invalid, match="Nothing is left to send"):
                await send(acme, issue)
    got = (await acme.get(f"/v1/subscriptions/{subscription['id']}/")).json()
    assert got["status"] == "Complete"
    assert [each["issue"]["number"] for each in await copies_of(acme, subscription["id"])] == [1]
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"price": "0.00"},
        {"is_comp": True, "price": "0.00"},
        {"length": 2},
    ],
)
async def test_only_a_paid_subscription_that_is_over_gets_grace_copies(
    acme: Cast, fields: dict[str, object]
) -> None:
    await allow(acme, 1)
    issue = await make_issue(acme, 1)
    after = await make_issue(acme, 3 if fields.get("length") else 2)
    await make_subscription(acme, **{"length": 1, **fields})
    await send(acme, issue["id"])
    preview = await preview_dispatch(acme.db, acme.account_id, after["id"], ALL)
    assert preview.grace_copies == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"is_gift": "true", "gifter_name": "Eve", "gifter_email": "eve@example.test"},
        {"is_recurring": "true"},
    ],
)
async def test_gifts_and_stopped_renewals_get_no_grace_copies(
    acme: Cast, columns: dict[str, str]
) -> None:
    await allow(acme, 1)
    issue, after = [await make_issue(acme, number) for number in (1, 2)]
    for each in ({}, columns):  # the first is the control
        made = await import_row(acme, start_issue="1", length="1", **each)
        if made["is_recurring"]:
            await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    await send(acme, issue["id"])
    preview = await preview_dispatch(acme.db, acme.account_id, after["id"], ALL)
    assert preview.grace_copies == 1


async def test_no_grace_copy_goes_to_an_erased_subscriber(acme: Cast) -> None:
    await allow(acme, 1)
    subscription, second, _third = await ended(acme)
    id, domain = subscription["subscriber"]["id"], PLACEHOLDER_DOMAIN
    await erase_subscriber(acme.db, acme.account_id, id, placeholder_domain=domain, by=BY)
    preview = await preview_dispatch(acme.db, acme.account_id, second, ALL)
    assert preview.grace_copies == 0


async def test_a_refund_ends_grace(acme: Cast) -> None:
    await allow(acme, 1)
    _subscription, second, _third = await ended(acme, order_id="ORDER-1")
    await add_refund(acme, "ORDER-1", "2026-05-04", 100)
    preview = await preview_dispatch(acme.db, acme.account_id, second, ALL)
    assert preview.grace_copies == 0


async def test_an_order_by_invoice_gets_grace_copies_when_the_invoice_is_paid(acme: Cast) -> None:
    await allow(acme, 1)
    await turn_on_billing(acme, has_issue=True)
    issue, after = [await make_issue(acme, number) for number in (1, 2)]
    invoice = await bill_one(acme, start_issue=1, length=1)
    await send(acme, issue["id"])
    for count in (0, 1):
        preview = await preview_dispatch(acme.db, acme.account_id, after["id"], ALL)
        assert preview.grace_copies == count
        number = invoice.document.number
        paid = {"amount": "60.00", "payer": invoice.payer_id, "invoices": [{"number": number}]}
        if count == 0:
            body = decode_input(PaymentCreate, paid)
            await create_payment(acme.db, acme.account_id, body, by=BY)


async def test_cancellations_end_grace(acme: Cast) -> None:
    await allow(acme, 1)
    subscription, second, _third = await ended(acme)
    other = await make_subscription(acme, start_issue=1, length=1, last_name="Other")
    (copy,) = await copies_of(acme, other["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    run = await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    assert run.grace_copies == 2
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "cancel"})
    assert sorted(await kinds(acme, run)) == [("grace", "held"), ("grace", "left")]
    _, marked, _ = await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    assert marked == 1
    assert await faults(acme) == []


async def test_who_renews_later_has_the_issue_already(acme: Cast) -> None:
    await allow(acme, 1)
    subscription, second, third = await ended(acme)
    run = await send(acme, second)
    await renew(acme, subscription["id"])
    found = await copies_of(acme, subscription["id"])
    assert sorted(
        (each["issue"]["number"], each["status"], each["date_sent"]) for each in found
    ) == [
        (1, "Sent", "2026-05-03"),
        (2, "Sent", "2026-05-03"),
        (3, "Not sent", None),
    ]
    with pytest.raises(Invalid, match="Nothing is left to send"):
        await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    assert (await send(acme, third)).copies == 1
    assert await faults(acme) == []
    await service.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert await faults(acme) == []


async def test_one_renewed_issue_that_went_out_as_a_grace_copy_completes_the_subscription(
    acme: Cast,
) -> None:
    await allow(acme, 1)
    subscription, second, _third = await ended(acme)
    await send(acme, second)
    await renew(acme, subscription["id"], length=1)
    got = (await acme.get(f"/v1/subscriptions/{subscription['id']}/")).json()
    assert (got["status"], got["periods"][-1]["is_complete"]) == ("Complete", True)


async def test_who_renews_before_the_mailing_goes_out_stays_in_it(acme: Cast) -> None:
    await allow(acme, 1)
    subscription, second, _third = await ended(acme)
    run = await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    await renew(acme, subscription["id"])
    assert await faults(acme) == []
    _, marked, _ = await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    assert marked == 1
    statuses = {
        each["issue"]["number"]: each["status"]
        for each in await copies_of(acme, subscription["id"])
    }
    assert statuses == {1: "Sent", 2: "Sent", 3: "Not sent"}
    assert await faults(acme) == []


async def test_a_discarded_or_undone_mailing_frees_or_holds_grace_copies(acme: Cast) -> None:
    await allow(acme, 1)
    _subscription, second, _third = await ended(acme)
    run = await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    await service.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert await kinds(acme, run) == [("grace", "left")]
    assert await faults(acme) == []
    again = await send(acme, second)
    _, undone = await service.undo_dispatch(acme.db, acme.account_id, again.id, by=BY)
    assert undone == 1
    assert await kinds(acme, again) == [("grace", "held")]
    assert await faults(acme) == []


async def test_an_old_issue_takes_no_grace_copies_along(acme: Cast) -> None:
    await allow(acme, 1)
    _subscription, second, third = await ended(acme)
    made(await acme.patch(f"/v1/issues/{third}/", {"release_date_actual": "2020-01-01"}))
    preview = await preview_dispatch(acme.db, acme.account_id, second, ALL)
    assert preview.grace_copies == 0


async def test_whoever_has_the_issue_by_another_subscription_gets_it_once(acme: Cast) -> None:
    await allow(acme, 1)
    email = {"email": "ada@example.com"}
    _subscription, second, _third = await ended(acme, **email)
    await make_subscription(acme, start_issue=2, length=1, **email)
    preview = await preview_dispatch(acme.db, acme.account_id, second, ALL)
    assert (preview.copies, preview.grace_copies) == (1, 0)


async def test_a_report_of_the_mailing_house_marks_a_grace_copy(acme: Cast) -> None:
    await allow(acme, 1)
    _subscription, second, _third = await ended(acme)
    run = await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    key = key_of(acme.account_id, run.first_line)
    outcomes = await ship(
        acme.db,
        acme.account_id,
        [ShippedRow(1, read_reference(acme.account_id, key), DAY)],
        seen=FirstLines(),
        by=BY,
    )
    assert [each.is_marked for each in outcomes] == [True]
    assert await kinds(acme, run) == [("grace", "sent")]
    assert await faults(acme) == []


@pytest.mark.parametrize("is_sent", [True, False])
async def test_why_says_that_it_is_a_grace_copy(acme: Cast, is_sent: bool) -> None:
    await allow(acme, 1)
    subscription, second, _third = await ended(acme)
    run = await service.freeze_dispatch(acme.db, acme.account_id, second, ALL, by=BY)
    if is_sent:
        await service.mark_dispatch(acme.db, acme.account_id, run.id, DAY, by=BY)
    answer = await answer_why(acme.db, acme.account_id, subscription["subscriber"]["id"], number=2)
    assert answer.code is WhyCode.GRACE_COPY
    words = "was sent to Ada as a grace copy, after the last paid issue, 1: mailing 1 of 2026-05-03"
    assert (words if is_sent else "is a grace copy after the last paid issue, 1") in answer.sentence
