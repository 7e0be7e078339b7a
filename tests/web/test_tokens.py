"""Every kind of token and link: what it opens is checked again when it is used.

Each case makes one, sees that it works, changes the world, and uses it again. The rules at the end
find kinds without a case, and places that make tokens of no kind.
"""

import ast
import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette

from masthead.api.authentication import Access
from masthead.api.routes import ROUTES
from masthead.model.types.enums import Role
from masthead.services import accounts, users
from masthead.services.identity import second_factors, sessions, sign_in
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.users import add_user
from masthead.store import users as store
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people
from masthead.web.kit.router import PageAccess
from masthead.web.routes import PAGES
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import BY, Cast
from tests.services.identity.factors import SITE
from tests.services.identity.people import let_in
from tests.support import tokens
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.tokens import World
from tests.web.conftest import Browsers

ROOT = Path(__file__).resolve().parents[2]
OTHER = "another harbour, at dusk"


@pytest.fixture
async def world(app: Starlette, browsers: Browsers, acme: Cast, rival: Cast) -> World:
    """Acme with two owners, and Bob of the staff; and Rival."""
    maker = await let_in(acme, "maker", Role.OWNER)
    bob = await let_in(acme, "bob")
    return World(app, browsers, acme, rival, maker, bob)


# --- Changes of the world -------------------------------------------------------------------------


async def its_maker_loses_the_role(world: World) -> None:
    acme, id = world.acme, world.maker.user_id
    await users.change_role(acme.db, acme.account_id, id, role=Role.STAFF, by=BY)


async def its_maker_leaves_the_account(world: World) -> None:
    await users.remove_user(world.acme.db, world.acme.account_id, world.maker.user_id, by=BY)


async def its_user_leaves_the_account(world: World) -> None:
    await users.remove_user(world.acme.db, world.acme.account_id, world.bob.user_id, by=BY)


async def the_membership_ends(world: World) -> None:
    """The membership ends, and nothing else is done."""

    async def work(tx: Transaction) -> None:
        await store.delete_account_user(tx, world.acme.account_id, world.bob.user_id)

    await world.acme.db.write(work)


async def its_user_joins_another_account(world: World) -> None:
    await add_user(world.rival.db, world.rival.account_id, email=world.bob.email, by=BY)


async def the_password_changes(world: World) -> None:
    link = await sign_in.create_link(world.acme.db, world.bob.email, by=BY)
    try:
        await sign_in.use_link(world.acme.db, link, OTHER)
    except sign_in.SecondStepNeeded:
        return


async def the_factors_are_reset(world: World) -> None:
    await second_factors.reset_second_factors(world.acme.db, world.bob.email, by=BY, site=SITE)


async def its_user_signs_out_everywhere(world: World) -> None:
    await sessions.sign_out_everywhere(world.acme.db, world.bob.user_id)


async def the_account_is_deactivated(world: World) -> None:
    acme = world.acme
    await accounts.set_account_active(acme.db, acme.account_id, is_active=False, by=BY)


async def it_is_withdrawn(world: World) -> None:
    acme = world.acme
    person = await people.find_person(acme.db, world.rival.owner)
    assert person
    await users.remove_user(acme.db, acme.account_id, person.id, by=BY)


async def the_subscriber_is_erased(world: World) -> None:
    acme = world.acme
    rows = await acme.db.fetch_all(
        "SELECT id FROM subscriber WHERE account_id = :id", {"id": acme.account_id}
    )
    for row in rows:
        await erase_subscriber(
            acme.db,
            acme.account_id,
            row["id"],
            is_cancelling=True,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )


