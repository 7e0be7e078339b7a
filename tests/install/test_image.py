"""The image: its Dockerfile step by step in a fresh root; and built, where there is an engine."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from masthead.model.imports.values.country_names import TRANSLATED
from tests.install.conftest import PATIENCE, ROOT, run

pytestmark = pytest.mark.slow

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
FRESH_ROOT = Path(__file__).parent / "fresh_root.sh"
STEPS = re.findall(r"^([A-Z]+) (.*)$", DOCKERFILE, re.MULTILINE)
MAX_BYTES = 300_000_000  # of /opt/masthead
# Drops what `docker run` drops, and more: all capabilities
AS_USER = "setpriv --reuid={0} --regid={1} --clear-groups --no-new-privs --bounding-set=-all --"


def can_make_roots() -> bool:
    """Whether this machine lets us make file systems of our own."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("unshare", "setpriv", "chroot", "ip"))):
        return False
    command = ["unshare", "--mount", "--pid", "--fork", "--net", "true"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def engine() -> str | None:
    """A command that builds and runs images, if there is an engine."""
    for name in ("docker", "podman"):
        if shutil.which(name):
            told = subprocess.run([name, "info"], check=False, capture_output=True, timeout=60)
            if told.returncode == 0 and b"Server:\nERROR" not in told.stdout + told.stderr:
                return name
    return None


def has_base_image(program: str) -> bool:
    """Whether an engine has the image that ours is built on, or can get it."""
    base = find(stages()[0], "FROM").split()[0]
    for words in (("image", "inspect", base), ("pull", base)):
        ended = subprocess.run(
            [program, *words], check=False, capture_output=True, timeout=PATIENCE
        )
        if ended.returncode == 0:
            return True
    return False


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage."""
    found: list[list[tuple[str, str]]] = []
    for name, text in STEPS:
        if name == "FROM":
            found.append([])
        found[-1].append((name, text))
    return found


def find(stage: list[tuple[str, str]], name: str) -> str:
    """The last instruction of that name in a stage."""
    return [text for each, text in stage if each == name][-1]


def build_stage(stage: list[tuple[str, str]], folder: Path, earlier: Path | None) -> None:
    """Do the instructions of a stage in a fresh root. earlier: the root of the stage `build`."""
    base = find(stage, "FROM").split()[0]
    assert base.startswith("python:3.")
    workdir = folder / "src"
    workdir.mkdir(parents=True)
    script = ["cd /src"]
    for name, text in stage:
        if name == "COPY":
            *options, source, target = text.split()
            if options and options[0].startswith("--from="):
                assert earlier is not None
                (folder / target[1:]).parent.mkdir(exist_ok=True)
                (earlier / source[1:]).rename(folder / target[1:])  # faster than a copy
                continue
            for each in (*options, source):
                place = workdir if target == "./" else workdir / target
                if (ROOT / each).is_dir():
                    ignored = shutil.ignore_patterns("__pycache__")
                    shutil.copytree(ROOT / each, place, ignore=ignored)
                else:
                    copied = place / each if target == "./" else place
                    copied.parent.mkdir(exist_ok=True)
                    shutil.copy(ROOT / each, copied)
        elif name == "RUN" and not text.startswith("apt-get "):  # /usr is this machine's
            script.append(text)
    enter(folder, "\n".join(script))


def enter(folder: Path, script: str, *options: str, mode: str = "") -> str:
    """Run a script in a root; options: of unshare."""
    file = folder.parent / f"{folder.name}.sh"
    file.write_text(script)
    command = ("unshare", "--mount", "--pid", "--fork", *options, "bash")
    return run(*command, FRESH_ROOT, folder, sys.base_prefix, file, mode, folder=folder.parent)


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Path]:
    """The root of the image, from the steps of the Dockerfile."""
    building, running = stages()
    build_stage(building, tmp_path / "build", None)
    build_stage(running, tmp_path / "run", tmp_path / "build")
    yield tmp_path / "run"
    shutil.rmtree(tmp_path)  # it is large


SMOKE = """
cd {workdir}
export {environment}
ip link set lo up
if {user} touch /opt/masthead/written 2>/dev/null; then echo 'the root can be written'; exit 1; fi
{user} {command} &
server=$!
for _ in $(seq 200); do
    if {user} {health} 2>/dev/null; then healthy=yes; break; fi
    kill -0 $server
    sleep 0.2
done
[[ ${{healthy:-}} == yes ]]
{user} masthead account create --name Acme --subdomain acme --currency EUR --owner ann@acme.test
{user} masthead backup /data/backups --verify --keep 1
kill -TERM $server
wait $server
echo ENDED WELL
"""


@pytest.mark.skipif(not can_make_roots(), reason="needs root, namespaces and iproute2")
def test_the_steps_of_the_dockerfile_make_an_image_that_runs(image: Path) -> None:
    expect_size_and_packages(image / "opt" / "masthead")
    running = stages()[1]
    user, group = find(running, "USER").split(":")
    assert int(user) > 0
    owned = (image / "data").stat()
    assert (owned.st_uid, owned.st_gid, owned.st_mode & 0o777) == (int(user), int(group), 0o700)
    script = SMOKE.format(
        workdir=find(running, "WORKDIR"),
        environment=find(running, "ENV"),
        user=AS_USER.format(user, group),
        command=shlex.join(json.loads(find(running, "CMD"))),
        health=health_check(running),
    )
    said = enter(image, script, "--net", mode="read-only")
    assert "ENDED WELL" in said
    assert "/link/" in said
    assert "is_verified  true" in said


def health_check(stage: list[tuple[str, str]]) -> str:
    """The command that says whether a container is healthy."""
    return shlex.join(json.loads(find(stage, "HEALTHCHECK").partition(" CMD ")[2]))


def expect_size_and_packages(program: Path) -> None:
    """Fail unless the environment is small, without pip, and lists its packages."""
    files = [path for path in program.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
    assert not list(program.glob("lib/python*/site-packages/pip"))
    names = "lib/python*/site-packages/pycountry/locales/{}/LC_MESSAGES/iso3166-1.mo"
    assert all(list(program.glob(names.format(each))) for each in TRANSLATED)
    bill = json.loads((program / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["name"] == "masthead"
    listed = {each["name"]: each["version"] for each in bill["components"]}
    for name, version in pins():
        assert listed.get(name, version) == version  # some are for other systems
    for name in ("starlette", "granian", "apsw", "python"):
        assert name in listed
    assert len(listed) > 30


def pins() -> Iterator[tuple[str, str]]:
    """The names and versions that the image installs."""
    text = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    yield from re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", text, re.MULTILINE)


def test_the_image_is_not_root_and_has_a_health_check() -> None:
    building, running = stages()
    assert find(building, "FROM").split()[0] == find(running, "FROM")
    names = [name for name, _ in running]
    assert names.index("USER") > names.index("RUN")  # the last word about the user
    assert "0" not in find(running, "USER").split(":")
    assert "/ready" in find(running, "HEALTHCHECK")
    assert find(running, "VOLUME") == find(running, "WORKDIR") == "/data"
    installs = [text for name, text in building if name == "RUN" and "requirements" in text]
    assert installs[0].count("--require-hashes") == installs[0].count("-r requirements/") == 2


def test_the_build_sees_only_what_the_dockerfile_copies() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    copied = [text.split()[:-1] for name, text in stages()[0] if name == "COPY"]
    assert "*" in ignored
    shown = {line[1:] for line in ignored if line.startswith("!")}
    assert shown == {name for names in copied for name in names}


@pytest.mark.skipif(engine() is None, reason="needs Docker or Podman")
def test_an_engine_builds_the_image_and_it_becomes_healthy() -> None:
    program, name = str(engine()), f"masthead-test-{uuid.uuid4().hex[:8]}"
    if not has_base_image(program):
        pytest.skip("needs the image of Python, and no registry answers")
    run(program, "build", "--tag", name, ".", folder=ROOT)
    try:
        options = ("--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--name", name)
        run(program, "run", "--detach", *options, name, folder=ROOT)
        health = health_check(stages()[1])
        tries = f"for _ in $(seq 100); do {health} && exit; sleep 0.2; done; exit 1"
        run(program, "exec", name, "sh", "-c", tries, folder=ROOT)
        assert run(program, "exec", name, "id", "-u", folder=ROOT).strip() != "0"
        run(program, "stop", name, folder=ROOT)
    finally:
        subprocess.run([program, "rm", "--force", "--volumes", name], check=False)
        subprocess.run([program, "rmi", "--force", name], check=False)
