"""tools/last_release.py: tests of a release on databases that another masthead has migrated."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.install.conftest import ROOT
from tests.store.engine.test_migrate import OLDEST
from tests.store.engine.test_schema_support import FIRST

SELECTION = ["--backend=both", "tests/api/issues/test_get_issue.py"]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The tool as a module."""
    spec = importlib.util.spec_from_file_location("last_release", ROOT / "tools/last_release.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- the tests of this masthead on the schema of a newer one --------------------------------------


def run_on_newer_schema(folder: Path, statement: str) -> subprocess.CompletedProcess[str]:
    """Run some tests of this masthead; a newer one with another migration upgrades its databases.

    The migration says that this masthead can use the schema afterwards.
    """
    shutil.copytree(ROOT / "masthead", folder / "masthead")
    versions = folder / "masthead/store/engine/migrations/versions"
    (versions / f"{FIRST}_step.py").write_text(
        f'oldest_user = "{OLDEST}"\nSTATEMENTS = ({statement!r},)\n'
    )
    program = (
        "import sys; from pathlib import Path; from last_release import run;"
        "sys.exit(run(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(ROOT), str(folder), *SELECTION],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_suite_passes_on_a_schema_that_has_more(tmp_path: Path) -> None:
    ended = run_on_newer_schema(tmp_path, "ALTER TABLE issue ADD COLUMN colour text")
    assert ended.returncode == 0, ended.stdout
    assert " passed" in ended.stdout


@pytest.mark.slow
def test_the_suite_fails_on_a_schema_without_a_column_that_it_uses(tmp_path: Path) -> None:
    ended = run_on_newer_schema(tmp_path, "ALTER TABLE issue DROP COLUMN name")
    assert ended.returncode == 1
    assert "no such column: name" in ended.stdout or "has no column named name" in ended.stdout
    assert " passed" not in ended.stdout


# --- which release --------------------------------------------------------------------------------


class History:
    """A repository with one commit after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words: str) -> str:
        """The output of a git command."""
        own = ["-c", "user.name=Ann", "-c", "user.email=ann@acme.test"]
        return subprocess.run(
            ["git", *own, *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, *migrations: str, version: str | None = None) -> str:
        """Commit migrations, and the version if one is given; returns the id of the commit."""
        for name in migrations:
            self.write(f"masthead/store/engine/migrations/versions/{name}", "")
        if version:
            self.write("masthead/__init__.py", f'"""A magazine."""\n\n__version__ = "{version}"\n')
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=A change")
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A repository without commits."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    (tmp_path / "repository").mkdir()
    return History(tmp_path / "repository")


def test_the_last_release_is_the_newest_tag_before_this_commit(
    history: History, tool: ModuleType
) -> None:
    history.commit("0018_support.py")
    history.git("tag", "v0.9.0")
    history.git("tag", "a-good-day")
    history.commit("0019_b.py")
    history.git("tag", "v0.10.0")
    history.commit()
    assert tool.find_release(history.folder) == "v0.10.0"
    history.git("tag", "v0.11.0")  # this commit
    assert tool.find_release(history.folder) == "v0.10.0"


def test_without_its_tag_it_is_the_commit_that_set_the_version(
    history: History, tool: ModuleType
) -> None:
    history.commit("0018_support.py", version="0.1.0")
    release = history.commit(version="0.2.0")
    assert tool.find_release(history.folder) != release  # but an earlier one
    history.commit()
    history.commit("0019_b.py", version="0.3.0.dev0")
    history.commit()
    assert tool.find_release(history.folder) == release
    history.git("tag", "v0.1.0", "HEAD~4")  # an older tag did reach the clone
    assert tool.find_release(history.folder) == release
    history.git("tag", "v0.2.0", release)
    assert tool.find_release(history.folder) == "v0.2.0"


def test_it_may_come_from_a_branch_that_was_merged(history: History, tool: ModuleType) -> None:
    history.commit("0018_support.py", version="0.2.0")
    history.git("switch", "--quiet", "--create", "0.2")
    fixed = history.commit(version="0.2.1")
    history.git("switch", "--quiet", "main")
    history.commit(version="0.3.0.dev0")
    history.git("merge", "--quiet", "--no-edit", "--strategy=ours", "0.2")
    assert tool.find_release(history.folder) == fixed


def test_before_the_first_release_it_is_the_version_before_the_newest_migration(
    history: History, tool: ModuleType
) -> None:
    history.commit("0017_a.py", version="0.1.0")  # cannot use a newer database
    history.git("tag", "v0.1.0")
    history.commit("0018_support.py")
    before = history.commit("0019_b.py")
    history.commit("0020_c.py")
    history.commit()
    assert tool.find_release(history.folder) == before
    history.write("masthead/store/engine/migrations/versions/0021_d.py", "")
    assert tool.find_release(history.folder) == "HEAD"


def test_it_is_never_older_than_the_first_version_that_shares_a_database(
    history: History, tool: ModuleType
) -> None:
    history.commit("0017_a.py")
    history.commit("0018_support.py")
    history.commit()
    with pytest.raises(tool.LeftOut, match="0018 is the first that two versions can share"):
        tool.find_release(history.folder)


def test_a_shallow_clone_has_the_tag_or_says_that_it_is_left_out(
    history: History, tool: ModuleType, tmp_path: Path
) -> None:
    history.commit("0018_support.py", version="0.2.0")
    history.commit("0019_b.py", version="0.3.0.dev0")
    history.commit()
    shallow = tmp_path / "shallow"
    history.git("clone", "--quiet", "--depth=2", f"file://{history.folder}", str(shallow))
    with pytest.raises(tool.LeftOut, match="this clone is shallow: `git fetch --unshallow --tags`"):
        tool.find_release(shallow)
    history.git("tag", "v0.2.1", "HEAD^")
    History.git(history, "-C", str(shallow), "fetch", "--quiet", "--tags")
    assert tool.find_release(shallow) == "v0.2.1"


def test_a_folder_without_a_repository_says_that_it_is_left_out(
    tool: ModuleType, tmp_path: Path
) -> None:
    with pytest.raises(tool.LeftOut, match="git finds no history"):
        tool.find_release(tmp_path)


# --- which tests ----------------------------------------------------------------------------------


def test_a_release_names_its_tests(tool: ModuleType, tmp_path: Path) -> None:
    names = (ROOT / tool.TESTS).read_text().split()
    assert tool.short_tests(ROOT) == names  # all of them exist
    (tmp_path / "tools").mkdir()
    (tmp_path / tool.TESTS).write_text("tests/test_of_then.py\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_of_then.py").touch()
    assert tool.short_tests(tmp_path) == ["tests/test_of_then.py"]