Change = Callable[[World], Awaitable[None]]
# The changes after which a token of each kind no longer works
ENDS: dict[tokens.Make, tuple[Change, ...]] = {
    tokens.api_key: (its_user_leaves_the_account, the_membership_ends, the_account_is_deactivated),
    tokens.idempotency_key: (the_subscriber_is_erased,),
    tokens.one_time_link: (
        its_maker_loses_the_role,
        its_maker_leaves_the_account,
        its_user_leaves_the_account,
        its_user_joins_another_account,
        the_password_changes,
    ),
    tokens.invitation: (its_maker_loses_the_role, its_maker_leaves_the_account, it_is_withdrawn),
    tokens.session: (
        its_user_leaves_the_account,
        the_membership_ends,
        the_password_changes,
        its_user_signs_out_everywhere,
    ),
    tokens.form_key: (its_maker_loses_the_role, its_maker_leaves_the_account),
    tokens.file_address: (its_maker_loses_the_role, its_maker_leaves_the_account),
    tokens.known_browser: (the_password_changes,),
    tokens.account_cookie: (its_user_leaves_the_account, the_membership_ends),
    tokens.pending_sign_in: (
        its_user_leaves_the_account,
        the_password_changes,
        the_factors_are_reset,
    ),
    tokens.passed_sign_in: (its_user_leaves_the_account, the_password_changes),
    tokens.recovery_code: (its_user_leaves_the_account, the_factors_are_reset),
    tokens.passkey_challenge: (its_user_leaves_the_account, the_factors_are_reset),
    tokens.unsubscribe_link: (the_subscriber_is_erased,),
    tokens.subscriber_link: (the_subscriber_is_erased, the_account_is_deactivated),
    tokens.subscriber_session: (the_subscriber_is_erased, the_account_is_deactivated),
    tokens.reading_link: (the_subscriber_is_erased, the_account_is_deactivated),
    tokens.status_address: (),
}
# They open no page or data of the account, or its users may still read and export them
STAYS: dict[tokens.Make, tuple[Change, ...]] = {
    tokens.session: (the_account_is_deactivated,),
    tokens.unsubscribe_link: (the_account_is_deactivated,),
    tokens.status_address: (the_account_is_deactivated, the_subscriber_is_erased),
    tokens.api_key: (its_maker_loses_the_role, its_maker_leaves_the_account),
}


def cases(table: dict[tokens.Make, tuple[Change, ...]]) -> list[tuple[tokens.Make, Change]]:
    return [(make, change) for make, changes in table.items() for change in changes]


def name_of(function: Callable[..., object]) -> str:
    return function.__name__


@pytest.mark.parametrize("make, change", cases(ENDS), ids=name_of)
async def test_a_token_is_checked_again_when_it_is_used(
    world: World, make: tokens.Make, change: Change
) -> None:
    works = await make(world)
    assert await works()
    await change(world)
    assert not await works()


@pytest.mark.parametrize("make, change", cases(STAYS), ids=name_of)
async def test_what_does_not_end_a_token(world: World, make: tokens.Make, change: Change) -> None:
    works = await make(world)
    await change(world)
    assert await works()


# --- No kind can be forgotten ---------------------------------------------------------------------

# The functions and classes that make random or signed values: their kind, or why they have none
MADE: dict[str, tokens.Make | str] = {
    "api.monitoring.metrics.Metrics": "compares the token of the settings",
    "model.identity.recovery_codes._new_code": tokens.recovery_code,
    "model.identity.totp.new_secret": "no token: the secret of an app, for its user only",
    "model.ids._next_number": "an id, which opens nothing but the status of a subscription",
    "model.ids.new_ids": "an id, which opens nothing but the status of a subscription",
    "model.ids.new_key": tokens.api_key,
    "model.ids.new_token": "called by the functions below",
    "model.letters.unsubscribe._key": tokens.unsubscribe_link,
    "model.letters.unsubscribe._signature": tokens.unsubscribe_link,
    "model.letters.unsubscribe.read_unsubscribe_token": tokens.unsubscribe_link,
    "model.self_service.reading.ReadingToken": tokens.reading_link,
    "model.self_service.reading._key": tokens.reading_link,
    "model.self_service.reading._signature": tokens.reading_link,
    "model.privacy.digests._digest": "a digest, to recognize a subscriber who was erased",
    "model.privacy.digests.new_secret": "the secret of these digests",
    "model.webhooks.signatures.new_keys": "the secrets that sign messages, not tokens",
    "model.webhooks.signatures.sign": "signs messages with these secrets",
    "services.emails.outbox._copy_link": tokens.one_time_link,
    "services.identity.invitations.write_invitation": tokens.invitation,
    "services.identity.known_browsers.remember_browser": tokens.known_browser,
    "services.identity.passkeys._new_challenge": tokens.passkey_challenge,
    "services.identity.passkeys.creation_options": "the name of a user in their passkeys",
    "services.identity.second_step.begin_second_step": tokens.pending_sign_in,
    "services.identity.sessions.open_session": tokens.session,
    "services.identity.server_secrets.get_secret": "the secret that signs cookies",
    "services.identity.sign_in.write_link": tokens.one_time_link,
    "services.keys.create_key": tokens.api_key,
    "services.self_service.emailed_links.insert_emailed_link": tokens.subscriber_link,
    "services.self_service.sign_in.copy_link": tokens.subscriber_link,
    "services.self_service.sign_in.use_link": tokens.subscriber_session,
    "services.keys.roll_key": tokens.api_key,
    "store.engine.moving.backup_files.temporary_database": "the name of a database",
    "web.identity.passkeys.sign_in_options": tokens.passkey_challenge,
    "web.kit.cookies.Cookies": tokens.account_cookie,
    "web.kit.idempotency.new_idempotency_key": tokens.form_key,
    "web.orders.order_choices.fresh_order_id": "the number of an order",
    "web.settings.keys._seed": tokens.api_key,
}
MAKERS = re.compile(
    r"secrets\.\w+|hmac\.\w+|new_token|new_key|pyotp\.random_\w+|\w*Signer|URLSafeSerializer"
)
# The tables with digests, each with its kind, or why it has none
TABLES: dict[str, tokens.Make | str] = {
    "api_key": tokens.api_key,
    "bank_line": "what recognizes a line in another statement",
    "erasure_digest": "a digest of a subscriber who was erased",
    "known_browser": tokens.known_browser,
    "outbox": tokens.one_time_link,
    "passkey_challenge": tokens.passkey_challenge,
    "pending_sign_in": tokens.pending_sign_in,
    "recovery_code": tokens.recovery_code,
    "sign_in_link": tokens.one_time_link,
    "stored_answer": tokens.idempotency_key,
    "submission": tokens.form_key,
    "subscriber_link": tokens.subscriber_link,
    "subscriber_session": tokens.subscriber_session,
    "web_session": tokens.session,
}
# What needs neither a session nor a key, each with the token that it checks, or why there is none
PUBLIC: dict[str, tokens.Make | str] = {
    "/help/": "the same for everyone",
    "/sign-in/forgotten-password/": "its email has a one-time link",
    "/link/{token}/": tokens.one_time_link,
    "/sign-in/": tokens.passed_sign_in,
    "/sign-in/passkey/": tokens.passkey_challenge,
    "/sign-in/passkey/options/": tokens.passkey_challenge,
    "/sign-in/second-step/": tokens.pending_sign_in,
    "/sign-in/second-step/options/": tokens.pending_sign_in,
    "/unsubscribe/{token}/": tokens.unsubscribe_link,
    "/my/{subdomain}/": "asks for the email address, and sends a link to it",
    "/my/{subdomain}/colours/": "the same for everyone",
    "/my/{subdomain}/confirm/{token}/": tokens.subscriber_link,
    "/my/{subdomain}/link/{token}/": tokens.subscriber_link,
    "/my/{subdomain}/logo/": "the same for everyone",
    "/my/{subdomain}/read/{token}/": tokens.reading_link,
    "/my/{subdomain}/sign-in/": "sends a link to the subscriber of a reading link",
    "/my/{subdomain}/sign-out/": "ends the session of the browser, if it has one",
    "/v1/subscriptions/{id}/status/": tokens.status_address,
}


