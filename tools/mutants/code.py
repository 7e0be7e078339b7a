"""The code under test in a process: with probes, or with the change of a mutant.

`MUTANTS_SAMPLE` names the file of the sample, `MUTANTS_REACHED` the file in which probes note what
is called, and `MUTANT` the mutant, if any. The processes that a test starts get the same code.
"""

import builtins
import gc
import mmap
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tools.mutants.functions import PROBE, load_code
from tools.mutants.sample import Mutant, compile_functions, read_sample

STARTUP = str(Path(__file__).parent / "startup")
OURS = ("MUTANT", "MUTANTS_SAMPLE", "MUTANTS_REACHED")


class NotApplied(Exception):
    """The process has no code that the mutant changes."""


class Code(MetaPathFinder):
    """Imports the modules of a package, and changes them. reached: one byte for each function."""

    def __init__(
        self, sample: Sequence[Mutant], folder: Path, reached: Any, mutant: Mutant | None = None
    ) -> None:
        self.sample, self.folder, self.mutant = sample, folder, mutant
        self.package = sample[0].module.partition(".")[0]
        self.reached = reached
        setattr(builtins, PROBE, reached)
        self.functions: dict[str, list[FunctionType]] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Import with our loader: the module of the mutant, or else the whole package."""
        if self.mutant:
            is_ours = name == self.mutant.module
        else:
            is_ours = name.partition(".")[0] == self.package
        spec = PathFinder.find_spec(name, path) if is_ours else None
        if spec and spec.origin and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.origin, self)
        return spec

    def compile(self, path: Path) -> CodeType:
        """The code of a module."""
        source = path.read_text()
        if self.mutant:
            return compile(self.mutant.mutate(source), path, "exec", dont_inherit=True)
        return load_code(self.folder, path, source)

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
        if mutant.is_constant and mutant.edit.function in vars(module):
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

    def share(self, file: Path) -> None:
        """Note what is called in another file, which this process shares with its children."""
        self.reached = open_reached(file)
        setattr(builtins, PROBE, self.reached)


class _Loader(SourceFileLoader):
    """Loads a module from its source; no other process may get its bytecode."""

    def __init__(self, name: str, path: str, code: Code) -> None:
        super().__init__(name, path)
        self.finder = code

    def get_code(self, fullname: str) -> CodeType:
        """Compile the module."""
        return self.finder.compile(Path(self.path))


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
    """Let this process import the package with probes, or with the mutant."""
    for finder in sys.meta_path:
        if isinstance(finder, Code):
            return finder
    file = Path(os.environ["MUTANTS_SAMPLE"])
    sample = read_sample(file)
    wanted = os.environ.get("MUTANT")
    mutant = next((each for each in sample if each.id == wanted), None)
    code = Code(sample, file.parent, open_reached(Path(os.environ["MUTANTS_REACHED"])), mutant)
    sys.meta_path.insert(0, code)
    hand_on()
    return code


def hand_on() -> None:
    """Let Python programs that get an environment of their own have the same code."""
    start = subprocess.Popen.__init__

    def start_with_code(self: Any, args: Any, *others: Any, **options: Any) -> None:
        given = options.get("env")
        if (
            given is not None
            and isinstance(args, list | tuple)
            and tuple(args[:1]) == (sys.executable,)
        ):
            options["env"] = with_code(given)
        start(self, args, *others, **options)

    subprocess.Popen.__init__ = start_with_code  # type: ignore[method-assign]


def with_code(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which Python gets the code of this process."""
    ours = {name: os.environ[name] for name in OURS if name in os.environ}
    paths = [STARTUP, environment.get("PYTHONPATH", ""), str(Path(__file__).parents[2])]
    return {**environment, **ours, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def open_reached(file: Path) -> mmap.mmap:
    """A file in memory with one byte for each function; other processes see the same bytes."""
    with file.open("r+b") as opened:
        return mmap.mmap(opened.fileno(), 0)
