"""The make targets of a release, in a repository of their own; docs/releasing.md names them."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.install.conftest import ROOT

FILES = (
    *("Makefile", "pyproject.toml", "README.md", "LICENSE", ".gitignore", "tools/release.py"),
    "ops/kubernetes/masthead.yaml",
    *("requirements/run.in", "requirements/otel.in"),  # the metadata needs them
)
MAKEFILE = (ROOT / "Makefile").read_text()
NOTES = "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- Fix the moon.\n\n## 0.3.0 – 2026-12-24\n"
OWN = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@acme.test"}
OWN |= {"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@acme.test"}
OWN |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}


class Repository:
    """A small repository with the real tools and a package of a few lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in FILES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        self.write("masthead/__init__.py", '"""A magazine."""\n\n__version__ = "0.3.0"\n')
        self.write("CHANGELOG.md", NOTES)
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.folder / name).read_text()

    def git(self, *words: str) -> str:
        """The output of a git command."""
        ended = self._run("git", *words)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def commit(self) -> None:
        """Commit everything."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=A change")

    def make(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a make target, with the packages of this Python instead of an installation."""
        needs = re.search(rf"^{words[0]}: (\S+)", MAKEFILE, re.MULTILINE)
        assert needs
        installed = needs[1].replace("$(VENV)", sys.prefix)
        options = (f"--old-file={installed}", f"VENV={sys.prefix}", "--no-print-directory")
        return self._run("make", *options, *words, **variables)

    def _run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        outside = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
        return subprocess.run(
            words,
            cwd=self.folder,
            env=outside | OWN | variables,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose version 0.3.0 is released, with an entry for the next one."""
    if not shutil.which("git") or not shutil.which("make"):
        pytest.skip("git or make is not installed")
    (tmp_path / "repository").mkdir()
    return Repository(tmp_path / "repository")


def test_a_release_is_a_commit_and_a_tag_with_version_date_and_distributions(
    repository: Repository,
) -> None:
    ended = repository.make("release", "VERSION=0.4.0")
    assert ended.returncode == 0, ended.stderr
    today = datetime.now(UTC).date()
    assert repository.git("log", "-1", "--format=%s") == "Release 0.4.0"
    assert repository.git("cat-file", "-t", "v0.4.0") == "tag"
    assert repository.git("rev-parse", "v0.4.0^{commit}") == repository.git("rev-parse", "HEAD")
    assert repository.git("status", "--porcelain") == ""
    assert '__version__ = "0.4.0"' in repository.git("show", "HEAD:masthead/__init__.py")
    expected = f"## Unreleased\n\n## 0.4.0 – {today}\n\n### Fixed\n\n- Fix the moon.\n"
    assert expected in repository.read("CHANGELOG.md")
    images = re.findall(r"image: .*/masthead:(.*)", repository.read("ops/kubernetes/masthead.yaml"))
    assert images == ["0.4.0", "0.4.0"]
    built = {path.name for path in (repository.folder / "dist").iterdir()}
    assert built == {"masthead-0.4.0-py3-none-any.whl", "masthead-0.4.0.tar.gz"}


def test_the_next_version_is_in_development_until_its_release(repository: Repository) -> None:
    assert repository.make("next-version", "VERSION=0.4.0").returncode == 0
    assert '__version__ = "0.4.0.dev0"' in repository.git("show", "HEAD:masthead/__init__.py")
    assert repository.git("log", "-1", "--format=%s") == "Begin 0.4.0"
    assert repository.git("tag") == ""
    assert repository.make("release-check", "VERSION=0.4.0").returncode == 0
    assert "is not newer than 0.4.0.dev0" in repository.make("release", "VERSION=0.3.9").stderr


@pytest.mark.parametrize(
    "version, problem",
    [
        ("", "VERSION= is not a version: write three numbers, such as VERSION=1.2.3."),
        ("0.4", "VERSION=0.4 is not a version"),
        ("v0.4.0", "VERSION=v0.4.0 is not a version"),
        ("0.4.0rc1", "VERSION=0.4.0rc1 is not a version"),
        ("0.3.0", "VERSION=0.3.0 is not newer than 0.3.0, the current version."),
        ("0.2.9", "VERSION=0.2.9 is not newer than 0.3.0"),
        ("0.5.0", "The tag v0.5.0 exists: choose a newer version."),
    ],
)
def test_an_unsuitable_version_is_refused(
    repository: Repository, version: str, problem: str
) -> None:
    repository.git("tag", "v0.5.0")
    before = repository.git("rev-parse", "HEAD")
    for target in ("release", "next-version"):
        ended = repository.make(target, f"VERSION={version}")
        assert ended.returncode != 0
        assert problem in ended.stderr
    assert repository.git("rev-parse", "HEAD") == before
    assert repository.git("status", "--porcelain") == ""


def test_a_changed_tree_is_refused(repository: Repository) -> None:
    repository.write("masthead/moon.py", "")
    for target in ("release-check", "release", "next-version"):
        ended = repository.make(target, "VERSION=0.4.0")
        assert ended.returncode != 0
        assert "The working tree has changes, for example masthead/moon.py" in ended.stderr
    assert repository.git("tag") == ""


def test_a_changelog_without_entries_is_refused(repository: Repository) -> None:
    repository.write("CHANGELOG.md", NOTES.replace("- Fix the moon.\n", ""))
    repository.commit()
    for target in ("release-check", "release"):
        ended = repository.make(target, "VERSION=0.4.0")
        assert "CHANGELOG.md has no entries under `Unreleased`" in ended.stderr
    assert repository.git("tag") == ""


def test_the_check_needs_no_version_and_changes_nothing(repository: Repository) -> None:
    ended = repository.make("release-check")
    assert ended.returncode == 0
    assert "Entries to release: 1\n" in ended.stdout
    assert repository.git("status", "--porcelain") == ""


def break_build(repository: Repository) -> None:
    repository.write("pyproject.toml", "[project]\n")
    repository.commit()


def break_commit(repository: Repository) -> None:
    repository.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n")
    (repository.folder / ".git/hooks/pre-commit").chmod(0o755)


def break_tag(repository: Repository) -> None:
    repository.git("config", "tag.gpgSign", "true")
    repository.git("config", "gpg.program", "false")


@pytest.mark.parametrize("break_it", [break_build, break_commit, break_tag])
def test_a_release_that_fails_changes_nothing(
    repository: Repository, break_it: Callable[[Repository], None]
) -> None:
    break_it(repository)
    before = repository.git("rev-parse", "HEAD")
    ended = repository.make("release", "VERSION=0.4.0")
    assert ended.returncode != 0
    assert "Nothing was changed, because this failed: " in ended.stderr
    assert repository.git("rev-parse", "HEAD") == before
    assert repository.git("status", "--porcelain") == ""
    assert repository.git("tag") == ""


def test_publishing_pushes_the_tag_and_uploads_both_distributions(
    repository: Repository, tmp_path: Path
) -> None:
    repository.git("init", "--quiet", "--bare", str(tmp_path / "origin.git"))
    repository.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    assert "dist/ has no version '0.4.0'" in repository.make("publish", "VERSION=0.4.0").stderr
    assert repository.make("release", "VERSION=0.4.0").returncode == 0
    uploads: list[bytes] = []

    class Index(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            uploads.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        ended = repository.make(
            "publish", "VERSION=0.4.0", UV_PUBLISH_URL=address, UV_PUBLISH_TOKEN="of-a-test"
        )
        server.shutdown()
    assert ended.returncode == 0, ended.stderr
    assert sorted(b'.whl"' in each for each in uploads) == [False, True]
    pushed = repository.git("ls-remote", "origin")
    assert {"refs/heads/main", "refs/tags/v0.4.0"} <= set(pushed.split())


def test_each_target_of_a_release_is_on_the_page_of_the_steps() -> None:
    page = (ROOT / "docs" / "releasing.md").read_text()
    section = MAKEFILE.partition("\n## Release")[2]
    targets = re.findall(r"^([a-z-]+):.* ## ", section, re.MULTILINE)
    assert {"release", "publish"} <= set(targets)
    for name in (*targets, "check", "last-release"):
        assert re.search(rf"\bmake {name}\b", page), name
