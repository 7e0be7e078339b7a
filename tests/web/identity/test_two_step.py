"""Two-step sign-in: its setup, the second step, and accounts that require it."""

import html
import re
from datetime import UTC, datetime, timedelta

import httpx
import time_machine
from starlette.applications import Starlette

from masthead.services.identity import sign_in
from masthead.services.users import add_user
from tests.conftest import BY, Cast
from tests.services.identity.factors import code_of
from tests.web.conftest import Browsers, Person, fields_of, signed_in
from tests.web.identity.test_sign_in import (
    OTHER,
    PASSWORD,
    alert_of,
    guest,
    set_password,
    try_to_sign_in,
)

SECOND_STEP = "/sign-in/second-step/"


def key_of(page: str) -> str:
    """The key that a page shows for the app."""
    match = re.search(r'<code class="key">([A-Z2-7 ]+)</code>', page)
    assert match
    return match[1].replace(" ", "")


def codes_of(page: str) -> list[str]:
    """The recovery codes that a page shows."""
    match = re.search(r'<pre id="codes"[^>]*>(.*?)</pre>', page, re.DOTALL)
    return match[1].split() if match else []


async def switch_on(person: Person) -> tuple[str, list[str]]:
    """Add an authenticator app on the page; its key and the recovery codes.

    The clock stands meanwhile: the code of the step before expires when the current step ends.
    """
    page = await person.http.get("/you/two-step/app/")
    fields = fields_of(page.text)
    secret = fields["secret"]
    with time_machine.travel(datetime.now(UTC), tick=False):
        code = code_of(secret, steps=-1)
        answer = await person.post("/you/two-step/app/", {**fields, "code": code})
    assert answer.status_code == 200, alert_of(answer)
    return secret, codes_of(answer.text)


async def at_second_step(cast: Cast, browsers: Browsers, *, next: str = "") -> Person:
    """A user who typed the correct password and is redirected to the second step."""
    person = guest(cast, browsers)
    response = await try_to_sign_in(person, PASSWORD, next=next)
    assert response.headers["Location"].startswith(SECOND_STEP)
    return person


# --- The profile page ----------------------------------------------------------------------------


async def test_the_profile_links_to_two_step_sign_in(owner: Person) -> None:
    page = (await owner.http.get("/you/")).text
    assert "Two-step sign-in is <strong>off</strong>" in page
    await switch_on(owner)
    page = (await owner.http.get("/you/")).text
    assert "Two-step sign-in is <strong>on</strong>" in page


async def test_an_app_is_added_and_the_recovery_codes_are_shown_once(owner: Person) -> None:
    page = (await owner.http.get("/you/two-step/app/")).text
    assert key_of(page) == fields_of(page)["secret"]
    assert re.search(r'<img class="qr" src="data:image/svg\+xml[^"]+"', page)
    _, codes = await switch_on(owner)
    assert len(codes) == 10
    overview = (await owner.http.get("/you/two-step/")).text
    assert "10 of 10 recovery codes are left" in overview
    assert not [code for code in codes if code in overview]


async def test_after_a_wrong_code_the_page_shows_the_same_key(owner: Person) -> None:
    before = (await owner.http.get("/you/two-step/app/")).text
    fields = fields_of(before)
    answer = await owner.post("/you/two-step/app/", {**fields, "code": "12"})
    assert answer.status_code == 400
    assert "does not match" in alert_of(answer)
    assert key_of(answer.text) == key_of(before)
    answer = await owner.post("/you/two-step/app/", {**fields, "code": ""})
    assert "Type the code" in alert_of(answer)


async def test_an_invalid_secret_is_rejected_without_a_server_error(owner: Person) -> None:
    answer = await owner.post("/you/two-step/app/", {"secret": "<b>", "code": "123456"})
    assert answer.status_code == 400
    assert "<b>" not in answer.text


async def test_new_recovery_codes_are_shown(owner: Person) -> None:
    answer = await owner.post("/you/two-step/codes/")
    assert answer.status_code == 400
    assert "Add an authenticator app or a passkey first" in alert_of(answer)
    _, old = await switch_on(owner)
    answer = await owner.post("/you/two-step/codes/")
    assert len(set(codes_of(answer.text)) - set(old)) == 10


async def test_a_new_app_replaces_the_old_one_without_new_codes(owner: Person) -> None:
    await switch_on(owner)
    fields = fields_of((await owner.http.get("/you/two-step/app/")).text)
    code = code_of(fields["secret"])
    answer = await owner.post("/you/two-step/app/", {**fields, "code": code})
    assert answer.headers["Location"] == "/you/two-step/"


async def test_the_app_is_removed_after_a_confirmation(acme: Cast, owner: Person) -> None:
    await switch_on(owner)
    assert (
        "Remove the authenticator app" in (await owner.http.get("/you/two-step/app/remove/")).text
    )
    answer = await owner.post("/you/two-step/app/remove/")
    assert answer.headers["Location"] == "/you/two-step/"
    assert (
        "Two-step sign-in is <strong>off</strong>" in (await owner.http.get("/you/two-step/")).text
    )


