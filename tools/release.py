"""Make a release; docs/releasing.md has the steps.

python tools/release.py check [VERSION]   say what is in the way of a release
python tools/release.py release VERSION   set the version and the date, build, commit and tag
python tools/release.py next VERSION      set the version in development, and commit
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "masthead" / "__init__.py"
CHANGELOG = ROOT / "CHANGELOG.md"
KUBERNETES = ROOT / "ops/kubernetes/masthead.yaml"
UNRELEASED = "## Unreleased\n"


def run(*words: str) -> str:
    """The output of a program in the repository. Raises: CalledProcessError."""
    ended = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return ended.stdout.strip()


def current_version() -> str:
    """The version of the package, such as `0.3.0`, or `0.3.0.dev0` in development."""
    found = re.search(r'^__version__ = "(.+)"$', PACKAGE.read_text(), re.MULTILINE)
    return found[1] if found else ""


def set_version(version: str) -> None:
    """Write a version into the package."""
    text = PACKAGE.read_text()
    PACKAGE.write_text(text.replace(f'"{current_version()}"', f'"{version}"'))


def name_image(version: str) -> None:
    """Write the version into the names of the image in the file for Kubernetes."""
    text = KUBERNETES.read_text(encoding="utf-8")
    KUBERNETES.write_text(
        re.sub(r"/masthead:[\d.]+\b", f"/masthead:{version}", text), encoding="utf-8"
    )


def unreleased_entries() -> list[str]:
    """The first lines of the changelog's entries under `Unreleased`."""
    text = CHANGELOG.read_text(encoding="utf-8").partition(UNRELEASED)[2]
    section = re.split("^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall("^- .*", section, re.MULTILINE)


def date_changelog(version: str) -> None:
    """Put the unreleased entries under a heading with the version and today's date."""
    heading = f"{UNRELEASED}\n## {version} – {datetime.now(UTC).date()}\n"
    text = CHANGELOG.read_text(encoding="utf-8")
    CHANGELOG.write_text(text.replace(UNRELEASED, heading, 1), encoding="utf-8")


def find_problems(command: str, version: str) -> Iterator[str]:
    """What is in the way of a command, a sentence each."""
    if changes := run("git", "status", "--porcelain"):
        changed = changes.splitlines()[0].split(maxsplit=1)[1]
        yield f"The working tree has changes, for example {changed}: commit or stash them."
    if version or command != "check":
        yield from find_version_problems(version)
    if command != "next" and not unreleased_entries():
        yield "CHANGELOG.md has no entries under `Unreleased`: describe what users notice."


def find_version_problems(version: str) -> Iterator[str]:
    """What is wrong with the number of a new version, a sentence each."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"VERSION={version} is not a version: write three numbers, such as VERSION=1.2.3."
        return
    number, _, development = current_version().partition(".dev")
    new, current = (tuple(map(int, each.split("."))) for each in (version, number))
    if new < current or (new == current and not development):
        yield f"VERSION={version} is not newer than {current_version()}, the current version."
    if run("git", "tag", "--list", f"v{version}"):
        yield f"The tag v{version} exists: choose a newer version."


def release(version: str) -> None:
    """Set the version and the date, build, commit and tag. Raises: CalledProcessError."""
    set_version(version)
    date_changelog(version)
    name_image(version)
    run(sys.executable, "-m", "hatchling", "build")
    run("git", "commit", "--quiet", "--all", f"--message=Release {version}")
    run("git", "tag", "--annotate", f"v{version}", f"--message=masthead {version}")


def begin_next(version: str) -> None:
    """Set the version in development, and commit. Raises: CalledProcessError."""
    set_version(f"{version}.dev0")
    run("git", "commit", "--quiet", "--all", f"--message=Begin {version}")


def main() -> None:
    """Run a command. Exits with sentences about what is in its way, or failed."""
    command, version = sys.argv[1], "".join(sys.argv[2:])
    try:
        if problems := list(find_problems(command, version)):
            sys.exit("\n".join(problems))
        if command == "check":
            sys.stdout.write(f"Entries to release: {len(unreleased_entries())}\n")
            return
        before = run("git", "rev-parse", "HEAD")
        try:
            release(version) if command == "release" else begin_next(version)
        except BaseException:  # Ctrl-C too: nothing stays half done
            run("git", "reset", "--quiet", "--hard", before)
            raise
    except OSError as reason:
        sys.exit(f"Nothing was changed: {reason}.")
    except subprocess.CalledProcessError as reason:
        sys.exit(f"Nothing was changed, because this failed: {' '.join(reason.cmd)}")


if __name__ == "__main__":
    main()
