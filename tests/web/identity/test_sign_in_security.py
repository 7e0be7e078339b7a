"""Security of signing in: proxies, cookies, sessions, logs."""

import io
import json
import re
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx
import pytest
from itsdangerous import Signer
from starlette.applications import Starlette
from structlog.testing import capture_logs

from masthead.app import create_app
from masthead.logs import configure_logging
from masthead.model.ids import token_digest
from masthead.services.identity import sign_in
from masthead.services.identity.server_secrets import get_secret
from masthead.settings import Settings
from masthead.web.kit.cookies import DESK, DEVICE, MESSAGE, SECURE_PREFIX, SESSION
from tests.conftest import BY, Cast
from tests.services.test_accounts import trail
from tests.support.factories import make_issue, make_subscription
from tests.support.logs import reset_logs
from tests.web.conftest import Browsers, Person, signed_in

PASSWORD = "seven quiet lighthouses"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
WRONG = "wrong"
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}

LEFT_OUT = "security log lines left out"  # by the limit, in earlier tests


def fresh_address() -> str:
    """An address that no other test uses for failures."""
    number = secrets.randbelow(2**24)
    return f"12.{number >> 16}.{number >> 8 & 255}.{number & 255}"


async def set_password(cast: Cast) -> None:
    token = await sign_in.create_link(cast.db, cast.owner, by=BY)
    await sign_in.use_link(cast.db, token, PASSWORD)


def guest(cast: Cast, browsers: Browsers, address: str = "") -> Person:
    """A user without cookies, at an address of their own."""
    person = Person(browsers(), cast.subdomain, cast.owner)
    person.http.headers["X-Forwarded-For"] = address or fresh_address()
    person.http.headers["User-Agent"] = FIREFOX
    return person


async def try_to_sign_in(
    person: Person, password: str = PASSWORD, email: str = ""
) -> httpx.Response:
    return await person.post("/sign-in/", {"email": email or person.email, "password": password})


@asynccontextmanager
async def served(
    database_url: str,
    *,
    peer: str = "127.0.0.1",
    base_url: str = "http://masthead.test",
    **settings: str,
) -> AsyncIterator[httpx.AsyncClient]:
    """A client at an address, for an application with its own settings."""
    app = create_app(Settings(database_url=database_url, **settings), background=False)  # type: ignore[arg-type]
    transport = httpx.ASGITransport(app, client=(peer, 4711))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url=base_url, headers=SAME_SITE) as http,
    ):
        yield http


async def guess(
    http: httpx.AsyncClient, cast: Cast, lines: list[str], password: str = WRONG
) -> int:
    """The status of an attempt with these `X-Forwarded-For` lines."""
    headers = [("X-Forwarded-For", line) for line in lines]
    fields = {"email": cast.owner, "password": password}
    return (await http.post("/sign-in/", data=fields, headers=headers)).status_code


# --- Networks -------------------------------------------------------------------------------------


async def test_a_client_cannot_choose_its_address_with_its_own_header(
    acme: Cast, browsers: Browsers
) -> None:
    http, address = browsers(), fresh_address()
    statuses = [await guess(http, acme, [fresh_address(), address]) for _ in range(7)]
    assert statuses == [400] * 5 + [429] * 2


async def test_a_client_cannot_choose_its_address_inside_the_proxy_header(
    acme: Cast, browsers: Browsers
) -> None:
    http, address = browsers(), fresh_address()
    statuses = [await guess(http, acme, [f"{fresh_address()}, {address}"]) for _ in range(7)]
    assert statuses == [400] * 5 + [429] * 2


async def test_without_a_trusted_proxy_the_address_of_the_connection_counts(
    acme: Cast, database_url: str
) -> None:
    async with served(database_url, peer=fresh_address()) as http:
        statuses = [await guess(http, acme, [fresh_address()]) for _ in range(7)]
    assert statuses == [400] * 5 + [429] * 2


async def test_users_behind_a_trusted_proxy_have_their_own_addresses(
    acme: Cast, database_url: str
) -> None:
    await set_password(acme)
    async with served(database_url, peer="10.9.8.7", trusted_proxies="10.0.0.0/8") as http:
        attacker = fresh_address()
        statuses = [await guess(http, acme, [attacker, "10.1.1.1"]) for _ in range(6)]
        assert statuses == [400] * 5 + [429]
        assert await guess(http, acme, [fresh_address(), "10.1.1.1"], PASSWORD) == 303


