"""Each number on Home is the one of the page that it leads to, for any account."""

import re
from collections.abc import Mapping, Sequence
from html import unescape

import pytest

from tests.conftest import Cast
from tests.support.random_accounts import make_random
from tests.web.conftest import Person
from tests.web.reports.test_home import words

SEEDS = range(6)
LINK = re.compile(r'<a href="([^"]*)"[^>]*>([\d,]+)\b')
LINE = re.compile(r'<strong>([\d,]+)[^<]*</strong> <a href="([^"]*)" role="button"')
LISTS = ("subscriptions/", "ending/")  # they say how many rows they have


def numbers_of(page: str) -> Mapping[str, int]:
    """The numbers on a page that begin a link, or stand before a button, by its address."""
    content = page.partition("<main")[2]
    found = LINK.findall(content) + [found[::-1] for found in LINE.findall(content)]
    return {unescape(address): int(number.replace(",", "")) for address, number in found}


def total_of(page: str) -> int:
    """How many rows a list says that it has; checked with those that it shows."""
    found = re.search(r'role="status" class="total">\s*([\d,]+)', page)
    assert found, words(page)
    total = int(found[1])
    assert len(rows_of(page.partition('class="total"')[2])) == total
    return total


def rows_of(page: str) -> Sequence[str]:
    """The rows of the first table."""
    table = page.partition("<tbody")[2].partition("</tbody>")[0]
    return re.findall(r"<tr>.*?</tr>", table, re.DOTALL)


def copies_of(page: str) -> int:
    """How many copies the rows of the first table are together: a row can have several."""
    rows = rows_of(page)
    several = (re.search(r"<strong>(\d+) copies</strong>", row) for row in rows)
    return sum(int(found[1]) if found else 1 for found in several)


@pytest.mark.parametrize("seed", SEEDS)
async def test_each_number_on_home_is_that_of_its_page(
    acme: Cast, owner: Person, seed: int
) -> None:
    await make_random(acme, seed)
    home = await owner.text()
    numbers = numbers_of(home)
    checked = 0
    for address, number in numbers.items():
        path = address.removeprefix(owner.address())
        page = (await owner.http.get(address)).text
        if path.startswith(LISTS):
            shown = total_of(page) if number else 0
        elif path.startswith("claims/"):
            waiting = re.search(r"<strong>[\d,]+ and ([\d,]+) on hold</strong>", home)
            shown = copies_of(page[page.index('id="list-title"') :])
            shown -= int(waiting[1]) if waiting else 0
        elif path.startswith("issues/") and "status=" in path:
            shown = copies_of(page[page.index('id="copies"') :]) if number else 0
        elif path.startswith("returns/"):
            [label] = re.findall(r"Undeliverable addresses \((\d+)\)|New addresses \((\d+)\)", page)
            shown = int("".join(label))
        else:
            continue
        assert shown == number, (address, number, shown)
        checked += 1
    assert checked >= 6


@pytest.mark.parametrize("seed", SEEDS)
async def test_active_subscriptions_are_those_of_the_list(
    acme: Cast, owner: Person, seed: int
) -> None:
    await make_random(acme, seed)
    [active] = re.findall(r"Active subscriptions</dt><dd>(\d+)<", await owner.text())
    statuses = ("Active", "Active - Renewals stopped", "Past due")
    pages = [await owner.text("subscriptions", status=status) for status in statuses]
    assert int(active) == sum(total_of(page) for page in pages if 'class="total"' in page)


@pytest.mark.parametrize("action", ["download", "letter"])
async def test_pages_to_confirm_count_the_rows_of_the_list(
    acme: Cast, owner: Person, action: str
) -> None:
    await make_random(acme, 1)
    listed = total_of(await owner.text("subscriptions", status="Active"))
    page = await owner.text("chosen", "subscriptions", action, scope="all", status="Active")
    assert f"{listed} subscriptions" in words(page)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_page_of_mailings_names_what_home_says_of_them(
    acme: Cast, owner: Person, seed: int
) -> None:
    await make_random(acme, seed)
    paths = ("claims/", "returns/", "subscriptions/held/")
    home, mailings = (
        {
            address: number
            for address, number in numbers_of(page).items()
            if address.removeprefix(owner.address()).startswith(paths)
        }
        for page in (await owner.text(), await owner.text("dispatches"))
    )
    assert home == mailings
    assert home
