"""Mutants of the code, and a sample of them that a seed chooses."""

import ast
import difflib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice, zip_longest
from pathlib import Path
from types import CodeType

from tools.mutants.edits import Edit, apply_edit
from tools.mutants.functions import digest_of, module_of
from tools.mutants.operators import find_edits

OBVIOUS = {"return", "text"}
Key = tuple[str, int]  # a function of a module: its qualified name, and its first line


@dataclass(frozen=True)
class Mutant:
    """One change of one module. path: of the module, from the root of the project."""

    path: str
    edit: Edit

    @property
    def module(self) -> str:
        """The name of the module."""
        return module_of(self.path)

    @property
    def id(self) -> str:
        """What identifies the mutant in results and reasons."""
        edit = self.edit
        return f"{self.module}:{edit.function}:{edit.operator}:{edit.ordinal}"

    @property
    def package(self) -> str:
        """The folder below the root package, such as `store`."""
        return self.path.split("/")[1]

    @property
    def is_constant(self) -> bool:
        """Whether it changes a constant with SQL, and no function."""
        return self.edit.operator == "sql" and self.edit.function not in self.edit.users

    @property
    def users(self) -> tuple[str, ...]:
        """The functions that use the changed code, such as `shop.orders:Order.total`."""
        return tuple(f"{self.module}:{name}" for name in self.edit.users)

    def mutate(self, source: str) -> str:
        """The source of the module with the change."""
        return apply_edit(source, self.edit)

    def digest(self, root: Path) -> str:
        """A digest of the module with the change. root: of the project."""
        return digest_of(self.mutate((root / self.path).read_text()))

    def diff(self, source: str) -> str:
        """The change, for people."""
        before, after = source.splitlines(), self.mutate(source).splitlines()
        lines = difflib.unified_diff(before, after, self.path, self.path, n=1, lineterm="")
        return "\n".join(lines)

    def line(self, source: str) -> str:
        """The new text of the first line that changes."""
        before, after = source.splitlines(), self.mutate(source).splitlines()
        pairs = zip(before, after, strict=True)
        return next(new.strip() for old, new in pairs if old != new)


def list_mutants(root: Path, folder: str) -> Iterator[Mutant]:
    """All mutants of the modules below a folder. folder: from the root, such as `shop/orders`."""
    for path in sorted((root / folder).rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for edit in find_edits(path.read_text()):
            yield Mutant(name, edit)


def choose(root: Path, mutants: Iterable[Mutant], count: int, seed: int) -> list[Mutant]:
    """A sample, the same for the same seed; new code leaves the rest of it as it is.

    Functions come first, in an order that the seed decides, and then one change of each: a long
    function counts as much as a short one. Changes that most tests notice come last.
    """
    ranked: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        ranked.setdefault(f"{mutant.module}:{mutant.edit.function}", []).append(mutant)

    def rank(name: str) -> str:
        return hashlib.sha256(f"{seed} {name}".encode()).hexdigest()

    queues = [
        sorted(ranked[name], key=lambda each: (each.edit.operator in OBVIOUS, rank(each.id)))
        for name in sorted(ranked, key=rank)
    ]
    rounds = (each for changes in zip_longest(*queues) for each in changes if each)
    return list(islice((each for each in rounds if is_valid(root, each)), count))


def is_valid(root: Path, mutant: Mutant) -> bool:
    """Whether the change compiles, and functions keep the variables that they take from outside.

    Otherwise the code of a function cannot be replaced.
    """
    source = (root / mutant.path).read_text()
    try:
        changed = compile_functions(mutant.mutate(source), mutant.path)
    except SyntaxError:
        return False
    functions = compile_functions(source, mutant.path)
    return all(
        functions[key].co_freevars == code.co_freevars
        for key, code in changed.items()
        if key in functions
    )


def compile_functions(source: str, path: str) -> dict[Key, CodeType]:
    """The code of all functions of a module."""
    found: dict[Key, CodeType] = {}

    def walk(code: CodeType) -> None:
        for each in code.co_consts:
            if isinstance(each, CodeType):
                found[each.co_qualname, each.co_firstlineno] = each
                walk(each)

    walk(compile(ast.parse(source), path, "exec"))
    return found


def write_sample(file: Path, mutants: Iterable[Mutant]) -> None:
    """Keep a sample for the processes that test it."""
    file.write_text(json.dumps([asdict(each) for each in mutants], indent=1))


def read_sample(file: Path) -> list[Mutant]:
    """The sample that `write_sample` kept."""
    return [Mutant(each["path"], _read_edit(each["edit"])) for each in json.loads(file.read_text())]


def _read_edit(values: Mapping[str, object]) -> Edit:
    users = values["users"]
    assert isinstance(users, list)
    return Edit(**{**values, "users": tuple(users)})  # type: ignore[arg-type]
