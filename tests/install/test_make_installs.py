"""What `make` says if it cannot install, and that a second run goes on."""

import contextlib
import functools
import http.server
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.install.conftest import PATIENCE, ROOT
from tests.support.wheels import write_pin, write_wheel

VERSION = "{}.{}".format(*sys.version_info)
UV = Path(sys.executable).parent / "uv"
TARGETS = ("setup", "demo", "dev", "migrate", "lint", "test", "bench", "pins")
FILLED = "x = 1\n" * 1000


class Tree:
    """A checkout with small packages instead of the pinned ones."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.wheels = folder / "tree", folder / "wheels"
        self.environment = self.folder / ".venv"
        for path in (self.folder / "tools", self.folder / "requirements", self.wheels):
            path.mkdir(parents=True)
        for name in ("Makefile", "pyproject.toml", "tools/install.py"):
            shutil.copy(ROOT / name, self.folder / name)
        for name in ("uv", "run", "build", "dev", "bench"):
            wheel = write_wheel(self.wheels, f"small-{name}", "1.0", files={f"{name}.py": FILLED})
            self.lock(name).write_text(write_pin(wheel))
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHON": sys.executable,
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_RETRIES": "1",
            "UV_HTTP_RETRIES": "0",
        }

    def lock(self, name: str) -> Path:
        """A file of pins."""
        return self.folder / "requirements" / f"{name}.txt"

    def create_environment(self) -> None:
        """Create the environment, as the first step of make does, but in less time."""
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", str(self.environment)], check=True
        )
        spec = find_spec("pip")
        if spec is None or spec.origin is None:
            pytest.skip("there is no pip beside the tests")
        (self.packages / "pip").symlink_to(Path(spec.origin).parent)
        (self.environment / "bin" / "uv").symlink_to(UV)
        (self.environment / ".uv").touch()

    @property
    def packages(self) -> Path:
        """Where the environment has its packages."""
        return self.environment / "lib" / f"python{VERSION}" / "site-packages"

    def is_installed(self, name: str) -> bool:
        """Whether the small package is complete."""
        path = self.packages / f"{name}.py"
        return path.exists() and path.read_text() == FILLED

    def make(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run make."""
        return subprocess.run(
            ["make", *words],
            cwd=self.folder,
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    def install(self, **variables: str) -> None:
        """Install the packages of development, without this tree, which must succeed."""
        ended = self.make(*WITHOUT_TREE, **variables)
        assert ended.returncode == 0, ended.stderr

    def refuse(self, *words: str, **variables: str) -> str:
        """Run make, which must fail; returns its only message."""
        ended = self.make(*words, **variables)
        assert ended.returncode == 2, ended.stdout
        assert ended.stderr.count("\n") == 2, ended.stderr
        told, end = ended.stderr.splitlines()
        assert end.startswith("make: *** [")
        return told


# The last step of development; the one before it would build masthead itself
WITHOUT_TREE = ("--assume-old=.venv/.run", ".venv/.dev")


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


@pytest.fixture
def ready(tree: Tree) -> Tree:
    """A tree with an environment, in which only packages are missing."""
    tree.create_environment()
    (tree.environment / ".run").touch()
    return tree


@pytest.fixture
def refusing_index() -> Iterator[str]:
    """The address of an index that refuses connections."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and does not listen
        yield f"http://127.0.0.1:{held.getsockname()[1]}/simple"


def write_program(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(("#!/bin/sh", *lines)) + "\n")
    path.chmod(0o755)
    return path


# --- The Python ----------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_an_older_python_is_named(tree: Tree, target: str) -> None:
    old = write_program(
        tree.folder / "old", '[ "$1" != --version ] || echo Python 3.9.2', '[ "$1" = --version ]'
    )
    told = tree.refuse(target, f"PYTHON={old}")
    assert told == (
        f"masthead needs Python 3.11 or newer, and {old} is 'Python 3.9.2': "
        f"name another one (make {target} PYTHON=/path/to/python3)."
    )
    assert not tree.environment.exists()


def test_a_python_that_does_not_exist_is_named(tree: Tree) -> None:
    assert "nowhere: not found" in tree.refuse("setup", "PYTHON=nowhere")


# Python executes it when it starts, and does not find these modules then
WITHOUT_MODULES = """
from importlib.machinery import PathFinder

find_spec = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name in {names} else find_spec(name, *rest)
"""


@pytest.mark.parametrize("names", [["venv"], ["pip", "ensurepip"]])
def test_a_python_without_the_modules_for_environments_is_named(
    tree: Tree, names: list[str]
) -> None:
    without = tree.folder / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text(WITHOUT_MODULES.format(names=names))
    told = tree.refuse("setup", PYTHONPATH=str(without))
    assert told.startswith(
        f"Python {VERSION} ({sys.executable}) lacks the module venv or ensurepip"
    )
    assert f"apt install python{VERSION}-venv" in told
    assert not tree.environment.exists()


@pytest.mark.parametrize("missing", ["ensurepip", pytest.param("pip", marks=pytest.mark.slow)])
def test_pip_or_ensurepip_is_enough(tree: Tree, missing: str) -> None:
    without = tree.folder / "without"
    without.mkdir()
    (without / "sitecustomize.py").write_text(
        f"import sys\nif sys.prefix != {str(tree.environment)!r}:"
        + WITHOUT_MODULES.format(names=[missing]).replace("\n", "\n    ")
    )
    ended = tree.make(".venv/.uv", PYTHONPATH=str(without))
    assert ended.returncode == 0, ended.stderr
    assert (tree.packages / "small_uv-1.0.dist-info").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_an_environment_whose_python_is_gone_is_told(tree: Tree, target: str) -> None:
    tree.create_environment()
    for stamp in (".run", ".dev", ".bench"):
        (tree.environment / stamp).touch()
    for python in (tree.environment / "bin").glob("python*"):
        python.unlink()
        python.symlink_to("/nowhere/python3")
    told = tree.refuse(target)
    assert told.endswith("delete the folder (rm -r .venv), then run make again.")
    (tree.environment / ".uv").unlink()  # an environment that make has not created
    assert "delete the folder (rm -r .venv)" in tree.refuse(target)


def test_an_environment_whose_python_was_replaced_is_told(ready: Tree) -> None:
    ready.packages.parent.rename(ready.packages.parent.with_name("python3.0"))
    assert ready.refuse("setup") == (
        f".venv was created by another Python, and now has Python {VERSION}: delete the folder "
        "(rm -r .venv), then run make again."
    )


def test_an_environment_of_another_python_than_the_named_one_is_told(ready: Tree) -> None:
    other = write_program(ready.folder / "other", "echo 3.99")
    assert ready.refuse("setup", f"PYTHON={other}") == (
        f".venv has Python {VERSION}, but PYTHON={other} is Python 3.99: name another folder "
        "(VENV=.venv-3.99), or delete this one (rm -r .venv)."
    )


# --- The network ---------------------------------------------------------------------------------


def test_without_a_network_the_packages_are_installed_by_the_second_run(
    ready: Tree, refusing_index: str
) -> None:
    told = ready.refuse(
        *WITHOUT_TREE, PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=refusing_index
    )
    assert told.startswith("The packages cannot be downloaded (")
    assert "Check the connection, or tell pip your proxy or index" in told
    assert not (ready.environment / ".dev").exists()
    ready.install()
    assert ready.is_installed("dev")


def test_without_a_network_uv_is_installed_by_the_second_run(
    tree: Tree, refusing_index: str
) -> None:
    tree.create_environment()
    (tree.environment / ".uv").unlink()
    told = tree.refuse("setup", PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=refusing_index)
    assert told.startswith("The packages cannot be downloaded (")
    assert not (tree.environment / ".uv").exists()


@contextlib.contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder; yields its address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_uv_finds_the_index_that_pip_is_told(ready: Tree) -> None:
    index = ready.folder / "index"
    for wheel in ready.wheels.glob("small_dev*"):
        (index / "small-dev").mkdir(parents=True)
        shutil.copy(wheel, index / "small-dev")
    own = {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": str(index / "pip.conf")}
    with serve(index) as address:
        (index / "pip.conf").write_text(f"[global]\nindex-url = {address}\n")
        ready.install(**own)
    assert ready.is_installed("dev")
    assert (ready.packages / "small_dev-1.0.dist-info" / "INSTALLER").read_text() == "uv"


@pytest.mark.slow
def test_pip_installs_everything_where_there_is_no_uv(tree: Tree) -> None:
    tree.create_environment()
    (tree.environment / "bin" / "uv").unlink()
    (tree.environment / ".uv").unlink()
    tree.lock("uv").write_text(tree.lock("uv").read_text().replace("small", "no"))
    ended = tree.make(".venv/.uv")
    assert ended.returncode == 0, ended.stderr
    assert "There is no uv for this platform" in ended.stdout
    tree.install()
    assert tree.is_installed("dev")


# --- The pins ------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [("sha256:", "sha256:0"), ("==1.0", "==1.0.1"), ("==", ">=")])
def test_pins_that_were_edited_by_hand_are_told(ready: Tree, change: tuple[str, str]) -> None:
    pins = ready.lock("dev").read_text()
    edited = pins.replace(*change)
    if "sha256:" in change[0]:
        edited = edited[:-2] + "\n"  # as long as before
    ready.lock("dev").write_text(edited)
    told = ready.refuse(*WITHOUT_TREE)
    assert told.startswith("The pins in requirements/dev.txt do not match the packages (")
    assert "git checkout -- requirements/dev.txt" in told
    assert not (ready.environment / ".dev").exists()
    ready.lock("dev").write_text(pins)
    ready.install()
    assert ready.is_installed("dev")


# --- The disk, and interruptions -----------------------------------------------------------------


def on_a_small_disk(tree: Tree, size: str, *commands: str) -> subprocess.CompletedProcess[str]:
    """Run commands of the shell while `.venv` is on a disk of its own, in a namespace of mounts."""
    tree.environment.mkdir(exist_ok=True)
    mount = f"mount -t tmpfs -o size={size} tmpfs {tree.environment}"
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c"]
    tried = subprocess.run([*command, mount], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip("this machine does not let the test mount a disk")
    return subprocess.run(
        [*command, " && ".join((mount, *commands))],
        cwd=tree.folder,
        env=tree.variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def test_a_full_disk_is_told(tree: Tree) -> None:
    ended = on_a_small_disk(tree, "8k", "make setup")
    assert ended.returncode == 2
    told, _ = ended.stderr.splitlines()
    assert told.startswith("The disk is full: free 1.5 GB")


def test_after_a_full_disk_the_packages_are_installed_by_the_second_run(ready: Tree) -> None:
    large = write_wheel(ready.wheels, "large", "1.0", files={"large.txt": "x" * 3_000_000})
    with ready.lock("dev").open("a") as lock:
        lock.write(write_pin(large))
    ready.environment.rename(ready.folder / "created")
    again = shlex.join(("make", *WITHOUT_TREE))
    ended = on_a_small_disk(
        ready,
        "1m",
        f"cp -a created/. {ready.environment}",
        f"! {again}",
        "test ! -e .venv/.dev",
        f"mount -o remount,size=20m {ready.environment}",
        again,
        f"test $(cat {ready.packages}/dev.py | wc -c) = {len(FILLED)}",
        f"test $(cat {ready.packages}/large.txt | wc -c) = 3000000",
    )
    assert ended.returncode == 0, ended.stderr
    told, _ = ended.stderr.splitlines()
    assert told.startswith("The disk is full: free 1.5 GB")


def test_an_interrupted_installation_is_repeated(ready: Tree) -> None:
    uv = ready.environment / "bin" / "uv"
    uv.unlink()
    write_program(uv, f'{UV} "$@" && rm {ready.packages}/dev.py', "kill -9 $PPID")
    ended = ready.make(*WITHOUT_TREE)
    assert ended.returncode == 2
    assert not ready.is_installed("dev")
    uv.unlink()
    uv.symlink_to(UV)
    ready.install()
    assert ready.is_installed("dev")
    assert not (ready.environment / ".run").exists()  # it may have been incomplete, too


@pytest.mark.slow  # pip installs itself
def test_an_environment_that_is_interrupted_is_created_again(tree: Tree) -> None:
    (tree.environment / "bin").mkdir(parents=True)
    (tree.environment / ".incomplete-environment").touch()
    (tree.environment / "bin" / "python").symlink_to("/nowhere")
    (tree.environment / "left").touch()
    tree.lock("uv").write_text("not a pin\n")  # pip stops here
    tree.refuse("setup")
    assert (tree.environment / "bin" / "python").exists()
    assert not (tree.environment / "left").exists()
    assert (tree.environment / ".incomplete-environment").exists()
