"""Correcting a subscriber changes everything that shows their name or their email address."""

from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.subscribers.corrections import EMAIL_TAKEN, MERGED_MEANWHILE
from masthead.model.types.enums import Salutation
from masthead.services.subscribers.renames import count_same_names
from tests.conftest import Cast
from tests.support.audit import list_entries
from tests.support.factories import import_row, make_delivery_report, make_issue, make_subscription
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


async def test_name_and_email_are_corrected_everywhere(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="jon@wrong.test", first_name="Jon")
    id = made["subscriber"]["id"]
    await render_all(acme)
    result = await correct(acme, id, first_name="John", last_name="Dee", email="jon@example.test")
    assert result.fields == ["first_name", "last_name", "email"]
    assert result.subscriptions == 0
    after = await subscriber(acme, id)
    assert (after["full_name"], after["email"]) == ("John Dee", "jon@example.test")
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["subscriber"] == {"id": id, "full_name": "John Dee", "email": "jon@example.test"}
    assert (shown["first_name"], shown["last_name"]) == ("Jon", None)
    assert await found_by(acme, "dee") == [id]
    assert await found_by(acme, "wrong.test") == []
    again = await make_subscription(acme, email="JON@example.test")
    assert again["subscriber"]["id"] == id
    await require_sound(acme)


async def test_the_old_email_is_free_afterwards(acme: Cast) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "old@example.test")
    await correct(acme, one, email="new@example.test")
    other = await make_subscriber(acme, "old@example.test")
    assert other != one


async def test_a_correction_is_in_the_audit_trail_with_both_values(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "old@example.test", company="Acme")
    await correct(acme, id, email="new@example.test", company=None)
    (entry,) = await list_entries(acme.db, acme.account_id, "subscriber", id)
    assert entry["action"] == "subscriber.update"
    assert entry["before"] == {"company": "Acme", "email": "old@example.test"}
    assert entry["after"] == {"company": None, "email": "new@example.test"}


