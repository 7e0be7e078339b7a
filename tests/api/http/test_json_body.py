"""Messages about a body that is not JSON: in plain words, with the place."""

import re

import pytest

from masthead.api.http.json_body import parse_object
from masthead.model.errors import Invalid

WHOLE = rb'{"name": "\u00e9t\\\u00e9", "list": [1, -2.5, {"a": null}], "more": true}'
EDITS = (b"", b'"', b",", b"{", b"x", b"\n", b"\\")
OF_PYTHON = re.compile(r"Expecting|delimiter|enclosed|[Ee]xtra data|at at|nvalid|nterminated")


def message(body: bytes) -> str:
    """The message about a body; empty if it is valid."""
    try:
        parse_object(body)
    except Invalid as reason:
        return str(reason)
    return ""


def test_no_message_has_the_words_of_python() -> None:
    bodies = [WHOLE[:end] for end in range(1, len(WHOLE))]
    bodies += [WHOLE[:at] + new + WHOLE[at + 1 :] for at in range(len(WHOLE)) for new in EDITS]
    bodies += [b"\xef\xbb\xbf" + WHOLE, WHOLE + b"x", WHOLE[:-1] + b",}"]
    messages = {re.sub(r"\d+", "N", message(body)) for body in bodies}
    assert [each for each in messages if OF_PYTHON.search(each)] == []
    placed = {each.partition("at line N, column N, ")[2] for each in messages} - {""}
    assert len(placed) >= 9
    assert "there is a mistake." not in placed


@pytest.mark.parametrize(
    "body, problem",
    [
        (b'{"number": 1,\n "name": "Spring}', "at line 2, column 10, a text begins that has no "),
        (b"{number: 1}", "at line 1, column 2, the name of a field is expected, in double quotes."),
        (b"{'a': 1}", "at line 1, column 2, there is a single quotation mark; JSON has double "),
        (
            b"{\"a\": 'x'}",
            "at line 1, column 7, there is a single quotation mark; JSON has double ",
        ),
        (
            b'{"a": 1,\n}',
            "at line 1, column 8, there is a comma before a closing bracket; leave it",
        ),
        (
            b'{"a": [1, ]}',
            "at line 1, column 9, there is a comma before a closing bracket; leave it",
        ),
        (
            b'{"a": 42,50}',
            "at line 1, column 10, the name of a field is expected, in double quotes.",
        ),
        (b'{"a": True}', "at line 1, column 7, a value is expected; JSON writes `True` as `true`."),
        (b'{"a": None}', "at line 1, column 7, a value is expected; JSON writes `None` as `null`."),
        (b'{"a": // one\n1}', "at line 1, column 7, there is a comment, which JSON does not have."),
        (b'# one\n{"a": 1}', "at line 1, column 1, there is a comment, which JSON does not have."),
        (
            b'{"a": }',
            "at line 1, column 7, a value is expected, such as text in double quotes or a ",
        ),
        (
            b"a=1&b=2",
            "at line 1, column 1, a value is expected, such as text in double quotes or a ",
        ),
        (b'{"a": 042}', "at line 1, column 8, a comma or a closing bracket is expected."),
        (b'{"a" 1}', "at line 1, column 6, a colon is expected, and then the value of the field."),
        (b'{"a": 1 "b": 2}', "at line 1, column 9, a comma or a closing bracket is expected."),
    ],
)
def test_a_message_says_where_and_what_is_expected(body: bytes, problem: str) -> None:
    assert message(body).startswith(f"The body cannot be read as JSON: {problem}")
