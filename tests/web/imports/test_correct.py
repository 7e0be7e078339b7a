"""Correct the refused rows of an import on their page."""

import html
import re
from pathlib import Path

import pytest

from masthead.model.clock import now
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.model.imports.batches import KEPT_UNUSED
from masthead.model.pagination import PageRequest
from masthead.services.imports.delete import delete_used
from masthead.services.imports.work import corrections, run_batch
from masthead.services.imports.work.page_batches import work_on
from masthead.store.imports import batches as store, files
from tests.conftest import Cast
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.walk import walk
from tests.web.conftest import Person, fields_of
from tests.web.imports.test_work import COLUMNS, GOOD, ask, rehearsed, workbook
from tests.web.subscribers.test_pages import words
from tests.web.test_rights import give

WORD = "Bo Lund;Gade 2;2100;København;Danmark;Jahresabo;vier;9,50;02.02.2026\n"
DAY = "Cem Tan;Weg 3;20457;Hamburg;Deutschland;Jahresabo;12;42,00 €;31.02.2025\n"
CONTENT = (COLUMNS + GOOD + WORD + DAY).encode()


async def shown(person: Person, id: str) -> dict[str, str]:
    """The fields of the page of the refused rows."""
    return fields_of(await person.text("imports", id, "rows", outcome="refused"))


async def corrected(person: Person, cast: Cast, id: str, *typed: tuple[str, str]) -> str:
    """Correct cells, and let the job rehearse the rows; the id of the import with them.

    typed: the text of a cell before, and after.
    """
    fields = await shown(person, id)
    for before, after in typed:
        [name] = [name for name, text in fields.items() if text == before]
        fields[name] = after
    sent = await person.post(person.address("imports", id, "correct"), fields)
    assert sent.status_code == 303, sent.text
    rehearsed = str(sent.headers["Location"].split("/")[-2])
    await work_on(cast.db, cast.account_id, rehearsed, placeholder_domain=PLACEHOLDER_DOMAIN)
    return rehearsed


async def imported(person: Person, cast: Cast, content: bytes, **settings: str) -> str:
    """The id of an import that has run."""
    id = await rehearsed(person, cast, content, **settings)
    await ask(person, cast, id, "run")
    return id


async def names_of(cast: Cast) -> list[str]:
    """The surnames of all subscriptions."""
    return sorted(each["last_name"] for each in await walk(cast, "/v1/subscriptions/"))


async def test_refused_rows_of_a_rehearsal_are_corrected_in_it(staff: Person, acme: Cast) -> None:
    id = await rehearsed(staff, acme, CONTENT)
    assert "Correct the 2 refused rows" in await staff.text("imports", id)
    page = html.unescape(await staff.text("imports", id, "rows", outcome="refused"))
    assert "Line 3: <bdi>Bo Lund</bdi></h2>" in page
    assert re.search(r'value="vier"[^>]* aria-invalid="true"', page)
    assert re.search(r'value="31.02.2025"[^>]* aria-invalid="true"', page)
    assert page.index('value="vier"') < page.index('value="Bo Lund"')  # it comes first
    assert await corrected(staff, acme, id, ("vier", "12"), ("31.02.2025", "28.02.2025")) == id
    page = words(await staff.text("imports", id))
    assert "Import 3 rows now" in page
    assert "2 rows have cells that were corrected here." in page
    assert await count_imports(acme) == 1
    await ask(staff, acme, id, "run")
    assert await names_of(acme) == ["Fox", "Lund", "Tan"]


async def test_an_undone_import_is_imported_again_with_its_corrections(
    owner: Person, acme: Cast
) -> None:
    id = await rehearsed(owner, acme, CONTENT, order_prefix="OLD-")
    await corrected(owner, acme, id, ("vier", "12"))
    assert "1 row has cells that were corrected here." in words(await owner.text("imports", id))
    await ask(owner, acme, id, "run")
    await ask(owner, acme, id, "undo", touched="stop")
    assert await names_of(acme) == []
    assert "Import it again" in await owner.text("imports", id)
    sent = await owner.post(owner.address("imports", id, "again"))
    new = str(sent.headers["Location"].split("/")[-2])
    await work_on(acme.db, acme.account_id, new, placeholder_domain=PLACEHOLDER_DOMAIN)
    page = words(await owner.text("imports", new))
    assert "Import 2 rows now" in page
    assert "1 row has cells that were corrected here." in page
    await ask(owner, acme, new, "run")
    assert await names_of(acme) == ["Fox", "Lund"]
    before = words(await owner.text("imports", id))
    assert "Upload the file again" in before  # the new import has the file
    assert "Import it again" not in before


