"""Install masthead into a virtual environment. The Makefile calls it, and it needs only Python.

    python3 tools/install.py environment .venv              creates .venv with uv and pip
    .venv/bin/python tools/install.py packages run build    installs requirements/run.txt, build.txt
    .venv/bin/python tools/install.py packages --masthead   installs this tree, for development
    .venv/bin/python tools/install.py check python3.13      checks which Python .venv is of

uv installs the pins, because it is several times as fast as pip (decision 0057). pip installs uv,
and everything if there is no uv for the platform. A failure is one sentence with the cause and the
solution. An interrupted installation is repeated, so that no package stays incomplete.
"""

import argparse
import ast
import errno
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, NoReturn

REQUIREMENTS = Path("requirements")
STAMPS = (".run", ".dev", ".bench")  # of the Makefile: these packages are complete
PIP = ("-m", "pip", "--disable-pip-version-check")
VERSION = "{}.{}".format(*sys.version_info)

# The settings of pip that lead to packages, and the variables that tell uv the same
VARIABLES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
}

TRUE = ("1", "true", "yes", "on", "t", "y")

# What pip and uv print, and the cause; the first that matches
CAUSES = {
    r"No space left on device|Disk quota exceeded|os error 28\b": "disk",
    r"Hash mismatch|DO NOT MATCH THE HASHES|^\S+==\S+ .*from \S+:$": "pins",
    r"Retrying \(|error sending request|client error \(|dns error|tcp connect|Connection(Error|"
    r" refused| reset)|timed out|Failed to (fetch|download)|SSLError|ProxyError": "network",
    r"require-hashes|pinned|Invalid requirement|Couldn't parse|Expected .*found|conflict"
    r"|No solution found|Unsatisfiable|ResolutionImpossible": "pins",
    r"No matching distribution": "platform",
}


class Failed(Exception):
    """A program failed. output: what it printed."""

    def __init__(self, output: str) -> None:
        super().__init__(output)
        self.output = output

    def find_cause(self) -> tuple[str, str]:
        """The cause, and the last line that shows it; empty texts if it is unknown."""
        lines = [line.strip(" \t×│├╰─▶") for line in self.output.splitlines()]
        for signs, cause in CAUSES.items():
            if found := [line for line in lines if re.search(signs, line, re.IGNORECASE)]:
                return cause, found[-1].rstrip(".:")
        return "", ""


class Environment(NamedTuple):
    """A virtual environment."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its Python."""
        return self.folder / "bin" / "python"

    @property
    def uv(self) -> Path:
        """Its uv, if there is one for this platform."""
        return self.folder / "bin" / "uv"

    def __str__(self) -> str:
        """The folder as make names it."""
        return os.path.relpath(self.folder) if self.folder.is_absolute() else str(self.folder)


