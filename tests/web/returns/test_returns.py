"""The pages about what carriers report."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from masthead.model.clock import now
from masthead.model.dispatch.copy_keys import key_of
from masthead.services.child_process import run_in_file_thread
from masthead.services.returns import uploads
from masthead.temporary_files import TemporaryFile
from masthead.web.returns import carrier_files
from tests.conftest import Cast
from tests.services.imports.tables.test_workbooks import xlsx
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.returns import ADDRESS, Sending
from tests.web.addresses.test_change import change
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words

MOVED = (
    "Kundenreferenz;Grund;Datum;Neue Straße;Neue Hausnummer;Neue PLZ;Neuer Ort;Neues Land\n"
    "{};Umzug;01.05.2026;Neuer Weg;7a;1010;Wien;Österreich\n"
    "{};unbekannt verzogen;02.05.2026;;;;;\n"
    "#K7M2Q4D9X#;unbekannt;02.05.2026;;;;;\n"
)


async def upload(person: Person, kind: str, content: bytes) -> httpx.Response:
    """Send a file as the form does; the page that follows."""
    page = await person.text("returns")
    token = re.findall(r'name="idempotency_key" type="hidden" value="([^"]*)"', page)
    sent = await person.http.post(
        person.address("returns", "files"),
        data={"kind": kind, "idempotency_key": token[-1] if token else ""},
        files={"file": ("list.csv", content, "text/csv")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    if sent.status_code != 303:
        return sent
    return await person.http.get(sent.headers["Location"])


async def import_shown(person: Person, page: httpx.Response, **fields: str) -> httpx.Response:
    """Send the form of the columns; the result."""
    sent = await person.post(
        str(page.url.path), {**fields_of(page.text), "import": "yes", **fields}
    )
    if sent.status_code != 303:
        return sent
    return await person.http.get(sent.headers["Location"])


@pytest.mark.parametrize("is_process", [True, False], ids=["process", "thread"])
async def test_a_file_of_shipped_copies_is_uploaded_and_imported(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch, is_process: bool
) -> None:
    async def run(work: Callable[..., None], *given: Any, **_limits: int) -> None:
        await run_in_file_thread(work, *given)

    if not is_process:
        monkeypatch.setattr(uploads, "run_in_child", run)
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    wrong = "X" * uploads.SMALL  # so that the file is imported by a process of its own
    content = f"Versand\nSchlüssel;Versanddatum\n{keys[0]};31.05.2026\n{wrong};31.05.2026\n"
    page = await upload(owner, "shipped", content.encode("cp1252"))
    assert "Windows-1252" in page.text
    assert "column names in line 2" in page.text
    assert await sending.copies() == [("Not sent", None)] * 2
    result = await import_shown(owner, page)
    assert "Rows that changed nothing" in result.text
    assert await sending.copies() == [("Sent", "2026-05-31"), ("Not sent", None)]
    report = await owner.http.get(f"{result.url.path}report/")
    assert report.text.splitlines()[1].startswith("4,XXX has 3 characters") or "XXX" in report.text
    assert "list.csv" in await owner.text("returns")


async def test_a_file_of_returns_is_worked_through(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    page = await upload(owner, "returned", MOVED.format(*keys).encode())
    assert "New street" in page.text
    result = await import_shown(owner, page)
    assert "wrong check digit" in result.text
    overview = await owner.text("returns")
    assert "Neuer Weg 7a" in overview
    assert "unbekannt verzogen" in overview
    accept = re.search(r'action="([^"]*/accept/)"', overview)
    dismiss = re.findall(r'action="([^"]*/dismiss/)"', overview)[-1]
    assert accept is not None
    assert (await owner.post(accept[1])).status_code == 303
    assert (await owner.post(dismiss)).status_code == 303
    overview = await owner.text("returns")
    assert "There are no new addresses to decide on." in overview
    assert "No address is on hold." in overview
    id = sending.subscriptions[0]["id"]
    address = (await acme.get(f"/v1/subscriptions/{id}/")).json()["shipping_address"]
    assert address["address1"] == "Neuer Weg 7a"


async def test_all_new_addresses_are_accepted_at_once(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 3)
    rows = "".join(f"{key};Umzug;Neuer Weg 1;1010;Wien;AT\n" for key in await sending.keys())
    header = "Key;Grund;Neue Straße;Neue PLZ;Neuer Ort;Neues Land\n"
    await import_shown(owner, await upload(owner, "returned", (header + rows).encode()))
    overview = await owner.text("returns")
    assert "Accept all 3 new addresses" in overview
    newest = re.search(r'name="newest" value="([^"]*)"', overview)
    assert newest is not None
    await owner.post(owner.address("returns", "accept-all"), {"newest": newest[1]})
    assert "3 new addresses accepted." in await owner.text("returns")
    for made in sending.subscriptions:
        got = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
        assert got["shipping_address"]["country"] == "AT"


async def test_a_column_that_is_not_recognized_is_chosen(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    content = f"Was;Wozu;Wann\nx;nichts;01.05.2026\nx;{key};01.05.2026\n" + "x;nichts;\n" * 3
    page = await upload(owner, "shipped", content.encode())
    assert "no column with copy keys" in page.text
    assert "Wozu" in page.text
    result = await import_shown(owner, page, key="2", date="3")
    assert await sending.copies() == [("Sent", "2026-05-01")], result.text


async def test_a_workbook_is_imported(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    rows = [["Schlüssel", "Versanddatum"], *([key, "31.05.2026"] for key in keys)]
    page = await upload(owner, "shipped", xlsx({"Mai": rows}))
    assert "Read as an Excel workbook, sheet “Mai”, column names in line 1." in page.text
    await import_shown(owner, page)
    assert await sending.copies() == [("Sent", "2026-05-31")] * 2


def test_a_workbook_with_too_much_text_is_left_to_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier_files, "MOST_ROWS", 10)
    path = tmp_path / "upload"
    path.write_bytes(xlsx({"Mai": [["Schlüssel"], [key_of(1, 7)]]}))
    found = carrier_files.inspect_upload(path, TemporaryFile(".csv"), {}, None, None, False)
    assert found.file is None
    assert "Import it with the command" in (found.problem or "")


async def test_an_encoding_that_is_not_clear_is_asked_for(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    page = await upload(owner, "shipped", f"key;Ort\n{key};".encode() + b"\xa3\n")
    assert "The encoding of the file is not clear" in page.text
    assert "Columns" not in page.text
    page = await owner.post(
        str(page.url.path), {**fields_of(page.text), "check": "yes", "encoding": "cp1250"}
    )
    assert "Ł" in page.text
    assert await sending.copies() == [("Not sent", None)]
    await import_shown(owner, page)
    assert [status for status, _day in await sending.copies()] == ["Sent"]


async def test_ambiguous_dates_are_asked_about(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    page = await upload(owner, "shipped", f"key,date\n{key},03/04/2026\n".encode())
    assert "do not show whether the day or the month comes first" in page.text
    fields = {"key": "1", "copy": "", "date": "2", "dates": "month first"}
    await import_shown(owner, page, **fields)
    assert await sending.copies() == [("Sent", "2026-03-04")]


async def test_keys_are_typed(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    page = await owner.http.get(owner.address("returns"))
    fields = {"kind": "undeliverable", "reason": "refused", "keys": f"{keys[0]}\n#WRONG#"}
    sent = await owner.post(owner.address("returns", "keys"), {**fields_of(page.text), **fields})
    assert sent.status_code == 200
    assert "1 copy recorded." in sent.text
    assert "#WRONG#" in sent.text
    assert keys[0] not in sent.text.partition("<textarea")[2].partition("</textarea>")[0]
    (report,) = (await acme.get("/v1/delivery-reports/")).json()["items"]
    assert report["reason"] == "refused"
    fields = {"kind": "shipped", "keys": keys[1], "day": "2026-05-01"}
    sent = await owner.post(owner.address("returns", "keys"), fields)
    assert sent.status_code == 303
    assert await sending.copies() == [("Not sent", None), ("Sent", "2026-05-01")]
    empty = await owner.post(owner.address("returns", "keys"), {"keys": " ", "kind": "shipped"})
    assert empty.status_code == 400
    assert "Type or scan at least one copy key" in empty.text
    wrong = await owner.post(owner.address("returns", "keys"), {"keys": "#NO#", "kind": "shipped"})
    assert wrong.status_code == 400


async def test_a_copy_key_leads_to_copy_subscriber_and_run(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    (line,) = await sending.lines()
    for typed in (key, key.strip("#").lower(), str(line.copy_id)):
        page = await owner.text("copy-key", key=typed)
        assert "Reader 000" in page
        assert "Weg 1, 10115 Berlin" in words(page)
        assert f"/dispatches/{sending.run.id}/" in page
    assert "wrong check digit" in await owner.text("copy-key", key="K7M2Q4D9X")
    assert "No copy of this account" in await owner.text("copy-key", key=str(line.copy_id + 99))
    assert "Copy key on the label" in await owner.text("copy-key")


async def test_the_pages_of_subscriber_and_subscription_show_an_address_on_hold(
    acme: Cast, owner: Person
) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    made, other = sending.subscriptions
    at = owner.address("subscriptions", made["id"])
    subscriber = owner.address("subscribers", made["subscriber"]["id"])
    pages = (at, subscriber, f"{subscriber}address/")
    for page in pages:
        assert "The post" not in (await owner.http.get(page)).text
    address = {"address1": "Neuer Weg 7", "city": "Wien"}
    given = [
        {"key": keys[0], "kind": "undeliverable", "reason": "refused", "date": "2026-05-03"},
        {"key": keys[0], "kind": "moved", "date": "2026-05-04", **address},
        {"key": keys[1], "kind": "undeliverable"},
    ]
    for report in given:  # a request reports a copy once
        await acme.post("/v1/delivery-reports/", {"reports": [report]})
    shown = owner.address("returns")
    for page in pages:
        text = (await owner.http.get(page)).text
        said = " ".join(re.sub("<[^>]*>", "", text).split())
        assert (
            "The post could not deliver to Weg 1, 10115 Berlin, Germany (reported on 3 May 2026: "
            "refused). The copies wait until you correct the address or send anyway." in said
        )
        assert "has moved to Neuer Weg 7, Wien, Germany (reported on 4 May 2026)" in said
        assert f"{shown}?kind=undeliverable&amp;subscription={made['id']}" in text
    query = {"kind": "undeliverable", "subscription": made["id"]}
    listed = await owner.text("returns", **query)
    assert made["id"] in listed
    assert other["id"] not in listed


async def test_a_search_for_a_copy_key_leads_to_its_copy(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    for typed in (key, key.strip("#").lower()):
        found = await owner.see("subscribers", search=typed)
        assert found.status_code == 303
        assert "Weg 1, 10115 Berlin" in words(await owner.http.get(found.headers["Location"]))
    (line,) = await sending.lines()
    unused = key_of(acme.account_id, line.id + 1)
    for other in (unused, "K7M2Q4D9X", "Subscriber000"):
        assert (await owner.see("subscribers", search=other)).status_code == 200
    typing = {"HX-Request": "true"}
    page = await owner.http.get(
        owner.address("subscribers"), params={"search": key}, headers=typing
    )
    assert page.status_code == 200


async def test_a_copy_that_was_looked_up_came_back(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1, email="subscriber@example.com")
    await make_subscription(acme, **ADDRESS, email="subscriber@example.com", last_name="Reader 000")
    (key,) = await sending.keys()
    page = await owner.text("copy-key", key=key)
    assert "on hold" not in page
    assert "Then the copies of this subscriber to this address wait" in page
    assert owner.address("subscribers") in page.partition("Without the key")[0]
    fields = {**came_back_fields(page), "reason": "refused"}
    assert fields["day"] == now().date().isoformat()
    sent = await owner.post(owner.address("returns", "keys"), fields)
    assert sent.status_code == 303
    page = (await owner.http.get(sent.headers["Location"])).text
    assert "It is recorded that the copy came back." in page
    assert (
        "2 subscriptions of this subscriber are on hold at this address: their copies wait." in page
    )
    assert "It came back" not in page
    listed = words(await owner.text("returns"))
    assert re.search(r"refused \d+ \w+ \d{4}, Issue 1 Correct", listed)
    dismiss = re.search(r'action="([^"]+/dismiss/)"', page)
    assert dismiss
    undone = await owner.post(dismiss[1], {"look_up": key})
    page = words((await owner.http.get(undone.headers["Location"])).text)
    assert "go to the same address again." in page
    assert "on hold" not in page


def came_back_fields(page: str) -> dict[str, str]:
    """The fields of the form that records a copy as undeliverable."""
    form = page[: page.index("It came back: undeliverable")].rpartition("<form")[2]
    return fields_of(f"<form{form}</form>")


async def test_a_copy_that_was_in_no_mailing_came_back(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ADDRESS, start_issue=issue["number"], length=2)
    (copy, *_) = await copies_of(acme, made["id"])
    unsent = await owner.text("copy-key", key=copy["id"])
    assert "Not sent, in no mailing" in words(unsent)
    assert "It came back" not in unsent
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    subscriber = await owner.text("subscribers", made["subscriber"]["id"])
    assert f'copy-key/?key={copy["id"]}"' in subscriber
    page = await owner.text("copy-key", key=copy["id"])
    assert "Sent without a mailing: marked as sent in an import, by a program" in words(page)
    assert "in no mailing" not in words(page)
    assert "Look up" not in page, "the link of the subscriber leads to this copy"
    assert owner.address("subscribers", made["subscriber"]["id"]) in page
    assert (await owner.see("copy-key", "moved", key=copy["id"])).status_code == 404
    assert "Copy ID" not in page
    sent = await owner.post(owner.address("returns", "keys"), came_back_fields(page))
    page = (await owner.http.get(sent.headers["Location"])).text
    assert "It is recorded that the copy came back." in page
    assert "Undeliverable (open)" in words(page)
    assert "Look up" not in page
    assert owner.address("subscribers", made["subscriber"]["id"], "address") in page
    assert "It came back" not in page
    assert "The post could not deliver" in await owner.text("subscriptions", made["id"])
    for page in (
        await owner.text("subscriptions", made["id"]),
        await owner.text("subscribers", made["subscriber"]["id"]),
    ):
        assert f'copy-key/?key={copy["id"]}">came back on ' in page
        assert ">Came back</a>" not in page


async def test_the_page_of_a_copy_belongs_to_its_subscriber(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ADDRESS, start_issue=issue["number"], length=1)
    (copy,) = await copies_of(acme, made["id"])
    section = f'<a href="{owner.address("subscribers")}" aria-current="page">'
    assert section in await owner.text("copy-key", key=copy["id"])
    assert section not in await owner.text("copy-key")


async def test_the_pages_say_that_copies_to_a_planned_address_go_out(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADDRESS, length=3)
    (copy, *_) = await copies_of(acme, made["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    page = await owner.text("copy-key", key=copy["id"])
    await owner.post(owner.address("returns", "keys"), came_back_fields(page))
    shown = [("subscribers", made["subscriber"]["id"]), ("subscriptions", made["id"])]
    for each in shown:
        page = await owner.text(*each)
        assert "The copies wait until you" in page
        assert "go to a planned address" not in page
    saved = await change(owner, [made], when="from", first_issue="2")
    assert saved.status_code == 303
    for each in shown:
        assert "Copies that go to a planned address do not wait." in await owner.text(*each)


async def test_the_new_address_of_a_subscriber_is_typed(acme: Cast, owner: Person) -> None:
    sending = await Sending.freeze(acme, 1, email="subscriber@example.com")
    second = await make_subscription(
        acme, **ADDRESS, email="subscriber@example.com", last_name="Reader 000"
    )
    (key,) = await sending.keys()
    page = await owner.http.get(owner.address("returns"))
    fields = {**fields_of(page.text), "kind": "moved"}
    two = await owner.post(owner.address("returns", "keys"), {**fields, "keys": f"{key}\n{key}"})
    assert "one copy key at a time" in two.text
    asked = await owner.post(owner.address("returns", "keys"), {**fields, "keys": key})
    at = asked.headers["Location"]
    assert at in (await owner.text("copy-key", key=key)).replace("&amp;", "&")
    same = await owner.send(at)
    assert same.status_code == 400
    assert "This is the address on the label." in same.text
    long = await owner.send(at, {"address1": "x" * 256})
    assert "at most 255" in long.text
    typed = {"address1": "Neuer Weg 7", "city": "Wien", "postcode": "1010", "country": "AT"}
    for message in ("The subscriber has the new address.", "This new address was recorded before."):
        sent = await owner.post(at, {**owner.sent, **typed})
        assert sent.status_code == 303
        shown = (await owner.http.get(sent.headers["Location"])).text
        assert message in shown
        assert "Moved (accepted)" in shown
    for made in (*sending.subscriptions, second):
        got = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()["shipping_address"]
        assert (got["address1"], got["country"]) == ("Neuer Weg 7", "AT")
    other = await owner.post(at, {**owner.sent, **typed, "address1": "Anderer Weg 8"})
    assert "It was kept" in (await owner.http.get(other.headers["Location"])).text
    assert (await owner.see("copy-key", "moved", key="K7M2Q4D9X")).status_code == 404


async def test_files_that_are_no_tables_are_refused(owner: Person) -> None:
    assert "Choose a file" in (await upload(owner, "shipped", b"")).text
    page = await upload(owner, "shipped", b"PK\x03\x04rest")
    assert "The workbook is damaged" in page.text
    assert "Choose another file" in page.text


async def test_staff_of_other_accounts_see_nothing(acme: Cast, outsider: Person) -> None:
    assert (await outsider.see("returns")).status_code == 404
    assert (await outsider.see("copy-key")).status_code == 404
