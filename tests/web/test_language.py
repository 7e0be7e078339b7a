"""The language of pages: of the user, of the account, or of the browser before the sign-in."""

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from masthead import web
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.web.kit.client_request import MAX_LANGUAGES, other_locales, preferred_locale
from masthead.web.kit.rendering import templates
from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.cases import for_each
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.web.conftest import Browsers, Person
from tests.web.letters.test_pages import text_of

GROUPING = {"format_number", "number_in", "_n"}
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
    page = await owner.text("subscribers")
    assert ENGLISH in page
    assert '<button class="link" lang="de">Seiten auf Deutsch</button>' in page
    await use_locale(acme, "de_AT")
    page = await owner.text("subscribers")
    assert GERMAN in page
    assert "Abonnenten" in page
    assert 'lang="de">Deutsch' not in page
    assert 'value="en_GB"' in page
    await owner.post("/you/locale/", {"locale": "en_GB"})
    page = await owner.text("subscribers")
    assert ENGLISH in page
    assert 'value="de_AT"' in page  # the formats of the account
    assert '<button class="link" lang="de">Seiten auf Deutsch</button>' in page


async def test_the_menu_offers_the_other_language_in_both_directions(owner: Person) -> None:
    for offered, mail, message, link in (
        (
            "de_DE",
            "Letters and emails: English",
            "Diese Seiten und die Dateien, die Sie herunterladen, sind jetzt auf Deutsch, nur für "
            "Sie. Schreiben, E-Mails, Rechnungen und die Wörter auf Etiketten haben sich nicht "
            "geändert: Sie sind auf Englisch,",
            "Was welche Sprache hat",
        ),
        (
            "en_GB",
            "Schreiben und E-Mails: Englisch",
            "These pages, and the files that you download, are in English now, for you alone. So "
            "are letters, emails, invoices and the words on labels, unless",
            "What has which language",
        ),
    ) * 2:
        page = await owner.text("issues")
        assert re.findall(r'name="locale" value="(.*?)"', page) == [offered]
        assert mail in text_of(page)
        await owner.post("/you/locale/", {"locale": offered, "next": owner.address("issues")})
        page = await owner.text("issues")
        assert message in page
        address = f"{owner.address('settings', 'account')}#which-language"
        assert f'<a href="{address}">{link}</a>' in page


async def test_one_click_gives_letters_and_emails_the_language_of_the_pages(
    owner: Person, acme: Cast
) -> None:
    change = owner.address("settings", "account", "language")
    await owner.post("/you/locale/", {"locale": "de_AT", "next": owner.address("issues")})
    page = await owner.text("issues")
    assert f'action="{change}"' in page
    assert (
        "Schreiben, E-Mails, Rechnungen und die Wörter auf Etiketten auch auf Deutsch</button>"
        in page
    )
    page = (await owner.http.get((await owner.post(change, {})).headers["Location"])).text
    assert (
        "Schreiben, E-Mails, Rechnungen und die Wörter auf Etiketten sind jetzt auf Deutsch" in page
    )
    assert "Diese Seiten sind auch auf Deutsch" in page
    assert f'action="{change}"' not in page
    async with acme.db.read() as db:
        assert (await accounts.get_account(db, acme.account_id)).locale == "de_AT"


async def test_one_click_gives_the_pages_the_language_of_letters_and_emails(
    owner: Person,
) -> None:
    await owner.post("/you/locale/", {"locale": "en_GB"})
    account = owner.address("settings", "account")
    same = await owner.send(account, {"locale": "en_US"})
    assert "have not changed" not in (await owner.http.get(same.headers["Location"])).text
    saved = await owner.send(account, {"locale": "de_DE"})
    page = (await owner.http.get(saved.headers["Location"])).text
    assert (
        "The account is saved. Letters, emails, invoices and the words on labels are in German now"
        in page
    )
    assert "These pages have not changed: you have chosen English for yourself." in page
    assert "These pages in German, too</button>" in page
    back = await owner.post("/you/locale/", {"next": account})
    page = (await owner.http.get(back.headers["Location"])).text
    assert GERMAN in page
    assert "Dasselbe gilt für Schreiben, E-Mails, Rechnungen und die Wörter auf Etiketten" in page


async def test_the_account_gets_the_formats_back_that_it_had_in_a_language(
    owner: Person, acme: Cast
) -> None:
    change = owner.address("settings", "account", "language")
    for pages, account in (("de_AT", "de_AT"), ("en_US", "en_GB"), ("de_DE", "de_AT")):
        await owner.post("/you/locale/", {"locale": pages})
        await owner.post(change, {})
        async with acme.db.read() as db:
            assert (await accounts.get_account(db, acme.account_id)).locale == account


async def test_who_may_not_change_the_account_reads_who_can(staff: Person) -> None:
    await staff.post("/you/locale/", {"locale": "de_DE", "next": staff.address("issues")})
    page = await staff.text("issues")
    assert "Ein Inhaber kann das unter „Einstellungen“, „Zeitschrift“ ändern." in page
    assert "account/language/" not in page
    assert "Was welche Sprache hat" not in page