def run(*words: str | Path, **variables: str) -> str:
    """Run a program; returns what it printed. Raises: Failed."""
    try:
        ended = subprocess.run(  # noqa: S603 - the words are in this file
            list(map(str, words)),
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as failure:
        raise Failed(str(failure)) from failure
    if ended.returncode:
        raise Failed(ended.stdout or f"{words[0]} ended with status {ended.returncode}")
    return ended.stdout


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def stop(failure: Failed, locks: Sequence[Path]) -> NoReturn:
    """End with the cause of a failure and its solution, on stderr."""
    cause, line = failure.find_cause()
    files = " ".join(map(str, locks))
    match cause:
        case "disk":
            raise SystemExit(
                "The disk is full: free 1.5 GB for the environment and the cache of packages, "
                "then run make again."
            )
        case "network":
            raise SystemExit(
                f"The packages cannot be downloaded ({line}). Check the connection, or tell pip "
                "your proxy or index (python3 -m pip config --help), then run make again."
            )
        case "pins":
            raise SystemExit(
                f"The pins in {files} do not match the packages ({line}). If you edited them, "
                f"restore them with git checkout -- {files}; make pins writes new ones from the "
                ".in files."
            )
    raise SystemExit(
        f"{failure.output.rstrip()}\n"
        f"{files or 'masthead'} cannot be installed: correct what the lines above say, then run "
        "make again."
    )


@contextmanager
def incomplete(marker: Path) -> Iterator[bool]:
    """Keep a file while the block runs, and if it fails. Yields: whether it was there before."""
    was_there = marker.exists()
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    yield was_there
    marker.unlink()


# --- The environment -----------------------------------------------------------------------------


def create(environment: Environment) -> None:
    """Create the environment, or use the one that is there; install uv and pip into it."""
    is_there = environment.python.is_symlink() or environment.python.exists()
    marker = environment.folder / ".incomplete-environment"
    if is_there and not marker.exists():
        require_usable(environment)
    else:
        require_modules()
    with incomplete(marker) as again:
        if again or not is_there:
            say(f"Creating {environment} with Python {VERSION} ...")
            clear = ["--clear"] if again else []
            run(sys.executable, "-m", "venv", "--without-pip", *clear, environment.folder)
            marker.touch()
        try:
            install_uv(environment)
        except Failed as failure:
            if failure.find_cause()[0] != "platform":
                raise
            require_pip(environment)
            say("There is no uv for this platform: pip installs everything, which takes longer.")


def install_uv(environment: Environment) -> None:
    """Install uv and pip with the pip of this Python, or else with the one in ensurepip."""
    words = ["--quiet", "install", "--require-hashes", "--only-binary=:all:", "--no-compile"]
    words += ["-r", str(REQUIREMENTS / "uv.txt")]
    if find_spec("pip"):  # ensurepip takes several seconds
        try:
            run(sys.executable, *PIP, "--python", environment.python, *words)
        except Failed as failure:
            if failure.find_cause()[0]:
                raise
        else:
            return
    require_pip(environment)
    run(environment.python, *PIP, *words)


def require_usable(environment: Environment) -> None:
    """Stop if the environment has no Python that runs, or too old a one."""
    try:
        answer = run(environment.python, "-c", "import sys; print(sys.version_info >= (3, 11))")
    except Failed:
        answer = ""
    if answer.strip() != "True":
        raise SystemExit(
            f"The Python of {environment} does not run, or is older than 3.11: delete the folder "
            f"(rm -r {environment}), then run make again."
        )


def require_modules() -> None:
    """Stop if this Python cannot create environments, as Debian's without its package."""
    if not find_spec("venv") or not (find_spec("pip") or find_spec("ensurepip")):
        raise SystemExit(
            f"Python {VERSION} ({sys.executable}) lacks the module venv or ensurepip: install it "
            f"(on Debian and Ubuntu: apt install python{VERSION}-venv), or name another Python: "
            "make setup PYTHON=/path/to/python3"
        )


def require_pip(environment: Environment) -> None:
    """Install pip into the environment, if it is not there."""
    try:
        run(environment.python, *PIP, "--version")
    except Failed:
        run(environment.python, "-m", "ensurepip", "--default-pip")


def check(environment: Environment, python: str | None) -> None:
    """Stop if the environment is of another Python than the one that runs, or than `python`."""
    if not any((environment.folder / "lib").glob(f"python{VERSION}*/site-packages")):
        raise SystemExit(
            f"{environment} was created by another Python, and now has Python {VERSION}: delete "
            f"the folder (rm -r {environment}), then run make again."
        )
    if python:
        try:
            named = run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
        except Failed:
            raise SystemExit(f"PYTHON={python} does not run: name another Python.") from None
        if named != VERSION:
            raise SystemExit(
                f"{environment} has Python {VERSION}, but PYTHON={python} is Python {named}: name "
                f"another folder (VENV=.venv-{named}), or delete this one (rm -r {environment})."
            )


# --- The packages --------------------------------------------------------------------------------


def install(environment: Environment, locks: Sequence[Path], *, masthead: bool) -> None:
    """Install the pins of the locks and, for development, this tree into the environment."""
    with incomplete(environment.folder / ".incomplete-packages") as again:
        if again:  # it may be packages of any part that are incomplete
            for stamp in STAMPS:
                (environment.folder / stamp).unlink(missing_ok=True)
        if locks:
            say(f"Installing {' and '.join(map(str, locks))} into {environment} ...")
            install_pins(environment, locks, again=again)
        if masthead:
            words = ("--no-deps", "--no-build-isolation", "--editable", ".")
            if environment.uv.exists():
                run(environment.uv, "pip", "install", "--python", environment.python, *words)
            else:
                run(environment.python, *PIP, "install", *words)


def install_pins(environment: Environment, locks: Sequence[Path], *, again: bool) -> None:
    """Install the pins of the locks. again: replace what is there. Raises: Failed."""
    if environment.uv.exists():
        words = [word for lock in locks for word in ("-r", lock)]
        settings = settings_of_pip(run(environment.python, *PIP, "config", "list"))
        options = ["--reinstall"] if again else []
        options += ["--no-index"] if settings.get("no-index", "0").lower() in TRUE else []
        program = (environment.uv, "pip", "install", "--python", environment.python)
        try:
            run(*program, "--require-hashes", *options, *words, **variables_of_uv(settings))
        except Failed as failure:
            if failure.find_cause()[0] in ("disk", "pins"):  # with which pip fails too
                raise
        else:
            return
    # There is no uv, or pip may reach the index because it reads more settings
    install_with_pip(environment, locks, *(["--ignore-installed"] if again else []))


def install_with_pip(environment: Environment, locks: Sequence[Path], *options: str) -> None:
    """Install the pins of the locks with pip. Raises: Failed."""
    words = [word for lock in locks for word in ("-r", lock)]
    run(environment.python, *PIP, "--quiet", "install", "--require-hashes", *options, *words)


def settings_of_pip(listed: str) -> dict[str, str]:
    """The settings in the output of `pip config list`, such as `global.index-url='https://...'`."""
    settings: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # the later comes first
        for name, value in re.findall(rf"^{section}\.([a-z-]+)=(.+)$", listed, re.MULTILINE):
            settings[name] = str(ast.literal_eval(value))
    return settings


def variables_of_uv(settings: Mapping[str, str]) -> dict[str, str]:
    """What pip knows about indexes and networks, as variables of uv, unless they are set."""
    # pip takes a release from any index; the hashes of the pins make them the same
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, variable in VARIABLES.items():
        if words := settings.get(name, "").split():
            variables[variable] = ("," if name == "find-links" else " ").join(words)
    return {name: text for name, text in variables.items() if name not in os.environ}


def main(words: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(description="Install masthead into a virtual environment.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("environment").add_argument("folder", type=Path)
    packages = commands.add_parser("packages")
    packages.add_argument("locks", nargs="*")
    packages.add_argument("--masthead", action="store_true")
    commands.add_parser("check").add_argument("python", nargs="?")
    options = parser.parse_args(words)
    locks = [REQUIREMENTS / f"{name}.txt" for name in getattr(options, "locks", ["uv"])]
    here = Environment(Path(sys.prefix))
    try:
        if options.command == "environment":
            create(Environment(options.folder))
        elif options.command == "packages":
            install(here, locks, masthead=options.masthead)
        else:
            check(here, options.python)
    except Failed as failure:
        stop(failure, locks)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except OSError as failure:
        if failure.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        stop(Failed(str(failure)), locks)


if __name__ == "__main__":
    main()
