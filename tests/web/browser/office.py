"""A person at the desk of a publisher: finds everything by its role and its name in their language.

The names are the English texts of the code, translated with the catalogue of the language. So one
script serves all languages, and fails if a page does not show the translation.
"""

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, TimeoutError as PlaywrightTimeout, expect

from masthead.model.reports.column_names import translated_columns
from masthead.model.translations import gettext, in_language, ngettext, pgettext
from tests.web.browser.conftest import Publication, save_screenshot

AXE = {"resultTypes": ["violations"]}
PRESSED = 20_000  # milliseconds after which a press has led nowhere


@dataclass
class Desk:
    """The pages of an account, as one person sees them.

    clicks, fields: what the person has pressed and filled in. The menu of a phone is not counted.

    locale: of the person. finds_faults: whether axe checks each page, once for each address.
    """

    page: Page
    publication: Publication
    locale: str
    has_scripts: bool
    is_phone: bool
    finds_faults: bool
    checked: set[str] = field(default_factory=set)
    clicks: int = 0
    fields: int = 0

    # The words of the pages

    def say(self, text: str, **values: object) -> str:
        """A text in the language of the person."""
        with in_language(self.locale):
            return _filled(gettext(text), values)

    def say_of(self, context: str, text: str) -> str:
        """A text that means different things, in the language of the person."""
        with in_language(self.locale):
            return pgettext(context, text)

    def count(self, one: str, many: str, number: int, **values: object) -> str:
        """A text about a number of things, in the language of the person."""
        with in_language(self.locale):
            return _filled(ngettext(one, many, number), values)

    def start(self, text: str) -> re.Pattern[str]:
        """A pattern for the start of a text: its words before its first value."""
        words = re.split(r"%\(|\{", self.say(text))[0].strip()
        return re.compile(rf"^\s*{_escaped(words)}")

    # What a person does

    def open(self, section: str) -> None:
        """Go to a section with the navigation; on a phone, with the menu."""
        if self.is_phone:
            self.page.locator("details.sections > summary").click()
            bar = self.page.get_by_role("navigation", name=self.say("Menu"))
        else:
            bar = self.page.get_by_role("navigation", name=self.say("Desk"), exact=True)
        self._click(bar.get_by_role("link", name=self.say(section), exact=True))

    def find(self, search: str, name: str) -> None:
        """Open the page of a subscriber with the search at the top of each page.

        It opens the only one that matches; of several, the person chooses one.
        """
        top = self.page.get_by_role("banner")
        box = top.get_by_label(self.say("Search subscribers"))
        self.fill(box, search)
        if self.has_scripts and self.is_phone and "suggestions" not in self.checked:
            self.checked.add("suggestions")
            place = top.get_by_role("listbox").bounding_box()
            assert place is not None
            assert 0 <= place["x"] <= place["x"] + place["width"] <= 390, place
        with self.page.expect_navigation():
            box.press("Enter")
        self._look()
        if "?search=" in self.page.url:
            self._click(self.page.get_by_role("rowheader", name=name).get_by_role("link"))
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(name)

    def press(self, text: str, *, context: str = "", **values: object) -> None:
        """Press a button, or a link that looks like one, and see the next page."""
        name = self.say_of(context, text) if context else self.say(text, **values)
        self._click(self.page.get_by_role("button", name=name, exact=True))

    def press_first(self, name: re.Pattern[str]) -> None:
        """Press the first button with such a name and see the next page."""
        self._click(self.page.get_by_role("main").get_by_role("button", name=name).first)

    def go(self, it: Locator) -> None:
        """Press what leads to another page, and see it."""
        self._click(it)

    def open_more(self, text: str) -> None:
        """Follow a link of the menu "More" and see the next page."""
        self.tap(self.page.locator("details.more > summary").first)
        self.follow(self.say(text))

    def press_of_first(self, text: str, *, context: str = "") -> None:
        """Press a button of the first subscription on the page of a subscriber."""
        self.press_first(self._of(text, context))

    def open_more_of_first(self, text: str) -> None:
        """Follow a link of the menu "More" of the first subscription of a subscriber."""
        self.tap(self.page.locator(".records details.more > summary").first)
        self.follow(self._of(text))

    def _of(self, text: str, context: str = "") -> re.Pattern[str]:
        name = self.say_of(context, text) if context else self.say(text)
        return re.compile(rf"^{_escaped(name)}: ")

    def follow(self, name: str | re.Pattern[str], *, nth: int = 0) -> None:
        """Follow a link by its name and see the next page."""
        self._click(self.page.get_by_role("link", name=name).nth(nth))

    def field(self, label: str) -> Locator:
        """A field by its label."""
        name, optional = _escaped(self.say(label)), _escaped(self.say("optional"))
        return self.page.get_by_label(re.compile(rf"^\s*{name}(\s+{optional})?\s*$"))

    def type(self, texts: dict[str, str]) -> None:
        """Fill in fields by their labels."""
        for label, text in texts.items():
            self.fill(self.field(label), text)

    def fill(self, it: Locator, text: str) -> None:
        """Fill in a field."""
        it.fill(text)
        self.fields += 1

    def choose_file(self, name: str, content: bytes) -> None:
        """Choose a file in the field for one."""
        file: Any = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
        self.page.locator("input[type=file]").set_input_files(file)
        self.clicks += 1

    def choose(self, label: str, value: str) -> None:
        """Choose in a list by the label of the list."""
        self.field(label).select_option(value)
        self.fields += 1

    def tick(self, label: str | re.Pattern[str]) -> None:
        """Tick a box or choose an option: the first one with this label."""
        name = self.say(label) if isinstance(label, str) else label
        roles = [self.page.get_by_role(role, name=name) for role in ("checkbox", "radio")]
        self.check(roles[0].or_(roles[1]).first)

    def check(self, it: Locator) -> None:
        """Tick a box."""
        it.check()
        self.clicks += 1

    def tap(self, it: Locator) -> None:
        """Press what changes the page only."""
        it.click()
        self.clicks += 1

    def download(self, text: str) -> Path:
        """The file behind a link, also of the menu of a list."""
        name = self.say(text)
        button = self.page.get_by_role("button", name=name, exact=True)
        link = button.or_(self.page.get_by_role("link", name=name, exact=True))
        if not link.count():
            self.tap(self.page.locator("details.downloads > summary").first)
        with self.page.expect_download() as waiting:
            self.tap(link)
        return waiting.value.path()

    def table(self, text: str) -> list[dict[str, str]]:
        """The rows of the CSV file behind a link."""
        lines = self.download(text).read_text(encoding="utf-8-sig").splitlines()
        # what is stored with a hash has commas in every language
        return list(csv.DictReader(lines, delimiter=";" if ";" in lines[0] else ","))

    def cell(self, row: dict[str, str], name: str) -> str:
        """A cell of a file, whose headings are words in a language, or names."""
        with in_language("en"):
            (words,) = translated_columns([name])
        headings = (self.say_of("column", words), words, name)
        return row[next(each for each in headings if each in row)]

    # What a person sees

    def hears(self, message: str) -> None:
        """Check the message of the page about what was done."""
        expect(self.page.locator("p.message")).to_have_text(message)

    def reads(self, text: str) -> None:
        """Check that the page says something."""
        expect(self.page.get_by_role("main")).to_contain_text(text)

    def figures(self, sql: str, *values: object) -> list[Any]:
        """The first row that a query of the database finds. Its first parameter is the account."""
        path = self.publication.stage.database_url.removeprefix("sqlite:///")
        db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            db.set_busy_timeout(5000)
            find = "SELECT id FROM account WHERE subdomain = ?"
            ((id,),) = db.execute(find, (self.publication.subdomain,))
            return list(next(db.execute(sql, (id, *values))))
        finally:
            db.close()

    def _click(self, it: Locator) -> None:
        try:
            with self.page.expect_navigation(timeout=PRESSED):
                it.click()
        except PlaywrightTimeout:  # a part of the page appeared at that moment, and moved it away
            with self.page.expect_navigation():
                it.click()
        self.clicks += 1
        self._look()

    def _look(self) -> None:
        """Let axe check the page, unless it has checked one at such an address."""
        kind = re.sub(r"[0-9A-Z]{20,}", "id", re.sub(r"\?.*|#.*", "", self.page.url))
        if not self.finds_faults or kind in self.checked:
            return
        self.checked.add(kind)
        save_screenshot(self.page, f"week-{self.locale}-{len(self.checked):02}")
        found: Any = Axe().run(self.page, options=AXE).response
        assert found["violations"] == [], (kind, found["violations"])


def _escaped(text: str) -> str:
    """A text for a pattern of the browser, which has other rules than Python."""
    return re.sub(r"([.*+?^${}()|\[\]\\])", r"\\\1", text)


def _filled(text: str, values: dict[str, object]) -> str:
    """A text with its values, in either of the forms that the code has."""
    if not values:
        return text
    return text % values if "%(" in text else text.format(**values)
