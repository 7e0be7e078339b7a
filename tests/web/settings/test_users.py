"""The pages of users: invite, change a role, create a link, remove."""

import html
import re

import httpx
import pytest
from starlette.applications import Starlette

from masthead.model.actors import Actor
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.model.types.enums import Role, Scope
from masthead.services import keys, users
from masthead.services.identity import sign_in
from masthead.settings import Settings
from masthead.store import users as store
from masthead.store.identity import people
from masthead.store.users import User
from tests.conftest import BY, Cast, make_account, serving
from tests.services.test_accounts import trail
from tests.web.conftest import Browsers, Person, fields_of, signed_in, ticks_of

PASSWORD = "seven quiet lighthouses"


async def bob_of(cast: Cast, role: Role = Role.STAFF) -> User:
    """Another user of the account."""
    invited = await users.invite_user(
        cast.db, cast.account_id, email=f"bob@{cast.subdomain}.test", role=role, by=BY
    )
    return await store.get_user(cast.db, cast.account_id, invited.id)


def link_in(page: str) -> str:
    """The path of the one-time link that a page shows."""
    (path,) = re.findall(r'id="link">http://127\.0\.0\.1:8000(/link/[\w-]{43}/)<', page)
    return str(path)


async def test_an_invited_user_signs_in_with_the_link(
    acme: Cast, owner: Person, browsers: Browsers
) -> None:
    email = f"cleo@{acme.subdomain}.test"
    address = owner.address("settings", "users", "new")
    response = await owner.send(address, {"email": f" {email} ", "role": "staff"})
    assert response.status_code == 200
    assert "data-copy" in response.text
    assert "seven days" in response.text
    assert "No email goes out, because there is no mail server." in response.text
    cleo = Person(browsers(), acme.subdomain, email)
    assert (await cleo.post(link_in(response.text), {"password": PASSWORD})).status_code == 303
    assert (await cleo.see()).status_code == 200
    assert (await cleo.see("settings", "users")).status_code == 403
    listed = await owner.text("settings", "users")
    assert email in listed
    user = await store.find_user(acme.db, acme.account_id, email)
    assert user
    again = owner.address("settings", "users", user.id)
    assert f'<a href="{again}">create another link on the page of' in response.text
    entries = await trail(acme, "user", user.id)
    assert [action for _, action, _, _ in entries] == ["user.invite", "user.set_password"]


async def test_the_language_menu_of_a_page_with_a_link_leads_to_the_user(
    acme: Cast, owner: Person
) -> None:
    bob = await bob_of(acme)
    user = owner.address("settings", "users", bob.id)
    response = await owner.send(f"{user}link/", opened=user)
    assert response.status_code == 200
    assert f'name="next" value="{user}"' in response.text


async def test_rights_that_are_ticked_but_not_chosen_are_refused(acme: Cast, owner: Person) -> None:
    email = f"cleo@{acme.subdomain}.test"
    address = owner.address("settings", "users", "new")
    ticked = {"email": email, "role": "staff", "rights": "dispatch"}
    refused = await owner.send(address, ticked)
    assert refused.status_code == 400
    assert "You changed the ticks, but they count only with" in refused.text
    assert await store.find_user(acme.db, acme.account_id, email) is None
    await owner.send(address, {**ticked, "role": "chosen"})
    user = await store.find_user(acme.db, acme.account_id, email)
    assert user
    assert user.rights == {"dispatch"}
    again = {"role": "staff", "rights": "dispatch"}  # as the page showed them
    await owner.send(owner.address("settings", "users", user.id), again)
    user = await store.find_user(acme.db, acme.account_id, email)
    assert user
    assert user.own_rights is None


async def test_the_ticks_of_chosen_rights_begin_with_those_of_the_user(
    acme: Cast, owner: Person
) -> None:
    def ticked(page: str) -> set[str]:
        return set(re.findall(r'name="rights" value="(\w+)" checked', page))

    bob = await bob_of(acme)
    assert ticked(await owner.text("settings", "users", bob.id)) == STAFF_RIGHTS
    assert ticked(await owner.text("settings", "users", "new")) == STAFF_RIGHTS
    chosen = {"role": "chosen", "rights": "dispatch"}
    await owner.send(owner.address("settings", "users", bob.id), chosen)
    assert ticked(await owner.text("settings", "users", bob.id)) == {"dispatch"}


LEFT_OUT = (
    "Not given, because it also needs “Take orders” or “See money”: Bill and record payments. "
    "Not given, because it also needs “See money”: Import."
)


