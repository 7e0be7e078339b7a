"""The filters of templates."""

import re
from pathlib import Path

import pytest
from markupsafe import Markup

from masthead import web
from masthead.web.kit.template_filters import unbroken
from tests.conftest import Cast
from tests.support.factories import make_issue
from tests.web.conftest import Person


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Email", "Email"),
        ("E-Mail", '<span class="nowrap">E-Mail</span>'),
        ("Ihre E-Mail-Adresse", 'Ihre <span class="nowrap">E-Mail</span>-Adresse'),
        ("<b> & E-Mail", '&lt;b&gt; &amp; <span class="nowrap">E-Mail</span>'),
        (Markup('<a href="/t-shirt">x</a>'), '<a href="/t-shirt">x</a>'),
        ("well-known", "well-known"),
        ("", ""),
    ],
)
def test_a_short_word_keeps_to_its_hyphen(text: str, expected: str) -> None:
    assert unbroken(text) == expected


async def test_labels_of_forms_are_unbroken(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await owner.post("/you/locale/", {"locale": "de_DE"})
    page = await owner.text("subscriptions", "new")
    assert re.search(r'<label for="email">\s*<span class="nowrap">E-Mail</span>', page)


def test_labels_of_templates_are_unbroken() -> None:
    broken = re.compile(r'<(?:label|legend)[^>]*>\{\{ _\("[^"]*[Ee]mail[^"]*"\) \}\}')
    folder = Path(web.__file__).parent / "templates"
    found = [path.name for path in folder.rglob("*.html") if broken.search(path.read_text())]
    assert found == []
