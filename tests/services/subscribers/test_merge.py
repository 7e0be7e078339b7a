"""A merge: one subscriber stays and gets all of the other one, whose id and email lead there."""

import pytest

from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.services.subscribers.compare import compare_subscribers
from masthead.services.subscribers.notes import add_note, list_notes
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import (
    copies_of,
    import_row,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_issues,
    make_subscription,
)
from tests.support.read_model import render_all
from tests.support.subscribers import (
    correct,
    found_by,
    make_gift,
    make_subscriber,
    merge,
    require_sound,
    rows,
    set_columns,
    subscriber,
)
from tests.support.walk import walk


async def test_subscriptions_and_figures_move_to_the_subscriber_that_stays(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    kept = await make_subscriber(acme, "anna@example.test", price="42.00", order_date="2026-01-15")
    other = await make_subscriber(
        acme, "anna.berg@example.test", price="10.00", order_date="2026-03-01", country="AT"
    )
    await merge(acme, kept, other)
    after = await subscriber(acme, kept)
    assert after["subscription_count"] == 2
    assert after["ltv"] == "52.00"
    assert (after["latest_order_date"], after["latest_country"]) == ("2026-03-01", "AT")
    owned = await walk(acme, "/v1/subscriptions/", subscriber=kept)
    assert {each["subscriber"]["id"] for each in owned} == {kept}
    copies = await walk(acme, "/v1/copies/", subscriber=kept)
    assert len(copies) == 4
    assert {each["subscriber_id"] for each in copies} == {kept}
    await require_sound(acme)


async def test_the_stored_json_of_moved_subscriptions_shows_the_new_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    made = await make_subscription(acme, email="other@example.test")
    await render_all(acme)
    await merge(acme, kept, made["subscriber"]["id"])
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["subscriber"] == {"id": kept, "full_name": "Ada", "email": "anna@example.test"}
    await render_all(acme)
    await require_sound(acme)


async def test_the_old_id_leads_to_the_subscriber_that_stays(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    made = await make_subscription(acme, email="other@example.test")
    old = made["subscriber"]["id"]
    await merge(acme, kept, old)
    assert (await subscriber(acme, old))["id"] == kept
    for path in ("/v1/subscriptions/", "/v1/copies/"):
        by_old = await walk(acme, path, subscriber=old)
        assert by_old == await walk(acme, path, subscriber=kept)
        assert len(by_old) == 2


async def test_claims_reports_and_answers_by_the_old_id_are_those_of_the_subscriber(
    acme: Cast,
) -> None:
    issue = await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    made = await make_subscription(acme, email="other@example.test", length=1)
    old = made["subscriber"]["id"]
    await make_claim(acme, made)
    await make_delivery_report(acme, made["id"])
    await merge(acme, kept, old)
    for path in ("/v1/claims/", "/v1/delivery-reports/"):
        (found,) = await walk(acme, path, subscriber=old)
        assert found["subscriber_id"] == kept
    for asked in (old, "other@example.test"):
        why = (await acme.get(f"/v1/issues/{issue['id']}/why/", subscriber=asked)).json()
        assert why["subscriber"]["id"] == kept, why
    await require_sound(acme)


async def test_a_merged_subscriber_is_in_no_list_and_no_search(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test", first_name="Anna")
    old = await make_subscriber(acme, "zoe@example.test", first_name="Zoe", city="Ulm")
    await merge(acme, kept, old)
    assert [each["id"] for each in await walk(acme, "/v1/subscribers/")] == [kept]
    assert await found_by(acme, "zoe@example.test") == []
    assert await found_by(acme, "Ulm") == [kept]  # the address of a subscription that moved
    assert await found_by(acme, old) == []


async def test_an_order_with_the_old_email_is_of_the_subscriber_that_stays(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    old = await make_subscriber(acme, "other@example.test")
    await merge(acme, kept, old)
    made = await make_subscription(acme, email="OTHER@example.test")
    assert made["subscriber"]["id"] == kept
    assert (await subscriber(acme, kept))["subscription_count"] == 3
    await require_sound(acme)


async def test_notes_and_gifts_move(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    old = await make_subscriber(acme, "other@example.test")
    gift = await make_gift(acme, giver=old, email="friend@example.test")
    await add_note(acme.db, acme.account_id, old, "Rings twice", by=BY)
    await merge(acme, kept, old)
    assert [note.text for note in await list_notes(acme.db, acme.account_id, kept)] == [
        "Rings twice"
    ]
    (given,) = await rows(
        acme,
        "SELECT gifter_id FROM subscription WHERE account_id = :account_id AND id = :id",
        id=gift["id"],
    )
    assert given["gifter_id"] == kept
    await require_sound(acme)


async def test_a_line_of_a_run_stays_as_it_was_frozen(acme: Cast) -> None:
    issue = await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    made = await make_subscription(acme, email="other@example.test")
    old = made["subscriber"]["id"]
    run = await make_dispatch(acme, issue["id"])
    compared = await compare_subscribers(acme.db, acme.account_id, kept, old)
    (held,) = compared.other.frozen
    assert (held.run_id, held.run, held.issue) == (run["id"], 1, 1)
    assert held.subscriptions == [made["id"]]
    await merge(acme, kept, old)
    lines = await walk(acme, f"/v1/dispatches/{run['id']}/lines/")
    assert sorted(line["subscriber_id"] for line in lines) == sorted([kept, old])
    assert (await acme.get(f"/v1/dispatches/{run['id']}/")).json() == run
    marked = await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {"date": "2026-02-01"})
    assert marked.status_code == 200, marked.text
    assert {copy["status"] for copy in await copies_of(acme, made["id"])} == {"Sent"}
    await require_sound(acme)


async def test_a_comparison_shows_what_both_have(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    kept = await make_subscriber(acme, "anna@example.test", price="42.00", length=1)
    other = await make_subscriber(acme, "other@example.test", price="10.00", length=2)
    await add_note(acme.db, acme.account_id, other, "Rings twice", by=BY)
    found = await compare_subscribers(acme.db, acme.account_id, kept, other)
    assert (found.one.counts.copies, found.one.counts.unsent, found.one.counts.notes) == (1, 1, 0)
    assert (found.other.counts.copies, found.other.counts.unsent, found.other.counts.notes) == (
        2,
        2,
        1,
    )
    assert found.shared_issues == [1]
    assert [len(each.subscriptions) for each in (found.one, found.other)] == [1, 1]
    assert (found.one.totals.ltv, found.other.totals.ltv) == ("42.00", "10.00")
    assert not found.has_gift_between
    assert found.unsubscribed is None


async def test_a_comparison_counts_issues_that_are_not_created_yet(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    kept = await make_subscriber(acme, "anna@example.test", start_issue=1, length=5)
    other = await make_subscriber(acme, "other@example.test", start_issue=2, length=3)
    found = await compare_subscribers(acme.db, acme.account_id, kept, other)
    assert found.shared_issues == [2, 3, 4]


async def test_a_comparison_says_that_one_gave_to_the_other(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    made = await make_gift(acme, giver=kept, email="other@example.test")
    old = made["subscriber"]["id"]
    found = await compare_subscribers(acme.db, acme.account_id, kept, old)
    assert found.has_gift_between


async def test_a_subscriber_without_email_can_be_merged(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@example.test")
    placeholder = (await import_row(acme, start_issue="1", length="1"))["subscriber"]["id"]
    await merge(acme, kept, placeholder)
    assert (await subscriber(acme, placeholder))["id"] == kept
    await require_sound(acme)


async def test_subscribers_merged_before_lead_to_the_last_one(acme: Cast) -> None:
    await make_issue(acme)
    first, second, third = [
        await make_subscriber(acme, f"{name}@example.test") for name in ("a", "b", "c")
    ]
    await merge(acme, second, first)
    await merge(acme, third, second)
    assert (await subscriber(acme, first))["id"] == third
    made = await make_subscription(acme, email="a@example.test")
    assert made["subscriber"]["id"] == third
    await require_sound(acme)


async def test_a_merged_subscriber_cannot_be_merged_again(acme: Cast) -> None:
    await make_issue(acme)
    one, other = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await merge(acme, one, other)
    for kept, merged in ((one, other), (other, one)):
        with pytest.raises(Invalid, match="already merged into Ada") as refusal:
            await merge(acme, kept, merged)
        assert (refusal.value.code, refusal.value.value) == (MERGED_MEANWHILE, one)
    with pytest.raises(Invalid, match="was merged into another"):
        await compare_subscribers(acme.db, acme.account_id, one, other)


async def test_a_subscriber_cannot_be_merged_with_itself(acme: Cast) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    with pytest.raises(Invalid, match="with itself"):
        await merge(acme, one, one)
    with pytest.raises(Invalid, match="with itself"):
        await compare_subscribers(acme.db, acme.account_id, one, one)


async def test_a_subscriber_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    await make_issue(rival)
    one = await make_subscriber(acme, "a@example.test")
    foreign = await make_subscriber(rival, "a@example.test")
    for kept, merged in ((one, foreign), (foreign, one)):
        with pytest.raises(NotFound):
            await merge(acme, kept, merged)


async def test_a_merge_is_in_the_audit_trail_of_both_and_of_the_subscriptions(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "a@example.test")
    made = await make_subscription(acme, email="b@example.test")
    old = made["subscriber"]["id"]
    await merge(acme, kept, old)
    (entry,) = await list_entries(acme.db, acme.account_id, "subscriber", kept)
    assert entry["action"] == "subscriber.merge"
    assert entry["after"]["merged"] == old
    assert entry["after"]["subscriptions"] == [made["id"]]
    (entry,) = await list_entries(acme.db, acme.account_id, "subscriber", old)
    assert entry["after"] == {"merged_into": kept}
    *_, entry = await list_entries(acme.db, acme.account_id, "subscription", made["id"])
    assert (entry["before"], entry["after"]) == ({"subscriber": old}, {"subscriber": kept})


async def test_who_unsubscribed_stays_unsubscribed(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "a@example.test")
    old = await make_subscriber(acme, "b@example.test")
    await set_columns(acme, "subscriber", old, unsubscribed_at=now())
    found = await compare_subscribers(acme.db, acme.account_id, kept, old)
    assert found.unsubscribed is found.other
    await merge(acme, kept, old)
    (row,) = await rows(
        acme,
        "SELECT unsubscribed_at FROM subscriber WHERE account_id = :account_id AND id = :id",
        id=kept,
    )
    assert row["unsubscribed_at"] is not None


async def test_the_subscriber_that_stays_can_take_the_email_of_the_merged_one(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "anna@wrong.test")
    old = await make_subscriber(acme, "anna@example.test")
    await merge(acme, kept, old)
    await correct(acme, kept, email="anna@example.test")
    assert (await subscriber(acme, kept))["email"] == "anna@example.test"
    for email in ("anna@wrong.test", "anna@example.test"):  # both still find the subscriber
        made = await make_subscription(acme, email=email)
        assert made["subscriber"]["id"] == kept
    await require_sound(acme)
