"""Each setting: its default, and the variable that sets it."""

from dataclasses import fields
from pathlib import Path

import pytest

from masthead import settings
from masthead.settings import Settings, SettingsError, from_env

GIVEN: dict[str, tuple[str, object]] = {
    "database_url": ("sqlite:////srv/masthead.db", "sqlite:////srv/masthead.db"),
    "database_read_url": ("postgresql://m@db2/m", "postgresql://m@db2/m"),
    "database_timeout": ("20", 20),
    "placeholder_domain": ("nobody.example", "nobody.example"),
    "public_url": ("https://masthead.acme.test", "https://masthead.acme.test"),
    "subscriber_hosts": ("my.acme.test=acme", "my.acme.test=acme"),
    "trusted_proxies": ("10.0.0.0/8, ::1", "10.0.0.0/8, ::1"),
    "rate_limit": ("600", 600),
    "account_rate_limit": ("6000", 6000),
    "webhook_allow_private": ("true", True),
    "max_connections": ("200", 200),
    "event_days": ("90", 90),
    "log_level": ("debug", "debug"),
    "access_log": ("true", True),
    "metrics_token": ("s3cret", "s3cret"),
    "traces": ("true", True),
    "smtp_host": ("mail.acme.test", "mail.acme.test"),
    "smtp_port": ("25", 25),
    "smtp_security": ("tls", "tls"),
    "smtp_user": ("ada", "ada"),
    "smtp_password": ("p=ss w0rd#", "p=ss w0rd#"),
    "mail_from": ("Zoë <zoe@acme.test>", "Zoë <zoe@acme.test>"),
}


# Settings that need another one
NEEDED = {
    "smtp_host": {"mail_from": "a@b.test"},
    "database_read_url": {"database_url": "postgresql://m@db1/m"},
}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the variables of the test."""
    for name in [*GIVEN, "config"]:
        monkeypatch.delenv(f"MASTHEAD_{name.upper()}", raising=False)


async def test_every_setting_is_tested() -> None:
    assert set(GIVEN) == {each.name for each in fields(Settings)}


async def test_without_variables_the_defaults_apply() -> None:
    assert from_env() == Settings()


async def test_the_file_of_the_machine_is_read_unless_a_variable_names_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "masthead.toml"
    monkeypatch.setattr(settings, "DEFAULT_CONFIG", str(file))
    assert from_env() == Settings()
    file.write_text('[masthead]\ndatabase_url = "sqlite:////srv/masthead.db"\n')
    assert from_env().database_url == "sqlite:////srv/masthead.db"
    monkeypatch.setenv("MASTHEAD_CONFIG", "")
    assert from_env() == Settings()


@pytest.mark.parametrize("name", GIVEN)
async def test_a_variable_sets_its_setting_and_no_other(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, value = GIVEN[name]
    needed = NEEDED.get(name, {})
    for other, given in {**needed, name: text}.items():
        monkeypatch.setenv(f"MASTHEAD_{other.upper()}", given)
    assert from_env() == Settings(**{**needed, name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("text, value", [("1", True), ("yes", True), ("0", False), ("no", False)])
async def test_booleans_can_be_written_in_several_ways(
    monkeypatch: pytest.MonkeyPatch, text: str, value: bool
) -> None:
    monkeypatch.setenv("MASTHEAD_ACCESS_LOG", text)
    assert from_env().access_log is value


@pytest.mark.parametrize(
    "url", ["masthead.acme.test", "https://", "https://a.test/desk", "ftp://a.test", "https://a b"]
)
async def test_a_public_address_must_be_only_a_scheme_and_a_host(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("MASTHEAD_PUBLIC_URL", url)
    with pytest.raises(SettingsError, match="MASTHEAD_PUBLIC_URL"):
        from_env()


@pytest.mark.parametrize(
    "url", ["https://a.test/", "http://10.0.0.7:8080", "http://[::1]:8000", "https://a-b.c.test"]
)
async def test_a_public_address_is_kept_without_a_slash_at_its_end(
    monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("MASTHEAD_PUBLIC_URL", url)
    assert from_env().public_url == url.rstrip("/")


@pytest.mark.parametrize("name", ["database_url", "smtp_password"])
async def test_a_setting_can_be_read_from_a_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("from a file\n")
    monkeypatch.setenv(f"MASTHEAD_{name.upper()}_FILE", str(secret))
    assert getattr(from_env(), name) == "from a file"


async def test_a_missing_secret_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTHEAD_SMTP_PASSWORD_FILE", "/no/such/file")
    with pytest.raises(SettingsError, match="/no/such/file"):
        from_env()


@pytest.mark.parametrize(
    "sender",
    [
        *("Acme", "Acme <hello", "Acme, Inc <hello@acme.test>", "a@acme.test, b@acme.test"),
        *("Acme hello@acme.test", "Acme <hello@>", "=?utf-8?q?=0a?=@acme.test"),
        *("Acme: News <hello@acme.test>", "[Acme] News <hello@acme.test>"),
        *("a@ac me.test", "Acme <a@-acme.test>", "a@acme..test", f"a@{'ü' * 70}.test"),
    ],
)
async def test_a_sender_that_is_not_a_single_address_is_refused(
    monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", sender)
    with pytest.raises(SettingsError, match="MASTHEAD_MAIL_FROM"):
        from_env()


@pytest.mark.parametrize(
    "sender",
    [
        *("hello@acme.test", '"Acme, Inc" <hello@acme.test>', "Zoë <zoë@bücher.test>"),
        *('"Acme: News" <hello@acme.test>', "Acme (Books) <hello@acme.test>"),
    ],
)
async def test_a_sender_may_have_a_name(monkeypatch: pytest.MonkeyPatch, sender: str) -> None:
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", sender)
    assert from_env().mail_from == sender


async def test_a_password_is_not_shown_by_accident() -> None:
    settings = Settings(
        smtp_password="s3cret", database_url="postgresql://masthead:s3cret@db/masthead"
    )
    assert "s3cret" not in repr(settings)
