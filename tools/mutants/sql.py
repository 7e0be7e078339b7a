"""The changes of SQL, and where a constant with SQL is used."""

import ast
import re
from collections.abc import Iterator

from tools.mutants.edits import Place

CHANGES = {
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "=": "<>",
    "<>": "=",
    "+": "-",
    "-": "+",
    "AND": "OR",
    "OR": "AND",
    "DESC": "ASC",
    "IS NULL": "IS NOT NULL",
    "IS NOT NULL": "IS NULL",
    "EXISTS": "NOT EXISTS",
    "NOT EXISTS": "EXISTS",
    "LEFT JOIN": "JOIN",
    "MIN": "MAX",
    "MAX": "MIN",
}
TOKEN = re.compile(
    rb"(?<= )(?:<=|>=|<>|=|<|>|\+|-)(?=\s)"
    rb"|\b(?:AND|OR|DESC|IS NOT NULL|IS NULL|NOT EXISTS|EXISTS|LEFT JOIN|(?:MIN|MAX)(?=\())\b"
)
WORDS = re.compile(rb"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|AND|ORDER BY|JOIN)\b")
CLAUSE = re.compile(rb"\b(SET|WHERE|ON|AND|OR|WHEN|THEN|ELSE|HAVING|SELECT|VALUES)\b")
BETWEEN = re.compile(rb"\bBETWEEN\s+(?:(?!\bAND\b).)*$", re.DOTALL)


def is_sql(text: bytes) -> bool:
    """Whether a text is SQL, or a part of a statement."""
    return bool(WORDS.search(text))


def find_sql_edits(text: bytes) -> Iterator[tuple[int, int, str]]:
    """The changes of a statement: the start and the end of what is replaced, and by what.

    What the database would refuse, or Python evaluates in an f-string, is left out.
    """
    for token in TOKEN.finditer(text):
        before = text[: token.start()]
        clauses = CLAUSE.findall(before)
        is_assignment = token[0] == b"=" and clauses and clauses[-1] == b"SET"
        is_range = token[0] == b"AND" and BETWEEN.search(before)
        in_braces = text[:1] in b"fF" and before.count(b"{") > before.count(b"}")
        if not is_assignment and not is_range and not in_braces:
            yield token.start(), token.end(), CHANGES[token[0].decode()]


def find_uses(tree: ast.Module, name: str) -> tuple[Place, ...]:
    """The statements, in functions, that use a constant or another one that is made of it."""
    names = {name}
    functions: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if names & names_in(statement.value):
                names.add(statement.targets[0].id)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            functions.append(statement)
    return tuple(
        (each.lineno, each.col_offset)
        for function in functions
        for parent in ast.walk(function)
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef)
        for each in parent.body
        if names & names_in(each)
    )


def names_in(node: ast.AST) -> set[str]:
    """All names that a node reads."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
