"""The language of pages: of the user, of the account, or of the browser before the sign-in."""

import pytest

from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.web.kit.client_request import MAX_LANGUAGES, preferred_locale
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue
from tests.web.conftest import Browsers, Person

GERMAN, ENGLISH = '<html lang="de">', '<html lang="en">'


async def use_locale(cast: Cast, locale: str) -> None:
    async def work(tx: Transaction) -> None:
        await accounts.update_account(tx, cast.account_id, {"locale": locale})

    await cast.db.write(work)


@for_each(
    "header, locale",
    [
        ("", "en_GB"),
        ("de", "de_DE"),
        ("de-AT,de;q=0.9,en;q=0.8", "de_AT"),
        ("fr-FR,fr;q=0.9,de;q=0.5", "de_DE"),
        ("de;q=0.2,en-US;q=0.9", "en_US"),
        ("tlh,*;q=0.5", "en_GB"),
        ("de;q=much", "en_GB"),
        ("x," * MAX_LANGUAGES + "de", "en_GB"),
    ],
)
def test_a_browser_prefers_a_language_that_has_texts(header: str, locale: str) -> None:
    assert preferred_locale(header) == locale


@pytest.mark.parametrize(
    "header, lang, word", [("de", GERMAN, "Anmelden"), ("fr", ENGLISH, "Sign in")]
)
async def test_pages_before_the_sign_in_follow_the_browser(
    browsers: Browsers, header: str, lang: str, word: str
) -> None:
    page = await browsers().get("/sign-in/", headers={"Accept-Language": header})
    assert lang in page.text
    assert f"<h1>{word}</h1>" in page.text


async def test_a_page_follows_the_account_and_the_user_before_the_browser(
    owner: Person, acme: Cast
) -> None:
    owner.http.headers["Accept-Language"] = "de"
    assert ENGLISH in await owner.text("subscribers")
    await use_locale(acme, "de_AT")
    page = await owner.text("subscribers")
    assert GERMAN in page
    assert "Abonnenten" in page
    await owner.post("/you/locale/", {"locale": "en_GB"})
    assert ENGLISH in await owner.text("subscribers")


async def test_a_form_has_german_labels_choices_and_errors(owner: Person, acme: Cast) -> None:
    await use_locale(acme, "de_DE")
    page = await owner.text("settings", "users", "new")
    assert "<legend>Rolle</legend>" in page
    address = owner.address("settings", "users", "new")
    refused = await owner.send(address, {"email": "ada"})
    assert refused.status_code == 400
    assert "Eine E-Mail-Adresse muss ein @-Zeichen enthalten." in refused.text
    assert "„" in refused.text


async def test_an_error_page_is_in_the_language_of_the_account(owner: Person, acme: Cast) -> None:
    await use_locale(acme, "de_DE")
    missing = await owner.http.get(owner.address("issues", "none"))
    assert missing.status_code == 404
    assert "In diesem Konto nicht gefunden: Ausgabe none" in missing.text


async def test_the_api_stays_english_after_a_german_page_in_the_same_task(
    owner: Person, acme: Cast
) -> None:
    await use_locale(acme, "de_DE")
    await make_issue(acme)
    assert GERMAN in await owner.text("issues")
    missing = (await acme.get("/v1/issues/none/")).json()
    assert missing["message"].startswith("There is no issue `none`")
    refused = (await acme.post("/v1/issues/", {"name": "x", "number": 0})).json()
    assert "Geben Sie" not in refused["message"]
    assert "expected" in refused["message"]


async def test_dates_amounts_and_numbers_follow_the_locale(owner: Person, acme: Cast) -> None:
    await make_issue(acme, release_date_actual="2026-03-04")
    assert "4 Mar 2026" in await owner.text("issues")
    await use_locale(acme, "de_DE")
    assert "04.03.2026" in await owner.text("issues")
    await use_locale(acme, "en_US")
    assert "Mar 4, 2026" in await owner.text("issues")