@pytest.mark.parametrize(
    "peer, forwarded, is_secure",
    [
        ("127.0.0.1", "https", True),
        ("127.0.0.1", "http", False),
        ("198.51.100.9", "https", False),
    ],
)
async def test_only_a_trusted_proxy_can_say_that_a_request_is_over_https(
    acme: Cast, database_url: str, peer: str, forwarded: str, is_secure: bool
) -> None:
    await set_password(acme)
    async with served(database_url, peer=peer) as http:
        response = await http.post(
            "/sign-in/",
            data={"email": acme.owner, "password": PASSWORD},
            headers={"X-Forwarded-Proto": forwarded, "X-Forwarded-For": fresh_address()},
        )
    assert response.status_code == 303
    assert (SECURE_PREFIX in response.headers["Set-Cookie"]) is is_secure


# --- Known browsers -------------------------------------------------------------------------------


async def test_a_known_browser_can_sign_in_while_its_network_is_throttled(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    address = fresh_address()
    known, guesser = guest(acme, browsers, address), guest(acme, browsers, address)
    assert (await try_to_sign_in(known)).status_code == 303
    await known.post("/sign-out/")
    for _ in range(5):
        assert (await try_to_sign_in(guesser, "wrong")).status_code == 400
    assert (await try_to_sign_in(guesser)).status_code == 429
    assert (await try_to_sign_in(known, "wrong")).status_code == 400
    assert (await try_to_sign_in(known)).status_code == 303


@pytest.mark.parametrize("secret", ["ours", "another"])
async def test_a_forged_device_cookie_has_no_effect(
    acme: Cast, browsers: Browsers, secret: str
) -> None:
    key = await get_secret(acme.db) if secret == "ours" else b"another"
    person = guest(acme, browsers)
    made_up = Signer(key, salt="device").sign("x" * 43).decode()
    person.http.cookies.set(DEVICE, made_up, domain="masthead.test")
    statuses = [(await try_to_sign_in(person, "wrong")).status_code for _ in range(6)]
    assert statuses == [400] * 5 + [429]


async def test_the_device_cookie_is_hidden_from_scripts_and_lasts_a_year(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    response = await try_to_sign_in(guest(acme, browsers))
    (cookie,) = [
        each for each in response.headers.get_list("Set-Cookie") if each.startswith(DEVICE)
    ]
    flags = {flag.strip().lower() for flag in cookie.split(";")[1:]}
    assert flags == {"httponly", "samesite=lax", "path=/", "max-age=31536000"}


# --- Cookies over https ---------------------------------------------------------------------------


async def test_over_https_every_cookie_is_bound_to_the_host(acme: Cast, database_url: str) -> None:
    await set_password(acme)
    made: dict[str, str] = {}
    async with served(database_url, base_url="https://masthead.test") as http:
        http.headers["X-Forwarded-For"] = fresh_address()
        fields = {"email": acme.owner, "password": PASSWORD}
        for response in [
            await http.post("/sign-in/", data=fields),
            await http.get(f"/desk/{acme.subdomain}/"),
            await http.post("/you/shortcuts/", data={"has_shortcuts": "no"}),
            await http.get("/you/"),
            await http.post("/sign-out/"),
        ]:
            assert response.status_code in (200, 303)
            for line in response.headers.get_list("Set-Cookie"):
                name, _, rest = line.partition("=")
                made[name] = rest
    assert set(made) == {SECURE_PREFIX + name for name in (SESSION, MESSAGE, DEVICE, DESK)}
    for rest in made.values():
        flags = {flag.strip().lower() for flag in rest.split(";")[1:]}
        assert {"secure", "httponly", "path=/", "samesite=lax"} <= flags
        assert not any(flag.startswith("domain") for flag in flags)


async def test_over_https_a_cookie_without_the_host_prefix_is_ignored(
    app: Starlette, acme: Cast, browsers: Browsers
) -> None:
    person = await signed_in(app, acme, acme.owner, browsers())
    assert (await person.see()).status_code == 200
    person.http.headers["X-Forwarded-Proto"] = "https"
    assert (await person.see()).status_code == 303


# --- Sessions -------------------------------------------------------------------------------------


@pytest.fixture
async def ann(acme: Cast, browsers: Browsers) -> Person:
    """The owner, signed in with the password."""
    await set_password(acme)
    person = guest(acme, browsers)
    await try_to_sign_in(person)
    return person


def ends_in(page: str) -> list[str]:
    """The paths of the buttons that end sessions."""
    return re.findall(r'action="(/you/sessions/\w+/end/)"', page)


async def test_sessions_are_listed_with_browser_and_network(ann: Person) -> None:
    page = (await ann.http.get("/you/")).text
    assert "Firefox on Linux (this browser)" in page
    assert ann.http.headers["X-Forwarded-For"] in page


async def test_ending_one_session_keeps_the_others(
    acme: Cast, ann: Person, browsers: Browsers
) -> None:
    others = [guest(acme, browsers) for _ in range(2)]
    addresses = []
    for other in others:
        await try_to_sign_in(other)
        page = (await ann.http.get("/you/")).text
        addresses.append(next(each for each in ends_in(page) if each not in addresses))
    lost = addresses[1]
    before = ends_in((await ann.http.get("/you/")).text)
    response = await ann.post(lost)
    assert response.headers["Location"] == "/you/"
    page = (await ann.http.get("/you/")).text
    assert "The session is ended" in page
    assert set(before) - set(ends_in(page)) == {lost}
    assert sorted([(await each.see()).status_code for each in others]) == [200, 303]
    assert (await ann.see()).status_code == 200
    await ann.post(lost)
    assert "has already ended" in (await ann.http.get("/you/")).text


async def test_sessions_of_other_users_cannot_be_ended(
    acme: Cast, ann: Person, staff: Person
) -> None:
    other = token_digest(ann.http.cookies[SESSION].rpartition(".")[0])
    await staff.post(f"/you/sessions/{other}/end/")
    assert "has already ended" in (await staff.http.get("/you/")).text
    assert (await ann.see()).status_code == 200


async def test_owners_see_recent_sign_ins_of_a_user(
    acme: Cast, ann: Person, browsers: Browsers
) -> None:
    (user_id,) = re.findall(
        rf'href="/desk/{acme.subdomain}/settings/users/(\w{{31}})/"',
        await ann.text("settings", "users"),
    )
    page = await ann.text("settings", "users", user_id)
    assert "Recent sign-ins" in page
    assert re.search(r"Signed in, new browser</td>.*Password set</td>", page, re.DOTALL)
    for _ in range(12):
        await try_to_sign_in(guest(acme, browsers))
    page = await ann.text("settings", "users", user_id)
    assert page.count("Signed in, new browser") == 10
    assert "Firefox on Linux" in page
    await ann.post("/sign-out/")
    await try_to_sign_in(ann)
    page = await ann.text("settings", "users", user_id)
    assert re.search(r"Signed in</td>.*Signed out</td>.*new browser", page, re.DOTALL)


async def test_without_sign_ins_the_page_says_so(acme: Cast, owner: Person) -> None:
    (user_id,) = re.findall(
        rf'href="/desk/{acme.subdomain}/settings/users/(\w{{31}})/"',
        await owner.text("settings", "users"),
    )
    assert "None yet." in await owner.text("settings", "users", user_id)


# --- Traces ---------------------------------------------------------------------------------------


def line_of(logs: Sequence[Mapping[str, object]], event: str) -> dict[str, object]:
    """The only log line of an event."""
    (line,) = [dict(each) for each in logs if each["event"] == event]
    return line


async def test_a_failed_sign_in_is_logged_with_request_and_network(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    person = guest(acme, browsers)
    with capture_logs() as logs:
        response = await try_to_sign_in(person, "my secret password", email="typed-by@mistake.test")
    assert line_of(logs, "sign-in failed") == {
        "event": "sign-in failed",
        "log_level": "warning",
        "request_id": response.headers["X-Request-Id"],
        "address": person.http.headers["X-Forwarded-For"],
        "reason": "wrong password",
    }
    assert "secret" not in str(logs)
    assert "mistake" not in str(logs)
    for _ in range(5):
        await try_to_sign_in(person, "wrong")
    with capture_logs() as logs:
        assert (await try_to_sign_in(person, "wrong")).status_code == 429
    assert line_of(logs, "sign-in failed")["reason"] == "too many attempts"


async def test_sign_ins_and_sign_outs_are_logged_and_in_the_audit_log(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    person = guest(acme, browsers)
    address = person.http.headers["X-Forwarded-For"]
    with capture_logs() as logs:
        entered = await try_to_sign_in(person)
        left = await person.post("/sign-out/")
    for event, response in (("signed in", entered), ("signed out", left)):
        assert line_of(logs, event) == {
            "event": event,
            "log_level": "info",
            "request_id": response.headers["X-Request-Id"],
            "address": address,
            "user": acme.owner,
        }
    user = await acme.db.fetch_one("SELECT id FROM app_user WHERE email = :e", {"e": acme.owner})
    assert user
    entries = await trail(acme, "user", user["id"])
    assert [(action, after) for _, action, _, after in entries][-2:] == [
        (
            "user.sign_in",
            {"address": address, "browser": "Firefox on Linux", "is_new_browser": True},
        ),
        ("user.sign_out", None),
    ]


async def test_other_changes_of_a_sign_in_are_logged(
    acme: Cast, ann: Person, browsers: Browsers
) -> None:
    other = guest(acme, browsers)
    await try_to_sign_in(other)
    link = await sign_in.create_link(acme.db, acme.owner, by=BY)
    new = "another harbour, at dusk"
    with capture_logs() as logs:
        await ann.http.get("/link/no-such-link/")
        await ann.post("/you/", {"current": "wrong", "new": new})
        await ann.post("/you/", {"current": PASSWORD, "new": "short"})
        (address,) = ends_in((await ann.http.get("/you/")).text)[:1]
        await ann.post(address)
        await ann.post("/you/", {"current": PASSWORD, "new": new})
        await other.post(f"/link/{link}/", {"password": PASSWORD})
        link = await sign_in.create_link(acme.db, acme.owner, by=BY)
        await other.post(f"/link/{link}/", {"password": PASSWORD})
        await other.post("/you/sign-out-everywhere/")
    logs = [each for each in logs if each["event"] != LEFT_OUT]
    assert [each["event"] for each in logs] == [
        "bad link",
        "sign-in failed",
        "session ended",
        "password set",
        "bad link",  # a new password ends the link
        "password set",
        "signed out everywhere",
    ]
    assert logs[1]["reason"] == "wrong current password"
    for secret in (PASSWORD, new, link, "no-such-link"):
        assert secret not in str(logs)


async def test_downloads_are_logged_and_in_the_audit_log(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, 1)
    await make_subscription(acme)
    with capture_logs() as logs:
        for parts in (("issues", issue["id"], "addresses"), ("ending", "csv")):
            assert (await owner.see(*parts)).status_code == 200
    logs = [each for each in logs if each["event"] != LEFT_OUT]
    assert [(each["event"], each["file"], each["user"], each["account"]) for each in logs] == [
        ("download", file, acme.owner, acme.subdomain)
        for file in ("issue-1-sent-to.csv", "ending-soon.csv")
    ]
    assert all(each["request_id"] and each["address"] for each in logs)
    ((by, action, _, after),) = [
        each for each in await trail(acme, "issue", issue["id"]) if "download" in each[1]
    ]
    assert (action, after) == ("issue.download", {"file": "issue-1-sent-to.csv"})
    assert by.startswith("user:")
    entries = await trail(acme, "account", str(acme.account_id))
    assert [(action, after) for _, action, _, after in entries if "download" in action] == [
        ("account.download", {"file": "ending-soon.csv"})
    ]
    page = await owner.text("settings", "log")
    assert "Addresses downloaded" in page
    assert "Renewal list downloaded" in page


@contextmanager
def written_log() -> Iterator[io.StringIO]:
    """Log lines as `masthead serve` writes them if stderr is not a terminal."""
    written = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", written)
        configure_logging("info")
        try:
            yield written
        finally:
            reset_logs()


async def test_the_documented_fail2ban_filter_matches_only_refusals(
    acme: Cast, browsers: Browsers
) -> None:
    docs = Path(__file__).parents[3] / "docs" / "operations.md"
    (rule,) = re.findall(r"^failregex = (.+)$", docs.read_text(encoding="utf-8"), re.MULTILINE)
    finds = re.compile(rule.replace("<HOST>", r"(?P<host>[0-9A-Fa-f.:]+)"))
    await set_password(acme)
    person = guest(acme, browsers)
    address = person.http.headers["X-Forwarded-For"]
    forged = '", "address": "198.51.100.9", "event": "sign-in failed'
    person.http.headers["X-Request-Id"] = "r" * 300
    with written_log() as log:
        await try_to_sign_in(person, forged, email=forged)
        await person.http.get("/v1/me/", headers={"Authorization": f"Bearer {forged}"})
        await person.http.get("/link/no-such-link/", headers={"User-Agent": forged})
        await try_to_sign_in(person)
        await person.post("/sign-out/")
    lines = [line for line in log.getvalue().splitlines() if LEFT_OUT not in line]
    events = [json.loads(line)["event"] for line in lines]
    assert events == ["sign-in failed", "bad key", "bad link", "signed in", "signed out"]
    found = [finds.search(line) for line in lines]
    assert [match["host"] if match else None for match in found] == [address] * 3 + [None] * 2
    assert all(re.search(r'"timestamp": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d', line) for line in lines)