async def test_two_step_sign_in_can_be_changed_only_with_the_password(
    acme: Cast, browsers: Browsers, app: Starlette
) -> None:
    await set_password(acme)
    person = await signed_in(app, acme, acme.owner, browsers())
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=16)):
        for address in ("/you/two-step/app/", "/you/two-step/passkeys/new/"):
            response = await person.http.get(address)
            assert response.headers["Location"] == "/you/confirm/"
        assert (await person.post("/you/two-step/codes/")).headers["Location"] == "/you/confirm/"
        assert (await person.http.get("/you/two-step/")).status_code == 200
        answer = await person.post("/you/confirm/", {"password": "wrong"})
        assert answer.status_code == 400
        assert "not your current password" in alert_of(answer)
        answer = await person.post("/you/confirm/", {"password": ""})
        assert "Type your password" in alert_of(answer)
        answer = await person.send("/you/confirm/", {"password": PASSWORD})
        assert answer.headers["Location"] == "/you/two-step/"
        assert (await person.http.get("/you/two-step/app/")).status_code == 200


async def test_wrong_passwords_at_the_confirmation_are_throttled(
    acme: Cast, browsers: Browsers, app: Starlette
) -> None:
    await set_password(acme)
    person = await signed_in(app, acme, acme.owner, browsers())
    person.http.headers["X-Forwarded-For"] = "203.0.113.77"
    answer = httpx.Response(0)
    for _ in range(12):
        answer = await person.post("/you/confirm/", {"password": "wrong"})
        if answer.status_code == 429:
            break
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0


# --- The second step -----------------------------------------------------------------------------


