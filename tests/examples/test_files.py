"""The examples are short, and their README lists them."""

import re

from tools.clients.files import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def test_each_example_has_less_than_100_lines() -> None:
    assert len(EXAMPLES) >= 7
    lengths = {path.name: len(path.read_text().splitlines()) for path in EXAMPLES}
    assert {name: length for name, length in lengths.items() if length >= 100} == {}


def test_the_readme_lists_all_examples() -> None:
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    assert {*re.findall(r"\]\((\w+\.py)\)", page)} == {path.name for path in EXAMPLES}
