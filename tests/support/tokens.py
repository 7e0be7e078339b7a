"""Make a token or link of each kind, and ask whether it works now."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.applications import Starlette

from masthead.api.authentication import AccessDenied, Authenticator
from masthead.api.http.rate_limit import RateLimiter
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.identity.memberships import SignedInUser
from masthead.model.identity.sign_ins import Client
from masthead.model.ids import new_token
from masthead.model.letters.unsubscribe import unsubscribe_token
from masthead.model.types.enums import Role, Scope
from masthead.services import keys, users
from masthead.services.exports import archives
from masthead.services.identity import invitations, known_browsers, passkeys, second_step, sessions
from masthead.services.identity.server_secrets import get_secret
from masthead.services.key_usage import KeyUsage
from masthead.services.self_service.reading import PageLinks
from masthead.services.self_service.sign_in import MyPage, email_link
from masthead.store.accounts import find_account
from masthead.store.exports.archives import list_archives
from tests.api.test_authentication import request_with
from tests.conftest import Cast
from tests.services.identity import factors
from tests.services.identity.authenticator import PARTY, Authenticator as SoftwarePasskey
from tests.services.identity.people import HOME, begin, owner_of
from tests.support.factories import make_issue, make_subscription, manual
from tests.support.keyed_requests import new_key, send
from tests.support.subscriber_pages import links_of, open_page, sent_emails
from tests.web.conftest import Browsers, Person, fields_of, signed_in


@dataclass
class World:
    """Acme with an owner who makes tokens, and Bob of the staff; and Rival."""

    app: Starlette
    browsers: Browsers
    acme: Cast
    rival: Cast
    maker: SignedInUser
    bob: SignedInUser

    async def browser_of(self, user: SignedInUser) -> Person:
        """A browser in which a user is signed in."""
        return await signed_in(self.app, self.acme, user.email, self.browsers())

    async def opens(self, path: str) -> bool:
        """Whether a browser without cookies can open a page."""
        return (await self.browsers().get(path)).status_code == 200


Works = Callable[[], Awaitable[bool]]
Make = Callable[[World], Awaitable[Works]]


async def api_key(world: World) -> Works:
    """A key of Bob, in a worker that has not cached it."""
    acme = world.acme
    _, key = await keys.create_key(
        acme.db, acme.account_id, user=world.bob.email, scope=Scope.READ_WRITE, by=world.maker.actor
    )

    async def works() -> bool:
        worker = Authenticator(acme.db, KeyUsage(), RateLimiter(0))
        try:
            await worker.authenticate(request_with(key, "Bearer"), frozenset(), is_write=True)
        except AccessDenied:
            return False
        return True

    return works


async def idempotency_key(world: World) -> Works:
    """The key of a request to the API, which gives the answer again."""
    acme, key = world.acme, new_key()
    body = manual(acme, email="ada@example.test")
    await make_issue(acme)

    async def works() -> bool:
        return (await send(acme, "POST", "/v1/subscriptions/", body, key)).status_code == 201

    return works


async def one_time_link(world: World) -> Works:
    """A link with which Bob sets a password."""
    acme = world.acme
    _, token = await users.reset_user(
        acme.db, acme.account_id, world.bob.user_id, by=world.maker.actor
    )
    return lambda: world.opens(f"/link/{token}/")


async def invitation(world: World) -> Works:
    """An invitation of the owner of another publisher."""
    await owner_of(world.rival)
    acme = world.acme
    invited = await users.invite_user(
        acme.db, acme.account_id, email=world.rival.owner, role=Role.OWNER, by=world.maker.actor
    )
    token = invited.token or ""

    async def works() -> bool:
        return await invitations.find_invitation(acme.db, token) is not None

    return works


async def session(world: World) -> Works:
    """A session of Bob, who opens a page of the account."""
    browser = await world.browser_of(world.bob)

    async def works() -> bool:
        return (await browser.see("issues")).status_code == 200

    return works


async def form_key(world: World) -> Works:
    """The form of a page for owners that the maker has opened."""
    browser = await world.browser_of(world.maker)
    address = browser.address("settings", "sources", "new")
    form = fields_of((await browser.http.get(address)).text)

    async def works() -> bool:
        response = await browser.post(address, {**form, "name": "Kiosk", "type": "shop"})
        return response.status_code == 303 and "settings" in response.headers["Location"]

    return works


async def file_address(world: World) -> Works:
    """The address of an export that the maker asked for."""
    acme, browser = world.acme, await world.browser_of(world.maker)
    await archives.request_archive(acme.db, acme.account_id, by=world.maker.actor)
    (archive,) = await list_archives(acme.db, acme.account_id)
    await archives.make_archive(acme.db, acme.account_id, archive.id)

    async def works() -> bool:
        response = await browser.see("settings", "export", archive.id, "zip")
        return response.content.startswith(b"PK")

    return works


async def known_browser(world: World) -> Works:
    """A browser in which Bob has signed in."""
    acme, bob = world.acme, world.bob
    device = (await begin(acme, email=bob.email, client=Client(HOME))).device
    return lambda: known_browsers.is_known(acme.db, device, bob.user_id)


async def account_cookie(world: World) -> Works:
    """The cookie with the account that Bob used last."""
    browser = await world.browser_of(world.bob)
    await browser.see("issues")

    async def works() -> bool:
        return f"/desk/{world.acme.subdomain}/" in (await browser.http.get("/help/")).text

    return works


async def pending_sign_in(world: World) -> Works:
    """A sign-in of Bob that waits for its second step."""
    await factors.add_app(world.acme, world.bob)
    token = await factors.pending(world.acme, world.bob.email)

    async def works() -> bool:
        return await second_step.find_second_step(world.acme.db, token) is not None

    return works


async def passed_sign_in(world: World) -> Works:
    """A sign-in of Bob with the right password, just before its session begins."""
    verified = await factors.verified(world.acme, world.bob.email)

    async def works() -> bool:
        try:
            return bool(await sessions.begin_session(world.acme.db, verified, Client(HOME)))
        except Invalid:
            return False

    return works


async def recovery_code(world: World) -> Works:
    """The recovery codes of Bob; each works once."""
    acme = world.acme
    _, codes = await factors.add_app(acme, world.bob)
    tokens = [await factors.pending(acme, world.bob.email) for _ in range(2)]

    async def works() -> bool:
        try:
            await second_step.finish_by_recovery_code(
                acme.db, tokens.pop(), codes.pop(), site=factors.SITE
            )
        except Invalid:
            return False
        return True

    return works


async def passkey_challenge(world: World) -> Works:
    """The challenges that a passkey of Bob has answered; each answer works once."""
    acme, key = world.acme, SoftwarePasskey()
    await factors.add_passkey(acme, world.bob, key)
    browsers = [new_token(), new_token()]
    answers = [key.get(passkeys.sign_in_options(PARTY, browser=each)) for each in browsers]

    async def works() -> bool:
        browser, answer = browsers.pop(0), answers.pop(0)
        try:
            await passkeys.sign_in_by_passkey(acme.db, PARTY, answer, browser=browser)
        except Invalid:
            return False
        return True

    return works


async def unsubscribe_link(world: World) -> Works:
    """The link at the end of the letters to a subscriber."""
    acme = world.acme
    await make_issue(acme)
    subscriber = (await make_subscription(acme))["subscriber"]["id"]
    token = unsubscribe_token(await get_secret(acme.db), subscriber)
    return lambda: world.opens(f"/unsubscribe/{token}/")


async def subscriber_link(world: World) -> Works:
    """A link by which a subscriber signs in."""
    address = await _link_of_subscriber(world)

    async def works() -> bool:
        return await world.opens(address)

    return works


async def subscriber_session(world: World) -> Works:
    """The session of a subscriber."""
    http = world.browsers()
    assert (await http.post(await _link_of_subscriber(world))).status_code == 303

    async def works() -> bool:
        page = await http.get(f"/my/{world.acme.subdomain}/")
        return "Sign out" in page.text

    return works


async def reading_link(world: World) -> Works:
    """A link in an email that shows the page of a subscriber."""
    acme, email = world.acme, "ada@reader.test"
    await make_issue(acme)
    made = await make_subscription(acme, email=email)
    await open_page(acme)
    secret = await get_secret(acme.db)
    links = PageLinks(acme.account_id, f"/my/{acme.subdomain}/", secret, now())
    address = links.of(made["subscriber"]["id"], email)

    async def works() -> bool:
        return (await world.browsers().get(address)).status_code == 303

    return works


async def _link_of_subscriber(world: World) -> str:
    acme, email = world.acme, "ada@reader.test"
    await make_issue(acme)
    await make_subscription(acme, email=email)
    await open_page(acme)
    async with acme.db.read() as db:
        account = await find_account(db, acme.subdomain)
    assert account
    url = f"https://masthead.test/my/{acme.subdomain}/"
    page = MyPage(account=account, url=url, domain="acme.test", locale="en_GB")
    await email_link(acme.db, page, email, address="192.0.2.7")
    [link] = links_of(await sent_emails(acme))
    return link


async def status_address(world: World) -> Works:
    """The public address of the status of a subscription, while it shows more than the status."""
    acme = world.acme
    await make_issue(acme)
    id = (await make_subscription(acme))["id"]

    async def works() -> bool:
        response = await acme.client.get(f"/v1/subscriptions/{id}/status/")
        return list(response.json()) == ["status"]

    return works
