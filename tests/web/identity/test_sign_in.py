"""Sign-in, one-time links and the profile page."""

import asyncio
import html
import re
import secrets
from datetime import UTC, datetime, timedelta

import httpx
import pytest
import time_machine
from itsdangerous import Signer
from starlette.applications import Starlette

from masthead.app import create_app
from masthead.services.identity import sessions, sign_in
from masthead.services.identity.server_secrets import get_secret
from masthead.services.users import add_user
from masthead.settings import Settings
from masthead.store.engine.interface import Transaction
from masthead.store.identity.people import find_person
from masthead.web.kit.cookies import SESSION
from tests.conftest import BY, Cast
from tests.support.waiting import PATIENCE
from tests.web.conftest import Browsers, Person, signed_in

PASSWORD = "seven quiet lighthouses"
OTHER = "another harbour, at dusk"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


async def new_link(cast: Cast, email: str = "") -> str:
    """The path of a one-time link."""
    return f"/link/{await sign_in.create_link(cast.db, email or cast.owner, by=BY)}/"


async def set_password(cast: Cast, password: str = PASSWORD, email: str = "") -> None:
    token = await sign_in.create_link(cast.db, email or cast.owner, by=BY)
    await sign_in.use_link(cast.db, token, password)


def guest(cast: Cast, browsers: Browsers) -> Person:
    """A user without a session, at an address that no other test uses."""
    person = Person(browsers(), cast.subdomain, cast.owner)
    number = secrets.randbelow(2**24)
    person.http.headers["X-Forwarded-For"] = f"11.{number >> 16}.{number >> 8 & 255}.{number & 255}"
    return person


async def try_to_sign_in(
    person: Person, password: str, *, email: str = "", next: str = ""
) -> httpx.Response:
    fields = {"email": email or person.email, "password": password, "next": next}
    return await person.post("/sign-in/", fields)


def alert_of(response: httpx.Response) -> str:
    """The errors that a page shows."""
    found = re.findall(r'(?:role="alert".*?</div>|class="error">.*?</small>)', response.text, re.S)
    return html.unescape(" ".join(re.sub(r"<[^>]*>|\s+", " ", each) for each in found))


# --- Signing in -----------------------------------------------------------------------------------


