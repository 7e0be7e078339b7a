"""The pages for subscribers on a small phone, without and with the colours of the night.

axe checks each page, and none is wider than 320 pixels.
"""

import asyncio
from typing import NamedTuple

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from itsdangerous import Signer
from playwright.sync_api import Browser

from masthead import demo
from masthead.model.addresses.changes import NewAddress
from masthead.model.billing.settings import BillingInput
from masthead.model.clock import now
from masthead.model.ids import new_token, token_digest
from masthead.model.self_service.settings import ALL_ON, SelfService
from masthead.model.self_service.sign_in import LINK_VALID, LinkPurpose, digest_of_email
from masthead.model.validation import decode_input
from masthead.services.addresses.changes import change_addresses
from masthead.services.addresses.requests import ChangeRequest
from masthead.services.billing.settings import save_rate, save_settings
from masthead.services.identity.server_secrets import get_secret
from masthead.services.self_service.reading import PageLinks
from masthead.services.self_service.settings import update_settings
from masthead.store.accounts import find_account
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Transaction
from masthead.store.self_service.links import SubscriberLink, insert_link
from masthead.store.self_service.sessions import SubscriberSession, insert_session
from masthead.web.kit.cookies import SUBSCRIBER
from tests.conftest import BY
from tests.support.billing import RATES, SETTINGS
from tests.web.browser.conftest import Stage, create_demo, in_thread
from tests.web.browser.test_every_page import list_violations

PATH = f"/my/{demo.SUBDOMAIN}"
PAGES = "address name email letters data erasure gifts paid invoices nothing".split()

pytestmark = pytest.mark.slow


class Begun(NamedTuple):
    """A cookie of a subscriber, one of their copies, their subscription, and two links."""

    cookie: str
    copy: str
    subscription: str
    link: str
    reading: str


async def begin_session(url: str) -> Begun:
    """What opens the pages of a subscriber. Invoices are on."""
    db = await connect(url)
    try:
        account = await find_account(db, demo.SUBDOMAIN)
        assert account
        asked = decode_input(BillingInput, SETTINGS)
        await save_settings(db, account.id, asked, by=BY)
        for rate in RATES:
            await save_rate(db, account.id, rate, by=BY)
        settings = SelfService(
            is_open=True,
            actions=ALL_ON,
            contact="hello@lantern.example",
            renewal_url="https://shop.example/",
        )
        await update_settings(db, account.id, settings, by=BY)
        row = await db.fetch_one(
            """
            SELECT u.id, u.email_key, c.id AS copy, s.id AS subscription
            FROM copy c
            JOIN subscriber u ON u.account_id = c.account_id AND u.id = c.subscriber_id
            JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
            WHERE c.account_id = :id
              AND c.status = 'Sent'
              AND s.medium = 'Print'
              AND s.status = 'Active'
              AND s.country = 'DE'
              AND s.is_recurring = false
              AND s.is_gift = false
              AND s.is_comp = false
              AND u.is_placeholder = false
            ORDER BY c.id DESC
            LIMIT 1
            """,
            {"id": account.id},
        )
        assert row
        token = new_token()
        session = SubscriberSession(
            token_digest(token), row["id"], digest_of_email(row["email_key"])
        )

        opens = new_token()
        link = SubscriberLink(
            token_digest(opens), row["id"], LinkPurpose.SIGN_IN, session.email_digest, None
        )

        async def work(tx: Transaction) -> None:
            await insert_session(tx, account.id, session)
            await insert_link(tx, account.id, link, now() + LINK_VALID)

        await db.write(work)
        away = NewAddress(address1="Strandweg 7", city="Kiel", postcode="24103", country="DE")
        for first, last in ((900, None), (901, 902)):  # a move, and a holiday within it
            request = ChangeRequest(
                subscription_ids=[row["subscription"]],
                address=away,
                first_issue=first,
                last_issue=last,
            )
            await change_addresses(db, account.id, row["id"], request, by=BY)
        secret = await get_secret(db)
        signed = Signer(secret, salt="subscriber").sign(token).decode()
        reading = PageLinks(account.id, f"{PATH}/", secret, now()).of(row["id"], row["email_key"])
        return Begun(signed, str(row["copy"]), row["subscription"], f"link/{opens}", reading)
    finally:
        await db.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_for_subscribers_are_accessible_on_a_small_phone(
    browser: Browser, stage: Stage, scheme: str
) -> None:
    create_demo(stage)
    begun = in_thread(lambda: asyncio.run(begin_session(stage.database_url)))
    context = browser.new_context(
        base_url=stage.server.url,
        viewport={"width": 320, "height": 640},
        color_scheme="dark" if scheme == "dark" else "light",
        locale="de-DE",
    )
    try:
        context.add_init_script(AXE_SCRIPT)
        tab = context.new_page()
        found = {}
        before = ["", begun.link, begun.reading.removeprefix(f"{PATH}/").strip("/"), "sign-in"]
        own = [
            f"{name}/{id}"
            for name, id in (
                ("label", begun.copy),
                ("copies", begun.copy),
                ("renewals", begun.subscription),
                ("renew", begun.subscription),
            )
        ]
        for place, path in enumerate([*before, "", *PAGES, *own, "invoice", "cancel"]):
            if place == len(before):  # the pages before are for those who are not signed in
                value = {"name": SUBSCRIBER, "value": begun.cookie, "domain": "127.0.0.1"}
                context.add_cookies([{**value, "path": PATH}])  # type: ignore[typeddict-item]
            if path == "invoice":
                order = tab.get_by_role("button", name="Zahlungspflichtig bestellen")
                if order.count():  # the same one was ordered in the other scheme
                    order.click()
                tab.goto(f"{PATH}/invoices/")
                tab.get_by_role("link", name="Rechnung 20").click()
            elif path == "cancel":
                tab.goto(f"{PATH}/")
                tab.locator(".note", has_text="Ab Ausgabe 900").get_by_role("button").click()
                assert tab.get_by_role("button", name="Beide entfallen").count() == 1
            else:
                tab.goto(f"{PATH}/{path}/" if path else f"{PATH}/")
            faults = list_violations(tab)
            if tab.evaluate("document.documentElement.scrollWidth") > 320:
                faults.append("is too wide")
            tab.emulate_media(media="print")
            if tab.locator(".actions:visible, button:visible").count() and path == "":
                faults.append("buttons are printed")
            tab.emulate_media(media="screen")
            if faults:
                found[place, path] = faults
        tab.get_by_role("button", name="Beide entfallen").click()  # for the other scheme
        assert found == {}
    finally:
        context.close()