async def test_one_page_says_what_has_which_language_and_leads_there(
    owner: Person, staff: Person
) -> None:
    account = owner.address("settings", "account")
    profile = (await owner.http.get("/you/")).text
    assert f'href="{account}#which-language"' in profile
    assert "Acme</bdi>: English" in profile
    page = await owner.text("settings", "account")
    assert 'id="language"' in page
    said = page.partition('id="which-language"')[2].partition("</section>")[0]
    assert re.findall(r"<dt>(.*?)</dt>", said) == [
        "These pages, and files that you download",
        "Invoices, reminders, letters and emails",
        "What you write in letters and emails",
        "The page for subscribers",
        "Labels",
    ]
    assert re.findall(r'href="(.*?)"', said) == [
        "/you/",
        owner.address("subscribers"),
        owner.address("settings", "renewal-letters"),
        owner.address("settings", "welcome-email"),
        owner.address("settings", "export-profiles"),
    ]
    assert account not in (await staff.http.get("/you/")).text


async def test_it_names_the_link_under_which_a_subscriber_gets_a_language(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    person = await owner.text("subscribers", made["subscriber"]["id"])
    [label] = re.findall(r'/edit/">([^<]+)</a>', person)
    assert f"chosen under “{label}” on" in await owner.text("settings", "account")


async def test_the_message_is_in_the_language_of_the_account_if_the_user_goes_back_to_it(
    owner: Person,
) -> None:
    await owner.post("/you/locale/", {"locale": "de_DE"})
    await owner.post("/you/locale/", {"locale": ""})
    assert (
        "These pages, and the files that you download, are in English now"
        in (await owner.http.get("/you/")).text
    )


@for_each(
    "current, account, header, offered",
    [
        ("en_GB", "en_GB", "", "de_DE"),
        ("en_GB", "de_CH", "de-AT", "de_CH"),
        ("en_GB", "en_GB", "de-AT", "de_AT"),
        ("de_DE", "de_DE", "en-US", "en_US"),
        ("de_DE", "fr_FR", "fr", "en_GB"),
        ("fr_FR", "fr_FR", "fr", "de_DE"),
    ],
)
def test_a_language_is_offered_with_the_formats_of_the_account_or_of_the_browser(
    current: str, account: str, header: str, offered: str
) -> None:
    assert other_locales(current, account, header) == [offered]


async def test_the_offered_language_is_chosen_on_the_page_that_is_open(owner: Person) -> None:
    owner.http.headers["Accept-Language"] = "de"
    address = owner.address("subscribers") + "?search=Ada%20%26%20Co"
    page = (await owner.http.get(address)).text
    [shown] = re.findall(r'value="de_DE"><input[^>]* name="next" value="([^"]*)"', page)
    assert unescape(shown) == address
    chosen = await owner.post("/you/locale/", {"locale": "de_DE", "next": address})
    assert chosen.headers["Location"] == address
    elsewhere = await owner.post("/you/locale/", {"locale": "de_DE", "next": "//evil.example/"})
    assert elsewhere.headers["Location"] == "/desk/"


async def test_a_subscription_whose_copies_are_all_sent_is_ended_in_german(
    owner: Person, acme: Cast
) -> None:
    await use_locale(acme, "de_DE")
    await make_issue(acme)
    copies = await copies_of(acme, (await make_subscription(acme, length=1))["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [each["id"] for each in copies]})
    page = await owner.text("subscriptions")
    assert 'data-status="Complete">Beendet<' in page
    assert "Abgeschlossen" not in page


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
    assert "Bei dieser Zeitschrift nicht gefunden: Ausgabe none" in missing.text


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


def test_each_count_in_a_text_of_a_page_is_grouped() -> None:
    source = """{% trans n=1234 %}{{ n }} rows{% endtrans %}, \
{% trans count=4320, id=9876 %}{{ count }} copy of {{ id }}{% pluralize %}{{ count }} copies of \
{{ id }}{% endtrans %}"""
    page = templates.from_string(source)
    assert page.render(locale="en_GB") == "1,234 rows, 4,320 copies of 9876"
    assert page.render(locale="de_DE") == "1.234 rows, 4.320 copies of 9876"


def test_each_count_in_a_message_of_a_page_is_grouped() -> None:
    plain = [
        f"{file.name}:{value.lineno}"
        for file in sorted(Path(web.__file__).parent.rglob("*.py"))
        for value in _counts_in(ast.parse(file.read_text()))
        if not (isinstance(value, ast.Call) and ast.unparse(value.func) in GROUPING)
        and not isinstance(value, ast.Subscript)  # a part of what was typed
    ]
    assert plain == []


def _counts_in(module: ast.Module) -> Iterator[ast.expr]:
    """The values of `{n}` and `{count}` in texts."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".format"):
            yield from (each.value for each in node.keywords if each.arg in ("n", "count"))


async def test_the_texts_of_masthead_follow_a_new_language_of_the_account(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    by_rule = owner.address("settings", "renewal-letters", "last")
    await owner.send(by_rule, {"is_automatic": "y"})
    reminders = owner.address("settings", "reminders")
    await owner.send(reminders, {"do": "adopt"})
    await owner.send(f"{reminders}2/", {"subject": "Bye {magazine}"})
    await owner.post("/you/locale/", {"locale": "de_DE"})
    await owner.post(owner.address("settings", "account", "language"), {})
    letters = text_of(await owner.text("settings", "renewal-letters"))
    assert "subscription" not in letters
    assert "Ihr Abonnement" in letters
    assert "automatisch" in letters
    stages = text_of(await owner.text("settings", "reminders"))
    assert "Zahlungserinnerung: Acme" in stages
    assert "First overdue notice" in stages  # the owner wrote its subject
    assert "Bye Acme" in stages
