"""The language of a subscriber: chosen on the page, or by country in the settings."""

from masthead.store.accounts import get_account
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import make_issue, make_subscription
from tests.support.subscribers import correct
from tests.support.walk import walk
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of


async def test_a_subscriber_gets_a_language(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="ada@example.test", last_name="Lovelace")
    id = made["subscriber"]["id"]
    page = text_of(await owner.text("subscribers", id))
    assert "Language of letters, emails and invoices English (of the account)" in page
    await owner.send(owner.address("subscribers", id, "edit"), {"language": "de"})
    page = text_of(await owner.text("subscribers", id))
    assert "Language of letters, emails and invoices German" in page
    assert "German (of the account)" not in page
    assert "Letters begin with Guten Tag" in page
    refused = await owner.send(owner.address("subscribers", id, "edit"), {"language": "xx"})
    assert refused.status_code == 400


async def test_the_settings_have_languages_by_country(owner: Person, acme: Cast) -> None:
    address = owner.address("settings", "account")
    typed = {"countries_de": "Germany, AT; Switzerland", "elsewhere": "en"}
    assert (await owner.send(address, typed)).is_redirect
    async with acme.db.read() as db:
        account = await get_account(db, acme.account_id)
    assert account.country_languages == "*=en AT=de CH=de DE=de"
    page = await owner.text("settings", "account")
    assert "Austria, Germany, Switzerland</textarea>" in page
    assert (await owner.send(address, {"name": "Other"})).is_redirect  # keeps them
    async with acme.db.read() as db:
        kept = await get_account(db, acme.account_id)
    assert kept.country_languages == account.country_languages


async def test_a_country_has_one_language(owner: Person) -> None:
    address = owner.address("settings", "account")
    twice = await owner.send(address, {"countries_de": "Germany", "countries_en": "DE"})
    assert "Germany has two languages. Leave it in one of the fields." in twice.text
    unknown = await owner.send(address, {"countries_de": "Germoney"})
    assert unknown.status_code == 400
    assert 'id="countries_de-error"' in unknown.text


async def test_pages_that_issue_and_send_invoices_say_their_language(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="ada@example.test")
    await correct(acme, invoice.payer_id, language="de")
    german = await bill_one(acme, email="ada@example.test", order_id="SECOND")
    assert "Language German" in text_of(await owner.text("money", "invoices", german.id))
    assert "Language: English: 1, German: 1" in text_of(
        await owner.text("money", "invoices", "send")
    )
    newest = (await walk(acme, "/v1/subscriptions/"))[0]["id"]
    renewal = owner.address("subscriptions", newest, "renew")
    assert "The invoice is in German. Change it" in text_of((await owner.http.get(renewal)).text)