async def test_the_file_of_an_import_is_deleted_after_some_days(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    await corrected(owner, acme, id, ("vier", "12"))
    await ask(owner, acme, id, "run")
    for moment, is_kept in ((now() - KEPT_UNUSED, True), (now(), False)):
        await delete_used(acme.db, moment)
        assert await files.is_stored(acme.db, acme.account_id, id) == is_kept
        batch = await store.get_batch(acme.db, acme.account_id, id)
        assert bool(batch.decisions.corrections) == is_kept
    await ask(owner, acme, id, "undo", touched="stop")
    assert "Upload the file again" in await owner.text("imports", id)
    refused = await owner.post(owner.address("imports", id, "again"))
    assert "The file of this import was deleted. Upload it again." in refused.text


async def test_a_large_file_is_deleted_with_its_import(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_batch, "KEPT_BYTES", 10)
    id = await imported(owner, acme, CONTENT)
    assert not await files.is_stored(acme.db, acme.account_id, id)


async def test_corrections_can_be_discarded(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    await corrected(owner, acme, id, ("vier", "12"), ("31.02.2025", "28.02.2025"))
    await ask(owner, acme, id, "discard-corrections")
    page = words(await owner.text("imports", id))
    assert "Import 1 row now" in page
    assert "were corrected here" not in page
    assert {"vier", "31.02.2025"} <= {*(await shown(owner, id)).values()}


async def test_refused_rows_of_an_import_are_read_like_its_file(owner: Person, acme: Cast) -> None:
    """The choices of the columns count, such as the prefix of order numbers."""
    id = await imported(owner, acme, CONTENT, order_prefix="OLD-")
    before = await store.get_batch(acme.db, acme.account_id, id)
    new = await corrected(owner, acme, id, ("vier", "12"), ("31.02.2025", "28.02.2025"))
    made = await store.get_batch(acme.db, acme.account_id, new)
    assert (made.plan, made.source_id) == (before.plan, before.source_id)
    page = words(await owner.text("imports", new))
    assert "Import 2 rows now" in page
    assert "list.refused.csv" in page
    assert "These are corrected rows of list.csv." in page
    await ask(owner, acme, new, "run")
    assert await names_of(acme) == ["Fox", "Lund", "Tan"]
    assert await store.get_batch(acme.db, acme.account_id, id) == before
    first = words(await owner.text("imports", id))
    assert "2 of these rows were corrected and imported: Import 2" in first
    await ask(owner, acme, new, "undo", touched="stop")
    assert await names_of(acme) == ["Fox"]
    assert "were corrected" not in await owner.text("imports", id)


async def test_a_row_that_stays_wrong_is_refused_again(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    await corrected(owner, acme, id, ("vier", "fünf"), ("31.02.2025", "28.02.2025"))
    assert "Import 2 rows now" in await owner.text("imports", id)
    assert "fünf" in (await shown(owner, id)).values()
    await corrected(owner, acme, id, ("fünf", "12"))
    await ask(owner, acme, id, "run")
    assert await names_of(acme) == ["Fox", "Lund", "Tan"]


async def test_the_file_is_that_of_the_download(owner: Person, acme: Cast) -> None:
    id = await imported(owner, acme, CONTENT)
    download = await owner.http.get(owner.address("imports", id, "refused"))
    new = await corrected(owner, acme, id, ("vier", "12"))
    old, mended = b"Jahresabo;vier", b"Jahresabo;12"
    assert await content_of(acme, new) == download.content.replace(old, mended)


async def content_of(cast: Cast, id: str) -> bytes:
    """The file of an import that has one part."""
    part = await files.find_part(cast.db, cast.account_id, id, 0)
    assert part is not None
    return part


@pytest.mark.parametrize("name", ["list.xlsx", "list.ods"])
async def test_the_rows_of_a_workbook_are_corrected(
    owner: Person, acme: Cast, name: str, tmp_path: Path
) -> None:
    rows = [line.strip().split(";") for line in (COLUMNS, GOOD, WORD, DAY)]
    id = await rehearsed(owner, acme, workbook("Abos", rows), name=name)
    await corrected(owner, acme, id, ("vier", "12"))
    await ask(owner, acme, id, "run")
    assert await names_of(acme) == ["Fox", "Lund"]
    new = await corrected(owner, acme, id, ("31.02.2025", "2025-02-28"))
    assert "list.refused.xlsx" in await owner.text("imports", new)
    await ask(owner, acme, new, "run")
    assert await names_of(acme) == ["Fox", "Lund", "Tan"]


async def test_too_many_rows_are_downloaded_as_before(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    fields = await shown(owner, id)
    monkeypatch.setattr(corrections, "MOST_CELLS", 17)
    page = await owner.text("imports", id, "rows", outcome="refused")
    assert "too many or too long to be corrected" in words(page)
    assert "Use the corrected rows" not in page
    monkeypatch.setattr(corrections, "MOST_ROWS", 1)
    page = await owner.text("imports", id)
    assert "Download the 2 refused rows" in page
    assert "Correct the 2" not in page
    sent = await owner.post(owner.address("imports", id, "correct"), fields)
    assert sent.headers["Location"].endswith(f"/imports/{id}/")
    assert await count_imports(acme) == 1


async def count_imports(cast: Cast) -> int:
    """How many imports there are."""
    page = await store.list_batches(cast.db, cast.account_id, PageRequest(50, None, b""))
    return len(page.items)


HOSTILE = '"><script>alert(1)</script>'
TYPED = (
    ("vier", "12"),
    ("Bo Lund", '=HYPERLINK("http://x.test";"A") Lund'),
    ("Gade 2", "Ga\x00de\x01\x1b \r\n2"),
    ("31.02.2025", HOSTILE),
)


async def test_hostile_cells_are_texts(owner: Person, acme: Cast) -> None:
    id = await corrected(owner, acme, await rehearsed(owner, acme, CONTENT), *TYPED)
    assert "<script>alert" not in await owner.text("imports", id, "rows", outcome="refused")
    assert HOSTILE in (await shown(owner, id)).values()
    await ask(owner, acme, id, "run")
    [made, _first] = await walk(acme, "/v1/subscriptions/")
    assert made["shipping_address"]["address1"] == "Gade 2"
    assert made["first_name"].startswith("=HYPERLINK")


async def test_hostile_cells_are_texts_in_the_file(owner: Person, acme: Cast) -> None:
    new = await corrected(owner, acme, await imported(owner, acme, CONTENT), *TYPED)
    written = await content_of(acme, new)
    assert b"'=HYPERLINK" in written
    assert b"\x00" not in written
    assert HOSTILE in (await shown(owner, new)).values()


async def test_a_form_sent_twice_makes_one_import(owner: Person, acme: Cast) -> None:
    id = await imported(owner, acme, CONTENT)
    fields = await shown(owner, id)
    sent = [await owner.post(owner.address("imports", id, "correct"), fields) for _ in range(2)]
    assert sent[0].headers["Location"] == sent[1].headers["Location"]
    assert await count_imports(acme) == 2


async def test_a_form_of_other_rows_is_refused(owner: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    fields = await shown(owner, id)
    name = next(name for name, text in fields.items() if text == "vier")
    del fields[name]
    here = owner.address("imports", id, "correct")
    sent = await owner.post(here, {**fields, name + "0": "x"})
    assert sent.status_code == 400
    assert "The form is incomplete." in sent.text
    sent = await owner.post(here, {**fields, name: "x" * 100_001})
    assert sent.status_code == 400
    assert "at most 100000 are allowed" in sent.text
    assert (await owner.post(here, {**fields, name: "x" * 2**20})).status_code == 413
    assert await count_imports(acme) == 1


async def test_only_who_may_import_may_correct(owner: Person, staff: Person, acme: Cast) -> None:
    id = await rehearsed(owner, acme, CONTENT)
    fields = await shown(owner, id)
    await give(acme.db, acme, staff, STAFF_RIGHTS - {Right.IMPORT})
    assert (await staff.see("imports", id, "rows", outcome="refused")).status_code == 403
    sent = await staff.post(staff.address("imports", id, "correct"), fields)
    assert sent.status_code == 403
    assert await count_imports(acme) == 1


async def test_a_question_that_is_open_now_is_asked_first(owner: Person, acme: Cast) -> None:
    """Among all rows of the file, it is clear that the day is first; here it is not."""
    content = (COLUMNS + GOOD.replace("13.01.2026", "13/01/2026") + DAY).encode()
    id = await imported(owner, acme, content)
    fields = await shown(owner, id)
    [name] = [name for name, text in fields.items() if text == "31.02.2025"]
    sent = await owner.post(owner.address("imports", id, "correct"), {**fields, name: "02/03/2025"})
    assert sent.headers["Location"].endswith("/columns/")
    page = await owner.http.get(sent.headers["Location"])
    assert "Is the day or the month first in the dates?" in page.text


async def test_the_columns_ask_what_a_corrected_cell_leaves_open(owner: Person, acme: Cast) -> None:
    content = (COLUMNS + DAY).encode()
    id = await rehearsed(owner, acme, content)
    await corrected(owner, acme, id, ("31.02.2025", "02/03/2025"))
    assert "02/03/2025" in (await shown(owner, id)).values()
    page = await owner.text("imports", id, "columns")
    assert "Is the day or the month first in the dates?" in page
