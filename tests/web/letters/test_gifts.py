"""Letters about gifts whose giver is not known go to the recipients, or are left out together."""

import re

import pytest

from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.accounts import update_account
from masthead.services.letters.recipients import plan_letters
from masthead.store.accounts import get_account
from tests.conftest import BY, Cast
from tests.support.letters import add_subscribers, emails_of, execute, set_up
from tests.web.conftest import Person
from tests.web.letters.test_pages import text_of

pytestmark = pytest.mark.usefixtures("mail_server")
GIFT = {"is_gift": "true", "gifter_name": "Grace Hopper", "gifter_email": "new@example.test"}
TWO = (
    "2 of these letters are about gifts. They go to the recipients, as the givers are not entered"
    " as subscribers, and ask the recipients to renew and to pay."
)


async def add_gifts(cast: Cast) -> None:
    """One who pays for themselves, two gifts of an unknown giver, and one of a known giver."""
    await set_up(cast)
    await add_subscribers(cast, 1)
    await add_subscribers(cast, 1, prefix="giver", length=9)
    await add_subscribers(cast, 2, prefix="got", **GIFT)
    await add_subscribers(cast, 1, prefix="of", **{**GIFT, "gifter_email": "Giver0@example.test"})


async def recipients(cast: Cast) -> list[str]:
    """The email addresses of the letters that would go out."""
    account = await get_account(cast.db, cast.account_id)
    plan = await plan_letters(cast.db, account, RenewalStage.LAST)
    return sorted(each.to.email for each in plan.letters if each.goes_out)


async def test_a_giver_who_is_known_by_email_gets_the_letter(acme: Cast) -> None:
    await add_gifts(acme)
    found = ["ada0@example.test", "giver0@example.test", "got0@example.test", "got1@example.test"]
    assert await recipients(acme) == found


async def test_the_pages_say_how_many_letters_go_to_recipients(owner: Person, acme: Cast) -> None:
    await add_gifts(acme)
    for page in (["letters", "last"], ["letters", "last", "send"]):
        assert TWO in text_of(await owner.text(*page))
    listed = await owner.text("letters", "last", "send", gifts="1")
    assert re.findall(r'title="(\w+)@', listed) == ["got0", "got1"]
    assert text_of(listed).count("to the recipient of a gift") == 2


async def test_givers_whose_email_is_known_are_entered_and_get_the_letters(
    owner: Person, acme: Cast
) -> None:
    await add_gifts(acme)
    await add_subscribers(acme, 1, prefix="own", **{**GIFT, "gifter_email": "Own0@example.test"})
    for page in (["letters", "last"], ["letters", "last", "send"]):
        assert "Enter the givers as subscribers, who then get the letters" in text_of(
            await owner.text(*page)
        )
    send = owner.address("letters", "last", "send")
    sent = await owner.send(send, {"do": "enter-givers"})
    text = text_of((await owner.http.get(sent.headers["Location"])).text)
    assert "1 giver is entered as a subscriber, and gets the letter." in text
    assert "Enter the giver" not in text
    found = ["ada0", "giver0", "new", "new", "own0"]
    assert [each.partition("@")[0] for each in await recipients(acme)] == found
    assert "Grace Hopper" in await owner.text("subscribers", search="new@example.test")
    await owner.send(send, {"do": "email"})
    emails = sorted(each["recipient"].partition("@")[0] for each in await emails_of(acme))
    assert emails == found


async def test_letters_to_recipients_are_left_out_and_included_together(
    owner: Person, acme: Cast
) -> None:
    await add_gifts(acme)
    send = owner.address("letters", "last", "send")
    await owner.send(send, {"do": "without-recipients"}, opened=owner.address("letters", "last"))
    assert await recipients(acme) == ["ada0@example.test", "giver0@example.test"]
    for page in (["letters", "last"], ["letters", "last", "send"]):
        text = text_of(await owner.text(*page))
        assert "2 letters to recipients of gifts are left out of this round." in text
        assert "about gifts" not in text
    await owner.send(send, {"do": "with-recipients"})
    assert len(await recipients(acme)) == 4
    await owner.send(send, {"do": "without-recipients"})
    await owner.send(send, {"do": "send"})
    found = sorted(each["recipient"] for each in await emails_of(acme))
    assert found == ["ada0@example.test", "giver0@example.test"]


async def test_ticks_of_others_are_kept_when_recipients_are_left_out(
    owner: Person, acme: Cast
) -> None:
    await add_gifts(acme)
    send = owner.address("letters", "last", "send")
    page = await owner.text("letters", "last", "send")
    shown = re.findall(r'name="shown" value="(\d+:1)"', page)
    ticked = [each.partition(":")[0] for each in shown[1:]]  # without the first, who is no gift
    await owner.send(send, {"do": "without-recipients", "shown": shown, "keep": ticked})
    assert await recipients(acme) == ["giver0@example.test"]


async def test_a_preview_says_that_it_goes_to_the_recipient(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, **GIFT)
    text = text_of(await owner.text("letters", "last"))
    assert "It is about a gift, and goes to the recipient." in text
    assert "1 of these letters is about a gift." in text


async def test_without_such_gifts_nothing_is_said(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    assert "gift" not in text_of(await owner.text("letters", "last", "send"))


@pytest.mark.parametrize(
    "own, latest, rule, language",
    [
        (None, "DE", {"DE": "de", "*": "en"}, "de"),  # their own subscription
        ("NO", "DE", {"DE": "de", "*": "en"}, "en"),  # their own address
        (None, None, {"NO": "de", "*": "en"}, "en"),  # neither: as elsewhere
        (None, None, {"NO": "en", "*": "de"}, "de"),
    ],
)
async def test_a_giver_gets_the_language_of_their_own_country(
    owner: Person,
    acme: Cast,
    own: str | None,
    latest: str | None,
    rule: dict[str, str],
    language: str,
) -> None:
    await set_up(acme)
    await update_account(acme.db, acme.account_id, country_languages=rule, by=BY)
    await add_subscribers(acme, 1, prefix="giver", length=9, country=latest or "DE")
    await add_subscribers(
        acme, 1, prefix="of", country="NO", **{**GIFT, "gifter_email": "giver0@example.test"}
    )
    await execute(
        acme,
        "UPDATE subscriber SET country = :own, latest_country = :latest"
        " WHERE account_id = :account_id AND email = 'giver0@example.test'",
        own=own,
        latest=latest,
    )
    page = await owner.text("letters", "last", "send")
    name, subject = {
        "de": ("German", "Bitte verlängern Sie"),
        "en": ("English", "Please renew"),
    }[language]
    assert f"Language: {name}: 1" in text_of(page)
    assert f'data-letter="email language-{language} ' in page
    await owner.send(owner.address("letters", "last", "send"), {"do": "email"})
    [email] = await emails_of(acme)
    assert email["recipient"] == "giver0@example.test"
    assert email["subject"].startswith(subject)
