"""Conventions of all commands: streams, exit codes, help, suggestions."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from cyclopts import App

from masthead import __version__
from masthead.cli import app
from masthead.cli.command import version_on
from masthead.metrics.memory import MEMORY
from masthead.serving.shared_times import MEMORY as LIMITS
from masthead.settings import unknown_variables
from masthead.supervision import SUPERVISOR
from tests.cli.conftest import CommandLine
from tests.support.cases import for_each
from tests.support.waiting import PATIENCE

HIDDEN = {"--help", "-h", "--version"}


def commands(group: App, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every group and command in a group."""
    yield words
    for name in group:
        if name not in HIDDEN:
            yield from commands(group[name], (*words, name))


EVERY = [" ".join(words) for words in commands(app)]
WITHOUT_JSON = {
    "serve",
    "migrate",
    "demo",
    "distribute",
    "webhook listen",
}  # as docs/operations.md says
GROUPS = [
    "",
    "account",
    "user",
    "key",
    "source",
    "issue",
    "dispatch",
    "imports",
    "letters",
    "invoice",
    "payments",
    "debit",
    "subscriber",
    "webhook",
]


def test_the_command_names_do_not_change() -> None:
    assert set(EVERY) - set(GROUPS) == {
        "serve",
        "migrate",
        "init",
        "demo",
        "check",
        "status",
        "copy-database",
        "distribute",
        "backup",
        "base-backup",
        "restore",
        "export",
        "subscriber export",
        "subscriber erase",
        "subscriber reapply",
        "daily",
        "clock",
        "import",
        "payments import",
        "payments record",
        "debit settings",
        "debit mandate",
        "debit list",
        "debit collections",
        "debit create",
        "debit file",
        "invoice settings",
        "invoice rate",
        "invoice vat",
        "invoice exchange-rate",
        "invoice remind",
        "invoice create",
        "invoice list",
        "invoice credit",
        "revenue",
        "why",
        "account create",
        "account list",
        "account activate",
        "account deactivate",
        "account self-service",
        "account delete",
        "user add",
        "user invite",
        "user reset",
        "user reset-factors",
        "user rights",
        "user list",
        "user remove",
        "key create",
        "key list",
        "key roll",
        "key revoke",
        "source create",
        "source list",
        "source rename",
        "source deactivate",
        "source activate",
        "issue create",
        "issue list",
        "dispatch preview",
        "dispatch freeze",
        "dispatch list",
        "dispatch show",
        "dispatch export",
        "dispatch mark",
        "dispatch undo",
        "dispatch discard",
        "dispatch shipped",
        "dispatch returned",
        "dispatch claim",
        "dispatch claims",
        "dispatch close-claim",
        "imports list",
        "imports presets",
        "imports show",
        "imports undo",
        "letters preview",
        "letters send",
        "letters stop",
        "webhook create",
        "webhook delete",
        "webhook deliveries",
        "webhook disable",
        "webhook enable",
        "webhook list",
        "webhook listen",
        "webhook resend",
        "webhook rotate",
        "webhook test",
    }


@for_each("command", EVERY)
def test_help_is_printed_to_stdout_and_changes_nothing(bare: CommandLine, command: str) -> None:
    ended = bare(f"{command} --help")
    assert ended.err == ""
    assert f"Usage: masthead {command}".rstrip() in " ".join(ended.out.split())
    assert ("--json " in ended.out) == (command not in {*GROUPS, *WITHOUT_JSON})


@for_each("group", GROUPS)
def test_help_begins_with_examples(bare: CommandLine, group: str) -> None:
    lines = bare(f"{group} --help").out.splitlines()
    assert lines[0] == "Examples:"
    assert lines[2].startswith("    masthead")


def examples() -> list[str]:
    """Every example of every help text, each as one line."""
    texts = "\n".join(
        str(app[group].help_prologue if group else app.help_prologue) for group in GROUPS
    )
    return re.findall(r"^    (masthead .*)$", texts.replace("\\\n", " "), re.MULTILINE)


@for_each("example", examples())
def test_examples_are_valid_commands(example: str) -> None:
    words = shlex.split(example)[1:]
    app.parse_args(words, exit_on_error=False, print_error=False)


@for_each("group", GROUPS)
def test_a_group_without_a_command_shows_its_help(bare: CommandLine, group: str) -> None:
    assert bare(group).out == bare(f"{group} --help").out


