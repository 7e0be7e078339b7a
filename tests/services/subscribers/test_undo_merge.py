"""A merge can be undone for 30 days: what is still there moves back."""

import time
from datetime import timedelta

import pytest
import time_machine

from masthead.model.clock import now
from masthead.model.errors import Invalid, NotFound
from masthead.services.subscribers.compare import compare_subscribers
from masthead.services.subscribers.notes import add_note, list_notes
from masthead.services.subscribers.undo_merge import NOT_UNDONE, preview_undo, undo_merge
from masthead.store.subscribers.merges import list_merged
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import make_claim, make_issue, make_issues, make_subscription
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


async def undo(cast: Cast, id: str) -> str:
    return await undo_merge(cast.db, cast.account_id, id, by=BY)


async def owned_by(cast: Cast, id: str) -> set[str]:
    """The ids of the subscriptions of a subscriber."""
    found = await walk(cast, "/v1/subscriptions/", subscriber=id)
    assert {each["subscriber"]["id"] for each in found} <= {id}
    return {each["id"] for each in found}


async def test_everything_moves_back(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    kept = await make_subscriber(acme, "a@example.test", price="42.00")
    made = await make_subscription(acme, email="b@example.test", price="10.00", first_name="Bea")
    old = made["subscriber"]["id"]
    gift = await make_gift(acme, giver=old, email="c@example.test")
    await make_claim(acme, made)
    await add_note(acme.db, acme.account_id, old, "Rings twice", by=BY)
    before = [await subscriber(acme, id) for id in (kept, old)]
    id = await merge(acme, kept, old)
    await render_all(acme)
    assert await undo(acme, id) == old
    assert [await subscriber(acme, each) for each in (kept, old)] == before
    assert await owned_by(acme, old) == {made["id"]}
    assert await found_by(acme, "Bea") == [old]
    assert [note.text for note in await list_notes(acme.db, acme.account_id, old)]
    assert len(await walk(acme, "/v1/claims/", subscriber=old)) == 1
    (row,) = await rows(
        acme,
        "SELECT gifter_id FROM subscription WHERE account_id = :account_id AND id = :id",
        id=gift["id"],
    )
    assert row["gifter_id"] == old
    assert (await make_subscription(acme, email="b@example.test"))["subscriber"]["id"] == old
    assert await list_merged(acme.db, acme.account_id, kept, 10) == []
    entries = await list_entries(acme.db, acme.account_id, "subscriber", old)
    assert entries[-1]["action"] == "subscriber.undo_merge"
    await require_sound(acme)


async def test_what_was_ordered_since_stays(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    await make_issue(acme)
    kept = await make_subscriber(acme, "a@example.test")
    made = await make_subscription(acme, email="b@example.test")
    old = made["subscriber"]["id"]
    ahead = time.time() + 3600
    with monkeypatch.context() as patched:  # the clock of the process that merges
        patched.setattr("masthead.model.ids.time.time", lambda: ahead)
        id = await merge(acme, kept, old)
    since = await make_subscription(acme, email="b@example.test")
    preview = await preview_undo(acme.db, acme.account_id, id)
    assert (preview.going, preview.staying) == ([made["id"]], [since["id"]])
    await undo(acme, id)
    assert await owned_by(acme, old) == {made["id"]}
    assert since["id"] in await owned_by(acme, kept)
    await require_sound(acme)


async def test_an_undone_merge_cannot_be_undone_again(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await merge(acme, kept, old)
    await undo(acme, id)
    with pytest.raises(Invalid, match="already undone") as refusal:
        await undo(acme, id)
    assert refusal.value.code == NOT_UNDONE
    again = await merge(acme, kept, old)
    with pytest.raises(Invalid, match="already undone"):
        await undo(acme, id)
    await undo(acme, again)
    await require_sound(acme)


async def test_after_30_days_a_merge_stays(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await merge(acme, kept, old)
    with (
        time_machine.travel(now() + timedelta(days=30, seconds=1), tick=False),
        pytest.raises(Invalid, match="more than 30 days old"),
    ):
        await undo(acme, id)
    with time_machine.travel(now() + timedelta(days=29, hours=23), tick=False):
        await undo(acme, id)


async def test_an_unknown_merge_is_not_found(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await merge(acme, kept, old)
    with pytest.raises(NotFound):
        await undo(rival, id)


async def test_a_subscriber_that_stayed_can_be_merged_and_both_come_back(acme: Cast) -> None:
    await make_issue(acme)
    first, second, third = [await make_subscriber(acme, f"{name}@example.test") for name in "abc"]
    one = await merge(acme, second, first)
    two = await merge(acme, third, second)
    assert len(await owned_by(acme, third)) == 3
    await undo(acme, one)  # back from the subscriber that has it now
    assert len(await owned_by(acme, first)) == 1
    assert len(await owned_by(acme, third)) == 2
    await require_sound(acme)
    await undo(acme, two)
    assert [len(await owned_by(acme, each)) for each in (first, second, third)] == [1, 1, 1]
    await require_sound(acme)


async def test_a_subscriber_merged_before_leads_back_to_the_one_they_were_merged_into(
    acme: Cast,
) -> None:
    await make_issue(acme)
    first, second, third = [await make_subscriber(acme, f"{name}@example.test") for name in "abc"]
    await merge(acme, second, first)
    two = await merge(acme, third, second)
    await undo(acme, two)
    assert (await subscriber(acme, first))["id"] == second
    assert [len(await owned_by(acme, each)) for each in (second, third)] == [2, 1]
    await require_sound(acme)


async def test_what_a_later_merge_moved_stays_there(acme: Cast) -> None:
    await make_issue(acme)
    first, second, third = [await make_subscriber(acme, f"{name}@example.test") for name in "abc"]
    one = await merge(acme, second, first)
    two = await merge(acme, third, second)
    await undo(acme, one)
    await merge(acme, third, first)  # now directly
    await undo(acme, two)
    assert (await subscriber(acme, first))["id"] == third
    assert [len(await owned_by(acme, each)) for each in (second, third)] == [1, 2]
    await require_sound(acme)


async def test_exchanged_emails_go_back(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await merge(acme, kept, old)
    assert not (await preview_undo(acme.db, acme.account_id, id)).exchanges_emails
    await correct(acme, kept, email="b@example.test")
    assert (await preview_undo(acme.db, acme.account_id, id)).exchanges_emails
    await undo(acme, id)
    emails = [(await subscriber(acme, each))["email"] for each in (kept, old)]
    assert emails == ["a@example.test", "b@example.test"]
    await require_sound(acme)


async def test_who_was_unsubscribed_by_the_merge_is_not_any_more(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await set_columns(acme, "subscriber", old, unsubscribed_at=now())
    id = await merge(acme, kept, old)
    await undo(acme, id)
    found = await compare_subscribers(acme.db, acme.account_id, kept, old)
    assert found.unsubscribed is found.other
    assert found.one.stored.unsubscribed_at is None


async def test_who_unsubscribed_since_stays_unsubscribed(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await set_columns(acme, "subscriber", old, unsubscribed_at=now())
    id = await merge(acme, kept, old)
    later = now() + timedelta(hours=1)
    await set_columns(acme, "subscriber", kept, unsubscribed_at=later)
    await undo(acme, id)
    found = await compare_subscribers(acme.db, acme.account_id, kept, old)
    assert found.one.stored.unsubscribed_at == later