async def test_the_same_values_change_nothing(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test")
    result = await correct(acme, id, first_name="Ada", email="ada@example.test")
    assert result.fields == []
    assert await list_entries(acme.db, acme.account_id, "subscriber", id) == []


async def test_only_the_case_of_an_email_can_be_corrected(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ADA@example.test")
    await correct(acme, id, email="ada@example.test")
    assert (await subscriber(acme, id))["email"] == "ada@example.test"
    await require_sound(acme)


async def test_subscriptions_under_the_old_name_get_the_new_one_if_asked(acme: Cast) -> None:
    await make_issue(acme)
    one = await make_subscription(acme, email="jon@example.test", first_name="Jon")
    other = await make_subscription(acme, email="jon@example.test", first_name="Mary")
    id = one["subscriber"]["id"]
    assert await count_same_names(acme.db, acme.account_id, id) == 1
    result = await correct(acme, id, first_name="John", with_subscriptions=True)
    assert (result.subscriptions, result.other_names) == (1, 1)
    names = [
        (await acme.get(f"/v1/subscriptions/{each['id']}/")).json()["first_name"]
        for each in (one, other)
    ]
    assert names == ["John", "Mary"]
    *_, entry = await list_entries(acme.db, acme.account_id, "subscription", one["id"])
    assert (entry["before"], entry["after"]) == ({"first_name": "Jon"}, {"first_name": "John"})
    await require_sound(acme)


async def test_a_corrected_company_on_subscriptions_ends_the_hold(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(
        acme, email="a@example.test", first_name="Ada", company="Acne", length=1
    )
    await make_subscription(acme, email="a@example.test", company="Other", city="Ulm")
    report = await make_delivery_report(acme, made["id"])
    assert report["status"] == "open"
    result = await correct(acme, made["subscriber"]["id"], company="Acme", with_subscriptions=True)
    assert (result.subscriptions, result.other_names) == (1, 1)
    (after,) = await walk(acme, "/v1/delivery-reports/", subscription=made["id"])
    assert after["status"] == "corrected"
    await require_sound(acme)


async def test_subscriptions_keep_a_name_of_which_the_last_is_enough(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test", first_name="Ada")
    with pytest.raises(Invalid, match="The name is missing"):
        await correct(acme, id, first_name=None, with_subscriptions=True)
    assert (await subscriber(acme, id))["full_name"] == "Ada"
    await correct(acme, id, first_name=None, last_name="Dee", with_subscriptions=True)
    [owned] = await walk(acme, "/v1/subscriptions/")
    assert (owned["first_name"], owned["last_name"]) == (None, "Dee")


async def test_an_incomplete_own_address_is_refused_and_nothing_is_lost(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    with pytest.raises(Invalid, match="country of the postal address is missing") as refusal:
        await correct(acme, id, title="Dr.", address1="Weg 1", city="Ulm")
    assert refusal.value.field == "country"
    own: dict[str, Any] = {"address1": "Weg 1", "city": "Ulm", "country": "DE"}
    result = await correct(acme, id, title="Dr.", salutation=Salutation.MS, **own)
    assert result.fields == ["salutation", "title", "address1", "city", "country"]
    async with acme.db.read() as db:
        [entry, *_] = await list_entries(db, acme.account_id, "subscriber", id)
    assert entry["after"] == {"salutation": "ms", "title": "Dr.", **own}
    cleared: dict[str, Any] = dict.fromkeys(own)
    result = await correct(acme, id, salutation=None, **cleared)
    assert result.fields == ["salutation", "address1", "city", "country"]


async def test_a_subscriber_without_email_gets_one(acme: Cast) -> None:
    await make_issue(acme)
    id = (await import_row(acme, start_issue="1", length="1"))["subscriber"]["id"]
    await correct(acme, id, seen={"email": None}, email="ada@example.test")
    again = await make_subscription(acme, email="ada@example.test")
    assert again["subscriber"]["id"] == id
    (row,) = await rows(
        acme,
        "SELECT is_placeholder FROM subscriber WHERE account_id = :account_id AND id = :id",
        id=id,
    )
    assert not row["is_placeholder"]
    await require_sound(acme)


async def test_an_email_can_be_removed(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="ada@example.test", send_welcome_email=True)
    id = made["subscriber"]["id"]
    await correct(acme, id, email=None)
    after = await subscriber(acme, id)
    assert after["email"] == f"subscriber-{id.lower()}@placeholder.example"
    (email,) = await rows(acme, "SELECT status FROM outbox WHERE account_id = :account_id")
    assert email["status"] == "cancelled"
    await require_sound(acme)


async def test_a_subscriber_keeps_a_name_or_an_email(acme: Cast) -> None:
    await make_issue(acme)
    id = (await import_row(acme, start_issue="1", length="1"))["subscriber"]["id"]
    with pytest.raises(Invalid, match="needs a name, a company or an email"):
        await correct(acme, id, first_name=None)


async def test_an_address_at_the_domain_of_placeholders_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "ada@example.test")
    with pytest.raises(Invalid, match="are placeholders") as refusal:
        await correct(acme, id, email="ada@Placeholder.example")
    assert refusal.value.field == "email"


async def test_the_email_of_another_subscriber_is_refused_with_that_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    other = await make_subscriber(acme, "b@example.test", first_name="Bea", last_name="Berg")
    with pytest.raises(Invalid, match=r"b@EXAMPLE\.test belongs to Bea Berg") as refusal:
        await correct(acme, one, email="b@EXAMPLE.test")
    assert refusal.value.code == EMAIL_TAKEN
    assert (refusal.value.field, refusal.value.value) == ("email", other)
    assert (await subscriber(acme, one))["email"] == "a@example.test"


async def test_the_email_of_a_merged_subscriber_is_that_of_the_subscriber_that_stayed(
    acme: Cast,
) -> None:
    await make_issue(acme)
    one, other, third = [await make_subscriber(acme, f"{name}@example.test") for name in "abc"]
    await merge(acme, other, third)
    with pytest.raises(Invalid) as refusal:
        await correct(acme, one, email="c@example.test")
    assert refusal.value.value == other


async def test_a_change_meanwhile_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    seen = {"first_name": "Ada", "email": "a@example.test"}
    await correct(acme, id, seen=seen, email="b@example.test")
    with pytest.raises(Invalid, match="has changed since") as refusal:
        await correct(acme, id, seen=seen, first_name="Eva")
    assert refusal.value.code == CHANGED_MEANWHILE
    assert (await subscriber(acme, id))["full_name"] == "Ada"


async def test_a_merged_subscriber_cannot_be_corrected(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await merge(acme, kept, old)
    with pytest.raises(Invalid, match="was merged") as refusal:
        await correct(acme, old, first_name="Eva")
    assert (refusal.value.code, refusal.value.value) == (MERGED_MEANWHILE, kept)


async def test_an_unknown_subscriber_is_not_found(acme: Cast) -> None:
    with pytest.raises(NotFound):
        await correct(acme, "NOSUCH", first_name="Eva")


@pytest.mark.parametrize(
    "status, recipient",
    [
        ("waiting", "new@example.test"),
        ("failed", "new@example.test"),
        ("sent", "old@example.test"),
        ("sending", "old@example.test"),
    ],
)
async def test_emails_that_wait_go_to_the_new_address(
    acme: Cast, status: str, recipient: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="old@example.test", send_welcome_email=True)
    (email,) = await rows(acme, "SELECT id FROM outbox WHERE account_id = :account_id")
    await set_columns(acme, "outbox", email["id"], status=status)
    result = await correct(acme, made["subscriber"]["id"], email="new@example.test")
    (after,) = await rows(acme, "SELECT recipient FROM outbox WHERE account_id = :account_id")
    assert after["recipient"] == recipient
    assert result.emails == (1 if recipient == "new@example.test" else 0)
    await set_columns(acme, "outbox", email["id"], status="sent")  # for other tests


async def test_a_new_address_has_not_bounced(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "old@example.test")
    await set_columns(acme, "subscriber", id, bounced_at=now(), bounce_reason="No such user")
    await correct(acme, id, first_name="Eva")
    query = """
        SELECT bounced_at, bounce_reason
        FROM subscriber
        WHERE account_id = :account_id AND id = :id
    """
    (row,) = await rows(acme, query, id=id)
    assert row["bounced_at"] is not None
    await correct(acme, id, email="new@example.test")
    (row,) = await rows(acme, query, id=id)
    assert (row["bounced_at"], row["bounce_reason"]) == (None, None)


async def test_gifts_show_the_corrected_giver(acme: Cast) -> None:
    await make_issue(acme)
    giver = await make_subscriber(acme, "g@example.test", first_name="Gina")
    gift = await make_gift(acme, giver=giver, email="friend@example.test")
    await render_all(acme)
    await correct(acme, giver, last_name="Grün", email="gina@example.test")
    shown = (await acme.get(f"/v1/subscriptions/{gift['id']}/")).json()
    assert shown["gifter"] == {"full_name": "Gina Grün", "email": "gina@example.test"}
    await require_sound(acme)