async def test_a_code_opens_the_requested_page(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    secret, _ = await switch_on(await signed_in_again(acme, browsers, owner))
    target = owner.address("issues")
    person = await at_second_step(acme, browsers, next=target)
    place = f"{SECOND_STEP}?next={target}"
    assert "Code from your authenticator app" in (await person.http.get(place)).text
    assert (await person.http.get(target)).status_code == 303
    answer = await person.post(place, {"code": code_of(secret)})
    assert answer.headers["Location"] == target
    assert (await person.http.get(target)).status_code == 200
    answer = await person.http.get(place)
    assert answer.headers["Location"].startswith("/sign-in/")


async def signed_in_again(cast: Cast, browsers: Browsers, owner: Person) -> Person:
    """The owner after setting a password, which ended their sessions."""
    person = guest(cast, browsers)
    assert (await try_to_sign_in(person, PASSWORD)).status_code == 303
    return person


async def test_wrong_codes_show_an_error_at_their_field_and_end_the_sign_in(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    await switch_on(await signed_in_again(acme, browsers, owner))
    person = await at_second_step(acme, browsers)
    for _ in range(2):
        answer = await person.post(SECOND_STEP, {"code": "nonsense"})
        assert answer.status_code == 400
        assert "does not match" in alert_of(answer)
    answer = await person.post(SECOND_STEP, {"recovery_code": "nonsense"})
    assert "unused recovery codes" in alert_of(answer)
    answer = await person.post(SECOND_STEP, {})
    assert "Type a code" in alert_of(answer)
    await person.post(SECOND_STEP, {"code": "nonsense"})
    answer = await person.post(SECOND_STEP, {"code": "nonsense"})
    assert answer.headers["Location"].startswith("/sign-in/?next=/desk/")
    assert "Start again" in html.unescape((await person.http.get("/sign-in/")).text)


async def test_many_wrong_codes_are_throttled(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    await switch_on(await signed_in_again(acme, browsers, owner))
    answer = httpx.Response(0)
    for _ in range(3):
        person = await at_second_step(acme, browsers)
        for _ in range(5):
            answer = await person.post(SECOND_STEP, {"code": "nonsense"})
            if answer.status_code == 429:
                break
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0


async def test_a_recovery_code_signs_in_once(acme: Cast, browsers: Browsers, owner: Person) -> None:
    await set_password(acme)
    _, codes = await switch_on(await signed_in_again(acme, browsers, owner))
    person = await at_second_step(acme, browsers)
    assert (await person.post(SECOND_STEP, {"recovery_code": codes[0]})).status_code == 303
    assert acme.name in await person.text()
    again = await at_second_step(acme, browsers)
    answer = await again.post(SECOND_STEP, {"recovery_code": codes[0]})
    assert answer.status_code == 400


async def test_the_sign_in_of_another_browser_cannot_be_finished(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    secret, _ = await switch_on(await signed_in_again(acme, browsers, owner))
    await at_second_step(acme, browsers)
    stranger = guest(acme, browsers)
    for cookie in (None, "made.up"):
        if cookie:
            stranger.http.cookies.set("masthead_step", cookie, domain="masthead.test")
        answer = await stranger.post(SECOND_STEP, {"code": code_of(secret)})
        assert answer.headers["Location"].startswith("/sign-in/")


async def test_the_cookie_of_the_second_step_is_hidden_from_scripts_and_ends_soon(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    await switch_on(await signed_in_again(acme, browsers, owner))
    person = guest(acme, browsers)
    response = await try_to_sign_in(person, PASSWORD)
    cookies = response.headers.get_list("Set-Cookie")
    (cookie,) = [each for each in cookies if each.startswith("masthead_step=")]
    flags = {flag.strip().lower() for flag in cookie.split(";")[1:]}
    assert flags == {"httponly", "samesite=lax", "path=/", "max-age=600"}
    assert not [each for each in cookies if each.startswith("masthead_session=")]


async def test_a_link_for_a_new_password_asks_for_the_second_step_too(
    acme: Cast, browsers: Browsers, owner: Person
) -> None:
    await set_password(acme)
    secret, _ = await switch_on(await signed_in_again(acme, browsers, owner))
    link = f"/link/{await sign_in.create_link(acme.db, acme.owner, by=BY)}/"
    person = guest(acme, browsers)
    answer = await person.send(link, {"password": OTHER})
    assert answer.headers["Location"].startswith(SECOND_STEP)
    assert "Your password is set." in (await person.http.get(SECOND_STEP)).text
    assert (await person.http.get(owner.address())).status_code == 303
    assert (await person.post(SECOND_STEP, {"code": code_of(secret)})).status_code == 303
    assert acme.name in await person.text()


async def test_no_page_keeps_the_codes_of_the_second_step(acme: Cast, browsers: Browsers) -> None:
    fields = {"secret": "SECRETSECRET", "code": "482915", "name": "Phone"}
    answer = await browsers().post("/you/two-step/app/", data=fields)
    assert answer.status_code == 401
    assert "SECRETSECRET" not in answer.text
    assert "482915" not in answer.text


# --- An account that requires it -----------------------------------------------------------------


async def test_an_owner_must_set_up_two_step_sign_in_before_requiring_it(
    acme: Cast, owner: Person
) -> None:
    address = owner.address("settings", "account")
    answer = await owner.send(address, {"requires_second_factor": "y"})
    assert answer.status_code == 400
    assert "Set up two-step sign-in for yourself first" in alert_of(answer)
    await switch_on(owner)
    answer = await owner.send(address, {"requires_second_factor": "y"})
    assert answer.status_code == 303
    page = await owner.text("settings", "account")
    assert re.search(r"<input[^>]*checked[^>]*name=\"requires_second_factor\"", page)
    answer = await owner.send(address, {"name": "Acme & Sons"})
    assert "checked" in await owner.text("settings", "account")


async def test_users_without_it_are_redirected_and_other_accounts_stay_open(
    acme: Cast, rival: Cast, owner: Person, staff: Person
) -> None:
    await add_user(rival.db, rival.account_id, email=staff.email, by=BY)
    await switch_on(owner)
    await owner.send(owner.address("settings", "account"), {"requires_second_factor": "y"})
    for address in (staff.address(), staff.address("issues"), staff.address("ending", "csv")):
        response = await staff.http.get(address)
        assert (response.status_code, response.headers["Location"]) == (303, "/you/two-step/")
    assert "requires two-step sign-in" in (await staff.http.get("/you/two-step/")).text
    assert (await staff.http.get(f"/desk/{rival.subdomain}/")).status_code == 200
    assert (await staff.http.get("/desk/")).status_code == 200
    response = await staff.http.get(staff.address(), headers={"HX-Request": "true"})
    assert (response.status_code, response.headers["HX-Refresh"]) == (403, "true")
    assert acme.name in await owner.text()
    await switch_on(staff)
    assert acme.name in await staff.text()
    assert (await staff.http.get("/you/two-step/")).text.count("requires two-step") == 0


async def test_an_open_form_is_kept_while_two_step_sign_in_is_set_up(
    acme: Cast, owner: Person, staff: Person
) -> None:
    page = await staff.http.get(staff.address("issues", "new"))
    fields = {**fields_of(page.text), "number": "7", "name": "Summer"}
    await switch_on(owner)
    await owner.send(owner.address("settings", "account"), {"requires_second_factor": "y"})
    answer = await staff.post(staff.address("issues", "new"), fields)
    assert answer.status_code == 403
    await switch_on(staff)
    kept = fields_of(answer.text)
    assert kept.items() >= {"number": "7", "name": "Summer"}.items()
    assert (await staff.post(staff.address("issues", "new"), kept)).status_code == 303


async def test_the_last_factor_stays_if_the_account_requires_one(owner: Person) -> None:
    await switch_on(owner)
    await owner.send(owner.address("settings", "account"), {"requires_second_factor": "y"})
    answer = await owner.post("/you/two-step/app/remove/")
    assert answer.status_code == 400
    assert "requires two-step sign-in" in alert_of(answer)


async def test_owners_see_who_uses_two_step_sign_in(owner: Person, staff: Person) -> None:
    await switch_on(staff)
    rows = re.findall(r"<tr>(.*?)</tr>", await owner.text("settings", "users"), re.DOTALL)[1:]
    assert [("On" in row, "Off" in row) for row in rows] == [(False, True), (True, False)]
