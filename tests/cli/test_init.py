"""`masthead init`: three questions, then settings, units, a database and an account."""

import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.cli.install import questions
from masthead.cli.install.files import SETTINGS, UNITS, Installation
from masthead.cli.install.questions import currency_of, local_time_zone, subdomain_of
from masthead.settings import from_env
from tests.cli.conftest import CommandLine
from tests.support.cases import for_each

ME = pwd.getpwuid(os.geteuid()).pw_name
OPTIONS = {
    "--name": "Acme Quarterly",
    "--owner": "ann@acme.test",
    "--url": "https://desk.acme.test",
    "--user": ME,
}
DATABASE = Path("var/lib/masthead/masthead.db")
MOST_EXPOSED = "20"  # of 100, as `systemd-analyze security` counts


def init(masthead: CommandLine, root: Path, *words: str, code: int = 0) -> str:
    """Run `masthead init` below a folder; returns its messages. words: more options."""
    options = OPTIONS | dict(zip(words[::2], words[1::2], strict=True))
    pairs = (word for pair in options.items() for word in pair)
    return masthead(f"init --root {root} --json", *pairs, code=code).said


def files_of(root: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    paths = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root): path.read_bytes() for path in paths}


def test_init_writes_settings_units_database_and_account(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = (word for pair in OPTIONS.items() for word in pair)
    made = bare(f"init --root {tmp_path} --json --time-zone Europe/Zurich", *pairs).json
    assert made["link"].startswith("https://desk.acme.test/link/")
    assert (made["subdomain"], made["currency"]) == ("acme-quarterly", "CHF")
    assert {path for path in files_of(tmp_path) if path.is_relative_to("etc")} == {
        SETTINGS,
        UNITS / "masthead.service",
        UNITS / "masthead.socket",
        UNITS / "masthead-backup.service",
        UNITS / "masthead-backup.timer",
    }
    for path, mode in (
        (SETTINGS, 0o640),
        (UNITS / "masthead.service", 0o644),
        (DATABASE, 0o600),
        (DATABASE.parent, 0o700),
        (Path("var/backups/masthead"), 0o700),
    ):
        assert (tmp_path / path).stat().st_mode & 0o777 == mode
    monkeypatch.setenv("MASTHEAD_CONFIG", str(tmp_path / SETTINGS))
    assert from_env().database_url == f"sqlite:////{DATABASE}"
    assert from_env().public_url == "https://desk.acme.test"
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", f"sqlite:///{tmp_path / DATABASE}")
    (user,) = bare("user list --account acme-quarterly --json").json["items"]
    assert (user["email"], user["role"]) == ("ann@acme.test", "owner")
    bare("check")


def test_init_overwrites_nothing(bare: CommandLine, tmp_path: Path) -> None:
    init(bare, tmp_path)
    before = files_of(tmp_path)
    said = init(bare, tmp_path, "--workers", "3", code=1)
    assert "masthead.service` exists, and `masthead init` overwrites nothing" in said
    assert files_of(tmp_path) == before


def test_only_the_owner_can_change_what_init_creates(bare: CommandLine, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        init(bare, tmp_path)
    finally:
        os.umask(before)
    modes = {path: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert len(modes) > 8
    assert {str(path): oct(mode) for path, mode in modes.items() if mode & 0o022} == {}
    assert modes[tmp_path / "etc"] == 0o755


def test_init_completes_what_is_missing(bare: CommandLine, tmp_path: Path) -> None:
    init(bare, tmp_path)
    before = files_of(tmp_path)
    timer = UNITS / "masthead-backup.timer"
    (tmp_path / timer).unlink()
    said = init(bare, tmp_path)
    assert f"written: {tmp_path / timer}" in said
    assert str(SETTINGS) not in said
    assert "masthead user reset --email ann@acme.test" in said
    assert files_of(tmp_path)[timer] == before[timer]


def test_init_with_postgresql_creates_the_tables(
    bare: CommandLine, backend: str, empty_database: Callable[[], str], tmp_path: Path
) -> None:
    if backend == "sqlite":
        pytest.skip("PostgreSQL only")
    url = empty_database()
    init(bare, tmp_path, "--database", url)
    init(bare, tmp_path, "--database", url)  # nothing is missing
    unit = (tmp_path / UNITS / "masthead.service").read_text()
    assert "AssertPathExists" not in unit
    assert url in (tmp_path / SETTINGS).read_text()
    assert not (tmp_path / DATABASE.parent).exists()


@for_each(
    "words, message",
    [
        (["--owner", "ann"], "`owner` is `ann`"),
        (["--url", "masthead.acme.test"], "`MASTHEAD_PUBLIC_URL` is `masthead.acme.test`"),
        (["--database", "sqlite:///relative.db"], "`--database` names no database"),
        (["--database", "sqlite:////srv/a b/x.db"], "cannot be in a unit of systemd"),
        (["--database", "sqlite:////srv/100%/x.db"], "cannot be in a unit of systemd"),
        (["--database", "sqlite:////srv/../x.db"], "cannot be in a unit of systemd"),
        (["--database", "sqlite:////home/ann/x.db"], "is in a home folder"),
        (["--currency", "EURO"], "`currency` is `EURO`"),
        (["--workers", "0"], "`--workers` is 0; expected 1 to 64"),
        (["--workers", "65"], "`--workers` is 65; expected 1 to 64"),
        (["--subdomain", "Acme!"], "`subdomain` is `Acme!`"),
        (["--name", "Журнал"], "`--subdomain` is missing"),
    ],
)
def test_init_refuses_wrong_options_before_it_writes_settings(
    bare: CommandLine, tmp_path: Path, words: list[str], message: str
) -> None:
    assert message in init(bare, tmp_path, *words, code=1)
    assert not (tmp_path / "etc").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_init_says_how_to_create_the_user(bare: CommandLine, tmp_path: Path) -> None:
    said = init(bare, tmp_path, "--user", "no-such-user", code=1)
    assert "There is no user `no-such-user`. Create it: useradd --system" in said
    assert files_of(tmp_path) == {}


def test_init_needs_root_and_a_program_that_the_service_can_read(
    bare: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "run it as root" in bare("init", code=1).said
    made = init(bare, tmp_path)
    assert str(tmp_path / SETTINGS) in made
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(sys, "executable", "/root/.local/bin/python3")
    assert "is in a home folder" in bare(f"init --user {ME}", code=1).said


def test_init_asks_what_no_option_says(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["Acme", "ann", "ann@acme.test", "desk.acme.test", "https://desk.acme.test/"])
    monkeypatch.setattr(questions, "is_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _prompt: next(answers))
    ended = bare(f"init --root {tmp_path} --user {ME}")
    assert "`owner` is `ann`" in ended.said
    assert "https://desk.acme.test/link/" in ended.out
    assert next(answers, None) is None


def test_init_asks_for_a_short_name_if_the_name_has_no_latin_letters(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["Журнал", "", "zhurnal"])
    monkeypatch.setattr(questions, "is_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _prompt: next(answers))
    options = "--owner ann@acme.test --url https://desk.acme.test"
    made = bare(f"init --root {tmp_path} --user {ME} --json {options}").json
    assert (made["name"], made["subdomain"]) == ("Журнал", "zhurnal")


def test_the_services_can_write_a_database_in_another_folder(
    bare: CommandLine, tmp_path: Path
) -> None:
    init(bare, tmp_path, "--database", "sqlite:////srv/masthead/main.db")
    for name in ("masthead.service", "masthead-backup.service"):
        assert "\nReadWritePaths=/srv/masthead\n" in (tmp_path / UNITS / name).read_text()
    assert (tmp_path / "srv/masthead/main.db").exists()


def test_init_without_a_terminal_names_the_missing_option(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = f"init --root {tmp_path} --user {ME} --name Acme"
    monkeypatch.setattr(questions, "is_terminal", lambda: False)
    assert "`--owner` is missing" in bare(line, code=1).said

    def end(_prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr(questions, "is_terminal", lambda: True)
    monkeypatch.setattr("builtins.input", end)
    assert "Use the option `--owner`" in bare(line, code=1).said
    assert files_of(tmp_path) == {}


@pytest.mark.parametrize(
    "name, subdomain",
    [
        ("Acme Quarterly", "acme-quarterly"),
        ("Bücher & Bäume!", "bucher-baume"),
        ("-" * 9 + "a" * 70, "a" * 63),
    ],
)
def test_the_subdomain_is_made_from_the_name(name: str, subdomain: str) -> None:
    assert subdomain_of(name) == subdomain


def test_zone_and_currency_are_those_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    link = tmp_path / "localtime"
    monkeypatch.setattr(questions, "LOCAL_TIME", link)
    for target, zone, currency in (
        ("America/New_York", "America/New_York", "USD"),
        ("Etc/UTC", "UTC", "EUR"),
        ("nowhere", "UTC", "EUR"),
    ):
        link.unlink(missing_ok=True)
        link.symlink_to(f"/usr/share/zoneinfo/{target}")
        assert (local_time_zone(), currency_of(zone)) == (zone, currency)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd-analyze")
@pytest.mark.parametrize(
    "url",
    ["sqlite:////var/lib/masthead/masthead.db", "sqlite:////srv/masthead.db", "postgresql:///m"],
)
def test_systemd_accepts_the_units_and_their_sandbox(url: str, tmp_path: Path) -> None:
    program = str(Path(sys.executable).parent / "masthead")
    plan = Installation(database_url=url, public_url="https://a.test", program=program)
    for path, text in plan.files().items():
        (tmp_path / path.name).write_text(text)
    units = sorted(map(str, tmp_path.glob("masthead*.[st]*[!l]")))
    assert len(units) == 4
    ended = analyze("verify", "--man=no", "--recursive-errors=one", *units)
    assert (ended.returncode, ended.stderr) == (0, "")
    services = [unit for unit in units if unit.endswith(".service")]
    exposed = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", *services)
    assert exposed.returncode == 0, exposed.stdout


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `systemd-analyze`."""
    return subprocess.run(
        ["systemd-analyze", *words], capture_output=True, text=True, check=False, timeout=60
    )
