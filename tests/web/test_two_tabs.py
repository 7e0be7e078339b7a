"""Two accounts in two tabs of one browser: a page is about the account of its own tab."""

import re

from masthead.services.users import add_user
from tests.conftest import BY, Cast
from tests.web.conftest import Person


def linked(page: str, path: str) -> str:
    """The address of a link that leaves the account."""
    [found] = set(re.findall(rf'href="({path}[^"]*)"', page))
    return str(found)


def accounts_of(page: str) -> set[str]:
    """The accounts whose pages the navigation leads to."""
    [menu] = re.findall(r'<nav[^>]*aria-label="Desk".*?</nav>', page, re.DOTALL)
    return set(re.findall(r"/desk/([^/]+)/", menu))


async def test_the_profile_shows_the_account_of_the_tab_that_led_to_it(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    await add_user(rival.db, rival.account_id, email=acme.owner, by=BY)
    first = (await owner.http.get(f"/desk/{acme.subdomain}/")).text
    second = (await owner.http.get(f"/desk/{rival.subdomain}/")).text  # in another tab
    for page, cast in ((first, acme), (second, rival), (first, acme)):
        for path in ("/you/", "/help/"):
            shown = await owner.http.get(linked(page, path))
            assert accounts_of(shown.text) == {cast.subdomain}, path
        # and after a change there, to which the browser is redirected
        assert accounts_of((await owner.http.get("/you/")).text) == {cast.subdomain}


async def test_an_account_that_is_not_theirs_is_not_shown(owner: Person, rival: Cast) -> None:
    page = (await owner.http.get(f"/you/?account={rival.subdomain}")).text
    assert accounts_of(page) == {owner.at}
