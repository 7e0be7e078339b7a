"""CHANGELOG.md has a section for each version, and the newest is that of the package."""

import re
from pathlib import Path

from masthead import __version__

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
HEADINGS = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
READERS = (  # as CONTRIBUTING.md says
    "Upgrading",
    "New for staff and owners",
    "New for integrators",
    "New for operators",
    "Security",
    "Fixed",
    "Known limitations",
)


def numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")[:3]]


def test_unreleased_changes_are_first_and_each_version_has_a_date() -> None:
    assert HEADINGS[0] == "Unreleased"
    released = [re.fullmatch(r"(\d+\.\d+\.\d+) – (\d{4}-\d\d-\d\d)", each) for each in HEADINGS[1:]]
    assert all(released)
    found = [(numbers(each[1]), each[2]) for each in released if each]
    assert found == sorted(found, reverse=True)


def test_the_newest_version_is_that_of_the_package() -> None:
    newest = HEADINGS[1].split()[0]
    if __version__.endswith(".dev0"):
        assert numbers(newest) < numbers(__version__)
    else:
        assert newest == __version__


def test_changes_are_under_the_headings_of_their_readers() -> None:
    for section in PAGE.split("\n## ")[1:-1]:  # 0.1.0 has other ones
        headings = re.findall(r"^### (.+)$", section, re.MULTILINE)
        assert headings == [each for each in READERS if each in headings], section.splitlines()[0]


def test_each_version_says_how_to_upgrade() -> None:
    sections = PAGE.split("\n## ")[2:]
    assert [each[:5] for each in sections[:-1] if "\n### Upgrading\n" not in each] == []
