"""A subscriber with a browser, who opens the pages of a publisher and the links in emails."""

import re
from dataclasses import dataclass

import httpx

from masthead.services.emails.outbox import begin_sending
from masthead.services.self_service.settings import switch_all
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.web.conftest import fields_of

READING = re.compile(r"https://masthead\.test(/my/\S+/read/\S+/)")
LINK = re.compile(r"https?://[^/\s]+(/my/\S+/(?:link|confirm)/\S+)")


@dataclass
class Reader:
    """A subscriber at the page of an account."""

    http: httpx.AsyncClient
    cast: Cast
    email: str = ""

    def address(self, *parts: object) -> str:
        """The path of a page."""
        return "/my/" + "/".join([self.cast.subdomain, *map(str, parts)]) + "/"

    async def text(self, *parts: object) -> str:
        """The HTML of a page, which must exist."""
        response = await self.http.get(self.address(*parts))
        assert response.status_code == 200, response.text
        return response.text

    async def post(self, *parts: object, **fields: str) -> httpx.Response:
        """Send fields, as a form of the page does; at least one that all forms have."""
        return await self.post_at(self.address(*parts), **(fields or {"idempotency_key": ""}))

    async def send(self, *parts: object, **fields: str) -> httpx.Response:
        """Fill in the form of a page, and send it."""
        page = await self.http.get(self.address(*parts))
        assert page.status_code == 200, page.text
        return await self.post(*parts, **{**fields_of(page.text), **fields})

    async def ask(self, email: str) -> httpx.Response:
        """Ask for a link."""
        return await self.post(email=email)

    async def scan(self, key: str, email: str) -> httpx.Response:
        """Open the page by the code on a label, and ask for a link there."""
        page = await self.http.get(self.address(), params={"key": key})
        [action] = re.findall(r'<form method="post" action="(/my/[^"]*)"', page.text)
        return await self.post_at(action, email=email)

    async def post_at(self, path: str, **fields: str) -> httpx.Response:
        """Send fields to a path, as a form of the page does."""
        return await self.http.post(path, data=fields, headers={"Sec-Fetch-Site": "same-origin"})

    async def sign_in(self, email: str) -> None:
        """Ask for a link, open it, and press its button."""
        self.email = email
        assert (await self.ask(email)).status_code == 200
        [link] = links_of([each for each in await sent_emails(self.cast) if each[0] == email])
        response = await self.http.post(link, headers={"Sec-Fetch-Site": "same-origin"})
        assert response.status_code == 303, response.text


def links_of(emails: list[tuple[str, str]]) -> list[str]:
    """The paths of the links in emails."""
    return [found[1] for _to, body in emails if (found := LINK.search(body))]


async def sent_emails(cast: Cast) -> list[tuple[str, str]]:
    """Recipient and text of all waiting emails of an account, which are sent now."""
    found = []
    for email in await outbox.list_due(cast.db, 100_000):
        if email.account_id != cast.account_id:
            continue
        marked = await begin_sending(cast.db, email, domain="acme.test")
        if marked is not None:
            await _end(cast, marked.id)
            found.append((marked.recipient, marked.body))
    return found


async def _end(cast: Cast, id: str) -> None:
    async def work(tx: Transaction) -> None:
        await outbox.update_sent(tx, cast.account_id, id)

    await cast.db.write(work)


async def open_page(cast: Cast) -> None:
    """Switch everything on."""
    url = f"https://masthead.test/my/{cast.subdomain}/"
    await switch_all(cast.db, cast.account_id, is_on=True, page_url=url, by=BY)


async def history_of(cast: Cast, subject: str) -> list[tuple[str, str]]:
    """Who did what to a record: the actor and the event."""
    rows = await cast.db.fetch_all(
        """
        SELECT actor_id, action FROM audit
        WHERE account_id = :account_id AND subject_id = :subject
        ORDER BY id
        """,
        {"account_id": cast.account_id, "subject": subject},
    )
    return [(row["actor_id"], row["action"]) for row in rows]
