"""`masthead init`."""

import asyncio
import os
import pwd
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    password_link,
    run_with_database,
)
from masthead.cli.install.files import (
    BACKUPS,
    SETTINGS,
    Installation,
    make_folders,
    require_free,
    write_file,
)
from masthead.cli.install.questions import ask, currency_of, local_time_zone, subdomain_of
from masthead.cli.moving.progress import migrate
from masthead.cli.output import print_message, print_record
from masthead.cli.server import prepare
from masthead.model.types.email_addresses import email_address
from masthead.model.types.enums import Role
from masthead.model.types.fields import required_text
from masthead.services import accounts, users
from masthead.settings import Settings, check_settings
from masthead.store.accounts import find_account
from masthead.store.engine.database import connect, get_version
from masthead.store.engine.interface import Database, MissingTable, is_postgres

BY = command_actor("init")
DATABASE_URL = "sqlite:////var/lib/masthead/masthead.db"
ROOT = Path("/")
HOMES = ("/home", "/root", "/run/user")  # the service cannot read them
MAX_WORKERS = 64  # more processes than any machine that masthead was tried on has use for
UNIT_PATH = re.compile("[\\w/.-]+", re.ASCII)  # what a unit of systemd needs no quotes for


def init(
    *,
    name: str | None = None,
    owner: str | None = None,
    url: str | None = None,
    subdomain: str | None = None,
    currency: str | None = None,
    time_zone: str | None = None,
    database: str = DATABASE_URL,
    workers: int = 2,
    user: str = "masthead",
    root: Path = ROOT,
    json: Json = False,
) -> None:
    """Write the settings and the units of systemd, and create the database and an account.

    It asks for the name, the owner and the address, unless they are options. It overwrites
    nothing: if a file exists with other contents, it changes nothing at all.

    Parameters
    ----------
    name
        name of the magazine or publisher
    owner
        email address of the owner of the account
    url
        address of the web interface, such as https://masthead.acme.test
    subdomain
        short name for commands; made from the name by default
    currency
        ISO 4217 code of the currency of all prices; that of the time zone's country by default
    time_zone
        where the publisher is, such as Europe/Berlin; that of this machine by default
    database
        address of the database: sqlite:////absolute/path.db or postgresql://user@host/name
    workers
        number of processes that answer requests
    user
        the user of this machine that runs masthead
    root
        folder in which the files are written, as if it were /; for images of machines
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise CommandError(f"`--workers` is {workers}; expected 1 to {MAX_WORKERS}.")
    service = _service_user(user, root)
    program, path = _program(root), _database_path(database, root)
    zone = time_zone or local_time_zone()
    name = ask("Name of the magazine or publisher?", "--name", name, _name)
    owner = ask("Email address of the owner?", "--owner", owner, _owner)
    url = ask("Address of the web interface (https://…)?", "--url", url, _url)
    subdomain = ask(
        "Short name for commands, such as acme?",
        "--subdomain",
        subdomain or subdomain_of(name) or None,
        _subdomain,
    )
    files = Installation(
        database_url=database, public_url=url, program=program, user=user, workers=workers
    ).files()
    missing = require_free(root, files)
    for folder in filter(None, (path and path.parent, root / BACKUPS)):
        _make_folder(folder, service)
    with _acting_as(service):
        record = _create_account(
            Settings(database_url=f"sqlite:///{path}" if path else database, public_url=url),
            owner,
            name=name,
            subdomain=subdomain,
            currency=currency or currency_of(zone),
            time_zone=zone,
        )
    for each in missing:
        if each == SETTINGS:  # they may contain passwords
            write_file(root / each, files[each], 0o640, service.pw_gid if service else -1)
        else:
            write_file(root / each, files[each], 0o644)
    print_record(record, json=json)
    _explain(record, root, missing)


def _explain(record: Mapping[str, Any], root: Path, written: Sequence[Path]) -> None:
    for path in written:
        print_message(f"written: {root / path}")
    if not record["link"]:
        print_message(
            f"The account `{record['subdomain']}` exists, or `{record['owner']}` has a password. "
            f"For a link, run `masthead user reset --email {record['owner']}`."
        )
    print_message(
        "Start masthead and its nightly backup: systemctl daemon-reload && "
        "systemctl enable --now masthead masthead-backup.timer"
    )


def _name(text: str) -> str:
    return required_text("name", text.strip())


def _owner(text: str) -> str:
    return email_address("owner", text.strip())


def _url(text: str) -> str:
    url = text.strip().rstrip("/")
    check_settings(Settings(public_url=url))
    return url


def _subdomain(text: str) -> str:
    return accounts.require_subdomain(text.strip())


def _service_user(user: str, root: Path) -> pwd.struct_passwd | None:
    """The user to own what is written; None if only this user can. Raises: CommandError."""
    if os.geteuid() != 0:
        if root == ROOT:
            raise CommandError("`masthead init` writes to /etc: run it as root, with `sudo`.")
        return None
    try:
        return pwd.getpwnam(user)
    except KeyError:
        raise CommandError(
            f"There is no user `{user}`. Create it: useradd --system --home-dir /var/lib/masthead "
            f"--shell /usr/sbin/nologin {user}"
        ) from None


def _program(root: Path) -> str:
    """The path of the command `masthead`. Raises: CommandError if the service cannot start it."""
    program = Path(sys.executable).parent / "masthead"
    for path in (program, Path(sys.base_prefix)):
        if root == ROOT and any(path.is_relative_to(home) for home in HOMES):
            raise CommandError(
                f"`{path}` is in a home folder, where the service cannot read it. Install masthead "
                "in /opt/masthead with the Python of the system, and run `masthead init` there."
            )
    return str(program)


def _database_path(url: str, root: Path) -> Path | None:
    """The path of a SQLite database below `root`; None on PostgreSQL. Raises: CommandError."""
    if is_postgres(url):
        return None
    path = Path(url.removeprefix("sqlite:///"))
    if not url.startswith("sqlite:///") or not path.is_absolute():
        raise CommandError(
            "`--database` names no database; expected `sqlite:////absolute/path.db` or "
            "`postgresql://user@host/name`."
        )
    if not UNIT_PATH.fullmatch(str(path)) or ".." in path.parts:
        raise CommandError(
            f"`{path}` cannot be in a unit of systemd. Use only letters, digits and `/._-`."
        )
    if any(path.is_relative_to(home) for home in HOMES):
        raise CommandError(
            f"`{path}` is in a home folder, where the service cannot read it. Use a folder such as "
            "/var/lib/masthead."
        )
    return root / path.relative_to("/")


def _make_folder(folder: Path, service: pwd.struct_passwd | None) -> None:
    """Create a folder that only the service can open, unless it exists."""
    if not folder.exists():
        make_folders(folder)
        folder.chmod(0o700)
        if service:
            os.chown(folder, service.pw_uid, service.pw_gid)


@contextmanager
def _acting_as(service: pwd.struct_passwd | None) -> Iterator[None]:
    """Do the block with the permissions of the service, so that it owns what the block creates."""
    if service is None:
        yield
        return
    groups = os.getgroups()
    os.setgroups([service.pw_gid])
    os.setegid(service.pw_gid)
    os.seteuid(service.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


async def _is_empty(url: str) -> bool:
    """Whether a database has no tables of masthead."""
    db = await connect(url, is_command=True)
    try:
        async with db.read() as connection:
            await get_version(connection)
    except MissingTable:
        return True
    finally:
        await db.close()
    return False


def _create_account(
    settings: Settings, owner: str, *, name: str, subdomain: str, currency: str, time_zone: str
) -> dict[str, Any]:
    """Create the tables and the account if they are missing; returns what to print."""
    if is_postgres(settings.database_url) and asyncio.run(_is_empty(settings.database_url)):
        migrate(settings.database_url)
    prepare(settings)

    async def work(db: Database) -> str | None:
        async with db.read() as connection:
            if await find_account(connection, subdomain):
                return None
        account = await accounts.create_account(
            db,
            name=name,
            subdomain=subdomain,
            currency=currency,
            owner=owner,
            time_zone=time_zone,
            by=BY,
        )
        invited = await users.invite_user(db, account.id, email=owner, role=Role.OWNER, by=BY)
        return password_link(invited.token, settings)

    link = run_with_database(work, settings)
    return {
        "name": name,
        "subdomain": subdomain,
        "currency": currency,
        "time_zone": time_zone,
        "owner": owner,
        "link": link,
    }


COMMANDS = {"init": init}
EXAMPLES = {
    "init": format_examples(
        "sudo masthead init",
        "sudo masthead init --name Acme --owner ann@acme.test --url https://masthead.acme.test",
    )
}
