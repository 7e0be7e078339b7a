"""Run tests of the last release, with its code, on databases that today's masthead has migrated.

python tools/last_release.py [--release COMMIT] [PYTEST-ARGUMENT ...]

For the whole suite of API and services, the arguments are `tests/api tests/services`. The last
release is the newest tag. Without a tag, it is the version before the newest migration.
It has to share a database with today's masthead (decision 0053), so it is never older than
migration 0018; as long as that is the newest one, there is nothing to test.
"""

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = "masthead/store/engine/migrations/versions"
FIRST_SHARED = f"{VERSIONS}/0018_support.py"  # each version before it refuses a newer database
# Without arguments: some of all resources, on both databases, in some two minutes
SHORT = """
tests/api/claims/test_claims.py
tests/api/dispatches/test_mark_dispatch_sent.py
tests/api/issues/test_mark_sent_bulk.py
tests/api/subscriptions/test_cancel_subscription.py
tests/api/subscriptions/test_create_subscription.py
tests/api/subscriptions/test_list_subscriptions.py
tests/services/emails/test_outbox.py
tests/services/exports/test_round_trip.py
tests/services/history/test_history.py
tests/services/identity/test_sign_in.py
tests/services/imports/test_undo.py
tests/services/letters/test_write_letters.py
tests/services/maintenance/test_daily_pass.py
tests/services/orders/test_renewals.py
tests/services/privacy/test_erase.py
tests/services/readers/test_merge.py
tests/services/revenue/test_statements.py
tests/services/test_users.py
""".split()
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
    """The commit of the last release. Raises: LeftOut."""
    try:
        is_shallow = git("rev-parse", "--is-shallow-repository", root=root) == "true"
    except (OSError, subprocess.CalledProcessError) as reason:
        raise LeftOut("git finds no history here") from reason
    if succeeds("describe", "--tags", "--abbrev=0", "HEAD^", root=root):
        release = git("describe", "--tags", "--abbrev=0", "HEAD^", root=root)
        if not succeeds("cat-file", "-e", f"{release}:{FIRST_SHARED}", root=root):
            raise LeftOut(f"{release} is older than migration 0018, and shares no database")
        return release
    if is_shallow:
        raise LeftOut("this clone is shallow: `git fetch --unshallow --tags` gets the history")
    newest = max(path.name for path in (root / VERSIONS).glob("[0-9]*.py"))
    added = git(
        "log", "-1", "--diff-filter=A", "--format=%H", "--", f"{VERSIONS}/{newest}", root=root
    )
    if not added:
        return "HEAD"  # the newest migration is not committed yet
    before = f"{added}^"
    if not succeeds("cat-file", "-e", f"{before}:{FIRST_SHARED}", root=root):
        raise LeftOut("migration 0018 is the first that two versions can share, and the newest one")
    return git("rev-parse", before, root=root)


def unpack(commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    archive = read_git("archive", "--format=tar", commit)
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def run(release: Path, today: Path, arguments: list[str]) -> int:
    """Run tests of a release; returns the exit code of pytest. today: the code that migrates."""
    paths = [str(release), str(Path(__file__).parent)]
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
            arguments += [name for name in SHORT if (Path(folder) / name).exists()]
        sys.exit(run(Path(folder), ROOT, [*PARALLEL, *arguments]))


if __name__ == "__main__":
    main()
