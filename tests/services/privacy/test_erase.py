"""An erasure: nothing says who the subscriber was, and the accounts stay."""

import pytest

from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid, NotFound
from masthead.model.privacy.erasures import FILES_IN_PROGRESS, UNSENT_COPIES
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.services.privacy.data_subjects import find_subscriber
from masthead.services.privacy.finish import finish_erasures
from masthead.services.subscribers.notes import add_note, list_notes
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.notes import insert_notes
from tests.conftest import BY, Cast
from tests.support.dispatch_files import request
from tests.support.factories import make_issue
from tests.support.letters import execute
from tests.support.privacy import erase, find_traces, make_batch, make_known
from tests.support.subscribers import make_subscriber, require_sound, rows, subscriber

EMAIL = "zebedee@secretword.test"


async def test_nothing_says_who_an_erased_subscriber_was(acme: Cast) -> None:
    known = await make_known(acme)
    places = {each.partition(":")[0] for each in await find_traces(acme)}
    assert len(places) > 40, places  # the search finds what is there
    before = await subscriber(acme, known.id)
    await erase(acme, known.id)
    await require_sound(acme)  # a backup may be checked before the background work is done
    await finish_erasures(acme.db)
    assert await find_traces(acme) == []
    after = await subscriber(acme, known.id)
    assert (after["ltv"], after["latest_order_date"]) == (before["ltv"], "2026-01-15")
    assert after["full_name"] == "Erased"
    orders = await rows(
        acme,
        "SELECT order_id, price, refunded FROM period"
        " WHERE account_id = :account_id AND subscription_id = :id",
        id=known.subscription["id"],
    )
    assert [(row["price"], row["refunded"]) for row in orders] == [(4200, 100)]
    assert orders[0]["order_id"].startswith("ORDER")
    other = await subscriber(acme, known.other)
    assert other["full_name"] == "Ada Bystander"
    await require_sound(acme)


async def test_a_file_of_a_run_is_withdrawn_and_can_be_made_again(acme: Cast) -> None:
    known = await make_known(acme)
    await erase(acme, known.id)
    (file,) = await rows(acme, "SELECT * FROM dispatch_file WHERE account_id = :account_id")
    assert (file["status"], file["bytes"], file["sha256"]) == ("failed", 0, None)
    assert "a subscriber who was erased" in file["error"]


async def test_an_erasure_is_refused_while_copies_are_unsent_or_files_are_made(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1)
    with pytest.raises(Invalid) as refused:
        await erase(acme, id, is_cancelling=False)
    assert refused.value.code == UNSENT_COPIES
    (issue,) = (await acme.get("/v1/issues/")).json()["items"]
    run = await freeze_dispatch(acme.db, acme.account_id, issue["id"], DispatchSelection(), by=BY)
    await request(acme, run, FileFormat.CSV)
    await execute(
        acme, "UPDATE dispatch_file SET status = 'building' WHERE account_id = :account_id"
    )
    with pytest.raises(Invalid) as refused:
        await erase(acme, id)
    assert refused.value.code == FILES_IN_PROGRESS
    assert await find_traces(acme, ["secretword"]) != []


async def write_note(cast: Cast, id: str, text: str) -> None:
    """A note that another version of masthead has written: this one would refuse it."""

    async def work(tx: Transaction) -> None:
        await insert_notes(tx, cast.account_id, [id], text=text, by=BY)

    await cast.db.write(work)


async def test_a_repeated_erasure_erases_what_was_added(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1)
    first = await erase(acme, id)
    assert await find_subscriber(acme.db, acme.account_id, EMAIL) == id
    with pytest.raises(NotFound):
        await find_subscriber(acme.db, acme.account_id, "other@example.test")
    await write_note(acme, id, "secretword")
    assert (await erase(acme, id)).id == first.id
    assert await find_traces(acme, ["secretword"]) == []


async def test_a_namesake_keeps_the_name_in_texts(acme: Cast) -> None:
    await make_issue(acme)
    names = {"first_name": "Zebedee", "last_name": "Quuxley", "length": 1}
    id = await make_subscriber(acme, EMAIL, **names)
    other = await make_subscriber(acme, "other@example.test", **names)
    text = f"Zebedee Quuxley, not {EMAIL} and not x{EMAIL}"
    await add_note(acme.db, acme.account_id, other, text, by=BY)
    await add_note(acme.db, acme.account_id, other, f"See x{EMAIL}", by=BY)
    await erase(acme, id)
    async with acme.db.read() as db:
        notes = await list_notes(db, acme.account_id, other)
    assert [note.text for note in notes] == [
        f"See x{EMAIL}",
        f"Zebedee Quuxley, not [erased] and not x{EMAIL}",
    ]


async def test_an_order_id_with_the_email_stays_unique(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1, order_id=f"list-{EMAIL}")
    await make_subscriber(acme, EMAIL, length=1, order_id=EMAIL)
    await make_subscriber(acme, "other@example.test", length=1, order_id=f"gift of {EMAIL}")
    await erase(acme, id)
    found = await rows(acme, "SELECT order_id FROM period WHERE account_id = :account_id")
    assert len({row["order_id"] for row in found}) == 3
    assert await find_traces(acme, ["secretword"]) == []
    await require_sound(acme)


async def test_files_are_searched_across_their_parts(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1)
    files = {
        "cut": [b"email\nzebedee@secr", b"etword.test\n"],
        "other": [b"email\n", b"anna@example.test\n"],
        "workbook": [b"PK\x03\x04...", b"..."],
        "wide": ["ZEBEDEE@SECRETWORD.TEST".encode("utf-16-le")],
    }
    ids = {}
    for name, parts in files.items():
        ids[await make_batch(acme, name=name)] = name
        (batch,) = [each for each, known in ids.items() if known == name]
        for number, content in enumerate(parts):
            await execute(
                acme,
                "INSERT INTO import_file_part (account_id, batch_id, part, content)"
                " VALUES (:account_id, :batch, :part, :content)",
                batch=batch,
                part=number,
                content=content,
            )
    await erase(acme, id)
    left = await rows(
        acme, "SELECT DISTINCT batch_id FROM import_file_part WHERE account_id = :account_id"
    )
    assert [ids[row["batch_id"]] for row in left] == ["other"]
    failed = await rows(
        acme, "SELECT name FROM import_batch WHERE account_id = :account_id AND status = 'failed'"
    )
    assert {row["name"] for row in failed} == {"cut", "workbook", "wide"}
