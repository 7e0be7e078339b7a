"""The pages for a subscriber who asks for their data, or to be forgotten."""

import re
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from masthead.services.accounts import update_account
from masthead.services.privacy import erase as service
from masthead.web.privacy import subscriber as pages
from tests.conftest import BY, Cast
from tests.support.billing import bill, turn_on_billing
from tests.support.factories import make_issue, make_subscription
from tests.support.privacy import erase, make_batch
from tests.support.subscribers import correct, make_subscriber
from tests.web.conftest import Person, fields_of
from tests.web.reports.test_home import words
from tests.web.test_language import use_locale

EMAIL = "zebedee@example.test"


async def make_zebedee(acme: Cast, **fields: object) -> str:
    """A subscriber with a copy that is not sent yet."""
    await make_issue(acme)
    return await make_subscriber(
        acme, EMAIL, first_name="Zebedee", last_name="Quuxley", length=1, **fields
    )


async def test_the_document_and_the_json_are_downloaded(acme: Cast, owner: Person) -> None:
    id = await make_zebedee(acme, address1="Weg 1", city="Ulm", postcode="89073")
    page = await owner.text("subscribers", id, "privacy")
    for format in ("pdf", "document", "json"):
        assert f'href="{owner.address("subscribers", id, "privacy", format)}' in page
    document = await owner.see("subscribers", id, "privacy", "document")
    assert 'filename="data-zebedee-quuxley.html"' in document.headers["Content-Disposition"]
    assert "Zebedee Quuxley" in document.text
    found = (await owner.see("subscribers", id, "privacy", "json")).json()
    assert found["subscriptions"][0]["address1"] == "Weg 1"
    assert (await owner.see("subscribers", id, "privacy", "zip")).status_code == 404


