"""Links to files that take seconds to write say that they are being prepared."""

import inspect
import re
import sys
from pathlib import Path

import masthead.web
from masthead.web.kit.router import PageRoute
from masthead.web.routes import PAGES

TEMPLATES = Path(masthead.web.__file__).parent / "templates"
WITHOUT_SCRIPTS = TEMPLATES / "subscriber_pages"
LINK = re.compile(r"<a\b(.*?)</a>", re.DOTALL)
ADDRESS = re.compile(r'href="\{\{ url\((.*?)\) \}\}', re.DOTALL)
IN_CODE = re.compile(r"\burl\(([^()]*(?:\([^()]*\)[^()]*)*)\), _\(", re.DOTALL)
FILES_OF_A_MENU = re.compile(r"\{\{ act\(.*?\) \}\}")


def is_slow(page: PageRoute) -> bool:
    """Whether a page is a file that a process writes as a PDF, or that is collected first."""
    if not inspect.isfunction(page.handler):
        return False
    module = sys.modules[page.handler.__module__]
    text = inspect.getsource(page.handler)
    for name in set(re.findall(r"\b_\w+(?=\()", text)):
        if inspect.isfunction(helper := getattr(module, name, None)):
            text += inspect.getsource(helper)
    sends = re.search(r"\.download\(|\battachment\(", text)
    return bool(sends and re.search(r"(?<!service\.)\bPDF\b|\bInvoiceFile\b", text))


SLOW = [page.path.strip("/").split("/")[2:] for page in PAGES if is_slow(page)]


def is_to_slow_file(arguments: str) -> bool:
    """Whether the arguments of `url` are the parts of such a path."""
    given = [each.strip() for each in re.split(r",(?![^(]*\))", arguments)]
    parts = [each for each in given if "=" not in each and not each.startswith("**")]
    return any(
        len(path) == len(parts)
        and all(
            there.startswith("{") or here == f'"{there}"'
            for here, there in zip(parts, path, strict=True)
        )
        for path in SLOW
    )


def test_each_link_to_a_slow_file_shows_that_it_works_on_it() -> None:
    found, silent = 0, list[str]()
    for path in TEMPLATES.rglob("*.html"):
        if WITHOUT_SCRIPTS in path.parents:
            continue
        for link in LINK.findall(path.read_text()):
            if (address := ADDRESS.search(link)) and is_to_slow_file(address[1]):
                found += 1
                if "parts.slow_file(" not in link:
                    silent.append(f"{path.name}: {link[:100]}")
    assert silent == []
    assert len(SLOW) > 10
    assert found > 10


def test_a_message_that_links_to_a_slow_file_says_so() -> None:
    found = 0
    for path in TEMPLATES.parent.rglob("*.py"):
        text = path.read_text()
        for address in IN_CODE.finditer(text):
            if is_to_slow_file(address[1]):
                found += 1
                assert "is_slow_file=True" in text[address.end() :][:300], path.name
    assert found


def test_no_menu_has_a_slow_file_among_its_pages() -> None:
    pages = [
        each
        for path in TEMPLATES.rglob("*.html")
        for each in FILES_OF_A_MENU.findall(path.read_text())
    ]
    slow = [each for each in pages if re.search(r'"(factur-x|xrechnung|pdf)"', each)]
    assert pages
    assert slow == []