@for_each(
    "line, meant",
    [
        ("acount list", '"account"'),
        ("imprt", '"import"'),
        ("account crate", '"create"'),
        ("key revok 1", '"revoke"'),
        ("account list --jsn", "--json"),
        ("dispatch freezes", '"freeze"'),
        ("dispatch freeze --account acme --isue 1", "--issue"),
        ("import list.csv --acount acme", "--account"),
        ("source create --account acme --name A --type chekout", '"checkout"'),
    ],
)
def test_a_mistyped_command_exits_with_2_and_a_suggestion(
    bare: CommandLine, line: str, meant: str
) -> None:
    ended = bare(line, code=2)
    assert ended.out == ""
    assert f"Did you mean {meant}" in ended.said


@for_each(
    "line",
    [
        "account create",
        "account create --name Acme --subdomain acme --currency EUR",
        "account activate",
        "key create --account acme",
        "key revoke",
        "import --account acme --source 1",
        "import list.csv --source 1",
        "issue create --account acme",
        "dispatch freeze --account acme",
        "dispatch freeze --issue 1",
        "dispatch freeze --account acme --issue one",
        "dispatch preview --account acme",
        "dispatch mark --account acme",
        "dispatch mark 1",
        "dispatch list --issue 1",
        "daily tomorrow",
        "serve --port eighty",
        "user list --account",
    ],
)
def test_missing_or_unknown_arguments_exit_with_2(bare: CommandLine, line: str) -> None:
    ended = bare(line, code=2)
    assert ended.out == ""
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "command", ["user list", "key list", "source list", "issue list", "dispatch list"]
)
def test_lists_as_json_are_one_object_even_if_they_are_empty(
    masthead: CommandLine, command: str
) -> None:
    account = masthead.account()
    ended = masthead(f"{command} --account {account} --json")
    assert list(ended.json) == ["items"]
    assert ended.err == ""


@for_each(
    "command",
    [
        "user list",
        "user remove bob@acme.test",
        "key list",
        "source list",
        "issue list",
        "user add --email bob@acme.test",
        "user invite --email bob@acme.test",
        "key create --user ann@acme.test",
        "source create --name Shop --type shop",
        "source rename 1 --name Shop",
        "source deactivate 1",
        "issue create --number 1",
        "dispatch preview --issue 1",
        "dispatch freeze --issue 1",
        "dispatch list",
        "dispatch show 1",
        "dispatch mark 1",
        "dispatch undo 1",
        "dispatch discard 1",
    ],
)
def test_an_unknown_account_exits_with_1_and_a_suggestion(
    masthead: CommandLine, command: str
) -> None:
    account = masthead.account()
    ended = masthead(f"{command} --account {account[:-1]}", code=1)
    assert ended.out == ""
    assert ended.said.startswith(f"masthead: There is no account `{account[:-1]}`. ")
    assert len(ended.err.splitlines()) == 1


def test_without_accounts_the_way_to_add_one_is_said(alone: CommandLine) -> None:
    said = alone("source list --account acme", code=1).said
    assert said == "masthead: There is no account `acme`. `masthead account create` adds one."


