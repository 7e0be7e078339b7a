"""All settings, with defaults and descriptions; read once, by the app and the commands."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from email.utils import getaddresses
from functools import lru_cache
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import typed_settings
from typed_settings.exceptions import TsError

OTEL = "opentelemetry.exporter.otlp.proto.http"  # of the extra `masthead[otel]`
_POSTGRES = re.compile("postgres(ql)?://")
_SENDER = re.compile(r"(?!.*=\?)[^\s<>\"@]+@([^\s<>\"@]+)")
_HOST = re.compile(
    r"\[[^\[\]]+\]|[A-Za-z0-9]([\w-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([\w-]*[A-Za-z0-9])?)*"
)
_GROUP = re.compile(r'[^"<]*:.*<')  # what stands before a colon would be no part of the name
MAX_DOMAIN = 200  # characters, so that a placeholder address has at most 255
DEFAULT_CONFIG = "/etc/masthead/masthead.toml"  # what `masthead init` writes
WEB_ADDRESS = re.compile(r"https?://(\[[0-9A-Fa-f:.]+\]|[^\s/?#@:\[\]]+)(:[0-9]{1,5})?")


class SettingsError(Exception):
    """A setting cannot be read; the message names it."""


def _setting(default: Any, line: str, **limits: Any) -> Any:
    return field(default=default, metadata={"line": line, **limits})


@dataclass(frozen=True, kw_only=True, repr=False)  # a repr must not show passwords
class Settings:
    """The settings of masthead."""

    database_url: str = _setting(
        "sqlite:///masthead.db",
        "the database: `sqlite:////absolute/path.db` or `postgresql://user@host/name`",
    )
    database_read_url: str = _setting(
        "",
        "a replica of a PostgreSQL database, for lists, searches and exports",
    )
    database_timeout: int = _setting(
        5, "seconds that PostgreSQL may take for a statement of a request", range=range(1, 601)
    )
    placeholder_domain: str = _setting(
        "placeholder.example",
        "domain of placeholder addresses for subscribers without an email address; never emailed",
    )
    public_url: str = _setting(
        "http://127.0.0.1:8000",
        "address of the web interface; links begin with it",
    )
    subscriber_hosts: str = _setting(
        "",
        "own host names of the pages for subscribers, with the subdomain of the account, such as "
        "`my.acme.test=acme`, separated by commas",
    )
    trusted_proxies: str = _setting(
        "127.0.0.0/8, ::1",
        "addresses and networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are "
        "trusted, separated by commas",
    )
    rate_limit: int = _setting(
        0, "requests per minute for each key; 0 for no limit", range=range(10**9)
    )
    account_rate_limit: int = _setting(
        0,
        "requests per minute for all keys of an account together; 0 for no limit",
        range=range(10**9),
    )
    webhook_allow_private: bool = _setting(
        False, "whether webhooks may have addresses in private networks, and use `http`"
    )
    max_connections: int = _setting(
        1000,
        "connections that each worker keeps open; above that, those idle the longest are closed",
        range=range(16, 100_001),
    )
    event_days: int = _setting(
        30, "days for which events are kept for programs", range=range(1, 3651)
    )
    log_level: str = _setting(
        "info",
        "`debug`, `info`, `warning` or `error`",
        choices=("debug", "info", "warning", "error"),
    )
    access_log: bool = _setting(False, "whether every request is logged")
    metrics_token: str = _setting(
        "", "bearer token that `/metrics` requires; without one, that path is 404"
    )
    traces: bool = _setting(
        False, "whether requests and statements are traced; needs `masthead[otel]`"
    )
    smtp_host: str = _setting("", "the email server; without it emails wait in the outbox")
    smtp_port: int = _setting(587, "port of the email server", range=range(1, 65536))
    smtp_security: str = _setting(
        "starttls", "`starttls`, `tls` or `none`", choices=("starttls", "tls", "none")
    )
    smtp_user: str = _setting("", "user name for the email server; empty for no authentication")
    smtp_password: str = _setting("", "password for the email server; better in a file")
    mail_from: str = _setting("", "sender of emails, such as `Acme <hello@acme.test>`")

    @property
    def hosts_of_subscribers(self) -> dict[str, str]:
        """The subdomain of an account by the host name of its page for subscribers."""
        pairs = filter(None, map(str.strip, self.subscriber_hosts.split(",")))
        found = (each.partition("=") for each in pairs)
        return {host.strip().lower(): subdomain.strip() for host, _is, subdomain in found}


PREFIX = "MASTHEAD_"
CONFIG = f"{PREFIX}CONFIG"
# Not settings: what masthead sets for its own processes, and what the test suite reads
_OTHER_VARIABLES = re.compile(f"{PREFIX}(SUPERVISOR_PID|METRICS_MEMORY|LIMITS_MEMORY|TEST_.*)")
VARIABLES = (
    CONFIG,
    *(f"{PREFIX}{each.name.upper()}" for each in fields(Settings)),
    *(f"{PREFIX}{each.name.upper()}_FILE" for each in fields(Settings) if each.type is str),
)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """The variables that look like settings, but set nothing."""
    return sorted(
        name
        for name in environment
        if name.startswith(PREFIX)
        and name not in VARIABLES
        and not _OTHER_VARIABLES.fullmatch(name)
    )


def from_env() -> Settings:
    """The settings: defaults, then the TOML file named by `MASTHEAD_CONFIG`, then `MASTHEAD_*`.

    Without `MASTHEAD_CONFIG`, the file is DEFAULT_CONFIG, if it exists.
    `MASTHEAD_NAME_FILE` names a file that holds the value, as secret stores provide them.
    Raises: SettingsError.
    """
    config = os.environ.get(CONFIG, DEFAULT_CONFIG if _is_file(DEFAULT_CONFIG) else "")
    if config and not _is_file(config):
        raise SettingsError(f"`MASTHEAD_CONFIG` names {_shown(config)}, which does not exist.")
    variables = frozenset(each for each in os.environ.items() if each[0].startswith(PREFIX))
    try:
        content = Path(config).read_bytes() if config else b""
        settings = replace(_load(config, content, variables), **_from_files(os.environ))
        settings = replace(settings, public_url=settings.public_url.rstrip("/"))
    except (TsError, OSError, ValueError) as reason:
        reasons = reason.exceptions if isinstance(reason, ExceptionGroup) else [reason]
        problems = "; ".join(map(str, reasons))
        raise SettingsError(f"The settings cannot be read: {problems}") from None
    check_settings(settings)
    return settings


@lru_cache(maxsize=1)
def _load(config: str, content: bytes, variables: frozenset[tuple[str, str]]) -> Settings:
    """The settings of a file and of the variables, which are now those of this process.

    It takes 15 ms, because the library also looks for comments in our code.
    """
    loaders: list[Any] = [typed_settings.EnvLoader(PREFIX)]
    if config:
        formats: dict[str, Any] = {"*.toml": typed_settings.TomlFormat("masthead")}
        loaders.insert(0, typed_settings.FileLoader(files=[config], formats=formats))
    return typed_settings.load_settings(Settings, loaders)


def check_settings(settings: Settings) -> None:
    """Check the values at the start, before they are used. Raises: SettingsError."""
    for each in fields(Settings):
        name, value = f"MASTHEAD_{each.name.upper()}", getattr(settings, each.name)
        choices, span = each.metadata.get("choices"), each.metadata.get("range")
        if choices and value not in choices:
            allowed = ", ".join(f"`{choice}`" for choice in choices)
            raise SettingsError(f"`{name}` is `{value}`; allowed are {allowed}.")
        if span and value not in span:
            raise SettingsError(f"`{name}` is `{value}`; allowed are {span[0]} to {span[-1]}.")
    if settings.database_read_url and not (
        _POSTGRES.match(settings.database_read_url) and _POSTGRES.match(settings.database_url)
    ):
        raise SettingsError(
            "`MASTHEAD_DATABASE_READ_URL` names a replica, so it and `MASTHEAD_DATABASE_URL` must "
            "both begin with `postgresql://`."
        )
    if len(settings.placeholder_domain) > MAX_DOMAIN:
        raise SettingsError(
            f"`MASTHEAD_PLACEHOLDER_DOMAIN` has {len(settings.placeholder_domain)} characters; at "
            f"most {MAX_DOMAIN} are allowed."
        )
    if not settings.placeholder_domain:
        raise SettingsError("`MASTHEAD_PLACEHOLDER_DOMAIN` is ``; a domain is needed.")
    if not WEB_ADDRESS.fullmatch(settings.public_url):
        shown = "not shown" if "@" in settings.public_url else f"`{settings.public_url}`"
        raise SettingsError(
            f"`MASTHEAD_PUBLIC_URL` is {shown}; expected `https://` or `http://` "
            "and the name of a host, such as `https://masthead.acme.test`, without a path."
        )
    for part in filter(None, map(str.strip, settings.trusted_proxies.split(","))):
        try:
            ip_network(part)
        except ValueError as reason:
            raise SettingsError(
                f"`MASTHEAD_TRUSTED_PROXIES` contains `{part}`; expected addresses or networks "
                "such as `127.0.0.1, 10.0.0.0/8`, separated by commas."
            ) from reason
    for host, subdomain in settings.hosts_of_subscribers.items():
        if not _HOST.fullmatch(host) or not subdomain:
            raise SettingsError(
                f"`MASTHEAD_SUBSCRIBER_HOSTS` contains `{host}={subdomain}`; expected host names "
                "with the subdomain of their account, such as `my.acme.test=acme`, separated by "
                "commas."
            )
    if settings.traces and not _is_installed(OTEL):
        raise SettingsError(
            "`MASTHEAD_TRACES` is set, but OpenTelemetry is not installed. Install "
            "`masthead[otel]`, or unset it."
        )
    if settings.smtp_host and not settings.mail_from:
        raise SettingsError(
            "`MASTHEAD_SMTP_HOST` is set, but `MASTHEAD_MAIL_FROM` is not: emails need a sender, "
            "such as `Acme <hello@acme.test>`."
        )
    if settings.mail_from and not _is_sender(settings.mail_from):
        raise SettingsError(
            f"`MASTHEAD_MAIL_FROM` is `{settings.mail_from}`; expected one address, such as "
            '`Acme <hello@acme.test>`; a name with one of `,:;[]@` needs quotes: `"Acme, Inc" <…>`.'
        )


def _is_sender(text: str) -> bool:
    """Whether a text is one address, with or without a name, whose domain a server can look up."""
    senders = getaddresses([text])
    found = _SENDER.fullmatch(senders[0][1]) if len(senders) == 1 else None
    if found is None or found[0] not in text or _GROUP.match(text):
        return False
    try:
        return bool(_HOST.fullmatch(found[1].encode("idna").decode()))
    except UnicodeError:  # a part is empty or too long
        return False


def _from_files(environment: Mapping[str, str]) -> dict[str, Any]:
    """The text settings that `MASTHEAD_NAME_FILE` variables point to. Raises: SettingsError."""
    found = {}
    for each in fields(Settings):
        variable = f"MASTHEAD_{each.name.upper()}_FILE"
        path = environment.get(variable)
        if path and each.type in (str, "str"):
            try:
                found[each.name] = Path(path).read_text().strip()
            except (OSError, ValueError) as reason:
                why = getattr(reason, "strerror", None) or "it is not UTF-8 text"
                raise SettingsError(
                    f"`{variable}` names {_shown(path)}, which cannot be read: {why}."
                ) from None
    return found


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of one of its parents
        return False


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def _shown(path: str) -> str:
    """A path for a message; hidden if it may be the secret itself, set there by mistake."""
    is_path = path.startswith(("/", "./", "../")) and "@" not in path
    return f"`{path}`" if is_path else "a file"
