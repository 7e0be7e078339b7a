"""First the file, then the post, then the mark: what the page of a mailing says in between."""

from masthead.model.dispatch.profiles import FileFormat
from masthead.services.dispatch.file_builds import prepare_file
from masthead.store.dispatch import files as file_store, runs as store
from tests.conftest import Cast
from tests.support.dispatch_files import build
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, freeze, id_in, text_of

LABELS = {"file": "pdf:labels-l7160"}
UNPRINTED = "No file of this mailing is ready, so its labels are not printed from here."
WAITING = "The file is being prepared. When it is ready, print the labels or pass it on"
MAIN = f'<button name="file" value="{LABELS["file"]}" title="Labels L7160 (3 × 7, A4)">'


async def test_while_a_file_is_prepared_it_is_clear_what_comes_next(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    shown = await text_of(owner, address)
    assert "After you have downloaded the addresses and sent the copies, come back" in shown
    assert "Nothing is printed or sent by this." in shown
    page = await follow(owner, address, "files", LABELS)
    assert WAITING in page
    assert MAIN not in (await owner.http.get(address)).text, "no longer what is to do"
    [file] = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    await prepare_file(acme.db, acme.account_id, file.id)
    page = await text_of(owner, address)
    assert WAITING not in page
    assert "When the copies have left, mark them." in page


async def test_a_mailing_marked_before_its_file_says_that_nothing_is_printed(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    page = await follow(owner, address, "mark", {})
    assert f"{UNPRINTED} If the copies have not left yet, prepare the file above." in page
    page = await follow(owner, address, "files", LABELS)
    assert f"{UNPRINTED} The file is still being prepared" in page
    [file] = await file_store.list_files(acme.db, acme.account_id, id_in(address))
    await prepare_file(acme.db, acme.account_id, file.id)
    assert UNPRINTED not in await text_of(owner, address)


async def test_after_the_mark_the_page_says_what_of_the_issue_is_left(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    for country in ("DE", "AT", "AT"):
        await make_subscription(acme, country=country)
    path = owner.address("issues", issue["id"], "dispatch")
    response = await owner.send(path, opened=f"{path}?country=DE")
    address = str(response.headers["Location"])
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    await build(acme, run, FileFormat.CSV)
    page = await follow(owner, address, "mark", {})
    left = "This mailing took: Germany. 2 other copies of this issue are still to send."
    assert f"{left} Prepare mailing 2 …" in page
    await follow(owner, await freeze(owner, issue), "mark", {})
    page = await text_of(owner, address)
    assert "No other copy of this issue waits for a mailing." in page
