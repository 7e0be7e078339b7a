"""The command line in this process: the real commands on a separate database."""

import json
import re
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from masthead.cli import run
from tests.support.logs import reset_logs
from tests.support.replica import settings_of

BOX = re.compile(r"[│╭╮╰╯─\s]+")  # the characters that frame and fold a message


@dataclass(frozen=True)
class Ended:
    """The output of a command. out: stdout; err: stderr."""

    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        (line,) = self.out.splitlines()
        record: dict[str, Any] = json.loads(line)
        return record

    @property
    def said(self) -> str:
        """The output as one line of text, without frames."""
        return BOX.sub(" ", self.err).strip()


class CommandLine:
    """Runs commands; an unexpected exit code fails the test."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, line: str, *words: str, code: int = 0) -> Ended:
        """Run `masthead LINE WORDS`; unlike the words of the line, WORDS may contain spaces."""
        self._capsys.readouterr()
        ended_with = run([*line.split(), *words])
        captured = self._capsys.readouterr()
        assert ended_with == code, captured.err
        return Ended(captured.out, captured.err)

    def account(self, currency: str = "EUR") -> str:
        """The subdomain of a fresh account, owned by `ann@acme.test`."""
        subdomain = f"acme-{secrets.token_hex(5)}"
        words = f"--subdomain {subdomain} --currency {currency} --owner ann@acme.test"
        self(f"account create --name Acme {words}")
        return subdomain

    def source(self, account: str, type: str = "import") -> str:
        """The id of a fresh source."""
        made = self(f"source create --account {account} --name List --type {type} --json")
        return str(made.json["id"])


@pytest.fixture
def bare(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[CommandLine]:
    """The command line without any settings."""
    for name in ("DATABASE_URL", "DATABASE_READ_URL", "CONFIG", "LOG_LEVEL", "PUBLIC_URL"):
        monkeypatch.delenv(f"MASTHEAD_{name}", raising=False)
    yield CommandLine(capsys)
    reset_logs()  # its log lines went to a stderr that no longer exists


def use_database(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Let commands use a database, and its replica if it has one."""
    for name, value in settings_of(url).items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def cli_url(migrated_database: Callable[[], str]) -> str:
    """The database of the commands: some read all accounts, or rewrite the whole file."""
    return migrated_database()


@pytest.fixture
def masthead(bare: CommandLine, cli_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on a database that only commands use."""
    use_database(monkeypatch, cli_url)
    return bare


@pytest.fixture
def alone(bare: CommandLine, scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """The command line on a separate database without accounts."""
    use_database(monkeypatch, scratch_url)
    return bare
