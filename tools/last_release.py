"""Run tests of the last release, with its code, on databases that today's masthead has migrated.

python tools/last_release.py [--release COMMIT] [PYTEST-ARGUMENT ...]

Without arguments, these are the tests in tools/last_release.txt of the release. For all tests of
the API and the services, the arguments are `tests/api tests/services`.

The last release is the newest version before this commit, of which there is a tag such as `v0.2.0`
or a commit that set it. It has to share a database with today's masthead (decision 0053), so it is
never older than migration 0018. Before the first such release, it is the version before the newest
migration. 0.2.0 migrates with Alembic, so requirements/dev.in has it.
"""

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = "masthead/store/engine/migrations/versions"
RELEASED = re.compile(r"\d+\.\d+\.\d+")
FIRST_SHARED = f"{VERSIONS}/0018_support.py"  # each version before it refuses a newer database
PACKAGE = "masthead/__init__.py"
# Some tests of all resources, on both databases, in some two minutes
TESTS = "tools/last_release.txt"
ALWAYS = [
    *("-p", "migrated_by_today", "-p", "no:cacheprovider", "--quiet"),
    "--ignore=tests/services/moving",  # a copy and a restore need the schema of their own version
]
PARALLEL = ["--numprocesses=logical", "--maxprocesses=4", "--dist=worksteal"]


class LeftOut(Exception):
    """There is no release to test; the message says why."""


def git(*words: str, root: Path = ROOT) -> str:
    """The output of a git command. Raises: CalledProcessError."""
    return read_git(*words, root=root).decode().strip()


def read_git(*words: str, root: Path = ROOT) -> bytes:
    """The output of a git command as bytes. Raises: CalledProcessError."""
    program = ["git", *words]
    return subprocess.run(program, cwd=root, check=True, capture_output=True).stdout  # noqa: S603


def succeeds(*words: str, root: Path) -> bool:
    """Whether a git command succeeds."""
    try:
        git(*words, root=root)
    except subprocess.CalledProcessError:
        return False
    return True


def find_release(root: Path = ROOT) -> str:
    """The tag or commit of the last release. Raises: LeftOut."""
    try:
        is_shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
    except (OSError, subprocess.CalledProcessError) as reason:
        raise LeftOut("git finds no history here") from reason
    releases = {} if is_shallow else versions_set_by_commits(root)
    releases |= {tag.removeprefix("v"): tag for tag in tags(root)}
    shared = [version for version in releases if shares_databases(releases[version], root)]
    if shared:
        return releases[max(shared, key=numbers)]
    if is_shallow:
        raise LeftOut("this clone is shallow: `git fetch --unshallow --tags` gets the history")
    return before_the_newest_migration(root)


def tags(root: Path) -> list[str]:
    """The tags of releases before this commit."""
    names = git("tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", root=root)
    return [name for name in names.split() if RELEASED.fullmatch(name.removeprefix("v"))]


def versions_set_by_commits(root: Path) -> dict[str, str]:
    """The last commit that set each version, before this one: a clone may lack the tags."""
    found = {}
    search = ("log", "--full-history", "--reverse", "--format=%H", "-G^__version__")
    for commit in git(*search, "--", PACKAGE, root=root).split():
        if commit == git("rev-parse", "HEAD", root=root):
            continue
        text = git("show", f"{commit}:{PACKAGE}", root=root)
        version = re.search('^__version__ = "(.+)"', text, re.MULTILINE)
        if version and RELEASED.fullmatch(version[1]):
            found[version[1]] = commit
    return found


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, by which versions are sorted."""
    return tuple(map(int, version.split(".")))


def shares_databases(commit: str, root: Path) -> bool:
    """Whether the code of a commit can use a database that a newer masthead has migrated."""
    return succeeds("cat-file", "-e", f"{commit}:{FIRST_SHARED}", root=root)


def before_the_newest_migration(root: Path) -> str:
    """The commit before the newest migration. Raises: LeftOut."""
    newest = max(path.name for path in (root / VERSIONS).glob("[0-9]*.py"))
    added = git(
        "log", "-1", "--diff-filter=A", "--format=%H", "--", f"{VERSIONS}/{newest}", root=root
    )
    if not added:
        return "HEAD"  # the newest migration is not committed yet
    before = f"{added}^"
    if not shares_databases(before, root):
        raise LeftOut("migration 0018 is the first that two versions can share, and the newest one")
    return git("rev-parse", before, root=root)


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    archive = read_git("archive", "--format=tar", commit)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def short_tests(release: Path) -> list[str]:
    """The tests of a release that run without arguments, from its own list if it has one."""
    own = release / TESTS
    names = (own if own.exists() else ROOT / TESTS).read_text().split()
    return [name for name in names if (release / name).exists()]


def run(release: Path, today: Path, arguments: list[str]) -> int:
    """Run tests of a release; returns the exit code of pytest. today: the code that migrates."""
    paths = [str(release), str(release / "tools"), str(Path(__file__).parent)]
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "pytest", *ALWAYS, *arguments],
        cwd=release,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "LAST_RELEASE_TODAY": str(today)},
        check=False,
    ).returncode


def main() -> None:
    """Run the tests; the exit code is that of pytest."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--release", help="commit or tag to use instead of the last release")
    options, arguments = parser.parse_known_args()
    try:
        release = options.release or find_release()
    except LeftOut as reason:
        sys.stderr.write(f"The suite of the last release is LEFT OUT: {reason}.\n")
        return
    described = git("log", "-1", "--format=%h, %as, %s", release)
    sys.stderr.write(f"The last release is {described}.\n")
    with tempfile.TemporaryDirectory(prefix="masthead-last-release-") as folder:
        unpack(release, Path(folder))
        if all(each.startswith("-") for each in arguments):  # options only
            arguments += short_tests(Path(folder))
        sys.exit(run(Path(folder), ROOT, [*PARALLEL, *arguments]))


if __name__ == "__main__":
    main()
