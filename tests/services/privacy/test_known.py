"""Erased people do not come back by an import, but may order again by themselves."""

from masthead.model.privacy.digests import PersonDetails
from masthead.services.privacy.known import find_erased
from tests.conftest import Cast
from tests.support import order_lines as imports
from tests.support.factories import (
    fresh_order_id,
    import_cells,
    import_row,
    make_issue,
    make_subscription,
)
from tests.support.privacy import erase, find_traces
from tests.support.subscribers import make_subscriber

EMAIL = "zebedee@secretword.test"
STREET = {"last_name": "Quuxley", "address1": "Xylophonweg 7", "postcode": "99999"}


async def import_again(cast: Cast, *cells: dict[str, str]) -> imports.Summary:
    """Import rows, and return the counts."""
    common = {"country": "DE", "order_date": "2026-01-15", "price": "42.00", "start_issue": "1"}
    rows = [{"order_id": fresh_order_id(), "length": "1", **common, **each} for each in cells]
    summary, _rejects = await import_cells(cast, rows)
    return summary


async def test_rows_of_erased_people_are_left_out_of_imports(acme: Cast) -> None:
    await make_issue(acme)
    with_email = await make_subscriber(acme, EMAIL, length=1)
    made = await import_row(acme, start_issue="1", length="1", first_name="Zeb", **STREET)
    await erase(acme, with_email)
    await erase(acme, made["subscriber"]["id"])
    summary = await import_again(
        acme,
        {"first_name": "Zebedee", "email": EMAIL.upper()},
        {"first_name": "ZEB", **STREET, "address1": "xylophonweg 7"},
        {"first_name": "Anna", **STREET},
    )
    assert (summary.read, summary.imported, summary.rejected) == (3, 1, 0)
    assert summary.skipped == 0
    assert await find_traces(acme, ["secretword"]) == []


async def test_a_gift_from_somebody_erased_has_no_giver(acme: Cast) -> None:
    await make_issue(acme)
    await erase(acme, await make_subscriber(acme, EMAIL, length=1))
    gift = {"is_gift": "true", "gifter_name": "Zebedee", "gifter_email": EMAIL}
    summary = await import_again(acme, {"first_name": "Anna", "email": "a@example.test", **gift})
    assert summary.imported == 1
    assert await find_traces(acme, ["secretword", "zebedee"]) == []


async def test_who_orders_again_is_a_subscriber_like_others(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    await make_issue(rival)
    people = [PersonDetails(email=EMAIL), PersonDetails(first_name="Zeb")]
    assert await find_erased(acme.db, acme.account_id, people) == [None, None]
    old = await make_subscriber(acme, EMAIL, length=1)
    await erase(acme, old)
    found = await find_erased(acme.db, acme.account_id, people)
    assert [each is not None for each in found] == [True, False]
    others = [PersonDetails(email="other@example.test")]
    assert await find_erased(acme.db, acme.account_id, others) == [None]
    assert await find_erased(rival.db, rival.account_id, people) == [None, None]
    made = await make_subscription(acme, email=EMAIL)
    assert made["subscriber"]["id"] != old
    assert await find_erased(acme.db, acme.account_id, people) == [None, None]
    assert (await import_again(acme, {"first_name": "Zeb", "email": EMAIL})).imported == 1
