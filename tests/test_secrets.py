"""No output, log line or traceback contains the value of a secret setting."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from masthead.cli import run
from masthead.settings import Settings, SettingsError, from_env
from masthead.store.engine.database import connect
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from tests.support.waiting import PATIENCE

CANARY = "c4nary"

ADDRESSES = [
    f"postgres://u:{CANARY}@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}@no.such.host.test/db",
    f"postgresql+asyncpg://u:{CANARY}@host/db",
    f"POSTGRES://u:{CANARY}@host/db",
    f"mysql://u:{CANARY}@host/db",
    f" postgresql://u:{CANARY}@host/db",
    f"postgresql:u:{CANARY}@host/db",
    f"postgresql://u:{CANARY}@127.0.0.1:{CANARY}/db",
    f"postgresql://u:{CANARY}@127.0.0.1:1,127.0.0.1:{CANARY}/db",
    f"postgresql://u:{CANARY}/x@127.0.0.1:1/db",
    f"postgresql://u:x/{CANARY}@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}#@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}[@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}@[::1/db",
    f"postgresql://u:%zz{CANARY}@127.0.0.1:1/db",
    f"postgresql://u:{CANARY}\n@127.0.0.1:1/db",
    f"postgresql://127.0.0.1:1/db?password={CANARY}&port={CANARY}",
    f"postgresql://u:{CANARY}@127.0.0.1:1/db?sslmode={CANARY}",
    f"sqlite://u:{CANARY}@host/db",
    f"sqlite:/{CANARY}",
    f"sqlite:///nowhere/{CANARY}@host/db",
    f"u:{CANARY}@host/db",
    CANARY,
]

FILES = {
    "an unquoted password": f"[masthead]\nsmtp_password = {CANARY}\n",
    "a password without an end": f'[masthead]\nsmtp_password = "{CANARY}\n',
    "a password twice": f'[masthead]\nsmtp_password = "{CANARY}"\nsmtp_password = "{CANARY}"\n',
    "a misspelt name": f'[masthead]\nsmtp_pasword = "{CANARY}"\n',
    "no table": f'masthead = "{CANARY}"\n',
    "an error beside it": f'[masthead]\nsmtp_password = "{CANARY}"\nsmtp_port = "x"\n',
}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Use only the settings of the test; restore the log afterwards."""
    for name in list(os.environ):
        if name.startswith("MASTHEAD_"):
            monkeypatch.delenv(name)
    configured = structlog.get_config()
    yield
    structlog.configure(**configured)


def expect_silence(attempt: Callable[[], object], error: type[Exception]) -> None:
    """Check that neither the error nor its causes, which a traceback shows, contain the secret."""
    with pytest.raises(error) as raised:
        attempt()
    shown: BaseException | None = raised.value
    while shown is not None:
        assert CANARY not in f"{shown} {shown!r}"
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


@pytest.mark.parametrize("url", ADDRESSES)
def test_the_error_for_a_database_address_does_not_repeat_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], url: str
) -> None:
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    for command in ("check", "migrate", "serve --port 0", "account list"):
        assert run(command.split()) == 1
    out, err = capfd.readouterr()
    assert CANARY not in out + err
    assert len(err.splitlines()) == 4
    expect_silence(lambda: asyncio.run(connect_once(url)), DatabaseError)
    expect_silence(lambda: migrate(url), DatabaseError)


async def connect_once(url: str) -> None:
    """Open a database and close it."""
    await (await connect(url)).close()


@pytest.mark.parametrize("kind", FILES)
def test_the_error_for_a_settings_file_does_not_repeat_its_lines(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    config = tmp_path / "masthead.toml"
    config.write_text(FILES[kind])
    monkeypatch.setenv("MASTHEAD_CONFIG", str(config))
    expect_silence(from_env, SettingsError)


@pytest.mark.parametrize("name", ["DATABASE_URL", "SMTP_PASSWORD"])
@pytest.mark.parametrize("given", [CANARY, f"postgresql://u:{CANARY}@host/db", CANARY * 1000])
def test_the_error_for_a_secret_file_does_not_repeat_its_value(
    monkeypatch: pytest.MonkeyPatch, name: str, given: str
) -> None:
    monkeypatch.setenv(f"MASTHEAD_{name}_FILE", given)
    expect_silence(from_env, SettingsError)
    monkeypatch.delenv(f"MASTHEAD_{name}_FILE")
    monkeypatch.setenv("MASTHEAD_CONFIG", given)
    expect_silence(from_env, SettingsError)


def test_the_error_for_a_binary_secret_file_does_not_repeat_its_content(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(CANARY.encode() + b"\xff")
    monkeypatch.setenv("MASTHEAD_SMTP_PASSWORD_FILE", str(secret))
    expect_silence(from_env, SettingsError)


def test_the_error_for_a_public_url_does_not_repeat_a_password_in_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MASTHEAD_PUBLIC_URL", f"https://ann:{CANARY}@masthead.acme.test")
    expect_silence(from_env, SettingsError)


def test_settings_do_not_show_their_secrets() -> None:
    secrets = Settings(smtp_password=CANARY, database_url=f"postgresql://u:{CANARY}@host/db")
    assert CANARY not in f"{secrets!r} {secrets}"


@pytest.mark.parametrize("url", [ADDRESSES[0], ADDRESSES[8], ADDRESSES[11]])
def test_a_worker_that_ends_at_its_start_is_replaced(url: str) -> None:
    program = (
        "import asyncio\n"
        "from masthead.app import create_worker\n"
        "from granian.asgi import LifespanProtocol\n"
        "import logging\n"
        "async def start():\n"
        "    lifespan = LifespanProtocol(create_worker())\n"
        "    await lifespan.startup()\n"
        "    logging.error('start failed', exc_info=lifespan.exc)\n"
        "asyncio.run(start())\n"
    )
    variables = {"MASTHEAD_DATABASE_URL": url, "MASTHEAD_SMTP_PASSWORD": CANARY}
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "start failed" in ended.stderr
    assert CANARY not in ended.stdout + ended.stderr


def test_both_schemes_of_a_postgresql_url_work(
    backend: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "postgres":
        url = database_url.replace("postgresql://", "postgres://")
        assert url != database_url
        monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
        for command in ("migrate", "account list"):
            assert run(command.split()) == 0
