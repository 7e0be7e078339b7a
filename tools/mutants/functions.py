"""The functions of the code under test: a number for each, and code that notes which are called.

A probe is the first statement of a function. It notes the call in a file that all processes of a
test share. The files of the project stay as they are. A function keeps its number, so what a test
calls is known as long as the test stays the same.
"""

import ast
import hashlib
import marshal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

PROBE = "__mutants_reached__"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def digest_of(source: Path | str) -> str:
    """A short digest of a file or a text."""
    data = source.encode() if isinstance(source, str) else source.read_bytes()
    return hashlib.sha256(data).hexdigest()[:12]


def module_of(path: str) -> str:
    """The name of a module. path: from the root of the project."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def find_functions(tree: ast.AST, scope: str = "") -> Iterator[tuple[str, Function]]:
    """All functions with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{scope}{node.name}", node
            yield from find_functions(node, f"{scope}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from find_functions(node, f"{scope}{node.name}.")
        else:
            yield from find_functions(node, scope)


def read_numbers(folder: Path) -> dict[str, int]:
    """The number of each known function, such as `shop.orders:Order.total`, in their order."""
    file = folder / "functions.txt"
    names = file.read_text().splitlines() if file.exists() else []
    return {name: number for number, name in enumerate(names)}


def prepare_probes(root: Path, package: str, folder: Path) -> None:
    """Number the functions of a package and keep its modules, compiled with probes.

    Takes some 20 seconds for masthead, and less than one if nothing has changed.
    """
    numbers = read_numbers(folder)
    (folder / "code").mkdir(parents=True, exist_ok=True)
    for path in sorted((root / package).rglob("*.py")):
        source = path.read_text()
        kept = kept_code(folder, path, source)
        if kept.exists():
            continue
        tree = ast.parse(source)
        module = module_of(path.relative_to(root).as_posix())
        known = len(numbers)
        for name, node in list(find_functions(tree)):
            _insert_probe(node, numbers.setdefault(f"{module}:{name}", len(numbers)))
        with (folder / "functions.txt").open("a") as names:
            names.writelines(f"{name}\n" for name in list(numbers)[known:])
        kept.write_bytes(marshal.dumps(compile(tree, path, "exec", dont_inherit=True)))


def kept_code(folder: Path, path: Path, source: str) -> Path:
    """The file that keeps a module with probes."""
    return folder / "code" / digest_of(f"{sys.version} {path} {source}")


def load_code(folder: Path, path: Path, source: str) -> CodeType:
    """A module with probes, or without them if it has just changed."""
    kept = kept_code(folder, path, source)
    if kept.exists():
        code = marshal.loads(kept.read_bytes())  # noqa: S302 - our own file
        assert isinstance(code, CodeType)
        return code
    return compile(source, path, "exec", dont_inherit=True)


def _insert_probe(function: Function, number: int) -> None:
    """Insert a probe behind the docstring, at the line of the first statement."""
    first = 1 if ast.get_docstring(function, clean=False) is not None else 0
    [probe] = ast.parse(f"{PROBE}[{number}] = 1").body
    place = function.body[min(first, len(function.body) - 1)]
    for node in ast.walk(probe):
        ast.copy_location(node, place)
    function.body.insert(first, probe)
