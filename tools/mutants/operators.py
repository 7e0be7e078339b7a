"""The changes that make mutants: one place in a function, or in the SQL of a module.

Left out, because no test has to notice them: docstrings, annotations, asserts, log messages, the
texts of errors, `__repr__`, expressions inside of f-strings except SQL, and arguments that change
no result.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tools.mutants.edits import Edit
from tools.mutants.sql import find_sql_edits, find_users, is_sql

COMPARISONS: Mapping[str, tuple[str, ...]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
ARITHMETIC = {"+": "-", "-": "+", "*": "//", "/": "*", "//": "*", "%": "*"}
LOGGERS = {"log", "logger", "logging"}
NOT_TESTED = {"__repr__", "__str__"}
UNSEEN = {"aside", "is_long"}  # which connection reads, and for how long a write may wait


def find_edits(source: str) -> list[Edit]:
    """All changes of a module, in the order of its lines."""
    finder = _Finder(source)
    finder.visit(finder.tree)
    return finder.edits


class _Finder(ast.NodeVisitor):
    """Collects changes; visits only code that runs when a function is called, and SQL."""

    def __init__(self, source: str) -> None:
        self.code = source.encode()
        self.tree = ast.parse(source)
        lines = self.code.splitlines(keepends=True)
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line))
        self.edits: list[Edit] = []
        self.counts: dict[tuple[str, str], int] = defaultdict(int)
        self.scope: list[str] = []
        self.function = ""  # empty outside of functions
        self.users: tuple[str, ...] = ()
        self.keeps_texts = False

    # --- places ---

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr | ast.stmt) -> bytes:
        return self.code[self.start(node) : self.end(node)]

    def add(self, operator: str, start: int, end: int, new: str | bytes) -> None:
        """Note a change of the current function."""
        key = self.function, operator
        self.counts[key] += 1
        text = new if isinstance(new, str) else new.decode()
        self.edits.append(
            Edit(self.function, operator, self.counts[key], start, end, text, self.users)
        )

    def replace(self, operator: str, node: ast.expr | ast.stmt, new: str | bytes) -> None:
        self.add(operator, self.start(node), self.end(node), new)

    def between(
        self, operator: str, left: ast.expr, right: ast.expr, tokens: Mapping[str, Sequence[str]]
    ) -> None:
        """Replace the operator between two operands."""
        longest = sorted(tokens, key=len, reverse=True)
        known = "|".join(re.escape(token).replace(r"\ ", r"\s+") for token in longest)
        found = re.search(known.encode(), self.code[self.end(left) : self.start(right)])
        if found:
            start = self.end(left) + found.start()
            token = re.sub(r"\s+", " ", found[0].decode())
            for new in tokens[token]:
                self.add(operator, start, start + len(found[0]), new)

    @contextmanager
    def texts_kept(self) -> Iterator[None]:
        before, self.keeps_texts = self.keeps_texts, True
        yield
        self.keeps_texts = before

    # --- functions and statements ---

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.scope.append(node.name)
        for each in node.body:
            self.visit(each)
        self.scope.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name in NOT_TESTED:
            return
        outer = self.function, self.users
        self.function = ".".join([*self.scope, node.name])
        self.users = (self.function,)
        self.scope += [node.name, "<locals>"]
        for each in node.body:
            self.visit(each)
        del self.scope[-2:]
        self.function, self.users = outer

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Assign(self, node: ast.Assign) -> None:
        if self.function:
            self.generic_visit(node)
        elif not self.scope and isinstance(node.targets[0], ast.Name):
            nodes = [each for each in ast.walk(node.value) if isinstance(each, ast.expr)]
            texts = [each for each in nodes if is_text(each)]
            if any(is_sql(self.text(each)) for each in texts):
                self.function = node.targets[0].id
                self.users = find_users(self.tree, self.function)
                for each in texts if self.users else ():
                    self.mutate_sql(each)
                self.function, self.users = "", ()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self.function and node.value:
            self.visit(node.value)

    def visit_Assert(self, node: ast.Assert) -> None:
        pass

    def visit_match_case(self, node: ast.match_case) -> None:
        if node.guard:
            self.visit(node.guard)
            self.negate(node.guard)
        for each in node.body:
            self.visit(each)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        for each in node.body:
            self.visit(each)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not self.function or isinstance(node.value, ast.Constant) or is_log(node.value):
            return
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Call):
            self.replace("statement", node, "pass")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        if self.function:
            self.replace("statement", node, "pass")
            with self.texts_kept():
                self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        value = node.value
        if value and not (isinstance(value, ast.Constant) and value.value is None):
            self.replace("return", value, "None")
        self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self.replace("loop", node, "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self.replace("loop", node, "break")

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if self.function:
            self.negate(node.test)
            self.generic_visit(node)

    visit_While = visit_IfExp = visit_If  # noqa: N815

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for each in node.ifs:
            self.negate(each)
        self.generic_visit(node)

    def negate(self, test: ast.expr) -> None:
        """Negate a condition; for a comparison and `not`, other changes do that."""
        is_single = isinstance(test, ast.Compare) and len(test.ops) == 1
        if not is_single and not isinstance(test, ast.UnaryOp | ast.NamedExpr):
            self.replace("condition", test, b"(not (" + self.text(test) + b"))")

    # --- expressions ---

    def visit_Compare(self, node: ast.Compare) -> None:
        if self.function:
            for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
                self.between("comparison", left, right, COMPARISONS)
            self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if self.function:
            for left, right in zip(node.values, node.values[1:], strict=False):
                self.between("boolean", left, right, {"and": ["or"], "or": ["and"]})
            self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if self.function:
            if isinstance(node.op, ast.Not):
                found = re.match(rb"not\s*", self.text(node))
                assert found
                self.add("not", self.start(node), self.start(node) + found.end(), "")
            elif isinstance(node.op, ast.USub):
                self.add("arithmetic", self.start(node), self.start(node) + 1, "")
            self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not self.function:
            return
        operands = (node.left, node.right)
        if not any(map(is_text, operands)):  # two texts cannot be subtracted: any test notices
            self.between("arithmetic", *operands, {key: [new] for key, new in ARITHMETIC.items()})
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if self.function and not is_text(node.value):
            assigned = {f"{key}=": [f"{new}="] for key, new in ARITHMETIC.items()}
            self.between("arithmetic", node.target, node.value, assigned)
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if self.function and not is_log(node):
            self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg not in UNSEEN:
            self.visit(node.value)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        if self.function:
            self.mutate_sql(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if not self.function:
            return
        value = node.value
        if isinstance(value, bool):
            self.replace("constant", node, str(not value))
        elif isinstance(value, int | float):
            self.replace("constant", node, f"{value + 1}")
        elif isinstance(value, str) and not self.mutate_sql(node) and not self.keeps_texts:
            self.replace("text", node, '""' if value else '"mutated"')

    def mutate_sql(self, node: ast.expr) -> bool:
        """Change the SQL of a text; returns whether it is SQL."""
        text = self.text(node)
        if not is_sql(text):
            return False
        for start, end, new in find_sql_edits(text):
            self.add("sql", self.start(node) + start, self.start(node) + end, new)
        return True


def is_text(node: ast.expr) -> bool:
    """Whether a node is a text in quotes."""
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, ast.JoinedStr)


def is_log(node: ast.AST) -> bool:
    """Whether a node writes to the log."""
    called = node.func if isinstance(node, ast.Call) else None
    return (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and called.value.id.strip("_").lower() in LOGGERS
    )