async def test_the_document_is_a_pdf_with_the_name_of_the_person(
    acme: Cast, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    id = await make_zebedee(acme, address1="Weg 1", city="Ulm", postcode="89073")
    await correct(acme, id, language="de")
    document = await owner.see("subscribers", id, "privacy", "pdf")
    assert document.headers["Content-Type"] == "application/pdf"
    assert 'filename="data-zebedee-quuxley.pdf"' in document.headers["Content-Disposition"]
    text = "\n".join(page.extract_text() for page in PdfReader(BytesIO(document.content)).pages)
    assert f"Was {acme.name} über Zebedee Quuxley gespeichert hat" in text.replace("\n", " ")
    assert "Weg 1" in text
    assert "Zebedee" not in caplog.text.replace("zebedee@", "")


async def test_the_document_is_in_the_language_of_the_country_or_the_chosen_one(
    acme: Cast, owner: Person
) -> None:
    id = await make_zebedee(acme, country="AT")
    page = words(await owner.text("subscribers", id, "privacy"))
    assert "The document is in this language: German. Change to: English" in page
    document = await owner.see("subscribers", id, "privacy", "document")
    assert '<html lang="de">' in document.text
    document = await owner.see("subscribers", id, "privacy", "document", language="en")
    assert '<html lang="en">' in document.text
    await correct(acme, id, language="en")
    assert "this language: English. Change to: German" in words(
        await owner.text("subscribers", id, "privacy")
    )
    await correct(acme, id, language=None)
    await update_account(acme.db, acme.account_id, country_languages={"*": "en"}, by=BY)
    document = await owner.see("subscribers", id, "privacy", "document")
    assert '<html lang="en">' in document.text


async def test_a_person_without_latin_letters_has_the_id_in_the_file_name(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, first_name="李", last_name="雷", length=1)
    document = await owner.see("subscribers", id, "privacy", "pdf")
    assert f'filename="subscriber-{id}.pdf"' in document.headers["Content-Disposition"]


async def test_after_an_erasure_the_document_is_no_main_button(acme: Cast, owner: Person) -> None:
    id = await make_zebedee(acme)
    await erase(acme, id, is_cancelling=True)
    page = await owner.text("subscribers", id, "privacy")
    assert "Download what was kept (PDF)" in page
    assert "send them the document" not in page
    assert not re.findall(r'role="button" download', page)
    document = await owner.see("subscribers", id, "privacy", "pdf")
    assert f'filename="subscriber-{id}.pdf"' in document.headers["Content-Disposition"]


async def test_staff_see_counts_but_cannot_download_or_erase(acme: Cast, staff: Person) -> None:
    id = await make_zebedee(acme)
    page = await staff.text("subscribers", id, "privacy")
    assert "Owners of the account" in page
    assert staff.address("subscribers", id, "erase") not in page


async def test_a_name_confirms_the_erasure_of_who_has_no_email(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email=None, first_name="Zoë", last_name="Ånd")
    id = made["subscriber"]["id"]
    address = owner.address("subscribers", id, "erase")
    page = words(await owner.text("subscribers", id, "erase"))
    assert "Type the name to confirm" in page
    assert "Type Zoë Ånd here." in page
    wrong = await owner.send(address, {"confirmation": "Zoë", "is_cancelling": "y"})
    assert "Type Zoë Ånd to confirm that this is the right subscriber." in words(wrong.text)
    long = await owner.send(address, {"confirmation": "Ö" * 99_000, "is_cancelling": "y"})
    assert long.status_code == 400
    sent = await owner.send(address, {"confirmation": "zoe  and", "is_cancelling": "y"})
    assert sent.status_code == 303
    again = words(await owner.text("subscribers", id, "erase"))
    assert f"Type the ID to confirm Type {id} here." in again


async def test_an_error_is_above_what_would_be_erased(acme: Cast, owner: Person) -> None:
    id = await make_zebedee(acme)
    address = owner.address("subscribers", id, "erase")
    wrong = await owner.send(address, {"confirmation": "yes"})
    assert wrong.text.index('role="alert"') < wrong.text.index("<table")


async def test_an_erased_subscriber_is_named_in_the_language_of_the_user(
    acme: Cast, owner: Person
) -> None:
    id = await make_zebedee(acme)
    key = fields_of(await owner.text("subscribers", id, "erase"))["idempotency_key"]
    sent = {"idempotency_key": key, "confirmation": EMAIL, "is_cancelling": "y"}
    await owner.send(owner.address("subscribers", id, "erase"), sent)
    await owner.post("/you/locale/", {"locale": "de_DE"})
    assert "<h1>Datenschutz: <bdi>Gelöscht</bdi></h1>" in await owner.text(
        "subscribers", id, "privacy"
    )
    assert "<h1><bdi>Gelöscht</bdi></h1>" in await owner.text("subscribers", id)


async def test_the_document_keeps_its_language_after_the_erasure(acme: Cast, owner: Person) -> None:
    id = await make_zebedee(acme)
    page = await owner.text("subscribers", id, "privacy", language="de")
    [link] = re.findall(r'<a href="([^"]*/erase/[^"]*)"', page)
    form = fields_of((await owner.http.get(link)).text)
    sent = {**form, "confirmation": EMAIL, "is_cancelling": "y"}
    erased = await owner.post(link, sent)
    after = words((await owner.http.get(erased.headers["Location"])).text)
    assert "Erased on" in after
    assert "The document is in this language: German." in after


LEFT = re.compile(
    r'<li><a href="[^"]*/subscriptions/\w+/">Address of another subscriber</a>: '
    r"<bdi>c/o Quuxley</bdi></li>"
)


async def make_named(cast: Cast) -> str:
    """A subscriber whom the address of another one names; returns their id."""
    await make_issue(cast)
    id = await make_subscriber(cast, EMAIL, last_name="Quuxley")
    await make_subscriber(cast, "ada@example.test", last_name="Byron", address2="c/o Quuxley")
    return id


async def test_texts_that_an_erasure_leaves_are_on_its_page(acme: Cast, owner: Person) -> None:
    id = await make_named(acme)
    page = await owner.text("subscribers", id, "erase")
    assert LEFT.search(page)
    sent = {"confirmation": EMAIL, "is_cancelling": "y", "seen": fields_of(page)["seen"]}
    erased = await owner.send(owner.address("subscribers", id, "erase"), sent)
    assert erased.headers["Location"] == owner.address("subscribers", id, "privacy")


async def test_in_a_large_account_texts_that_an_erasure_leaves_are_shown_before_it(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SMALL", 1)
    id = await make_named(acme)
    address = owner.address("subscribers", id, "erase")
    assert "c/o Quuxley" not in await owner.text("subscribers", id, "erase")
    sent = {"confirmation": EMAIL, "is_cancelling": "y"}
    page = await require_shown(owner, address, sent)
    assert LEFT.search(page)
    await make_subscriber(acme, "bob@example.test", last_name="Bob", address2="bei Quuxley")
    page = await require_shown(owner, address, sent | {"seen": fields_of(page)["seen"]})
    assert "bei Quuxley" in page  # written since, so it is shown first
    sent |= {"seen": fields_of(page)["seen"]}
    wrong = await owner.send(address, sent | {"confirmation": "yes"})
    page = await require_shown(owner, address, sent | {"seen": fields_of(wrong.text)["seen"]})
    erased = await owner.send(address, sent | {"seen": fields_of(page)["seen"]})
    assert erased.headers["Location"] == owner.address("subscribers", id, "privacy")
    assert "Quuxley" not in await owner.text("subscribers", id)


async def require_shown(owner: Person, address: str, sent: dict[str, str]) -> str:
    """The page that shows texts of others in place of an erasure."""
    response = await owner.send(address, sent)
    assert response.status_code == 400
    assert "Nothing has been erased yet" in response.text
    assert "<h2>What you must do yourself</h2>" in response.text
    return response.text


async def test_an_owner_erases_a_subscriber_after_typing_the_email(
    acme: Cast, owner: Person
) -> None:
    id = await make_zebedee(acme)
    page = await owner.text("subscribers", id, "erase")
    assert "Nothing has been changed yet." in page
    assert "1 subscription is not over" in page
    assert "cancel the subscription, or tick the box, and the erasure cancels it" in page
    assert "Cancel this subscription now" in page
    address = owner.address("subscribers", id, "erase")
    wrong = await owner.send(address, {"confirmation": "yes", "is_cancelling": "y"})
    assert wrong.status_code == 400
    assert f"Type {EMAIL} to confirm" in wrong.text
    refused = await owner.send(address, {"confirmation": EMAIL})
    assert "Tick the box" in refused.text
    key = fields_of(page)["idempotency_key"]
    sent = {"idempotency_key": key, "confirmation": EMAIL.upper(), "is_cancelling": "y"}
    for _again in range(2):
        response = await owner.post(address, sent)
        assert response.headers["Location"] == owner.address("subscribers", id, "privacy")
    shown = await owner.text("subscribers", id, "privacy")
    assert "Kept without the person:" in shown
    assert "Only if something was added since" in shown
    assert "If a person asks to be forgotten" not in shown
    assert f"by <bdi>{owner.email}</bdi>" in shown
    assert "because accounts must be kept" in shown
    assert "Quuxley" not in shown
    shown = await owner.text("subscribers", id)
    assert "What was kept" in shown
    assert "Quuxley" not in shown


async def test_an_order_while_the_page_is_open_is_not_cancelled_unseen(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = await make_zebedee(acme)
    real = service.erase_subscriber

    async def order_first(*args: Any, **options: Any) -> Any:
        return await real(*args, **options | {"is_cancelling": False})

    monkeypatch.setattr(pages, "erase_subscriber", order_first)
    address = owner.address("subscribers", id, "erase")
    response = await owner.send(address, {"confirmation": EMAIL, "is_cancelling": "y"})
    assert response.headers["Location"] == owner.address("subscribers", id, "privacy")
    assert "Copies of 1 subscriptions are not sent yet" in await owner.text(
        "subscribers", id, "privacy"
    )
    assert "Quuxley" in await owner.text("subscribers", id)


async def test_an_import_that_runs_is_waited_for(acme: Cast, owner: Person) -> None:
    id = await make_zebedee(acme)
    await make_batch(acme, status="running")
    address = owner.address("subscribers", id, "erase")
    response = await owner.send(address, {"confirmation": EMAIL, "is_cancelling": "y"})
    assert response.status_code == 400
    assert "An import is running." in response.text


async def test_pages_say_in_their_language_that_somebody_was_erased(
    acme: Cast, owner: Person
) -> None:
    id = await make_zebedee(acme)
    await turn_on_billing(acme, has_issue=True)
    placed = await bill(acme, subscriber_id=id)
    await erase(acme, id)
    await use_locale(acme, "de_DE")
    subscription = placed.subscriptions[0].id
    for page in (
        ("subscribers",),
        ("subscribers", id),
        ("subscribers", id, "account"),
        ("subscribers", id, "letters"),
        ("subscriptions",),
        ("subscriptions", subscription),
        ("settings", "log"),
    ):
        text = await owner.text(*page)
        assert "Gelöscht" in text, page
        assert not re.findall(r"\bErased\b", text), page
    found = (await acme.get(f"/v1/subscribers/{id}/")).json()
    assert found["full_name"] == "Erased"
