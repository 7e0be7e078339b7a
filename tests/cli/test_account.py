"""`masthead account`: create, list, deactivate, activate and delete accounts."""

import re
from pathlib import Path

import pytest

from masthead.cli.command import run_with_database
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine
from tests.support.cases import for_each

CREATE = "account create --name Acme --owner ann@acme.test"

LINK = re.compile(r"http://127\.0\.0\.1:8000/link/[\w-]{43}/")


def listed(masthead: CommandLine, subdomain: str) -> dict[str, object]:
    """The account, as `account list` prints it."""
    (found,) = (
        each
        for each in masthead("account list --json").json["items"]
        if each["subdomain"] == subdomain
    )
    return dict(found)


def test_create_prints_one_field_per_line(masthead: CommandLine) -> None:
    ended = masthead(f"{CREATE} --subdomain plain --currency eur")
    fields = dict(line.split(maxsplit=1) for line in ended.out.splitlines())
    assert fields.pop("id").isdigit()
    assert LINK.fullmatch(fields.pop("link"))
    assert fields == {
        "name": "Acme",
        "subdomain": "plain",
        "currency": "EUR",
        "owner": "ann@acme.test",
        "is_sandbox": "false",
    }
    assert ended.err == ""


def test_create_prints_one_object_as_json(masthead: CommandLine) -> None:
    made = masthead(f"{CREATE} --subdomain one-object --currency JPY --json").json
    assert type(made.pop("id")) is int
    assert LINK.fullmatch(made.pop("link"))
    assert made == {
        "name": "Acme",
        "subdomain": "one-object",
        "currency": "JPY",
        "owner": "ann@acme.test",
        "is_sandbox": False,
    }


def test_the_country_of_an_account_is_kept(masthead: CommandLine) -> None:
    masthead(f"{CREATE} --subdomain austrian --currency EUR --country at")
    masthead(f"{CREATE} --subdomain no-country --currency EUR")

    async def work(db: Database) -> list[str | None]:
        async with db.read() as connection:
            named = ("austrian", "no-country")
            found = [await find_account(connection, subdomain) for subdomain in named]
        return [each.country for each in found if each]

    assert run_with_database(work) == ["AT", None]


def test_an_unknown_country_is_refused(masthead: CommandLine) -> None:
    ended = masthead(f"{CREATE} --subdomain nowhere --currency EUR --country Germany", code=1)
    assert "`country` is `Germany`" in ended.said


def test_a_new_account_is_active_and_has_today_as_its_date(masthead: CommandLine) -> None:
    subdomain = masthead.account("USD")
    account = listed(masthead, subdomain)
    assert account["is_active"] is True
    assert account["currency"] == "USD"
    assert account["daily_date"]


def test_a_subdomain_must_be_unique(masthead: CommandLine) -> None:
    subdomain = masthead.account()
    ended = masthead(f"{CREATE} --subdomain {subdomain} --currency EUR", code=1)
    assert ended.out == ""
    assert f"`{subdomain}`" in ended.said
    assert "taken" in ended.said


@for_each("subdomain", ["Acme", "a b", "-acme", "acme-", "a_b", "ä", "a" * 64, ""])
def test_a_subdomain_must_be_short_and_plain(masthead: CommandLine, subdomain: str) -> None:
    ended = masthead(f"{CREATE} --currency EUR", f"--subdomain={subdomain}", code=1)
    assert "lowercase letters" in ended.said


@pytest.mark.parametrize(
    "words, message",
    [
        (["--currency=EUX"], "ISO 4217"),
        (["--owner=ann"], "email"),
        (["--name= "], "`name` is empty"),
        (["--name=" + "x" * 256], "at most 255"),
    ],
)
def test_an_invalid_value_is_refused_and_creates_nothing(
    masthead: CommandLine, words: list[str], message: str
) -> None:
    options = {"--name": "Acme", "--currency": "EUR", "--owner": "ann@acme.test"}
    options |= dict(word.split("=") for word in words)
    given = [f"{name}={text}" for name, text in options.items()]
    ended = masthead("account create --subdomain refused", *given, code=1)
    assert message in ended.said
    names = {each["subdomain"] for each in masthead("account list --json").json["items"]}
    assert "refused" not in names