def test_invalid_settings_exit_with_1(bare: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTHEAD_SMTP_PORT", "mail")
    ended = bare("account list", code=1)
    assert "smtp_port" in ended.said
    assert len(ended.err.splitlines()) == 1


# --- as a process ---------------------------------------------------------------------------------


def start(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `python -m masthead` in a folder, with no settings."""
    return subprocess.run(
        [sys.executable, "-m", "masthead", *words],
        cwd=folder,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize(
    "name, hint",
    [
        ("MASTHEAD_DATABSE_URL", "did you mean MASTHEAD_DATABASE_URL?"),
        ("MASTHEAD_SMTP_PASSWORD_FLIE", "did you mean MASTHEAD_SMTP_PASSWORD_FILE?"),
        ("MASTHEAD_XYZ", "see docs/settings.md"),
    ],
)
def test_a_mistyped_variable_is_named_without_its_value(
    masthead: CommandLine, monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    assert "unknown setting" not in masthead("account list").err
    monkeypatch.setenv(name, "s3cret")
    (line,) = masthead("account list").err.splitlines()
    logged = json.loads(line)
    assert (logged["event"], logged["level"]) == ("unknown setting ignored", "warning")
    assert (logged["variable"], logged["hint"]) == (name, hint)
    assert "s3cret" not in line


def test_the_variables_of_masthead_itself_are_no_unknown_settings() -> None:
    own = {SUPERVISOR: "1", MEMORY: "/proc/7/fd/8", LIMITS: "/proc/7/fd/9"}
    assert not unknown_variables(own)


def start_unread(*words: str, folder: Path, unread: Collection[str]) -> tuple[int, str, str]:
    """The exit code of a command, its stdout and its stderr; nobody reads those in `unread`."""
    reader, pipe = os.pipe()
    os.close(reader)
    ended = subprocess.run(
        [sys.executable, "-m", "masthead", *words],
        cwd=folder,
        env={"PYTHONPATH": str(Path(__file__).parents[2])},
        text=True,
        check=False,
        timeout=PATIENCE,
        stdout=pipe if "stdout" in unread else subprocess.PIPE,
        stderr=pipe if "stderr" in unread else subprocess.PIPE,
    )
    os.close(pipe)
    return ended.returncode, ended.stdout or "", ended.stderr or ""


@pytest.fixture(scope="module")
def folder_with_account(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose database has an account `acme`."""
    folder = tmp_path_factory.mktemp("unread")
    words = "account create --name A --subdomain acme --currency EUR --owner a@acme.test"
    for line in ("migrate", words):
        assert start(*line.split(), folder=folder).returncode == 0
    return folder


@pytest.mark.slow
@for_each(
    "command",
    [
        "--help",
        "account list",
        "daily --json",
        "status",
    ],
)
def test_a_command_whose_output_is_not_read_ends_with_1_and_no_message(
    folder_with_account: Path, command: str
) -> None:
    for unread in (["stdout"], ["stdout", "stderr"]):
        ended = start_unread(*command.split(), folder=folder_with_account, unread=unread)
        code, _, err = ended
        assert (code, "Errno" in err, "Traceback" in err) == (1, False, False), ended


def test_a_command_whose_messages_are_not_read_does_its_work(folder_with_account: Path) -> None:
    words = ["daily", "--date", "9990-01-01", "--json"]
    code, out, _ = start_unread(*words, folder=folder_with_account, unread=["stderr"])
    assert code == 0
    assert json.loads(out) == {"items": [{"account": "acme", "daily_date": "9990-01-01"}]}


def test_the_version_names_the_engine_of_the_database(masthead: CommandLine) -> None:
    url = os.environ["MASTHEAD_DATABASE_URL"]
    engine = "SQLite 3." if url.startswith("sqlite:") else "PostgreSQL)"
    assert masthead("--version").out.startswith(f"{__version__} ({engine}")


@pytest.mark.slow
def test_the_process_exits_with_the_code_of_its_command(tmp_path: Path) -> None:
    assert start("--version", folder=tmp_path).stdout.strip() == version_on("sqlite:")
    codes = {
        ("migrate",): 0,
        ("account", "list", "--json"): 0,
        ("account", "activate", "nobody"): 1,
        ("acount",): 2,
    }
    for words, code in codes.items():
        ended = start(*words, folder=tmp_path)
        assert ended.returncode == code, ended.stderr
        assert "Traceback" not in ended.stderr
    assert (tmp_path / "masthead.db").exists()


def test_a_change_without_other_output_is_one_object_too(alone: CommandLine) -> None:
    account = alone.account()
    source = alone.source(account)
    key = alone(f"key create --account {account} --user ann@acme.test --json").json["id"]
    told = {
        f"source deactivate --account {account} {source}": {"id": source, "is_active": False},
        f"source activate --account {account} {source}": {"id": source, "is_active": True},
        f"key revoke {key}": {"id": key, "is_revoked": True},
        f"account deactivate {account}": {"account": account, "is_active": False},
        f"account activate {account}": {"account": account, "is_active": True},
    }
    for command, record in told.items():
        ended = alone(f"{command} --json")
        assert (ended.json, ended.err) == (record, "")
    item = {"account": account, "daily_date": "9990-01-01"}
    assert item in alone("daily --date 9990-01-01 --json").json["items"]
    (fault, *_) = alone("check --json", code=1).json["faults"]
    assert fault["invariant"]
    assert fault["ids"]