async def test_the_correct_password_opens_the_desk(acme: Cast, browsers: Browsers) -> None:
    await set_password(acme)
    person = guest(acme, browsers)
    response = await person.send("/sign-in/", {"email": acme.owner, "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (303, "/desk/")
    assert acme.name in await person.text()


async def test_a_signed_in_user_skips_the_sign_in_page(owner: Person) -> None:
    response = await owner.http.get("/sign-in/", params={"next": owner.address("issues")})
    assert response.headers["Location"] == owner.address("issues")


async def test_the_session_cookie_is_hidden_from_scripts_and_other_sites(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    response = await try_to_sign_in(guest(acme, browsers), PASSWORD)
    (cookie,) = [
        each for each in response.headers.get_list("Set-Cookie") if each.startswith(SESSION)
    ]
    flags = {flag.strip().lower() for flag in cookie.split(";")[1:]}
    assert flags == {"httponly", "samesite=lax", "path=/"}


async def test_with_an_https_url_the_cookie_is_sent_over_https_only(
    acme: Cast, database_url: str
) -> None:
    await set_password(acme)
    settings = Settings(database_url=database_url, public_url="https://desk.acme.test")
    app = create_app(settings, background=False)
    fields = {"email": acme.owner, "password": PASSWORD}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://a.test") as http,
    ):
        response = await http.post(
            "/sign-in/", data=fields, headers={"Origin": "https://desk.acme.test"}
        )
    assert response.status_code == 303
    assert "; secure" in response.headers["Set-Cookie"].lower()


@pytest.mark.parametrize(
    "scheme, forwarded, is_secure",
    [("http", "", False), ("http", "http", False), ("https", "", True), ("http", "https", True)],
)
async def test_a_request_over_https_gets_a_secure_cookie_despite_the_settings(
    app: Starlette, acme: Cast, scheme: str, forwarded: str, is_secure: bool
) -> None:
    await set_password(acme)
    fields = {"email": acme.owner, "password": PASSWORD}
    headers = {"Sec-Fetch-Site": "same-origin"} | (
        {"X-Forwarded-Proto": forwarded} if forwarded else {}
    )
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://a.test") as http:
        response = await http.post("/sign-in/", data=fields, headers=headers)
    assert ("; secure" in response.headers["Set-Cookie"].lower()) is is_secure


async def test_signing_in_starts_a_new_session_and_ends_the_old_one(
    app: Starlette, acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    person = await signed_in(app, acme, acme.owner, browsers())
    before = person.http.cookies[SESSION]
    await try_to_sign_in(person, PASSWORD)
    assert person.http.cookies[SESSION] != before
    assert (await person.see()).status_code == 200
    thief = browsers()
    thief.cookies.set(SESSION, before, domain="masthead.test")
    assert (await thief.get(person.address())).status_code == 303


@pytest.mark.parametrize("token", ["x" * 43, ""])
async def test_a_session_cookie_set_by_an_attacker_is_useless_even_after_the_sign_in(
    acme: Cast, browsers: Browsers, token: str
) -> None:
    await set_password(acme)
    planted = Signer(await get_secret(acme.db), salt="session").sign(token).decode()
    person = guest(acme, browsers)
    person.http.cookies.set(SESSION, planted, domain="masthead.test")
    await try_to_sign_in(person, PASSWORD)
    assert person.http.cookies[SESSION] != planted
    thief = browsers()
    thief.cookies.set(SESSION, planted, domain="masthead.test")
    assert (await thief.get(person.address())).status_code == 303


async def test_a_cookie_signed_with_another_secret_does_not_sign_in(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    token = owner.http.cookies[SESSION].rpartition(".")[0]
    forged = Signer(b"another", salt="session").sign(token).decode()
    person = guest(acme, browsers)
    person.http.cookies.set(SESSION, forged, domain="masthead.test")
    assert (await person.see()).status_code == 303


async def test_a_failed_sign_in_shows_the_error_and_keeps_the_address(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    person = guest(acme, browsers)
    target = person.address("issues")
    response = await try_to_sign_in(person, "wrong password", next=target)
    assert response.status_code == 400
    assert "do not match" in alert_of(response)
    assert f'value="{acme.owner}"' in response.text
    assert f'value="{target}"' in response.text
    assert "wrong password" not in response.text
    assert SESSION not in response.headers.get("Set-Cookie", "")


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"password": "x"}, "Type your email address."),
        ({"email": "ann@acme.test"}, "Type your password."),
        ({"email": " ", "password": "x"}, "Type your email address."),
        ({}, "Type your email address."),
    ],
)
async def test_missing_fields_are_marked(
    acme: Cast, browsers: Browsers, fields: dict[str, str], message: str
) -> None:
    response = await guest(acme, browsers).post("/sign-in/", fields)
    assert response.status_code == 400
    assert message in alert_of(response)
    assert 'aria-invalid="true"' in response.text


@pytest.mark.parametrize(
    "email", ["<script>alert(1)</script>", '"><img src=x>', "\0", "x" * 300_000, "\u202eann@a.test"]
)
async def test_any_text_is_accepted_as_an_address_without_an_error(
    acme: Cast, browsers: Browsers, email: str
) -> None:
    response = await try_to_sign_in(guest(acme, browsers), PASSWORD, email=email)
    assert response.status_code == 400
    assert "<script>alert" not in response.text
    assert "<img" not in response.text


async def test_a_wrong_password_of_any_length_gets_the_same_error(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    response = await try_to_sign_in(guest(acme, browsers), "x" * 500_000)
    assert "do not match" in alert_of(response)


async def test_the_fields_have_the_names_that_password_managers_expect(
    acme: Cast, browsers: Browsers
) -> None:
    page = (await guest(acme, browsers).http.get("/sign-in/")).text
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page


@pytest.mark.parametrize(
    "target, location",
    [
        ("/desk/acme/issues/?search=a", "/desk/acme/issues/?search=a"),
        ("/you/", "/you/"),
        ("https://evil.test/", "/desk/"),
        ("//evil.test/", "/desk/"),
        ("/\\evil.test", "/desk/"),
        ("javascript:alert(1)", "/desk/"),
        ("", "/desk/"),
    ],
)
async def test_the_sign_in_does_not_redirect_to_another_site(
    acme: Cast, browsers: Browsers, target: str, location: str
) -> None:
    await set_password(acme)
    response = await try_to_sign_in(guest(acme, browsers), PASSWORD, next=target)
    assert response.headers["Location"] == location


async def test_the_sign_in_opens_the_requested_page(acme: Cast, browsers: Browsers) -> None:
    await set_password(acme)
    person = guest(acme, browsers)
    first = await person.see("settings", "users")
    response = await person.send(
        "/sign-in/", {"email": acme.owner, "password": PASSWORD}, opened=first.headers["Location"]
    )
    assert response.headers["Location"] == person.address("settings", "users")


async def test_after_too_many_attempts_a_user_waits_for_a_limited_time(
    acme: Cast, browsers: Browsers
) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        await set_password(acme)
        person = guest(acme, browsers)
        for _ in range(5):
            assert (await try_to_sign_in(person, "wrong")).status_code == 400
        clock.shift(timedelta(milliseconds=1))
        refused = await try_to_sign_in(person, PASSWORD)
        assert refused.status_code == 429
        assert refused.headers["Retry-After"] == "1"
        assert "try again in a second" in alert_of(refused)
        assert f'value="{acme.owner}"' in refused.text
        clock.shift(timedelta(seconds=1))
        assert (await try_to_sign_in(person, PASSWORD)).status_code == 303


async def test_guesses_from_one_network_do_not_affect_another_network(
    acme: Cast, browsers: Browsers
) -> None:
    await set_password(acme)
    guesser = guest(acme, browsers)
    statuses = [
        (await try_to_sign_in(guesser, "wrong", email=f"{number}@nowhere.test")).status_code
        for number in range(21)
    ]
    assert statuses == [400] * 20 + [429]
    assert (await try_to_sign_in(guest(acme, browsers), PASSWORD)).status_code == 303


async def test_an_idle_session_ends(app: Starlette, acme: Cast, browsers: Browsers) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        person = await signed_in(app, acme, acme.owner, browsers())
        clock.shift(timedelta(hours=1, minutes=59))
        assert (await person.see()).status_code == 200
        clock.shift(timedelta(hours=2, seconds=1))
        response = await person.see()
        assert response.headers["Location"] == f"/sign-in/?next={person.address()}"


async def test_a_session_ends_after_twelve_hours(
    app: Starlette, acme: Cast, browsers: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "SEEN_PATIENCE", PATIENCE)  # each request stores that it came
    with time_machine.travel(NOON, tick=False) as clock:
        person = await signed_in(app, acme, acme.owner, browsers())
        for _ in range(11):
            clock.shift(timedelta(hours=1))
            assert (await person.see()).status_code == 200
        clock.shift(timedelta(hours=1))
        assert (await person.see()).status_code == 303


async def test_signing_out_ends_the_session_and_deletes_the_cookie(
    owner: Person, browsers: Browsers
) -> None:
    cookie = owner.http.cookies[SESSION]
    response = await owner.post("/sign-out/")
    assert response.headers["Location"] == "/sign-in/"
    assert SESSION not in owner.http.cookies
    thief = browsers()
    thief.cookies.set(SESSION, cookie, domain="masthead.test")
    assert (await thief.get(owner.address())).status_code == 303


# --- Links ----------------------------------------------------------------------------------------


async def test_a_link_sets_the_password_and_signs_in(acme: Cast, browsers: Browsers) -> None:
    link = await new_link(acme)
    person = guest(acme, browsers)
    page = (await person.http.get(link)).text
    assert acme.owner in page
    assert 'autocomplete="new-password"' in page
    assert 'autocomplete="username"' in page
    response = await person.send(link, {"password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (303, "/desk/")
    assert "Your password is set." in await person.text()
    assert (await try_to_sign_in(guest(acme, browsers), PASSWORD)).status_code == 303


async def test_a_user_without_a_name_is_asked_for_it_with_the_password(
    acme: Cast, browsers: Browsers
) -> None:
    person = guest(acme, browsers)
    link = await new_link(acme)
    page = (await person.http.get(link)).text
    assert 'name="full_name"' in page
    await person.send(link, {"full_name": " Ada Byron ", "password": PASSWORD})
    found = await find_person(acme.db, acme.owner)
    assert found is not None
    assert found.full_name == "Ada Byron"
    again = await new_link(acme)
    assert 'name="full_name"' not in (await person.http.get(again)).text
    await person.send(again, {"full_name": "Eve", "password": PASSWORD})
    found = await find_person(acme.db, acme.owner)
    assert found is not None
    assert found.full_name == "Ada Byron"


async def test_a_new_user_keeps_the_language_of_the_page_with_the_link(
    acme: Cast, browsers: Browsers
) -> None:
    """The account is in English."""
    person = guest(acme, browsers)
    person.http.headers["Accept-Language"] = "de"
    link = await new_link(acme)
    assert "Passwort festlegen" in (await person.http.get(link)).text
    await person.send(link, {"password": PASSWORD})
    assert "Ihr Passwort ist festgelegt." in await person.text()
    await person.post("/you/locale/", {"locale": ""})  # as each account has chosen
    await person.send(await new_link(acme), {"password": PASSWORD})
    assert "Your password is set." in await person.text()  # not a new user any more


@pytest.mark.parametrize("wanted", ["en-US", "fr", ""])
async def test_other_languages_leave_that_of_the_account(
    acme: Cast, browsers: Browsers, wanted: str
) -> None:
    person = guest(acme, browsers)
    person.http.headers["Accept-Language"] = wanted
    await person.send(await new_link(acme), {"password": PASSWORD})
    found = await find_person(acme.db, acme.owner)
    assert found is not None
    assert found.locale is None


async def test_opening_a_link_does_not_use_it(acme: Cast, browsers: Browsers) -> None:
    link = await new_link(acme)
    for _ in range(3):
        assert (await browsers().get(link)).status_code == 200
        assert (await browsers().head(link)).status_code == 200
    assert (await guest(acme, browsers).post(link, {"password": PASSWORD})).status_code == 303


@pytest.mark.parametrize(
    "password, message",
    [
        ("", "Type a new password"),
        ("short", "has 5 characters"),
        ("x" * 129, "has 129 characters"),
        ("password1234", "too common"),
    ],
)
async def test_a_bad_password_is_rejected_and_the_link_still_works(
    acme: Cast, browsers: Browsers, password: str, message: str
) -> None:
    link = await new_link(acme)
    person = guest(acme, browsers)
    response = await person.post(link, {"password": password})
    assert response.status_code == 400
    assert message in alert_of(response)
    assert (await person.post(link, {"password": PASSWORD})).status_code == 303


@pytest.mark.parametrize("kind", ["used", "expired", "replaced", "joined", "made up"])
async def test_an_expired_link_says_what_to_do(
    acme: Cast, rival: Cast, browsers: Browsers, kind: str
) -> None:
    person = guest(acme, browsers)
    with time_machine.travel(NOON, tick=False) as clock:
        link = await new_link(acme)
        if kind == "used":
            await person.post(link, {"password": PASSWORD})
        elif kind == "expired":
            clock.shift(timedelta(days=1))
        elif kind == "replaced":
            await new_link(acme)
        elif kind == "joined":
            await add_user(rival.db, rival.account_id, email=acme.owner, by=BY)
        else:
            link = f"/link/{'x' * 43}/"
        for response in (
            await browsers().get(link),
            await guest(acme, browsers).post(link, {"password": OTHER}),
        ):
            assert response.status_code == 404
            assert "/sign-in/" in response.text
            assert "masthead user reset" in response.text


async def test_only_one_of_two_simultaneous_uses_of_a_link_signs_in(
    acme: Cast, browsers: Browsers
) -> None:
    link = await new_link(acme)
    people = [guest(acme, browsers) for _ in range(2)]
    responses = await asyncio.gather(
        people[0].post(link, {"password": PASSWORD}), people[1].post(link, {"password": OTHER})
    )
    assert sorted(each.status_code for each in responses) == [303, 404]
    assert sorted([(await each.see()).status_code for each in people]) == [200, 303]


async def test_a_link_form_that_is_sent_twice_still_signs_in(
    acme: Cast, browsers: Browsers
) -> None:
    person, link = guest(acme, browsers), await new_link(acme)
    forms = [
        (link, {"password": PASSWORD}),
        ("/you/", {"current": PASSWORD, "new": OTHER}),
        ("/sign-in/", {"email": acme.owner, "password": OTHER}),
    ]
    for address, fields in forms:
        for _ in range(2):
            assert (await person.post(address, fields)).status_code == 303
            assert (await person.see()).status_code == 200


async def test_a_link_ends_older_sessions(owner: Person, acme: Cast, browsers: Browsers) -> None:
    await guest(acme, browsers).post(await new_link(acme), {"password": PASSWORD})
    assert (await owner.see()).status_code == 303


# --- The profile page -----------------------------------------------------------------------------


@pytest.fixture
async def ann(app: Starlette, acme: Cast, browsers: Browsers) -> Person:
    """The owner, signed in, with a password."""
    await set_password(acme)
    person = await signed_in(app, acme, acme.owner, browsers())
    person.http.headers.update(guest(acme, browsers).http.headers)
    return person


async def test_changing_the_password_ends_other_sessions(
    app: Starlette, acme: Cast, ann: Person, browsers: Browsers
) -> None:
    elsewhere = await signed_in(app, acme, acme.owner, browsers())
    response = await ann.send("/you/", {"current": PASSWORD, "new": OTHER})
    assert response.status_code == 303
    assert "Your password is changed." in (await ann.http.get("/you/")).text
    assert (await elsewhere.see()).status_code == 303
    assert (await try_to_sign_in(guest(acme, browsers), OTHER)).status_code == 303


@pytest.mark.parametrize(
    "current, new, message",
    [
        ("wrong", OTHER, "not your current password"),
        (PASSWORD, "short", "has 5 characters"),
        (PASSWORD, "", "Type a new password"),
        ("", OTHER, "Type your current"),
    ],
)
async def test_a_rejected_password_change_says_why_and_ends_no_session(
    ann: Person, current: str, new: str, message: str
) -> None:
    response = await ann.send("/you/", {"current": current, "new": new})
    assert response.status_code == 400
    assert message in alert_of(response)
    assert (await ann.see()).status_code == 200


async def test_guesses_of_the_current_password_are_throttled(ann: Person) -> None:
    guess = {"current": "wrong", "new": OTHER}
    for _ in range(5):
        assert (await ann.post("/you/", guess)).status_code == 400
    response = await ann.post("/you/", guess)
    assert response.status_code == 429
    assert "Too many failed attempts" in alert_of(response)


async def test_no_page_keeps_the_passwords_of_signed_out_users(browsers: Browsers) -> None:
    response = await browsers().post("/you/", data={"current": PASSWORD, "new": OTHER})
    assert response.status_code == 401
    assert PASSWORD not in response.text
    assert OTHER not in response.text


async def test_keyboard_shortcuts_can_be_turned_off_and_on(ann: Person) -> None:
    for choice, is_on in (("no", False), ("yes", True)):
        response = await ann.post("/you/shortcuts/", {"has_shortcuts": choice})
        assert response.status_code == 303
        page = (await ann.http.get("/you/")).text
        assert ("data-shortcuts" in page) is is_on
        assert ("Turn them off" in page) is is_on


async def test_a_user_can_choose_the_language_and_formats_of_the_pages(
    ann: Person, acme: Cast
) -> None:
    for chosen, day in (("de_DE", r"\d\d\.\d\d\.\d{4}, "), ("", r"\d+ [A-Z][a-z]+ \d{4}, ")):
        response = await ann.post("/you/locale/", {"locale": chosen})
        assert response.status_code == 303
        page = (await ann.http.get("/you/")).text
        assert (f'<option value="{chosen}" selected>' in page) is bool(chosen)
        assert re.search(day, page)


async def test_an_unknown_language_is_refused(ann: Person) -> None:
    response = await ann.post("/you/locale/", {"locale": "tlh_KX"})
    assert response.status_code == 400
    assert "tlh_KX" in response.text


async def test_sessions_are_listed_with_their_addresses(
    app: Starlette, acme: Cast, ann: Person, browsers: Browsers
) -> None:
    await try_to_sign_in(guest(acme, browsers), PASSWORD)
    page = (await ann.http.get("/you/")).text
    assert page.count("<tr>") == 1 + 3  # the head; by the link, here, and the newest
    assert page.count("(this browser)") == 1
    assert "11." in page


async def test_signing_out_everywhere_ends_all_sessions(
    app: Starlette, acme: Cast, ann: Person, browsers: Browsers
) -> None:
    elsewhere = await signed_in(app, acme, acme.owner, browsers())
    response = await ann.post("/you/sign-out-everywhere/")
    assert response.headers["Location"] == "/sign-in/"
    assert SESSION not in ann.http.cookies
    assert (await elsewhere.see()).status_code == 303


async def test_a_user_of_two_accounts_can_switch_between_them(
    app: Starlette, acme: Cast, rival: Cast, browsers: Browsers
) -> None:
    await add_user(rival.db, rival.account_id, email=acme.owner, by=BY)
    person = await signed_in(app, acme, acme.owner, browsers())
    choice = (await person.http.get("/desk/")).text
    for page in (choice, await person.text(), (await person.http.get("/you/")).text):
        for cast in (acme, rival):
            assert f'href="/desk/{cast.subdomain}/"' in page
    person.at = rival.subdomain
    assert (await person.see()).status_code == 200
    assert (await person.see("settings", "users")).status_code == 403


async def test_a_user_without_an_account_is_told_what_to_do(
    app: Starlette, acme: Cast, browsers: Browsers
) -> None:
    person = await signed_in(app, acme, acme.owner, browsers())

    async def work(tx: Transaction) -> None:
        await tx.execute("DELETE FROM account_user WHERE account_id = :id", {"id": acme.account_id})

    await acme.db.write(work)
    assert "not a user of any account" in (await person.http.get("/desk/")).text
    assert "invite you" in (await person.http.get("/you/")).text
