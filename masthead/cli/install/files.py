"""The files that `masthead init` writes: settings, and units for systemd."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from string import Template

from masthead.cli.command import CommandError
from masthead.store.engine.interface import is_postgres

TEMPLATES = Path(__file__).parent / "templates"
SETTINGS = Path("etc/masthead/masthead.toml")
UNITS = Path("etc/systemd/system")
BACKUPS = Path("var/backups/masthead")
STATE = Path("/var/lib/masthead")  # which systemd creates, and where the service can write
ADDRESS = "127.0.0.1:8000"
UNIT_NAMES = (
    "masthead.service",
    "masthead.socket",
    "masthead-backup.service",
    "masthead-backup.timer",
)


@dataclass(frozen=True, kw_only=True)
class Installation:
    """Where masthead is installed, and how it runs. program: the path of its command."""

    database_url: str
    public_url: str
    program: str = "/opt/masthead/bin/masthead"
    user: str = "masthead"
    workers: int = 2

    def files(self) -> dict[Path, str]:
        """The contents of each file, by its path without the first slash."""
        values = {
            "program": self.program,
            "user": self.user,
            "workers": str(self.workers),
            "listen": f"ListenStream={ADDRESS}\n" * self.workers,
        }
        needs = {"masthead.service": "", "masthead-backup.service": ""}
        mounts = "RequiresMountsFor={}\n"
        needs["masthead-backup.service"] = mounts.format(f"/{BACKUPS}")
        writes = ""
        if not is_postgres(self.database_url):
            path = Path(self.database_url.removeprefix("sqlite:///"))
            needs = {
                "masthead.service": "# SQLite: start only if its disk is mounted and the database "
                f"exists\n{mounts.format(path.parent)}AssertPathExists={path}\n",
                "masthead-backup.service": mounts.format(f"{path.parent} /{BACKUPS}"),
            }
            if not path.is_relative_to(STATE):
                writes = f"ReadWritePaths={path.parent}\n"
        settings = _template("masthead.toml").substitute(
            database_url=json.dumps(self.database_url, ensure_ascii=False),
            public_url=json.dumps(self.public_url, ensure_ascii=False),
        )
        values["sandbox"] = writes + _template("sandbox.conf").template
        units = {
            UNITS / name: _template(name).substitute(values, requirements=needs.get(name, ""))
            for name in UNIT_NAMES
        }
        return {SETTINGS: settings, **units}


def _template(name: str) -> Template:
    return Template((TEMPLATES / name).read_text(encoding="utf-8"))


def require_free(root: Path, files: dict[Path, str]) -> list[Path]:
    """The files that do not exist yet. Raises: CommandError if one exists with other contents."""
    missing = [path for path in files if not (root / path).exists()]
    for path, text in files.items():
        if path not in missing and (root / path).read_text(encoding="utf-8") != text:
            raise CommandError(
                f"`{root / path}` exists, and `masthead init` overwrites nothing. Keep the file "
                "and change it, or move it away and run `masthead init` again."
            )
    return missing


def make_folders(folder: Path) -> None:
    """Create a folder and those above it, which only their owner can change, whatever the umask is.

    Folders that exist stay as they are.
    """
    if not folder.exists():
        make_folders(folder.parent)
        folder.mkdir(mode=0o700)
        folder.chmod(0o755)


def write_file(path: Path, text: str, mode: int, group: int = -1) -> None:
    """Create a file. group: the id of its group; that of this process by default."""
    make_folders(path.parent)
    with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "w") as file:
        os.fchmod(file.fileno(), mode)  # whatever the umask is
        os.fchown(file.fileno(), -1, group)
        file.write(text)
