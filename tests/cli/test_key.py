"""`masthead key`: create, show once, list, roll and revoke API keys."""

import asyncio
from datetime import UTC, datetime

import pytest

from masthead.model.ids import account_of_key, new_id
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database
from masthead.store.keys import find_principal
from tests.cli.conftest import CommandLine

CREATE = "key create --user ann@acme.test"


def opens(url: str, key: str) -> bool:
    """Whether a key is valid now."""
    account_id = account_of_key(key)
    assert account_id is not None

    async def ask(db: Database) -> bool:
        async with db.read() as connection:
            return await find_principal(connection, account_id, key) is not None

    async def run() -> bool:
        db = await connect(url)
        try:
            return await ask(db)
        finally:
            await db.close()

    return asyncio.run(run())


def stored(url: str) -> str:
    """Every key's row and the whole audit trail, as text."""

    async def run() -> str:
        db = await connect(url)
        try:
            async with db.read() as connection:
                keys = await connection.fetch_all("SELECT * FROM api_key", {})
                trail = await connection.fetch_all("SELECT * FROM audit", {})
                return repr([dict(row) for row in (*keys, *trail)])
        finally:
            await db.close()

    return asyncio.run(run())


def test_only_the_key_is_printed_to_stdout_and_it_works(
    masthead: CommandLine, cli_url: str
) -> None:
    account = masthead.account()
    ended = masthead(f"{CREATE} --account {account} --scope read_write")
    (key,) = ended.out.splitlines()
    assert key.startswith("mh_")
    assert opens(cli_url, key)
    assert key not in ended.err
    assert "only once" in ended.said


def test_a_new_key_as_json_is_one_object(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"{CREATE} --account {account} --json", "--name", "The shop")
    made = ended.json
    assert ended.err == ""
    key = made.pop("key")
    assert made.pop("id")
    assert made == {
        "name": "The shop",
        "prefix": key[:12],
        "scope": "read_only",
        "account": account,
        "user": "ann@acme.test",
        "expires_at": None,
    }


def test_a_key_is_shown_once_and_never_stored(masthead: CommandLine, cli_url: str) -> None:
    account = masthead.account()
    made = masthead(f"{CREATE} --account {account} --json").json
    listed = masthead(f"key list --account {account}").out
    assert made["id"] in listed
    assert made["prefix"] in listed
    assert made["key"] not in listed
    kept = stored(cli_url)
    assert made["id"] in kept
    assert made["key"] not in kept
    assert made["key"][12:] not in kept


def test_the_list_shows_keys_without_their_secrets(masthead: CommandLine) -> None:
    account = masthead.account()
    made = [
        masthead(f"{CREATE} --account {account} --scope {scope} --json").json
        for scope in ("read_only", "read_write")
    ]
    listed = masthead(f"key list --account {account} --json").json["items"]
    assert {key["id"] for key in listed} == {key["id"] for key in made}
    assert {key["scope"] for key in listed} == {"read_only", "read_write"}
    for key in listed:
        assert key["user"] == "ann@acme.test"
        assert key["last_used_at"] is key["revoked_at"] is key["expires_at"] is None
        assert "digest" not in key


def test_an_unknown_scope_is_a_usage_error(masthead: CommandLine) -> None:
    ended = masthead(f"{CREATE} --account acme --scope admin", code=2)
    assert '"read_only", "read_write"' in ended.said


def test_an_unknown_user_is_refused_with_a_hint(masthead: CommandLine) -> None:
    account = masthead.account()
    ended = masthead(f"key create --account {account} --user bob@acme.test", code=1)
    assert "`masthead user add`" in ended.said
    masthead(f"user add --account {account} --email bob@acme.test")
    assert masthead(f"key create --account {account} --user BOB@acme.test").out


def test_a_key_works_until_the_day_it_expires(masthead: CommandLine, cli_url: str) -> None:
    account = masthead.account()
    today = datetime.now(UTC).date().isoformat()
    for day, works in (("9999-01-01", True), (today, False)):
        made = masthead(f"{CREATE} --account {account} --expires {day} --json").json
        assert made["expires_at"] == f"{day}T00:00:00Z"
        assert opens(cli_url, made["key"]) is works


