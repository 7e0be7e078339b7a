"""The changes of SQL, and where a constant with SQL is used."""

import ast
import re
from collections.abc import Iterator

from tools.mutants.functions import find_functions

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


def find_users(tree: ast.Module, name: str) -> tuple[str, ...]:
    """The functions that use a constant, or another one that is made of it."""
    names = {name}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=made), *_], value=value):
                if names & names_in(value):
                    names.add(made)
    return tuple(
        function
        for function, node in find_functions(tree)
        if any(names & names_in(each) for each in node.body)
    )


def names_in(node: ast.AST) -> set[str]:
    """All names that a node reads."""
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
