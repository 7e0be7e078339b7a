"""The pages for subscribers: a session of a subscriber, and the pages that it opens."""

from starlette.responses import Response

from bench.databases import BY, Built
from masthead.model.ids import new_token, token_digest
from masthead.model.self_service.sign_in import digest_of_email
from masthead.services.identity import sign_in
from masthead.services.self_service.settings import switch_all
from masthead.store.engine.interface import Database, Transaction
from masthead.store.self_service.sessions import SubscriberSession, insert_session
from masthead.web.kit.cookies import Cookies
from masthead.web.subscriber_pages.routes import MY_PAGES

MY = "/my/{subdomain}/"
LEFT_OUT = ("sign-in/", "logo/", "invoices/")  # who is signed in is redirected, and there are none


async def open_subscriber_session(db: Database, built: Built) -> tuple[str, dict[str, str]]:
    """The cookie of the subscriber of the newest copy that was sent, and their pages, by name.

    Switches everything on that subscribers can do. Pages of invoices are left out, as the data has
    none.
    """
    await switch_all(db, built.account_id, is_on=True, by=BY)
    row = await db.fetch_one(
        """
        SELECT c.id, u.id AS subscriber_id, u.email_key
        FROM copy c
        JOIN subscriber u ON u.account_id = c.account_id AND u.id = c.subscriber_id
        WHERE c.account_id = :account_id
          AND c.status = 'Sent'
          AND NOT u.is_placeholder
          AND u.merged_into IS NULL
        ORDER BY c.id DESC
        LIMIT 1
        """,
        {"account_id": built.account_id},
    )
    assert row is not None
    token = new_token()
    session = SubscriberSession(
        token_digest(token), row["subscriber_id"], digest_of_email(row["email_key"])
    )

    async def work(tx: Transaction) -> None:
        await insert_session(tx, built.account_id, session)

    await db.write(work)
    response, path = Response(), "/my/bench"
    Cookies(await sign_in.get_secret(db), is_secure=False).set_subscriber(
        response, token, path=path
    )
    names = [page.path.removeprefix(MY) for page in MY_PAGES if "GET" in page.methods]
    owned = {name: name.replace("copies/{id}", f"copies/{row['id']}") for name in names}
    return response.headers["Set-Cookie"].partition(";")[0], {
        f"my/{name}": f"{path}/{shown}"
        for name, shown in owned.items()
        if "{" not in shown and not shown.startswith(LEFT_OUT)
    }
