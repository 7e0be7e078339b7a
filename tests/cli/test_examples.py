"""The help of a command shows that command, not others."""

import re
import shlex

from masthead.cli import app
from tests.support.cases import for_each

ALONE = [
    name
    for name in app
    if not name.startswith("-") and all(inner.startswith("-") for inner in app[name])
]


@for_each("name", ALONE)
def test_every_command_has_examples(name: str) -> None:
    shown = str(app[name].help_prologue)
    examples = re.findall(r"^    (?:sudo )?(masthead .*)$", shown, re.MULTILINE)
    assert examples
    for example in examples:
        words = shlex.split(example)[1:]
        assert words[0] == name
        app.parse_args(words, exit_on_error=False, print_error=False)
