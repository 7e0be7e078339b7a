"""No page, no file and no form shows an amount of money to a user who may not see money."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin

from masthead.model.identity.rights import ALL_RIGHTS, Right
from masthead.store.engine.interface import Database
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.support.rich_account import make_rich
from tests.web.conftest import Person, fields_of
from tests.web.test_every_page import LINK, PER_ROUTE, route_of
from tests.web.test_rights import AMOUNT, EXAMPLE, give

TEXTS = ("text/html", "text/csv")
# Also without a currency, as in fields of forms and columns of files
DECIMAL = re.compile(r"(?<![\w.,:/-])\d+(?:,\d{3})*[.,]\d\d(?![\w.,:/-])")
IGNORED = re.compile(r"<(script|style|svg)\b.*?</\1>|<(?:link|meta)\b[^>]*>", re.DOTALL)
FORM = re.compile(r'<form\b(?=[^>]*method="post").*?</form>', re.DOTALL)
TARGET = re.compile(r'\baction="(/[^"]*)"')
# What a form shows before it is sent: previews, prices, totals
SHOWN = re.compile(r'<button\b(?=[^>]*formnovalidate)[^>]*name="do" value="(\w+)"')


# Millimetres, and the price list of products for those who take orders
ALLOWED = re.compile(r"/settings/export-profiles/|/subscriptions/new/")


def amounts_in(text: str) -> list[str]:
    """The amounts in a page or file, also those in fields, hints and hidden values."""
    shown = EXAMPLE.sub("", html.unescape(IGNORED.sub("", text)))
    return [each[0] for pattern in (AMOUNT, DECIMAL) for each in pattern.finditer(shown)]


def amounts_on(address: str, page: str) -> list[str]:
    """The amounts on a page that has none to show."""
    amounts = AMOUNT.findall(page) if ALLOWED.search(address) else amounts_in(page)
    return [f"{each}: {address}" for each in amounts]


def shown_by_forms(address: str, page: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Where forms of a page are sent, and with which fields, to show something."""
    for form in FORM.findall(page):
        target = TARGET.search(form)
        for action in SHOWN.findall(form):
            here = urljoin(address, html.unescape(target[1])) if target else address
            yield here, {**fields_of(form), "do": action}


async def test_without_the_right_no_page_file_or_form_shows_an_amount(
    db: Database, acme: Cast, staff: Person
) -> None:
    await make_rich(acme)
    await give(db, acme, staff, ALL_RIGHTS - {Right.SEE_MONEY})
    waiting = [staff.address(), staff.address("settings", "log")]
    opened, seen, forms, wrong = Counter[str](), set[str](), set[tuple[str, str]](), list[str]()
    while waiting:
        address = waiting.pop()
        route = route_of(address)
        if route is None or address in seen or opened[route] >= PER_ROUTE:
            continue
        seen.add(address)
        opened[route] += 1
        response = await staff.http.get(address)
        if response.status_code == 403:
            wrong.append(f"refused: {address}")
        if not response.headers.get("Content-Type", "").startswith(TEXTS):
            continue
        wrong += amounts_on(address, response.text)
        waiting += [html.unescape(each) for each in LINK.findall(response.text)]
        for target, fields in shown_by_forms(address, response.text):
            if (key := (target, fields["do"])) in forms:
                continue
            forms.add(key)
            shown = await staff.post(target, fields)
            wrong += amounts_on(f"{target} {fields['do']}", shown.text)
    assert not wrong, "\n".join(wrong)
    assert len(opened) > 90
    assert {action for _, action in forms} >= {"bill", "fill", "offer", "sample"}


async def test_with_the_right_a_renewal_shows_its_amount(acme: Cast, staff: Person) -> None:
    """Otherwise the test above looks for what no page has."""
    await make_issue(acme)
    made = await make_subscription(acme, length=4, price="39.50")
    assert "39.50" in amounts_in(await staff.text("subscriptions", made["id"], "renew"))
