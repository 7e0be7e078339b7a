"""`masthead user`: add, invite, reset, list and remove users."""

import asyncio
import re

import pytest

from masthead.services.identity import sign_in
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people, totp
from tests.cli.conftest import CommandLine

PASSWORD = "seven quiet lighthouses"


def use(cli_url: str, link: str) -> None:
    """Set a password with a link."""
    (token,) = re.findall(r"/link/([\w-]{43})/$", link)

    async def work() -> None:
        db = await connect(cli_url)
        try:
            await sign_in.use_link(db, token, PASSWORD)
        finally:
            await db.close()

    asyncio.run(work())


def test_an_invited_user_can_set_a_password_with_the_link(
    masthead: CommandLine, cli_url: str
) -> None:
    account = masthead.account()
    email = f"bob@{account}.test"
    command = f"user invite --account {account} --email {email} --role owner --json"
    made = masthead(command).json
    assert made.pop("id")
    use(cli_url, made.pop("link"))
    assert made == {"email": email, "account": account, "role": "owner"}
    again = masthead(command)
    assert again.json["link"] is None
    assert again.said.startswith(f"`{email}` already has a password and signs in with it.")


def test_a_link_begins_with_the_public_url(
    masthead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTHEAD_PUBLIC_URL", "https://desk.acme.test/")
    account = masthead.account()
    made = masthead(f"user invite --account {account} --email bob@{account}.test")
    fields = dict(line.split(maxsplit=1) for line in made.out.splitlines())
    assert fields["link"].startswith("https://desk.acme.test/link/")


def test_a_reset_gives_a_new_link_with_or_without_a_password(
    masthead: CommandLine, cli_url: str
) -> None:
    account = masthead.account()
    email = f"bob@{account}.test"
    masthead(f"user add --account {account} --email {email}")
    for _ in range(2):
        use(cli_url, masthead(f"user reset --email {email} --json").json["link"])


def test_an_unknown_user_cannot_be_reset(masthead: CommandLine) -> None:
    ended = masthead("user reset --email nobody@nowhere.test", code=1)
    assert "`nobody@nowhere.test` is not a user of any account" in ended.said


def test_an_owner_who_has_a_password_gets_no_link(masthead: CommandLine, cli_url: str) -> None:
    create = "account create --name Acme --currency EUR --owner eve@two-accounts.test"
    use(cli_url, masthead(f"{create} --subdomain eve-one --json").json["link"])
    ended = masthead(f"{create} --subdomain eve-two")
    assert "link" in ended.out
    assert ended.said.startswith("`eve@two-accounts.test` already has a password")


def test_add_prints_the_user(masthead: CommandLine) -> None:
    account = masthead.account()
    made = masthead(f"user add --account {account} --email bob@acme.test --json").json
    assert made.pop("id")
    assert made == {"email": "bob@acme.test", "account": account}


def test_the_list_shows_roles(masthead: CommandLine) -> None:
    account = masthead.account()
    masthead(f"user add --account {account} --email cleo@acme.test")
    users = masthead(f"user list --account {account} --json").json["items"]
    assert [(user["email"], user["role"]) for user in users] == [
        ("ann@acme.test", "owner"),
        ("cleo@acme.test", "staff"),
    ]
    lines = masthead(f"user list --account {account}").out.splitlines()
    assert [line.split()[1:3] for line in lines[1:]] == [
        ["ann@acme.test", "owner"],
        ["cleo@acme.test", "staff"],
    ]


def test_adding_a_user_again_in_another_case_changes_nothing(masthead: CommandLine) -> None:
    account = masthead.account()
    first = masthead(f"user add --account {account} --email bob@acme.test --json").json
    again = masthead(f"user add --account {account} --email Bob@ACME.test --json").json
    assert again["id"] == first["id"]
    assert len(masthead(f"user list --account {account} --json").json["items"]) == 2


def test_a_user_can_be_in_two_accounts(masthead: CommandLine) -> None:
    accounts = [masthead.account(), masthead.account()]
    ids = {
        masthead(f"user list --account {account} --json").json["items"][0]["id"]
        for account in accounts
    }
    assert len(ids) == 1


def test_a_removed_user_is_gone_with_their_keys_and_the_only_owner_stays(
    masthead: CommandLine,
) -> None:
    account = masthead.account()
    for name in ("bob", "cleo"):
        masthead(f"user add --account {account} --email {name}@acme.test")
    masthead(f"key create --account {account} --user bob@acme.test")
    removed = masthead(f"user remove --account {account} BOB@acme.test --json").json
    assert removed.pop("id")
    assert removed == {"email": "bob@acme.test", "account": account}
    said = masthead(f"user remove --account {account} --email cleo@acme.test").said
    assert said == f"`cleo@acme.test` is no longer a user of `{account}`."
    (key,) = masthead(f"key list --account {account} --json").json["items"]
    assert key["revoked_at"] is not None
    refusals = {
        "ann@acme.test": "`ann@acme.test` is the only owner, and an account needs one.",
        "anne@acme.test": "not a user of this account. Did you mean `ann@acme.test`?",
    }
    for email, message in refusals.items():
        assert message in masthead(f"user remove --account {account} {email}", code=1).said
    (left,) = masthead(f"user list --account {account} --json").json["items"]
    assert left["email"] == "ann@acme.test"


def test_an_invalid_email_address_is_refused(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"user add --account {account} --email bob", code=1)
    assert "`email` is `bob`" in ended.said


def test_an_unknown_account_is_refused(masthead: CommandLine) -> None:
    assert "nowhere" in masthead("user list --account nowhere", code=1).said


def test_the_second_factors_of_a_user_can_be_reset(masthead: CommandLine, cli_url: str) -> None:
    account = masthead.account()
    email = f"bob@{account}.test"
    masthead(f"user add --account {account} --email {email}")
    refused = masthead(f"user reset-factors --email {email}", code=1)
    assert "has no two-step sign-in to reset" in refused.said

    async def add_app() -> None:
        db = await connect(cli_url)
        try:
            person = await people.find_person(db, email)
            assert person is not None

            async def work(tx: Transaction) -> None:
                await totp.replace_app(tx, person.id, secret="A" * 32, step=1)

            await db.write(work)
        finally:
            await db.close()

    asyncio.run(add_app())
    done = masthead(f"user reset-factors --email {email}")
    assert done.out == ""
    assert f"Two-step sign-in of `{email}` is reset" in done.said
    masthead(f"user reset-factors --email {email}", code=1)


def test_rights_are_chosen_and_taken_back(masthead: CommandLine) -> None:
    account = masthead.account()
    masthead(f"user add --account {account} --email cleo@acme.test")
    change = f"user rights --account {account} cleo@acme.test"
    given = masthead(f"{change} --rights correct,dispatch --json").json
    assert (given["role"], given["rights"]) == ("staff", "dispatch,correct")
    assert masthead(f"{change} --rights none --json").json["rights"] == ""
    ready = masthead(f"{change} --json").json["rights"]
    assert ready == "take_orders,see_money,bill,download,send_letters,dispatch,import,correct"


def test_an_unknown_right_is_named(masthead: CommandLine) -> None:
    account = masthead.account()
    result = masthead(f"user rights --account {account} ann@acme.test --rights mony", code=1)
    assert "`mony` is not a right." in result.said
    assert "`see_money`" in result.said


def test_a_right_that_needs_another_one_is_refused_without_it(masthead: CommandLine) -> None:
    account = masthead.account()
    change = f"user rights --account {account} ann@acme.test --rights dispatch,import"
    assert "`import` also needs `see_money`." in masthead(change, code=1).said
    change = change.replace("dispatch,import", "bill")
    said = masthead(change, code=1).said
    assert "`bill` also needs `take_orders` or `see_money`." in said
