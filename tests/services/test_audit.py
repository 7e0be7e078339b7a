"""The audit trail: each write records its actor, its entry type and what it changed."""

from typing import Any

from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.days import pass_on
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
    manual,
)


async def trail(cast: Cast, kind: str, id: object) -> list[dict[str, Any]]:
    """The audit entries about one record, oldest first."""
    async with cast.db.read() as connection:
        return await list_entries(connection, cast.account_id, kind, str(id))


async def count(cast: Cast) -> int:
    """The number of entries of the account."""
    async with cast.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT count(*) AS entries FROM audit WHERE account_id = :id", {"id": cast.account_id}
        )
    assert row is not None
    return int(row["entries"])


async def test_the_entry_of_a_new_subscription_has_its_actor_and_address(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, city="Berlin", order_id="A-1")
    [entry] = await trail(acme, "subscription", made["id"])
    assert (entry["actor_kind"], entry["actor_id"]) == ("key", acme.key_id)
    assert entry["action"] == "subscription.create"
    assert entry["before"] is None
    assert entry["after"]["status"] == "Active"
    assert entry["after"]["city"] == "Berlin"
    assert entry["after"]["order_id"] == "A-1"
    assert entry["happened_at"].utcoffset() is not None


async def test_the_entry_of_a_changed_address_has_both_addresses(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, city="Berlin")
    path = f"/v1/subscriptions/{made['id']}/"
    await acme.patch(path, {"city": "Paris", "country": "FR", "first_name": "Ada"})
    entry = (await trail(acme, "subscription", made["id"]))[-1]
    assert entry["action"] == "subscription.update"
    assert entry["before"] == {"city": "Berlin", "country": "DE"}
    assert entry["after"] == {"city": "Paris", "country": "FR"}


async def test_changes_to_the_same_values_are_not_recorded(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, city="Berlin")
    [copy] = await copies_of(acme, made["id"])
    path = f"/v1/subscriptions/{made['id']}/"
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await acme.post(f"{path}cancel/", {"mode": "cancel"})
    before = await count(acme)
    await acme.patch(path, {})
    await acme.patch(path, {"city": "Berlin"})
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await acme.post(f"{path}cancel/", {"mode": "cancel"})
    await acme.post("/v1/subscriptions/", manual(acme, country="Nowhere"))
    await acme.post("/v1/subscriptions/", manual(acme, start_issue=99))
    await acme.get(path)
    assert await count(acme) == before


async def test_the_entry_of_a_cancellation_has_the_cancelled_copies(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme)
    [copy] = await copies_of(acme, made["id"])
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    entries = await trail(acme, "subscription", made["id"])
    assert [entry["action"] for entry in entries] == ["subscription.create", "subscription.cancel"]
    assert entries[-1]["before"] == {"status": "Active"}
    assert entries[-1]["after"] == {"status": "Cancelled", "cancelled_copies": [copy["id"]]}


async def test_marking_a_copy_and_the_new_status_are_recorded(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, length=1)
    [copy] = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-03-02"})
    [entry] = await trail(acme, "copy", copy["id"])
    assert entry["action"] == "copy.mark_sent"
    assert entry["before"] == {"status": "Not sent", "date_sent": None}
    assert entry["after"] == {"status": "Sent", "date_sent": "2026-03-02"}
    settled = (await trail(acme, "subscription", made["id"]))[-1]
    assert settled["action"] == "subscription.update_status"
    assert (settled["before"], settled["after"]) == ({"status": "Active"}, {"status": "Complete"})


async def test_changes_of_the_daily_pass_are_recorded(acme: Cast) -> None:
    member = await make_membership(acme, is_recurring="true")
    await pass_on(acme, "2100-01-01")
    entry = (await trail(acme, "subscription", member["id"]))[-1]
    assert entry["actor_kind"] == "command"
    assert (entry["before"], entry["after"]) == ({"status": "Active"}, {"status": "Past due"})


async def test_an_imported_subscription_is_recorded_with_the_status_in_the_file(acme: Cast) -> None:
    await make_issue(acme, 1)
    for status in ("Cancelled", "Past due"):
        row = {"start_issue": "1", "length": "4", "is_recurring": "yes", "status": status}
        imported = await import_row(acme, **row)
        assert imported["status"] == status
        entry = (await trail(acme, "subscription", imported["id"]))[-1]
        assert (entry["actor_kind"], entry["actor_id"]) == (BY.kind, BY.id)
        assert entry["after"]["status"] == status


async def test_an_imported_subscription_that_is_complete_is_recorded_as_complete(
    acme: Cast,
) -> None:
    await make_issue(acme, 1)
    imported = await import_row(acme, order_id="C-1", start_issue="1", length="1", sent_issues="1")
    assert imported["status"] == "Complete"
    [entry] = await trail(acme, "subscription", imported["id"])
    assert (entry["action"], entry["after"]["status"]) == ("subscription.create", "Complete")
    await import_row(acme, renews="C-1", length="1", sent_issues="")
    assert [
        (entry["action"], entry["before"]["status"], entry["after"]["status"])
        for entry in (await trail(acme, "subscription", imported["id"]))[1:]
    ] == [("subscription.renew", "Complete", "Active")]


async def test_an_imported_renewal_that_was_cancelled_is_recorded_as_cancelled(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme, order_id="B-1")
    renewed = await import_row(acme, renews="B-1", status="Cancelled")
    assert renewed["status"] == "Cancelled"
    entry = (await trail(acme, "subscription", made["id"]))[-1]
    assert entry["action"] == "subscription.renew"
    assert entry["before"] == {"status": "Active"}
    assert entry["after"]["status"] == "Cancelled"


async def test_the_entries_of_an_issue_have_its_changes_and_its_new_copies(acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme)
    issue = await make_issue(acme, 2, name="Summer")
    await acme.patch(f"/v1/issues/{issue['id']}/", {"name": "High summer", "newsstand_ean": None})
    created, updated = await trail(acme, "issue", issue["id"])
    assert created["after"]["number"] == 2
    assert created["after"]["copies"] == 1
    assert updated["before"] == {"name": "Summer"}
    assert updated["after"] == {"name": "High summer"}


async def test_entries_of_one_account_are_numbered_without_gaps(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issue(cast, 1)
        await make_subscription(cast)
    async with acme.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT id FROM audit WHERE account_id = :id ORDER BY id", {"id": acme.account_id}
        )
    assert [row["id"] for row in rows] == list(range(1, len(rows) + 1))