def test_deactivate_and_activate_print_the_new_state(masthead: CommandLine) -> None:
    subdomain = masthead.account()
    ended = masthead(f"account deactivate {subdomain}")
    assert ended.out == ""
    assert ended.said == f"Account `{subdomain}` is inactive."
    assert listed(masthead, subdomain)["is_active"] is False
    assert masthead(f"account activate {subdomain}").said == f"Account `{subdomain}` is active."
    assert listed(masthead, subdomain)["is_active"] is True


def test_self_service_is_switched_on_and_off_with_everything(masthead: CommandLine) -> None:
    subdomain = masthead.account()
    ended = masthead(f"account self-service --account {subdomain} on")
    assert ended.said.startswith(f"Self-service of `{subdomain}` is on, at /my/{subdomain}/.")
    assert "No mail server is set up" in ended.said
    ended = masthead(f"account self-service --account {subdomain} on --json")
    assert {"address", "claim", "erasure"} <= set(ended.json["actions"])
    assert "renew" not in ended.json["actions"]  # the account has no shop
    ended = masthead(f"account self-service --account {subdomain} off")
    assert ended.said == f"Self-service of `{subdomain}` is off."


def test_deactivate_can_be_repeated(masthead: CommandLine) -> None:
    subdomain = masthead.account()
    masthead(f"account deactivate {subdomain}")
    masthead(f"account deactivate {subdomain}")
    assert listed(masthead, subdomain)["is_active"] is False


@pytest.mark.parametrize("command", ["activate", "deactivate"])
def test_the_error_for_an_unknown_account_suggests_the_nearest_name(
    masthead: CommandLine, command: str
) -> None:
    subdomain = masthead.account()
    ended = masthead(f"account {command} {subdomain}x", code=1)
    assert f"Did you mean `{subdomain}`?" in ended.said


def test_the_list_is_a_table_with_a_header(masthead: CommandLine) -> None:
    subdomain = masthead.account()
    header, *lines = masthead("account list").out.splitlines()
    columns = "id name subdomain currency is_active daily_date is_sandbox"
    assert header.split() == columns.split()
    [line] = [line.split() for line in lines if subdomain in line]
    assert line[1:5] == ["Acme", subdomain, "EUR", "true"]
    assert line[6] == "false"


def test_the_list_of_an_empty_database_is_empty(alone: CommandLine) -> None:
    assert alone("account list").out == ""
    assert alone("account list --json").json == {"items": []}


def test_an_inactive_account_is_deleted_after_its_export(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account, other = masthead.account(), masthead.account()
    command = f"account delete {account} --export {tmp_path}/out"
    assert "use `--yes`" in masthead(command, code=1).said
    assert f"`masthead account deactivate {account}`" in masthead(f"{command} --yes", code=1).said
    masthead(f"account deactivate {account}")
    done = masthead(f"{command} --yes --json").json
    assert (done["account"], done["export"]) == (account, f"{tmp_path}/out")
    assert done["rows"] > 3
    assert (tmp_path / "out" / "manifest.json").is_file()
    names = {each["subdomain"] for each in masthead("account list --json").json["items"]}
    assert account not in names
    assert other in names
    assert "There is no account" in masthead(f"{command}-again --yes", code=1).said


def test_the_subdomain_is_typed_on_a_terminal(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = masthead.account()
    masthead(f"account deactivate {account}")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    command = f"account delete {account} --export {tmp_path}/out"
    for typed, code in (("acme", 1), (account, 0)):
        monkeypatch.setattr("builtins.input", lambda _prompt, typed=typed: typed)
        masthead(command, code=code)
        assert (tmp_path / "out").exists() == (code == 0)