def makers() -> Iterator[str]:
    """The functions and classes of masthead that use one of `MAKERS`."""
    for path in (ROOT / "masthead").rglob("*.py"):
        module = ".".join(path.relative_to(ROOT / "masthead").with_suffix("").parts)
        source = path.read_text(encoding="utf-8")
        if not MAKERS.search(source):  # it takes seconds to look at all names of all modules
            continue
        for outer in ast.parse(source).body:
            names = (it for it in ast.walk(outer) if isinstance(it, ast.Name | ast.Attribute))
            if any(MAKERS.fullmatch(ast.unparse(name)) for name in names):
                yield f"{module}.{getattr(outer, 'name', '')}"


def tables_with_digests() -> set[str]:
    schema = (ROOT / "tests/golden/schema.sqlite.sql").read_text(encoding="utf-8")
    tables = re.findall(r"^CREATE TABLE (\w+) \((.*?)^\)", schema, re.MULTILINE | re.DOTALL)
    return {
        name for name, body in tables if re.search(r"^ +\w*(digest|token) ", body, re.MULTILINE)
    }


def test_every_maker_table_and_public_address_of_tokens_has_a_kind() -> None:
    assert set(MADE) == set(makers())
    assert set(TABLES) == tables_with_digests()
    pages = {page.path for page in PAGES if page.access is PageAccess.ANYONE}
    pages |= {page.path for page in MY_PAGES if page.is_open}
    assert set(PUBLIC) == pages | {it.path for it in ROUTES if it.access is Access.PUBLIC}
    named = {it for table in (MADE, TABLES, PUBLIC) for it in table.values() if callable(it)}
    assert named <= set(ENDS)


def test_the_page_on_security_lists_every_kind_and_what_ends_it() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = page.partition("## Tokens and links")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| .*? \| .* \| (.*?) \| `(\w+)` \|$", section, re.MULTILINE)
    ends_of = {kind: ends for ends, kind in rows}
    assert ends_of.keys() == {name_of(make) for make in ENDS}
    for make, changes in ENDS.items():
        for change in changes:
            assert name_of(change).replace("_", " ") in ends_of[name_of(make)], name_of(make)
