"""Invalid settings are refused at start, with their names."""

from pathlib import Path

import pytest

from masthead.settings import Settings, SettingsError, from_env, unknown_variables


@pytest.mark.parametrize(
    "name, text",
    [
        ("LOG_LEVEL", "loud"),
        ("SMTP_SECURITY", "ssl"),
        ("SMTP_PORT", "70000"),
        ("SMTP_PORT", "mail"),
        ("RATE_LIMIT", "-1"),
        ("ACCOUNT_RATE_LIMIT", "-1"),
        ("RATE_LIMIT", ""),
        ("MAX_CONNECTIONS", "15"),
        ("ACCESS_LOG", "perhaps"),
        ("PLACEHOLDER_DOMAIN", ""),
        ("TRUSTED_PROXIES", "localhost"),
        ("TRUSTED_PROXIES", "10.0.0.1/8"),
        ("TRUSTED_PROXIES", "unix"),
    ],
)
async def test_the_error_for_an_invalid_value_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setenv(f"MASTHEAD_{name}", text)
    with pytest.raises(SettingsError) as refusal:
        from_env()
    assert name.lower() in str(refusal.value).lower()
    assert repr(text) in str(refusal.value) or f"`{text}`" in str(refusal.value)


@pytest.mark.parametrize(
    "url, read_url",
    [
        ("sqlite:///masthead.db", "postgresql://m:s3cret@db2/m"),
        ("postgres://m@db1/m", "sqlite:///s3cret.db"),
    ],
)
async def test_only_a_postgresql_database_has_a_replica(
    monkeypatch: pytest.MonkeyPatch, url: str, read_url: str
) -> None:
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    monkeypatch.setenv("MASTHEAD_DATABASE_READ_URL", read_url)
    with pytest.raises(SettingsError, match="`MASTHEAD_DATABASE_READ_URL` names a") as refusal:
        from_env()
    assert "s3cret" not in str(refusal.value)


async def test_a_placeholder_domain_must_be_short_enough_for_an_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MASTHEAD_PLACEHOLDER_DOMAIN", "x" * 201)
    with pytest.raises(SettingsError, match="has 201 characters; at most 200"):
        from_env()


async def test_an_email_server_without_a_sender_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASTHEAD_SMTP_HOST", "mail.acme.test")
    with pytest.raises(SettingsError, match="MASTHEAD_MAIL_FROM"):
        from_env()


async def test_a_missing_settings_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MASTHEAD_CONFIG", str(tmp_path / "nowhere.toml"))
    with pytest.raises(SettingsError, match=r"nowhere\.toml"):
        from_env()


async def test_a_misspelled_setting_in_the_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "masthead.toml"
    config.write_text("[masthead]\nrate_limt = 60\n")
    monkeypatch.setenv("MASTHEAD_CONFIG", str(config))
    with pytest.raises(SettingsError, match="rate_limt"):
        from_env()


async def test_the_environment_overrides_the_file_and_a_secret_file_overrides_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config, secret = tmp_path / "masthead.toml", tmp_path / "password"
    config.write_text('[masthead]\nrate_limit = 60\nlog_level = "error"\nsmtp_password = "old"\n')
    secret.write_text("s3cret\n")
    monkeypatch.setenv("MASTHEAD_CONFIG", str(config))
    monkeypatch.setenv("MASTHEAD_LOG_LEVEL", "warning")
    monkeypatch.setenv("MASTHEAD_SMTP_PASSWORD_FILE", str(secret))
    assert from_env() == Settings(rate_limit=60, log_level="warning", smtp_password="s3cret")


def test_variables_that_set_nothing_are_found() -> None:
    environment = {
        "MASTHEAD_RATE_LIMIT": "1",
        "MASTHEAD_SMTP_PASSWORD_FILE": "/run/secrets/smtp",
        "MASTHEAD_CONFIG": "",
        "MASTHEAD_SUPERVISOR_PID": "1",  # set by masthead itself
        "MASTHEAD_TEST_ROUNDS": "200",
        "HOME": "/",
        "MASTHEAD_SMTP_PASWORD": "s3cret",
        "MASTHEAD_RATE_LIMIT_FILE": "/run/limit",  # only texts are read from files
    }
    assert unknown_variables(environment) == ["MASTHEAD_RATE_LIMIT_FILE", "MASTHEAD_SMTP_PASWORD"]