async def test_a_right_that_needs_another_one_is_not_given_without_it(
    acme: Cast, owner: Person
) -> None:
    bob = await bob_of(acme)
    address = owner.address("settings", "users", bob.id)
    ticked: dict[str, str | list[str]] = {
        "role": "chosen",
        "rights": ["bill", "dispatch", "import"],
    }
    sent = await owner.send(address, ticked)
    page = html.unescape(await owner.text("settings", "users"))
    assert sent.status_code == 303
    assert f"{bob.email} now has these rights: Dispatch. {LEFT_OUT}" in page
    user = await store.get_user(acme.db, acme.account_id, bob.id)
    assert user.rights == {"dispatch"}
    edited = await owner.text("settings", "users", bob.id)
    assert re.findall(r'name="rights" value="(\w+)" checked', edited) == ["dispatch"]
    await owner.send(address, {"role": "chosen", "rights": ["see_money", "import"]})
    page = html.unescape(await owner.text("settings", "users"))
    assert "now has these rights: See money, Import." in page
    assert "Not given" not in page


async def test_the_form_of_an_invitation_proposes_few_rights(owner: Person) -> None:
    page = await owner.text("settings", "users", "new")
    assert fields_of(page)["role"] == "assistant"


async def test_who_invites_is_told_of_rights_that_are_not_given(acme: Cast, owner: Person) -> None:
    email = f"cleo@{acme.subdomain}.test"
    ticked: dict[str, str | list[str]] = {"role": "chosen", "rights": ["import", "dispatch"]}
    ticked["email"] = email
    answer = await owner.send(owner.address("settings", "users", "new"), ticked)
    assert "Not given, because it also needs “See money”: Import." in html.unescape(answer.text)
    user = await store.find_user(acme.db, acme.account_id, email)
    assert user
    assert user.rights == {"dispatch"}


async def test_an_invitation_form_that_is_sent_twice_invites_once(
    acme: Cast, owner: Person
) -> None:
    address = owner.address("settings", "users", "new")
    page = await owner.text("settings", "users", "new")
    shown = {**fields_of(page), **ticks_of(page)}
    fields = {**shown, "email": f"cleo@{acme.subdomain}.test", "role": "owner"}
    first, second = [await owner.post(address, fields) for _ in range(2)]
    assert first.status_code == 200
    assert second.status_code == 303
    assert "was already invited" in await owner.text("settings", "users")
    assert (await owner.http.get(link_in(first.text))).status_code == 200


@pytest.mark.parametrize(
    "email, message",
    [
        ("", "Type the email address"),
        ("cleo", "expected an email address"),
        ("a" * 255 + "@acme.test", "at most 255"),
    ],
)
async def test_an_invalid_address_is_marked_and_kept(
    owner: Person, email: str, message: str
) -> None:
    address = owner.address("settings", "users", "new")
    response = await owner.send(address, {"email": email, "role": "owner"})
    assert response.status_code == 400
    assert message in response.text
    assert f'value="{email}"' in response.text
    assert re.search(r'<input checked[^>]*value="owner"', response.text)


async def test_an_unknown_role_is_rejected(acme: Cast, owner: Person) -> None:
    bob = await bob_of(acme)
    for parts in (("new",), (bob.id,)):
        response = await owner.send(
            owner.address("settings", "users", *parts),
            {"email": f"cleo@{acme.subdomain}.test", "role": "emperor"},
        )
        assert response.status_code == 400


async def test_a_user_with_a_password_is_added_without_a_link(
    app: Starlette, acme: Cast, rival: Cast, owner: Person, browsers: Browsers
) -> None:
    await users.invite_user(rival.db, rival.account_id, email=acme.owner, role=Role.OWNER, by=BY)
    bob = await bob_of(acme)
    _, token = await users.reset_user(acme.db, acme.account_id, bob.id, by=BY)
    await browsers().post(f"/link/{token}/", data={"password": PASSWORD})
    owner.at = rival.subdomain
    address = owner.address("settings", "users", "new")
    for message in ("is now a user of this account", "is already a user of this account"):
        response = await owner.send(address, {"email": bob.email})
        assert response.status_code == 303
        assert message in await owner.text("settings", "users")


async def set_password(cast: Cast) -> None:
    """Give the owner of an account a password."""
    token = await sign_in.create_link(cast.db, cast.owner, by=BY)
    await sign_in.use_link(cast.db, token, PASSWORD)


def neutral(page: str, email: str) -> str:
    """A page without the parts that differ between users."""
    page = re.sub(r"/link/[\w-]{43}/", "/link/", page.replace(email, "EMAIL"))
    page = re.sub(r"/users/\w{31}/", "/users/ID/", page)
    return re.sub(r'name="idempotency_key" type="hidden" value="[^"]*"', "", page)


