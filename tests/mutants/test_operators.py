"""The changes that make mutants."""

import ast
import textwrap

import pytest

from tools.mutants.edits import apply_edit
from tools.mutants.operators import find_edits


def mutants_of(body: str) -> list[str]:
    """The bodies of a function, each with one change."""
    source = f"def f(a, b):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    changed = [apply_edit(source, edit) for edit in find_edits(source)]
    for each in changed:
        ast.parse(each)
        assert each.count("\n") == source.count("\n")
    return [textwrap.dedent(each.partition("\n")[2]).strip() for each in changed]


@pytest.mark.parametrize(
    "body, expected",
    [
        ("a = a < b", ["a = a <= b", "a = a >= b"]),
        ("a = a is  not b", ["a = a is b"]),
        ("a = a not in b", ["a = a in b"]),
        ("a = (a) == (b)", ["a = (a) != (b)"]),
        ("a = a and b and a", ["a = a or b and a", "a = a and b or a"]),
        ("a = not b", ["a = b"]),
        ("a = -b", ["a = b"]),
        ("a = a + b", ["a = a - b"]),
        ("a //= b", ["a *= b"]),
        ("a = True", ["a = False"]),
        ("a = 7", ["a = 8"]),
        ("a = 'é'; b = 'x'", ["a = \"\"; b = 'x'", "a = 'é'; b = \"\""]),
        ("return a", ["return None"]),
        ("return None", []),
        ("f(a)", ["pass"]),
        ("raise KeyError('a')", ["pass"]),
        ("while a: break", ["while (not (a)): break", "while a: continue"]),
        ("a = b if a else b", ["a = b if (not (a)) else b"]),
        ("a = [c for c in b if c]", ["a = [c for c in b if (not (c))]"]),
    ],
)
def test_each_operator_changes_one_place(body: str, expected: list[str]) -> None:
    assert mutants_of(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        '"""What it does."""',
        "assert a < 3",
        "log.info('a', 1)",
        "a = db.read(aside=True)",
        "a: Literal['x'] = b",
        "a = f'{a}: {b + 1}'",
        "a = 'x' + b + 'y'",
        "def __repr__(self): return 'a'",
    ],
)
def test_what_no_test_must_notice_is_left_out(body: str) -> None:
    found = [each for each in mutants_of(body) if "x" not in body or '""' not in each]
    assert found == []


def test_the_text_of_an_error_stays_but_its_condition_changes() -> None:
    assert mutants_of("if a > 1:\n    raise ValueError('a', a)") == [
        "if a >= 1:\n    raise ValueError('a', a)",
        "if a <= 1:\n    raise ValueError('a', a)",
        "if a > 2:\n    raise ValueError('a', a)",
        "if a > 1:\n    pass",
    ]


def test_a_change_of_several_lines_keeps_the_number_of_lines() -> None:
    assert mutants_of("f(\n    a,\n)\nreturn None") == ["pass\n\n\nreturn None"]


def test_sql_is_changed_by_its_operators() -> None:
    sql = "UPDATE t SET a = :a WHERE b = :b AND c BETWEEN :d AND :e AND f IS NULL ORDER BY g DESC"
    changed = [each.removeprefix("f('").removesuffix("')") for each in mutants_of(f"f('{sql}')")]
    assert changed == [
        "pass",
        sql.replace("b = :b", "b <> :b"),
        sql.replace("b AND", "b OR"),
        sql.replace(":e AND", ":e OR"),
        sql.replace("IS NULL", "IS NOT NULL"),
        sql.replace("DESC", "ASC"),
    ]


def test_a_constant_with_sql_is_changed_where_functions_use_it() -> None:
    source = textwrap.dedent("""\
        A = "SELECT a FROM t WHERE b < 1"
        B = A + " ORDER BY b"
        C = "SELECT a FROM t WHERE b < 2"
        LIMIT = 3

        def f():
            pass
            return B
    """)
    [edit, _] = find_edits(source)
    assert (edit.function, edit.operator, edit.users) == ("A", "sql", ("f",))
    assert "b <= 1" in apply_edit(source, edit)


def test_functions_have_qualified_names_and_changes_are_numbered() -> None:
    source = textwrap.dedent("""\
        class A:
            def f(self):
                def g():
                    return 1 + 2
                return g
    """)
    assert [(each.function, each.operator, each.ordinal) for each in find_edits(source)] == [
        ("A.f.<locals>.g", "return", 1),
        ("A.f.<locals>.g", "arithmetic", 1),
        ("A.f.<locals>.g", "constant", 1),
        ("A.f.<locals>.g", "constant", 2),
        ("A.f", "return", 1),
    ]
