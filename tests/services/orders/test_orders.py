"""Orders from imports: gifts, complimentary orders, statuses, sent copies, and batches."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support import order_lines as imports
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    import_cells,
    import_row,
    make_issue,
    make_issues,
    make_subscription,
)

GIFT = {"is_gift": "true", "gifter_name": "Charles", "gifter_email": "charles@example.test"}
MEMBER = {
    "type": "membership",
    "start_issue": "",
    "length": "",
    "interval_months": "12",
    "period_start": "2099-01-01",
    "period_end": "2099-12-31",
}


def row(**columns: str) -> dict[str, str]:
    """A valid row: four issues, starting with the first."""
    return {
        "order_id": fresh_order_id(),
        "first_name": "Ada",
        "country": "DE",
        "order_date": "2026-01-15",
        "price": "42",
        "start_issue": "1",
        "length": "4",
        **columns,
    }


async def imported(
    cast: Cast, *rows: dict[str, str], create_issues: bool = False
) -> tuple[imports.Summary, list[imports.Reject]]:
    """The results of rows that are imported together."""
    return await import_cells(cast, rows, create_issues=create_issues)


async def listed(cast: Cast) -> list[dict[str, Any]]:
    """All subscriptions of a small account."""
    items: list[dict[str, Any]] = (await cast.get("/v1/subscriptions/", limit=200)).json()["items"]
    return items


async def test_a_gift_has_the_name_of_the_gifter(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(acme, **row(**GIFT))
    assert created["is_gift"] is True
    assert created["gifter"] == {"full_name": "Charles", "email": "charles@example.test"}


@pytest.mark.parametrize(
    "columns, column",
    [
        ({**GIFT, "gifter_name": ""}, "gifter_name"),
        ({**GIFT, "gifter_email": ""}, "gifter_email"),
        ({**GIFT, "gifter_email": "charles"}, "gifter_email"),
        ({**GIFT, "gifter_email": "x@placeholder.example"}, "gifter_email"),
        ({**GIFT, "is_gift": "maybe"}, "is_gift"),
        ({**GIFT, "is_gift": ""}, "is_gift"),
        ({"is_comp": "yes"}, "price"),
        ({"price": ""}, "price"),
        ({"price": "1.001"}, "price"),
        ({"refunded": "42.01"}, "refunded"),
        ({"order_date": ""}, "order_date"),
        ({"order_id": ""}, "order_id"),
        ({"country": ""}, "country"),
        ({"country": "UK"}, "country"),
        ({"first_name": ""}, "company"),
        ({"start_issue": ""}, "start_issue"),
        ({"start_issue": "9"}, "start_issue"),
        ({"start_issue": "one"}, "start_issue"),
        ({"length": ""}, "length"),
        ({"length": "1001"}, "length"),
        ({"type": "magazine"}, "type"),
        ({"interval_months": "3"}, "interval_months"),
        ({"period_start": "2099-01-01"}, "period_start"),
        ({**MEMBER, "start_issue": "1"}, "start_issue"),
        ({**MEMBER, "length": "4"}, "length"),
        ({**MEMBER, "interval_months": ""}, "interval_months"),
        ({**MEMBER, "interval_months": "0"}, "interval_months"),
        ({**MEMBER, "period_start": ""}, "period_start"),
        ({**MEMBER, "period_end": ""}, "period_end"),
        ({**MEMBER, "period_end": "2098-12-31"}, "period_end"),
        ({"status": "Lapsed"}, "status"),
        ({"status": "Past due"}, "status"),
        ({"status": "Active - Renewals stopped"}, "status"),
        ({"is_recurring": "maybe"}, "is_recurring"),
        ({"sent_issues": "1|x"}, "sent_issues"),
        ({"sent_issues": "9"}, "sent_issues"),
        ({"sent_issues": "1|2", "sent_dates": "2026-01-01"}, "sent_dates"),
        ({"sent_issues": "1", "sent_dates": "soon"}, "sent_dates"),
        ({"email": "ada"}, "email"),
        ({"email": "x@placeholder.example"}, "email"),
        ({"notes": "a\0b"}, "notes"),
        ({"renews": "NOSUCH"}, "renews"),
    ],
)
async def test_the_error_for_an_invalid_row_names_its_column_and_nothing_is_stored(
    acme: Cast, columns: dict[str, str], column: str
) -> None:
    await make_issue(acme)
    summary, (reject,) = await imported(acme, row(**columns))
    assert (summary.imported, summary.rejected) == (0, 1)
    assert reject.column == column
    assert column in reject.reason
    assert await listed(acme) == []
    assert (await acme.get("/v1/subscribers/")).json()["items"] == []


async def test_invalid_rows_do_not_affect_the_others(acme: Cast) -> None:
    await make_issue(acme)
    rows = [row(), row(country="UK"), row(length="0"), row()]
    summary, rejects = await imported(acme, *rows)
    assert (summary.read, summary.imported, summary.rejected) == (4, 2, 2)
    assert [reject.line.number for reject in rejects] == [3, 4]


async def test_a_row_with_more_cells_than_columns_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    summary, (reject,) = await imported(acme, {**row(), "": "one too many"})
    assert summary.rejected == 1
    assert reject.value == "one too many"


async def test_a_complimentary_row_needs_no_price(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(acme, **row(is_comp="yes", price=""))
    assert created["is_comp"] is True
    assert created["price"] == "0.00"


@pytest.mark.parametrize(
    "text, flag", [("true", True), ("YES", True), ("1", True), ("False", False), ("0", False)]
)
async def test_flags_are_true_false_yes_no_1_or_0(acme: Cast, text: str, flag: bool) -> None:
    await make_issue(acme)
    created = await import_row(acme, **row(is_recurring=text))
    assert created["is_recurring"] is flag


async def test_sent_issues_are_marked_with_their_dates(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    created = await import_row(acme, **row(sent_issues="1|2", sent_dates="2026-01-01|"))
    copies = await copies_of(acme, created["id"])
    assert [(copy["status"], copy["date_sent"]) for copy in copies] == [
        ("Sent", "2026-01-01"),
        ("Sent", None),
        ("Not sent", None),
    ]


async def test_a_cancelled_row_keeps_its_sent_copies_and_cancels_its_other_copies(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 2)
    created = await import_row(acme, **row(status="Cancelled", sent_issues="1"))
    assert created["status"] == "Cancelled"
    statuses = [copy["status"] for copy in await copies_of(acme, created["id"])]
    assert statuses == ["Sent", "Cancelled"]


async def test_a_membership_can_have_sent_copies_only_of_the_issues_that_it_includes(
    acme: Cast,
) -> None:
    await make_issue(acme, number=1, release_date_actual="2099-06-01")
    await make_issue(acme, number=2, release_date_actual="2098-06-01")
    _, (reject,) = await imported(acme, row(**MEMBER, sent_issues="1|2"))
    assert reject.column == "sent_issues"
    summary, _ = await imported(acme, row(**MEMBER, sent_issues="1"))
    assert summary.imported == 1
    (member,) = await listed(acme)
    (copy,) = await copies_of(acme, member["id"])
    assert copy["status"] == "Sent"


@pytest.mark.parametrize("status", ["Past due", "Active - Renewals stopped"])
async def test_a_recurring_row_can_be_imported_as_unpaid_or_stopped(
    acme: Cast, status: str
) -> None:
    await make_issue(acme)
    created = await import_row(acme, **row(is_recurring="true", status=status))
    assert created["status"] == status


async def test_rows_with_the_same_address_in_one_batch_have_the_same_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    emails = ("ada@example.test", "ADA@example.test", "ada@Example.test")
    await imported(acme, *(row(email=email) for email in emails))
    assert len({each["subscriber"]["id"] for each in await listed(acme)}) == 1
    (subscriber,) = (await acme.get("/v1/subscribers/")).json()["items"]
    assert subscriber["subscription_count"] == 3
    assert subscriber["ltv"] == "126.00"


async def test_a_row_can_renew_an_earlier_row_of_the_same_batch(acme: Cast) -> None:
    await make_issue(acme)
    summary, _ = await imported(
        acme,
        row(order_id="1001", length="1", sent_issues="1"),
        row(order_id="1002", renews="1001", start_issue="", length="2"),
        row(order_id="1003", renews="1001", start_issue="", length=""),
    )
    assert summary.imported == 3
    (created,) = await listed(acme)
    assert created["issue_list"] == [1, 2, 3, 4, 5]
    assert created["status"] == "Active"
    for order_id in ("1001", "1002", "1003"):
        found = (await acme.get("/v1/subscriptions/", search=order_id)).json()["items"]
        assert [each["id"] for each in found] == [created["id"]]


async def test_a_renewal_cannot_start_with_another_issue(acme: Cast) -> None:
    await make_issues(acme, 1, 6)
    await make_subscription(acme, order_id="1001", length=4)
    _, (reject,) = await imported(acme, row(renews="1001", start_issue="6"))
    assert reject.column == "start_issue"
    summary, _ = await imported(acme, row(renews="1001", start_issue="5"))
    assert summary.imported == 1


async def test_a_renewal_can_stop_further_renewals(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    await import_row(acme, **row(order_id="1001", length="1", is_recurring="true"))
    renewed = await import_row(
        acme, order_id="1002", renews="1001", length="1", status="Active - Renewals stopped"
    )
    assert renewed["status"] == "Active - Renewals stopped"
    assert renewed["issue_list"] == [1, 2]


async def test_a_cancelled_row_cannot_be_renewed_by_a_later_row(acme: Cast) -> None:
    await make_issue(acme)
    summary, (reject,) = await imported(
        acme,
        row(order_id="1001", status="Cancelled"),
        row(order_id="1002", renews="1001", start_issue=""),
    )
    assert (summary.imported, summary.rejected) == (1, 1)
    assert reject.column == "renews"


async def test_existing_rows_are_skipped_and_counted(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, order_id="1001")
    rows = [row(order_id="1001"), row(order_id="1002"), row(order_id="1002")]
    summary, rejects = await imported(acme, *rows)
    assert (summary.imported, summary.skipped, summary.rejected) == (1, 1, 1)
    assert [each.line.number for each in rejects] == [2]  # 1001 is an order of a shop
    again, _ = await imported(acme, *rows)
    assert (again.imported, again.skipped, again.rejected) == (0, 2, 1)
    assert len(await listed(acme)) == 2


async def test_missing_issues_are_created_on_request(acme: Cast) -> None:
    summary, _ = await imported(
        acme, row(start_issue="3", sent_issues="4"), row(**MEMBER), create_issues=True
    )
    assert summary.imported == 2
    issues = (await acme.get("/v1/issues/")).json()["items"]
    assert [(issue["number"], issue["name"]) for issue in issues] == [
        (4, "Issue 4"),
        (3, "Issue 3"),
    ]


async def test_postcodes_keep_their_leading_zeros(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(acme, **row(postcode="00501"))
    assert created["shipping_address"]["postcode"] == "00501"
