"""What the repository shows to those who report, ask and contribute."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def names_of_templates() -> list[str]:
    """The names in the first lines of the issue templates, which the repository shows."""
    head = r"---\nname: (.+)\nabout: .+\nlabels: \w+\n---\n"
    found = [re.match(head, path.read_text(encoding="utf-8")) for path in TEMPLATES]
    return [each[1] for each in found if each]


def test_each_issue_template_has_a_name_that_the_support_page_uses() -> None:
    names = names_of_templates()
    assert len(names) == len(TEMPLATES) > 1
    assert sorted(re.findall('template "(.+)"', read("SUPPORT.md"))) == sorted(names)


def test_vulnerabilities_and_conduct_are_reported_privately_in_the_same_place() -> None:
    place = 'use "Report a vulnerability" on the repository\'s Security page'
    for name in ("SECURITY.md", "CODE_OF_CONDUCT.md"):
        assert place in " ".join(read(name).split()), name


def test_the_pages_are_linked() -> None:
    assert "(SUPPORT.md)" in read("README.md")
    assert {"(SUPPORT.md)", "(CODE_OF_CONDUCT.md)"} <= set(
        re.findall(r"\(\w+\.md\)", read("CONTRIBUTING.md"))
    )


def test_targets_that_the_template_names_exist() -> None:
    makefile = read("Makefile")
    for target in re.findall("`make ([a-z-]+)`", read(".github/pull_request_template.md")):
        assert f"\n{target}:" in makefile
