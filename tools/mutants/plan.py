"""What one run tests, and the files that keep what it finds: each line is one JSON object."""

import base64
import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from tools.mutants.functions import prepare_probes, read_numbers
from tools.mutants.sample import Mutant, read_sample

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = [
    *(
        "-p",
        "tools.mutants.plugin",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
        "--hypothesis-seed=0",
    ),
    *("--capture=sys", "--tb=short", "--quiet", "--no-header"),  # no files that processes share
]


@dataclass(frozen=True)
class Plan:
    """A run of a set of tests.

    folder: where the sample and the results are kept.
    name: of the set, such as `quick`.
    root: the project.
    wanted: the numbers of the mutants, in the sample.
    skip_tests: tests of another set, which have run already.
    patience: seconds for what a busy machine may need.
    first: seconds for the tests of a mutant that run first; the others run once all mutants had
    their first ones, and only for those that have survived.
    """

    folder: str
    name: str
    root: str
    jobs: int
    wanted: list[int]
    skip_tests: list[str]
    patience: float = 20.0
    first: float = 30.0

    @classmethod
    def read(cls, file: Path) -> "Plan":
        """The plan in a file."""
        return cls(**json.loads(file.read_text()))

    def write(self, file: Path) -> None:
        """Keep the plan in a file."""
        file.write_text(json.dumps(asdict(self)))

    @property
    def sample(self) -> Path:
        """The mutants."""
        return Path(self.folder, "sample.json")

    @property
    def collected(self) -> Path:
        """The tests of the last run, one a line."""
        return Path(self.folder, f"{self.name}-collected.txt")

    @property
    def records(self) -> Path:
        """What each test calls without a mutant."""
        return Path(self.folder, f"{self.name}-tests.jsonl")

    @property
    def results(self) -> Path:
        """What became of each mutant."""
        return Path(self.folder, f"{self.name}-mutants.jsonl")

    @staticmethod
    def is_near(test: str, mutant: Mutant) -> bool:
        """Whether a test is of the same feature: its folder or file has the same name.

        `masthead/store/orders/prices.py` is near to all tests in a folder `orders`, and to those in
        a file such as `test_list_prices.py`. `masthead/api/route.py` is near to all tests in
        `tests/api` itself.
        """
        folders, name = names_of(mutant.path)
        test_folders, test_name = names_of(test.partition("::")[0])
        return not folders.isdisjoint(test_folders) or name in test_name


@cache
def names_of(path: str) -> tuple[frozenset[str], str]:
    """The folders of a module, below that of its layer or else that one, and its own name."""
    parts = Path(path).with_suffix("").parts
    return frozenset(parts[2:-1] or parts[1:-1]), parts[-1]


def run_pytest(plan: Plan, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Test the mutants of a plan in another process. Raises: CalledProcessError."""
    folder = Path(plan.folder)
    plan.write(folder / "plan.json")
    prepare_probes(Path(plan.root), read_sample(plan.sample)[0].path.partition("/")[0], folder)
    (folder / "reached").write_bytes(bytes(len(read_numbers(folder))))
    shutil.rmtree(folder / "hypothesis", ignore_errors=True)  # it remembers failures of mutants
    paths = (Path(__file__).parent / "startup", ROOT)
    own = {
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "MUTANTS_PLAN": str(folder / "plan.json"),
        "MUTANTS_SAMPLE": str(plan.sample),
        "MUTANTS_REACHED": str(folder / "reached"),
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
    }
    subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "pytest", *OPTIONS, *arguments],
        cwd=plan.root,
        env={**environment, **own},
        stdin=subprocess.DEVNULL,
        check=True,
    )


@dataclass(frozen=True)
class Record:
    """A test without a mutant.

    digest: of its file. outcome: `passed`, `failed` or `skipped`.
    reached: the functions that it calls, as `pack` writes them.
    """

    test: str
    digest: str
    seconds: float
    outcome: str
    reached: str


def pack(reached: bytes) -> str:
    """A text for one byte for each function: 1 if it was called."""
    return base64.b85encode(zlib.compress(reached)).decode()


def unpack(reached: str) -> bytes:
    """What `pack` was given."""
    return zlib.decompress(base64.b85decode(reached))


@dataclass(frozen=True)
class Result:
    """A mutant, after a set of tests.

    how: what killed it: `test`, `time` or `crash`; empty if it survived.
    test: the test that failed.
    code: a digest of the module with the change.
    tests: a digest of the file of this test, or else of all tests that call it.
    is_complete: whether all tests that call it have run, and not just the first ones.
    """

    mutant: str
    how: str
    test: str
    seconds: float
    code: str
    tests: str
    is_complete: bool = True


def append(file: Path, line: Record | Result) -> None:
    """Add a line; several processes may do that at the same time."""
    with file.open("ab", buffering=0) as opened:
        opened.write(json.dumps(asdict(line)).encode() + b"\n")


def read_records(file: Path) -> dict[str, Record]:
    """The tests by name; the newest line counts."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {each.test: each for each in (Record(**json.loads(line)) for line in lines)}


def read_results(file: Path) -> dict[str, Result]:
    """The mutants by id; the newest line counts."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {each.mutant: each for each in (Result(**json.loads(line)) for line in lines)}
