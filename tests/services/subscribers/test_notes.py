"""Notes on subscribers: newest first, with author and date; a deletion keeps who and when."""

from types import SimpleNamespace

import pytest

from masthead.model import ids
from masthead.model.actors import Actor
from masthead.model.errors import Invalid, NotFound
from masthead.services.subscribers.notes import add_note, delete_note, get_note, list_notes
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import make_issue
from tests.support.subscribers import make_subscriber, merge, require_sound


async def test_notes_are_listed_newest_first_with_their_authors(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    key = Actor(kind="key", id=acme.key_id)
    await add_note(acme.db, acme.account_id, id, " Rings twice\r\n", by=BY)
    await add_note(acme.db, acme.account_id, id, "Moves in May", by=key)
    await add_note(acme.db, acme.account_id, id, "Gone", by=Actor(kind="user", id="NOSUCH"))
    notes = await list_notes(acme.db, acme.account_id, id)
    assert [note.text for note in notes] == ["Gone", "Moves in May", "Rings twice"]
    assert notes[0].by == "NOSUCH"
    assert notes[1].by.startswith("API key ")
    assert notes[2].by == "masthead tests"
    assert all(note.deleted_at is None and note.deleted_by is None for note in notes)
    await require_sound(acme)


async def test_a_deleted_note_keeps_who_and_when_but_not_its_text(acme: Cast) -> None:
    await make_issue(acme)
    subscriber = await make_subscriber(acme, "a@example.test")
    id = await add_note(acme.db, acme.account_id, subscriber, "Rings twice", by=BY)
    by = Actor(kind="command", id="cleaner")
    assert await delete_note(acme.db, acme.account_id, id, by=by) == subscriber
    (note,) = await list_notes(acme.db, acme.account_id, subscriber)
    assert (note.text, note.by, note.deleted_by) == ("", "masthead tests", "masthead cleaner")
    assert note.deleted_at is not None
    actions = [
        entry["action"]
        for entry in await list_entries(acme.db, acme.account_id, "subscriber", subscriber)
    ]
    assert actions == ["subscriber.add_note", "subscriber.delete_note"]
    await require_sound(acme)
    with pytest.raises(NotFound):
        await delete_note(acme.db, acme.account_id, id, by=by)


async def test_notes_of_the_same_millisecond_are_listed_in_the_order_of_writing(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    monkeypatch.setattr(ids, "time", SimpleNamespace(time=lambda: 1_800_000_000.0))
    texts = [f"Note {number}" for number in range(12)]
    for text in texts:
        await add_note(acme.db, acme.account_id, id, text, by=BY)
    notes = await list_notes(acme.db, acme.account_id, id)
    assert [note.text for note in reversed(notes)] == texts


@pytest.mark.parametrize("text, says", [("  ", "Type the note"), ("x" * 10_001, "at most")])
async def test_an_empty_or_long_note_is_refused(acme: Cast, text: str, says: str) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    with pytest.raises(Invalid, match=says) as refusal:
        await add_note(acme.db, acme.account_id, id, text, by=BY)
    assert refusal.value.field == "text"


async def test_a_note_on_a_merged_subscriber_goes_to_the_one_that_stayed(acme: Cast) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await merge(acme, kept, old)
    id = await add_note(acme.db, acme.account_id, old, "Rings twice", by=BY)
    assert (await get_note(acme.db, acme.account_id, kept, id)).text == "Rings twice"


async def test_a_note_is_found_only_at_its_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    one, other = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await add_note(acme.db, acme.account_id, one, "Rings twice", by=BY)
    with pytest.raises(NotFound):
        await get_note(acme.db, acme.account_id, other, id)
    with pytest.raises(NotFound):
        await add_note(acme.db, acme.account_id, "NOSUCH", "Rings twice", by=BY)