async def test_an_invitation_does_not_reveal_that_another_publisher_has_the_address(
    acme: Cast, rival: Cast, owner: Person
) -> None:
    await set_password(rival)
    fresh = f"new@{acme.subdomain}.test"
    pages: dict[str, list[str]] = {}
    for email in (fresh, rival.owner):
        pages[email] = []
        for _ in range(2):
            response = await owner.send(
                owner.address("settings", "users", "new"), {"email": email, "role": "staff"}
            )
            assert response.status_code == 200
            pages[email].append(neutral(response.text, email))
        user = await store.find_user(acme.db, acme.account_id, email)
        assert user
        pages[email].append(neutral(await owner.text("settings", "users", user.id), email))
        linked = await owner.post(owner.address("settings", "users", user.id, "link"))
        assert linked.status_code == 200
        pages[email].append(neutral(linked.text, email))
        listed = await owner.text("settings", "users")
        (row,) = re.findall(rf"<tr>(?:(?!</tr>).)*{re.escape(email)}.*?</tr>", listed, re.DOTALL)
        pages[email].append(neutral(row, email))
    assert pages[fresh] == pages[rival.owner]


async def test_a_user_of_another_account_signs_in_and_accepts(
    app: Starlette, acme: Cast, rival: Cast, owner: Person, browsers: Browsers
) -> None:
    await set_password(rival)
    response = await owner.send(
        owner.address("settings", "users", "new"), {"email": rival.owner, "role": "staff"}
    )
    path = link_in(response.text)
    guest = Person(browsers(), acme.subdomain, rival.owner)
    opened = await guest.http.get(path)
    assert opened.headers["Location"] == f"/sign-in/?next={path}"
    signing = await guest.send(opened.headers["Location"], {})
    fields = {"email": rival.owner, "password": PASSWORD, "next": path}
    signing = await guest.post("/sign-in/", fields)
    assert signing.headers["Location"] == path
    assert (await guest.see()).status_code == 404
    page = (await guest.http.get(path)).text
    assert "Accept" in page
    assert "password" in page
    accepted = await guest.post(path)
    assert accepted.headers["Location"] == f"/desk/{acme.subdomain}/"
    assert (await guest.see()).status_code == 200
    assert (await guest.see("settings", "users")).status_code == 403
    assert (await guest.http.get(path)).status_code == 404


async def test_an_invitation_is_for_one_user_and_sets_no_password(
    acme: Cast, rival: Cast, owner: Person
) -> None:
    await set_password(rival)
    response = await owner.send(
        owner.address("settings", "users", "new"), {"email": rival.owner, "role": "staff"}
    )
    path = link_in(response.text)
    page = (await owner.http.get(path)).text
    assert "for a different user" in page
    assert rival.owner not in page
    assert "for a different user" in (await owner.post(path, {"password": "x" * 20})).text
    user = await store.find_user(acme.db, acme.account_id, rival.owner)
    assert user
    assert user.is_pending


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "'\"&", "\u05d0\u05d1\u05d2"])
async def test_an_address_is_escaped(acme: Cast, owner: Person, name: str) -> None:
    address = owner.address("settings", "users", "new")
    response = await owner.send(address, {"email": f"{name}@{acme.subdomain}.test"})
    assert "<script>alert" not in response.text
    assert html.escape(name).replace("&quot;", "&#34;").replace("&#x27;", "&#39;") in response.text


async def test_the_list_shows_role_and_status(acme: Cast, owner: Person) -> None:
    await bob_of(acme)
    page = await owner.text("settings", "users")
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)[1:]
    texts = [re.sub(r"<[^>]*>|\s+", " ", row).split() for row in rows]
    assert texts[0] == [
        f"bob@{acme.subdomain}.test",
        "Staff",
        *"Never; no password yet Off".split(),
    ]
    assert texts[1][:3] == [acme.owner, "(you)", "Owner"]
    # a phone shows a row as a card, without the headings of the columns
    assert re.findall(r'data-label="([^"]*)"', rows[0]) == ["Last seen", "Two-step sign-in"]


async def test_a_role_is_changed(acme: Cast, owner: Person) -> None:
    bob = await bob_of(acme)
    response = await owner.send(owner.address("settings", "users", bob.id), {"role": "owner"})
    assert response.headers["Location"] == owner.address("settings", "users")
    assert "is now an owner" in await owner.text("settings", "users")
    assert (await store.get_user(acme.db, acme.account_id, bob.id)).role == Role.OWNER


