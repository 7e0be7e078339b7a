"""Emails are in the language of their recipient or of the account, not of who caused them."""

import pytest

from masthead.model.actors import Actor
from masthead.model.emails import WELCOME
from masthead.model.errors import Invalid
from masthead.model.translations import gettext, in_language
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.emails import welcome
from masthead.services.identity.preferences import set_locale
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.store.welcome_emails import get_welcome
from tests.conftest import BY, Cast
from tests.services.emails.test_notices import LAPTOP, SITE, emails_of, sign_in_from
from tests.services.identity.people import owner_of
from tests.support.factories import make_issue, make_subscription


async def use_locale(cast: Cast, locale: str) -> None:
    async def work(tx: Transaction) -> None:
        await accounts.update_account(tx, cast.account_id, {"locale": locale})

    await cast.db.write(work)


@pytest.mark.parametrize("of_caller", ["en_GB", "de_DE"])
@pytest.mark.parametrize(
    "of_account, own, subject, browser",
    [
        ("en_GB", None, "New sign-in to masthead", "Firefox on Linux"),
        ("de_AT", None, "Neue Anmeldung bei masthead", "Firefox unter Linux"),
        ("de_AT", "en_US", "New sign-in to masthead", "Firefox on Linux"),
        ("fr_FR", "de_CH", "Neue Anmeldung bei masthead", "Firefox unter Linux"),
    ],
)
async def test_a_notice_is_in_the_language_of_the_user(
    acme: Cast, of_caller: str, of_account: str, own: str | None, subject: str, browser: str
) -> None:
    await use_locale(acme, of_account)
    user = await owner_of(acme)
    await set_locale(acme.db, user.user_id, own or "")
    with in_language(of_caller):
        await sign_in_from(acme, LAPTOP)
    (email,) = await emails_of(acme)
    assert email["subject"] == subject
    assert browser in email["body"]
    assert "{" not in email["body"]


async def test_an_invitation_is_in_the_language_of_the_account(acme: Cast) -> None:
    await use_locale(acme, "de_DE")
    await users.invite_user(
        acme.db, acme.account_id, email="bo@acme.test", role=Role.STAFF, by=BY, site=SITE
    )
    (email,) = await emails_of(acme)
    assert email["subject"] == f"Ihre Einladung zu {acme.name}"
    assert "Wählen Sie hier ein Passwort" in email["body"]
    assert "/link/{token}/" in email["body"]


async def test_an_invitation_is_in_the_language_of_the_page_of_who_invites(acme: Cast) -> None:
    owner = await owner_of(acme)
    by = Actor(kind="user", id=owner.user_id)
    for locale, subject in (("de_DE", "Ihre Einladung zu"), ("en_GB", "Your invitation to")):
        with in_language(locale):
            await users.invite_user(
                acme.db,
                acme.account_id,
                email=f"{locale}@acme.test",
                role=Role.STAFF,
                by=by,
                site=SITE,
            )
        assert (await emails_of(acme))[-1]["subject"] == f"{subject} {acme.name}"


async def test_an_unchanged_welcome_email_follows_the_locale_of_the_account(acme: Cast) -> None:
    await make_issue(acme)
    await use_locale(acme, "de_DE")
    await make_subscription(acme, send_welcome_email=True, email="ada@acme.test")
    await welcome.update_welcome(
        acme.db, acme.account_id, subject="Hello from {magazine}", text=WELCOME.text, by=BY
    )
    await make_subscription(acme, send_welcome_email=True, email="bo@acme.test")
    default, changed = await emails_of(acme)
    assert default["subject"] == f"Willkommen bei {acme.name}"
    assert "vielen Dank für Ihr Abonnement" in default["body"]
    assert changed["subject"] == f"Hello from {acme.name}"
    await use_locale(acme, "en_GB")
    async with acme.db.read() as db:
        assert (await get_welcome(db, acme.account_id)).template.text == WELCOME.text


async def test_a_write_sees_the_language_of_its_caller(acme: Cast) -> None:
    async def work(tx: Transaction) -> None:
        raise Invalid(gettext("Type a code."))

    with in_language("de_DE"), pytest.raises(Invalid, match=r"Geben Sie einen Code ein\."):
        await acme.db.write(work)
    with pytest.raises(Invalid, match=r"Type a code\."):
        await acme.db.write(work)