@pytest.mark.parametrize("day", ["soon", "2026-1-1", "2026-02-30"])
def test_an_invalid_date_is_refused(masthead: CommandLine, day: str) -> None:
    account = masthead.account()
    assert "YYYY-MM-DD" in masthead(f"{CREATE} --account {account} --expires {day}", code=1).said


def test_revoke_can_be_repeated(masthead: CommandLine, cli_url: str) -> None:
    account = masthead.account()
    made = masthead(f"{CREATE} --account {account} --json").json
    assert opens(cli_url, made["key"])
    for _ in range(2):
        assert masthead(f"key revoke {made['id']}").said == f"Key {made['id']} is revoked."
        assert not opens(cli_url, made["key"])
    (listed,) = masthead(f"key list --account {account} --json").json["items"]
    assert listed["revoked_at"] is not None


@pytest.mark.parametrize("hours, still_works", [(24, True), (0, False)])
def test_roll_prints_a_key_like_the_old_one_which_ends_after_the_given_hours(
    masthead: CommandLine, cli_url: str, hours: int, still_works: bool
) -> None:
    account = masthead.account()
    words = f"--account {account} --scope read_write --expires 9999-01-01 --json"
    old = masthead(f"{CREATE} {words}", "--name", "The shop").json
    new = masthead(f"key roll {old['id']} --keep {hours} --json").json
    same = ("name", "scope", "account", "user")
    assert {name: new[name] for name in same} == {name: old[name] for name in same}
    assert new["replaces"] == old["id"]
    assert new["expires_at"] > new["old_expires_at"]
    assert opens(cli_url, new["key"])
    assert opens(cli_url, old["key"]) is still_works
    assert new["key"] not in stored(cli_url)
    again = masthead(f"key roll {old['id']}", code=1)
    assert "already been rolled" in again.said or "inactive" in again.said


def test_roll_prints_only_the_key_to_stdout_and_refuses_other_hours(
    masthead: CommandLine, cli_url: str
) -> None:
    account = masthead.account()
    old = masthead(f"{CREATE} --account {account} --json").json
    for hours in ("-1", "8761", "soon"):
        masthead(f"key roll {old['id']} --keep={hours}", code=2)
    ended = masthead(f"key roll {old['id']}")
    (key,) = ended.out.splitlines()
    assert opens(cli_url, key)
    assert f"It replaces key {old['id']}, which stops working at " in ended.said


@pytest.mark.parametrize("id", ["xyz", "0" * 30, "I" * 31])
def test_an_invalid_id_is_refused(masthead: CommandLine, id: str) -> None:
    for command in ("revoke", "roll"):
        ended = masthead(f"key {command} {id}", code=1)
        assert id in ended.said
        assert "`masthead key list`" in ended.said


def test_an_unknown_key_is_refused_whether_its_account_exists_or_not(masthead: CommandLine) -> None:
    account_id = masthead(
        "account create --name A --subdomain unknown-key --currency EUR --owner a@b.test --json"
    ).json["id"]
    for number in (account_id, 2_000_000):
        id = new_id(number)
        assert f"no API key `{id}`" in masthead(f"key revoke {id}", code=1).said
        assert f"no API key `{id}`" in masthead(f"key roll {id}", code=1).said


def test_with_an_email_server_the_user_of_a_new_key_gets_an_email(
    masthead: CommandLine, cli_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def waiting() -> int:
        db = await connect(cli_url)
        try:
            sql = "SELECT id FROM outbox WHERE subject = 'New API key for masthead'"
            return len(await db.fetch_all(sql, {}))
        finally:
            await db.close()

    account = masthead.account()
    masthead(f"{CREATE} --account {account}")
    before = asyncio.run(waiting())
    monkeypatch.setenv("MASTHEAD_SMTP_HOST", "mail.acme.test")
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", "hello@acme.test")
    made = masthead(f"{CREATE} --account {account} --json").json
    assert asyncio.run(waiting()) == before + 1
    masthead(f"key roll {made['id']}")
    assert asyncio.run(waiting()) == before + 2