async def test_the_last_owner_cannot_be_demoted_or_removed(acme: Cast, owner: Person) -> None:
    me = (await store.list_users(acme.db, acme.account_id))[0]
    for parts in ((me.id,), (me.id, "remove")):
        response = await owner.send(owner.address("settings", "users", *parts), {"role": "staff"})
        assert response.status_code == 400
        assert "the only owner" in response.text


async def test_a_user_who_loses_the_owner_role_is_redirected_to_the_desk(
    acme: Cast, owner: Person
) -> None:
    await bob_of(acme, Role.OWNER)
    me = await store.find_user(acme.db, acme.account_id, acme.owner)
    assert me
    response = await owner.send(owner.address("settings", "users", me.id), {"role": "staff"})
    assert response.headers["Location"] == "/desk/"
    assert (await owner.see("settings", "users")).status_code == 403


async def test_a_new_link_resets_a_password(acme: Cast, owner: Person, browsers: Browsers) -> None:
    bob = await bob_of(acme)
    response = await owner.post(owner.address("settings", "users", bob.id, "link"))
    assert response.status_code == 200
    assert "within a day" in response.text
    path = link_in(response.text)
    assert (await browsers().post(path, data={"password": PASSWORD})).status_code == 303


async def test_a_link_ends_when_its_user_accepts_the_invitation_of_another_publisher(
    acme: Cast, rival: Cast, owner: Person, browsers: Browsers
) -> None:
    """Otherwise the owner who kept the link could open the account of the other publisher."""
    await set_password(rival)
    bob = await bob_of(acme)
    token = await sign_in.create_link(acme.db, bob.email, by=BY)
    await sign_in.use_link(acme.db, token, PASSWORD)
    response = await owner.post(owner.address("settings", "users", bob.id, "link"))
    kept = link_in(response.text)
    other = await people.find_person(rival.db, rival.owner)
    assert other
    invited = await users.invite_user(
        rival.db,
        rival.account_id,
        email=bob.email,
        role=Role.OWNER,
        by=Actor(kind="user", id=other.id),
    )
    guest = Person(browsers(), rival.subdomain, bob.email)
    await guest.post("/sign-in/", {"email": bob.email, "password": PASSWORD})
    assert (await guest.post(f"/link/{invited.token}/")).status_code == 303
    assert (await guest.see("settings", "users")).status_code == 200
    thief = browsers()
    for answer in (
        await thief.get(kept),
        await Person(thief, rival.subdomain).post(kept, {"password": "x" * 20}),
    ):
        assert answer.status_code == 404
        assert "This link no longer works" in answer.text
    assert (await guest.see("settings", "users")).status_code == 200


async def test_a_link_and_an_invitation_end_when_their_maker_is_no_longer_an_owner(
    acme: Cast, rival: Cast, owner: Person, browsers: Browsers
) -> None:
    await set_password(rival)
    bob = await bob_of(acme, Role.OWNER)
    by = Actor(kind="user", id=bob.id)
    paths = []
    for email in (f"cleo@{acme.subdomain}.test", rival.owner):
        invited = await users.invite_user(
            acme.db, acme.account_id, email=email, role=Role.OWNER, by=by
        )
        paths.append(f"/link/{invited.token}/")
    assert [(await browsers().get(path)).status_code for path in paths] == [200, 303]
    response = await owner.send(owner.address("settings", "users", bob.id), {"role": "staff"})
    assert response.status_code == 303
    assert [(await browsers().get(path)).status_code for path in paths] == [404, 404]
    for path in paths:
        answer = await Person(browsers(), acme.subdomain).post(path, {"password": PASSWORD})
        assert answer.status_code == 404


async def test_a_link_for_a_user_of_another_account_is_not_created(
    acme: Cast, rival: Cast, owner: Person
) -> None:
    bob = await bob_of(acme)
    await users.invite_user(rival.db, rival.account_id, email=bob.email, role=Role.STAFF, by=BY)
    response = await owner.post(owner.address("settings", "users", bob.id, "link"))
    assert response.status_code == 400
    assert "also in an account that you do not own" in response.text
    assert "/link/" not in response.text


async def test_the_page_lists_the_keys_that_a_user_created_for_others(
    acme: Cast, owner: Person
) -> None:
    bob = await bob_of(acme)
    by = Actor("user", bob.id)
    made = {}
    for name, user in (("Shop", acme.owner), ("Own", bob.email), ("Old", acme.owner)):
        made[name], _ = await keys.create_key(
            acme.db, acme.account_id, user=user, scope=Scope.READ_ONLY, name=name, by=by
        )
    await keys.revoke_key(acme.db, acme.account_id, made["Old"], by=BY)
    page = await owner.text("settings", "users", bob.id, "remove")
    assert "API keys for other users" in page
    assert re.findall(r'/roll/"><bdi class="cut">(\w+)<', page) == ["Shop"]


