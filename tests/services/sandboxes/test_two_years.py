"""Two years of a quarterly: renewals, past due, cancellations and gifts, to the last figure."""

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.texts import update_text
from masthead.store.engine.interface import Database
from tests.conftest import BY, Client
from tests.support.factories import made
from tests.support.sandboxes import Sandbox, make_sandbox
from tests.support.walk import walk


@pytest.fixture
async def sandbox(client: Client, db: Database) -> Sandbox:
    """A sandbox on 1 January 2026, where only the letter with the last issue is sent by rule."""
    sandbox = await make_sandbox(client, db)
    await sandbox.move(is_automatic=False)
    await update_text(
        db,
        sandbox.account.id,
        RenewalStage.LAST,
        subject="The last issue",
        text="{greeting}",
        is_automatic=True,
        by=BY,
    )
    return sandbox


async def _subscriptions(sandbox: Sandbox) -> dict[str, dict[str, Any]]:
    """All subscriptions, by the number in the order id of the first order."""
    found = await walk(sandbox, "/v1/subscriptions/", limit=200)
    return {each["periods"][0]["order_id"][-2:]: each for each in found}


def _statuses(found: dict[str, dict[str, Any]], type: str) -> Counter[str]:
    return Counter(each["status"] for each in found.values() if each["type"] == type)


def _charges(found: dict[str, dict[str, Any]], number: str) -> list[str]:
    """The dates of the orders after the first one."""
    return [each["order_date"] for each in found[number]["periods"][1:]]


async def _to(sandbox: Sandbox, **move: object) -> str:
    day: str = made(await sandbox.post("/v1/sandbox/clock/", move))["day"]
    return day


async def test_a_sandbox_plays_two_years_to_the_last_figure(sandbox: Sandbox) -> None:
    assert sandbox.key.startswith("mh_test_")
    assert made(await sandbox.get("/v1/me/"))["sandbox_day"] == "2026-01-01"
    before = await _subscriptions(sandbox)
    assert _statuses(before, "subscription") == {"Active": 15, "Complete": 1, "Cancelled": 1}
    assert _statuses(before, "membership") == {"Active": 6, "Active - Renewals stopped": 1}
    assert sum(len(each["periods"]) for each in before.values()) == 24

    # The quarterly memberships began on 10, 19 and 28 October, and 6, 15 and 24 November
    assert await _to(sandbox, next="charge") == "2026-01-10"
    assert await _to(sandbox, next="charge") == "2026-01-19"
    assert await _to(sandbox, next="issue") == "2026-03-01"
    found = await _subscriptions(sandbox)
    assert _charges(found, "13") == ["2026-01-10"]
    assert _charges(found, "01") == ["2026-02-01"]  # issue 5 follows its last one
    assert found["01"]["issue_list"] == [*range(1, 9)]
    assert _statuses(found, "membership") == {
        "Active": 4,
        "Past due": 2,
        "Active - Renewals stopped": 1,
    }
    assert found["17"]["status"] == found["18"]["status"] == "Past due"
    assert found["17"]["subscriber"]["email"].startswith("declined")

    assert await _to(sandbox, to="2026-07-01") == "2026-07-01"
    found = await _subscriptions(sandbox)
    assert found["18"]["status"] == "Active"
    assert _charges(found, "18") == ["2026-03-03", "2026-05-31"]  # each a week late
    assert found["19"]["status"] == "Complete"  # its renewals were stopped before
    for number, mode in (("01", "stop_renewals"), ("13", "cancel")):
        path = f"/v1/subscriptions/{found[number]['id']}/cancel/"
        made(await sandbox.post(path, {"mode": mode}))

    assert await _to(sandbox, to="2028-01-01") == "2028-01-01"
    found = await _subscriptions(sandbox)
    assert _statuses(found, "subscription") == {
        "Active": 14,
        "Active - Renewals stopped": 1,
        "Complete": 1,
        "Cancelled": 1,
    }
    assert _statuses(found, "membership") == {
        "Active": 4,
        "Past due": 1,
        "Complete": 1,
        "Cancelled": 1,
    }
    # Per year: 8 of a year, but the first one has stopped; a gift; 4 memberships of a quarter
    charges = Counter(
        {number: len(each["periods"]) - 1 for number, each in found.items() if each["periods"][1:]}
    )
    assert charges == {
        **{"01": 1, "02": 2, "03": 2, "04": 2, "05": 2, "06": 2, "07": 2, "08": 2, "21": 1},
        **{"13": 2, "14": 8, "15": 8, "16": 8, "18": 8},
    }
    assert _charges(found, "02") == ["2026-02-01", "2027-02-01"]
    assert _charges(found, "08") == ["2026-11-01", "2027-11-01"]
    assert _charges(found, "13") == ["2026-01-10", "2026-04-10"]
    assert _charges(found, "14")[-1] == "2027-10-19"
    assert _charges(found, "21") == ["2027-02-01"]
    gift = found["21"]
    assert gift["gifter"] == {"full_name": "Clara Dietz", "email": "clara.dietz@reader.test"}
    assert gift["issue_list"] == [*range(5, 13)]
    assert gift["next_charge_date"] == "2028-02-01"
    paid = sum(Decimal(period["price"]) for each in found.values() for period in each["periods"])
    first = 13 * 40 + 40 + 2 * 42 + 7 * 12  # 8 + 4 + 1 of a year, one cancelled, gifts, quarters
    assert paid == first + 15 * 40 + 42 + 34 * 12
    copies = await walk(sandbox, "/v1/copies/", limit=200)
    # 8 + 7 * 12 recurring, 4 * 4, gifts 4 + 8, and 3 * 4; memberships 3 + 3 * 9 + 1 + 9 + 1
    assert len(copies) == 92 + 16 + 12 + 12 + 41
    sent, cancelled = 20 + 10 + 2, 4 + 3
    assert Counter(copy["status"] for copy in copies) == {
        "Sent": sent,
        "Cancelled": cancelled,
        "Not sent": len(copies) - sent - cancelled,
    }

    emails = await walk(sandbox, "/v1/sandbox/emails/", limit=3)
    assert [(mail["created_at"][:10], mail["recipient"]) for mail in reversed(emails)] == [
        ("2026-01-02", "ida.jansen@reader.test"),  # issue 4 is out, and is the last one
        ("2026-01-31", "tara.thomas@reader.test"),  # the membership that ends on 2 March
        ("2026-03-01", "jonas.keller@reader.test"),
        ("2026-06-01", "karla.lind@reader.test"),
        ("2026-09-01", "leo.moreau@reader.test"),
        ("2026-12-01", "ada.berg@reader.test"),  # for her own, and for her gift
        ("2026-12-01", "yann.weber@reader.test"),
    ]
    renewed = await _events(sandbox, "subscription.renewed")
    assert len(renewed) == charges.total()
    assert [each["happened_at"][:10] for each in renewed] == sorted(
        period["order_date"] for each in found.values() for period in each["periods"][1:]
    )
    past_due = await _events(sandbox, "subscription.past_due")
    assert len(past_due) == 1 + 8  # the declined one stays; the late one each quarter
    assert past_due[0]["happened_at"][:10] == "2026-02-15"


async def _events(sandbox: Sandbox, type: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = made(await sandbox.get("/v1/events/", type=type, limit=200))[
        "items"
    ]
    return events
