"""Links to files that take seconds to write say that they are being prepared."""

import re
from pathlib import Path

import masthead.web

TEMPLATES = Path(masthead.web.__file__).parent / "templates"
WITHOUT_SCRIPTS = TEMPLATES / "subscriber_pages"
# The last part of the address of what a process writes as a PDF, or collects first
SLOW = ("pdf", "sample", "factur-x", "xrechnung", "print", "letters", "letter", "document", "json")
LINK = re.compile(r"<a\b(.*?)</a>", re.DOTALL)
TO_FILE = re.compile(r'"(?:{})"(?:, [\w*="]+)*\) }}}}"'.format("|".join(SLOW)))
FILES_OF_A_MENU = re.compile(r"\{\{ act\(.*?\) \}\}")


def test_each_link_to_a_slow_file_shows_that_it_works_on_it() -> None:
    found, silent = 0, list[str]()
    for path in TEMPLATES.rglob("*.html"):
        if WITHOUT_SCRIPTS in path.parents:
            continue
        for link in LINK.findall(path.read_text()):
            if "download" in link and TO_FILE.search(link):
                found += 1
                if "data-prepares" not in link:
                    silent.append(f"{path.name}: {link[:100]}")
    assert silent == []
    assert found > 10


def test_no_menu_has_a_slow_file_among_its_pages() -> None:
    pages = [
        each
        for path in TEMPLATES.rglob("*.html")
        for each in FILES_OF_A_MENU.findall(path.read_text())
    ]
    slow = [each for each in pages if re.search(r'"(factur-x|xrechnung|pdf)"', each)]
    assert pages
    assert slow == []