@pytest.mark.parametrize(
    "count, message", [(0, "no API keys"), (1, "Their API key"), (2, "2 API keys")]
)
async def test_the_page_shows_the_effects_before_a_user_is_removed(
    acme: Cast, owner: Person, count: int, message: str
) -> None:
    bob = await bob_of(acme)
    made = [
        await keys.create_key(
            acme.db, acme.account_id, user=bob.email, scope=Scope.READ_ONLY, by=BY
        )
        for _ in range(count)
    ]
    address = owner.address("settings", "users", bob.id, "remove")
    page = (await owner.http.get(address)).text
    assert message in page
    fields = fields_of(page)
    assert (await store.get_user(acme.db, acme.account_id, bob.id)).id == bob.id
    for text in ("is removed from", "was already done"):
        response = await owner.post(address, fields)
        assert response.headers["Location"] == owner.address("settings", "users")
        assert text in await owner.text("settings", "users")
    assert [(await acme.client.get("/v1/me/", key=key)).status_code for _, key in made] == [
        401
    ] * count


@pytest.mark.parametrize("parts", [(), ("link",), ("remove",)])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_users_of_other_accounts_are_not_found(
    rival: Cast, owner: Person, parts: tuple[str, ...], method: str
) -> None:
    theirs = await bob_of(rival)
    for id in (theirs.id, "0NOSUCH", theirs.id.lower()):
        if (parts, method) != (("link",), "GET"):
            address = owner.address("settings", "users", id, *parts)
            response = await owner.http.request(method, address, data={"role": "owner"})
            assert response.status_code == 404
    assert (await store.get_user(rival.db, rival.account_id, theirs.id)).role == Role.STAFF


async def test_links_are_sent_by_email_if_there_is_an_email_server(scratch_url: str) -> None:
    settings = Settings(
        database_url=scratch_url,
        public_url="https://desk.acme.test",
        smtp_host="mail.acme.test",
        mail_from="hello@acme.test",
    )
    async with (
        serving(settings) as (app, client),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="https://masthead.test"
        ) as http,
    ):
        cast = await make_account(client, app.state.db, "Acme")
        person = await signed_in(app, cast, cast.owner, http)
        address = person.address("settings", "users", "new")
        email = "cleo@acme.test"
        invited = await person.send(address, {"email": email})
        assert "sends them an email" in invited.text
        cleo = await store.find_user(cast.db, cast.account_id, email)
        assert cleo
        linked = await person.post(person.address("settings", "users", cleo.id, "link"))
        for page in (invited.text, linked.text):
            assert "sends them an email" in page
            assert "/link/" not in page  # only the recipient of the email can use it
        await set_password(rival := await make_account(client, app.state.db, "Rival"))
        asked = await person.send(address, {"email": rival.owner})
        assert neutral(asked.text, rival.owner) == neutral(invited.text, email)
        rows = await cast.db.fetch_all("SELECT * FROM outbox ORDER BY id", {})
    assert [row["recipient"] for row in rows] == [email, email, rival.owner]
    assert [row["subject"] for row in rows] == [
        "Your invitation to Acme",
        "Set a new password for Acme",
        "You are invited to Acme",
    ]
    for row in rows:
        assert "https://desk.acme.test/link/{token}/\n" in row["body"]


async def test_an_assistant_without_money_is_one_choice(acme: Cast, owner: Person) -> None:
    sam = await bob_of(acme)
    await owner.send(owner.address("settings", "users", sam.id), {"role": "assistant"})
    sam = await store.get_user(acme.db, acme.account_id, sam.id)
    assert sam.rights == {Right.TAKE_ORDERS, Right.CORRECT, Right.DISPATCH, Right.SEND_LETTERS}
    assert ">Assistant without access to money<" in await owner.text("settings", "users")
    address = owner.address("settings", "users", "new")
    await owner.send(address, {"email": f"kim@{acme.subdomain}.test", "role": "assistant"})
    log = html.unescape(re.sub(r"<[^>]+>", " ", await owner.text("settings", "log")))
    assert re.search(r"role:?\s+Assistant without access to money", log)
    assert not re.search(r"role:?\s+[Ss]taff", log.partition("kim@")[0])
    page = await owner.text("settings", "users", sam.id)
    assert re.search(r'<input checked[^>]*value="assistant"', page)
    assert page.count("<strong>") >= len(Right)
