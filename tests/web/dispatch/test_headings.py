"""The pages of a dispatch run name the issue by its number and its name."""

from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import freeze, text_of
from tests.web.reports.test_home import words


async def test_headings_show_the_number_and_the_name(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, 7, name="Tides & Moons")
    await make_subscription(acme, start_issue=7)
    title = "Send issue 7, Tides &amp; Moons"
    page = words(await owner.text("issues", issue["id"], "dispatch"))
    assert page.startswith(f"{title} ·")
    assert page.count(title) == 2
    address = await freeze(owner, issue)
    assert (await text_of(owner, address)).count("Mailing 1 of issue 7, Tides &amp; Moons") == 2
    page = await text_of(owner, f"{address}discard/")
    assert "Discard mailing 1 of issue 7, Tides &amp; Moons ?" in page
    assert "Issue 7, Tides &amp; Moons" in words(await owner.text("dispatches"))


async def test_a_name_that_is_only_the_number_is_not_repeated(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    assert "Send issue 1 ·" in words(await owner.text("issues", issue["id"], "dispatch"))
