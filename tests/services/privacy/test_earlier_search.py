"""An erasure searches before it locks the account, and misses nothing that was written since."""

from collections.abc import Awaitable, Callable, Collection
from types import ModuleType
from typing import Any

import pytest
from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.ids import new_id
from masthead.model.imports.batches import Decisions
from masthead.model.imports.known_orders import email_said_digests
from masthead.services.imports.batches import upload_file
from masthead.services.imports.work.run_batch import run_batch
from masthead.services.privacy import erase as service, mentions
from masthead.services.privacy.earlier_search import EarlierSearch, search_before
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Row, Transaction
from masthead.store.imports import said_digests
from masthead.store.imports.said_digests import RowKey
from masthead.store.privacy import mentions as store
from tests.conftest import BY, Cast
from tests.services.imports.support import begin, imported, reading_of, row
from tests.support.factories import make_issue
from tests.support.privacy import erase
from tests.support.subscribers import correct, make_subscriber, rows

EMAIL = "zebedee.quill@example.test"
Write = Callable[[Cast, str], Awaitable[object]]


async def write_entry(cast: Cast, _id: str) -> None:
    """An entry about something else that names the subscriber."""
    entry = NewEntry(EntryType.ACCOUNT_DOWNLOAD_EXPORT, "1", None, {"file": f"{EMAIL}.zip"})

    async def work(tx: Transaction) -> None:
        await trail.record(tx, cast.account_id, Actor("command", "tests"), [entry])

    await cast.db.write(work, account_id=cast.account_id)


async def refuse_row(cast: Cast, _id: str) -> None:
    """An import with a refused row about the subscriber."""
    await imported(cast, row("R1", price="much", email=EMAIL), sha256="2")


async def upload(cast: Cast, _id: str) -> None:
    """An uploaded file with the subscriber."""
    content = f"email\n{EMAIL}\n".encode()
    await upload_file(cast.db, cast.account_id, "list.csv", content, by=BY)


async def attach_row(cast: Cast, _id: str) -> None:
    """An imported row with the email of the subscriber, whose order went to another one."""
    number = new_id(cast.account_id)
    other = await make_subscriber(cast, f"{number}@example.test", start_issue=1, length=1)
    reading = await reading_of(cast, row(f"A{number}", email=EMAIL))
    batch = await begin(cast, reading, sha256=number)
    decided = structs.replace(batch, decisions=Decisions(decided={2: other}))
    await run_batch(cast.db, cast.account_id, decided, reading, holder="me")


async def rename(cast: Cast, id: str) -> None:
    """Give them another email; older texts have the one before."""
    await correct(cast, id, email=f"{new_id(cast.account_id)}@example.test")
    await write_entry(cast, id)


async def count_traces(cast: Cast) -> int:
    """In how many places texts and files name the subscriber."""
    statements = [
        "SELECT id FROM audit WHERE after LIKE :like OR before LIKE :like",
        "SELECT line FROM import_row WHERE cells LIKE :like OR reasons LIKE :like",
        "SELECT line FROM import_row WHERE said = :said",
        "SELECT part FROM import_file_part WHERE batch_id <> :like",
    ]
    own = [each.replace("WHERE", "WHERE account_id = :account_id AND (") for each in statements]
    values = {"like": f"%{EMAIL}%", "said": email_said_digests(EMAIL)[0]}
    return sum([len(await rows(cast, f"{each})", **values)) for each in own])


async def erase_beside(cast: Cast, monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    """Erase a subscriber, while somebody writes after the search and before the lock."""
    await make_issue(cast, 1)
    id = await make_subscriber(cast, EMAIL, start_issue=1, length=1)
    await write(cast, id)

    async def search(
        db: Database, account_id: int, id: str, *, placeholder_domain: str
    ) -> EarlierSearch:
        found = await search_before(db, account_id, id, placeholder_domain=placeholder_domain)
        await write(cast, id)
        return found

    monkeypatch.setattr(service, "search_before", search)
    assert await count_traces(cast)
    await erase(cast, id)


async def find_nothing(*_args: object, **_options: object) -> list[object]:
    """No row, in place of a search."""
    return []


list_later_entries = store.list_later_entries


async def find_no_later(*args: Any, after: int, **options: Any) -> list[Row]:
    """The entries that were found before, in place of a search of later ones too."""
    return await list_later_entries(*args, after=after + 1000, **options)


async def find_no_change(
    _tx: Transaction, _account_id: int, earlier: EarlierSearch
) -> tuple[set[str], set[str]]:
    """All imports as they were, in place of a comparison."""
    return {*earlier.batches}, set()


async def find_no_files(*_args: object, **_options: object) -> dict[str, list[str]]:
    """No file, in place of a search."""
    return {}


@pytest.mark.parametrize("write", [write_entry, refuse_row, attach_row, upload, rename])
async def test_what_is_written_after_the_search_is_erased_too(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    await erase_beside(acme, monkeypatch, write)
    assert await count_traces(acme) == 0


@pytest.mark.parametrize(
    "write, module, name, instead",
    [
        (write_entry, store, "list_later_entries", find_no_later),
        (refuse_row, store, "list_later_rows", find_nothing),
        (attach_row, mentions, "list_changed", find_no_change),
        (upload, service, "find_files", find_no_files),
    ],
)
async def test_without_the_search_in_the_lock_it_would_stay(
    acme: Cast,
    monkeypatch: pytest.MonkeyPatch,
    write: Write,
    module: ModuleType,
    name: str,
    instead: Callable[..., Awaitable[object]],
) -> None:
    monkeypatch.setattr(module, name, instead)
    await erase_beside(acme, monkeypatch, write)
    assert await count_traces(acme) == 1, "what was there before is erased"


async def test_an_erasure_reads_few_rows_under_the_lock(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme, 1)
    id = await make_subscriber(acme, EMAIL, start_issue=1, length=1)
    for write in (write_entry, refuse_row, attach_row, upload):
        await write(acme, id)
    searched = list[tuple[str, bool]]()
    read = list[Collection[str]]()
    search, list_rows = store._search, said_digests.list_rows

    async def note(db: Connection, account_id: int, table: str, *rest: Any) -> list[Row]:
        searched.append((table, bool(rest[1])))
        return await search(db, account_id, table, *rest)

    async def note_batches(
        db: Connection, account_id: int, digests: Collection[str], *, batches: Collection[str]
    ) -> list[RowKey]:
        read.append(batches)
        return await list_rows(db, account_id, digests, batches=batches)

    async def search_aside(db: Database, account_id: int, id: str, **options: str) -> EarlierSearch:
        found = await search_before(db, account_id, id, **options)
        monkeypatch.setattr(store, "_search", note)
        monkeypatch.setattr(said_digests, "list_rows", note_batches)
        return found

    monkeypatch.setattr(service, "search_before", search_aside)
    await erase(acme, id)
    assert dict(searched)["audit"] is dict(searched)["import_row"] is True
    assert not dict(searched)["claim"]
    assert read == [set()]
