"""Describe the machine and the versions, without names that identify its owner."""

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import apsw

from bench.options import ROOT

PACKAGES = (
    "granian uvloop starlette msgspec apsw asyncpg fastapi pydantic sqlalchemy aiosqlite django "
    "djangorestframework orjson psycopg"
).split()


def machine() -> dict[str, str]:
    """The processor, cores, memory and kernel."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": f"{len(os.sched_getaffinity(0))} cores",
        "memory": f"{memory / 2**30:.0f} GiB",
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",
    }


def versions(postgres: str) -> dict[str, str]:
    """The versions of all programs. postgres: the directory of its programs, empty if not used."""
    found = {"Python": platform.python_version(), "SQLite": apsw.sqlite_lib_version()}
    found["Python's SQLite"] = import_module("sqlite3").sqlite_version
    if postgres:
        found["PostgreSQL"] = _first_number(_told([f"{postgres}/postgres", "--version"]))
    found["wrk"] = _first_number(_told(["wrk", "-v"]))
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str:
    """The commit that was measured, with `+` if files differ from it."""
    number = _told(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]).strip() or "?"
    outside = [":!bench/results", ":!docs/performance*"]
    changed = _told(["git", "-C", str(ROOT), "status", "--porcelain", "--", ".", *outside])
    return number + ("+" if changed.strip() else "")


def moment() -> str:
    """The current time, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")


def _first_number(text: str) -> str:
    found: list[str] = re.findall(r"\d+(?:\.\d+)+", text)
    return found[0] if found else ""


def _told(command: list[str]) -> str:
    """What a program prints; nothing if it is missing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError as reason:
        print(reason, file=sys.stderr)
        return ""
