"""The code under test in a process: with probes, or with the change of a mutant.

A probe is a statement that notes, in a file shared by all processes of a test, that the code of a
mutant is executed. The files of the project stay as they are.

`MUTANTS_SAMPLE` names the file of the sample, `MUTANTS_REACHED` the shared file, and `MUTANT` the
mutant, if any.
"""

import ast
import gc
import mmap
import os
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tools.mutants.edits import Place
from tools.mutants.sample import Mutant, compile_functions, read_sample

PROBE = "__mutants_reached__"


class NotApplied(Exception):
    """The process has no code that the mutant changes."""


class Code(MetaPathFinder):
    """Imports the modules of a sample, and changes them. reached: one byte for each mutant."""

    def __init__(
        self, sample: Sequence[Mutant], reached: Any, mutant: Mutant | None = None
    ) -> None:
        self.sample, self.reached, self.mutant = sample, reached, mutant
        self.of_module: dict[str, list[int]] = defaultdict(list)
        for number, each in enumerate(sample):
            self.of_module[each.module].append(number)
        self.functions: dict[str, list[FunctionType]] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Import the modules of the sample with our loader."""
        if name not in self.of_module:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec and spec.origin:
            spec.loader = _Loader(name, spec.origin, self)
        return spec

    def compile(self, name: str, source: str, path: str) -> CodeType:
        """The code of a module."""
        if self.mutant and self.mutant.module == name:
            return compile(self.mutant.mutate(source), path, "exec", dont_inherit=True)
        probes: dict[Place, list[int]] = defaultdict(list)
        for number in self.of_module[name]:
            for place in self.sample[number].edit.statements:
                probes[place].append(number)
        tree = ast.parse(source)
        insert_probes(tree, probes)
        return compile(tree, path, "exec", dont_inherit=True)

    def find_functions(self) -> None:
        """Find all functions of imported modules; a mutant replaces their code."""
        gc.unfreeze()  # frozen objects, such as after a quick collection, would not be found
        for each in gc.get_objects():
            if isinstance(each, FunctionType):
                self.functions.setdefault(each.__code__.co_filename, []).append(each)
        gc.freeze()

    def change(self, mutant: Mutant) -> None:
        """Make a mutant of this process. Raises: NotApplied."""
        self.mutant = mutant
        module = sys.modules.get(mutant.module)
        if module is None:
            return  # whoever imports it gets the mutant
        assert module.__file__
        source = self.mutant.mutate(Path(module.__file__).read_text())
        if mutant.edit.operator == "sql" and mutant.edit.function in vars(module):
            replace_texts(module, source)
            return
        codes = compile_functions(source, module.__file__)
        replaced = 0
        for function in self.functions.get(module.__file__, ()):
            old = function.__code__
            new = codes.get((old.co_qualname, old.co_firstlineno))
            if new:
                if new.co_freevars != old.co_freevars:
                    raise NotApplied(mutant.id)
                function.__code__ = new
                replaced += 1
        if not replaced:
            raise NotApplied(mutant.id)

    def list_reached(self) -> list[int]:
        """The numbers of the mutants whose code was executed."""
        return [number for number, byte in enumerate(self.reached[:]) if byte]

    def share(self, file: Path) -> None:
        """Note what is executed in another file, which this process shares with its children."""
        self.reached = open_reached(file, len(self.sample))
        for name in self.of_module:
            if name in sys.modules:
                setattr(sys.modules[name], PROBE, self.reached)


class _Loader(SourceFileLoader):
    """Loads a module of the sample from its source."""

    def __init__(self, name: str, path: str, code: Code) -> None:
        super().__init__(name, path)
        self.finder = code

    def get_code(self, fullname: str) -> CodeType:
        """Compile the module; no other process may get its bytecode."""
        return self.finder.compile(fullname, Path(self.path).read_text(), self.path)

    def exec_module(self, module: ModuleType) -> None:
        """Give the module what probes need."""
        setattr(module, PROBE, self.finder.reached)
        super().exec_module(module)


def insert_probes(tree: ast.AST, probes: Mapping[Place, Sequence[int]]) -> None:
    """Insert a probe before each of some statements, at the same line."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                statements[:] = [
                    each
                    for statement in statements
                    for each in (*_probes_of(statement, probes), statement)
                ]


def _probes_of(statement: ast.stmt, probes: Mapping[Place, Sequence[int]]) -> list[ast.stmt]:
    found = []
    for number in probes.get((statement.lineno, statement.col_offset), ()):
        [probe] = ast.parse(f"{PROBE}[{number}] = 1").body
        for node in ast.walk(probe):
            ast.copy_location(node, statement)
        found.append(probe)
    return found


def replace_texts(module: ModuleType, source: str) -> None:
    """Replace the texts of a module, and where others have imported them. Raises: NotApplied."""
    assert module.__file__
    changed: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__}
    exec(compile(source, module.__file__, "exec", dont_inherit=True), changed)  # noqa: S102
    new = {
        id(old): changed[name]
        for name, old in vars(module).items()
        if isinstance(old, str) and changed.get(name, old) != old
    }
    if not new:
        raise NotApplied(module.__name__)
    for each in list(sys.modules.values()):
        for name, value in list(getattr(each, "__dict__", {}).items()):
            if id(value) in new:
                setattr(each, name, new[id(value)])


def install() -> Code:
    """Let this process import the modules of the sample with probes, or with the mutant."""
    for finder in sys.meta_path:
        if isinstance(finder, Code):
            return finder
    sample = read_sample(Path(os.environ["MUTANTS_SAMPLE"]))
    wanted = os.environ.get("MUTANT")
    mutant = next((each for each in sample if each.id == wanted), None)
    code = Code(sample, open_reached(Path(os.environ["MUTANTS_REACHED"]), len(sample)), mutant)
    sys.meta_path.insert(0, code)
    return code


def open_reached(file: Path, size: int) -> mmap.mmap:
    """A file in memory with one byte for each mutant; other processes see the same bytes."""
    with file.open("a+b") as opened:
        opened.truncate(size)
        return mmap.mmap(opened.fileno(), size)
