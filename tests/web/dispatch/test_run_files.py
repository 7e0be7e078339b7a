"""What the page of a dispatch run says about its files."""

import re

import pytest

from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Invalid
from masthead.store.dispatch import runs as store
from tests.conftest import Cast
from tests.support.dispatch_files import build
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import freeze, id_in, text_of

LONG = "Donaudampfschifffahrtsgesellschaftsweg 3"


async def test_a_file_says_which_addresses_were_shortened(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    for number in range(21):
        await make_subscription(acme, first_name=f"Reader{number}", address1=LONG)
    await make_subscription(acme, address1="Am Markt 3")
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    await build(acme, run, FileFormat.CSV)
    assert "shortened" not in await text_of(owner, address)
    await build(acme, run, FileFormat.CSV, "lines-4x30")
    page = await text_of(owner, address)
    assert "21 addresses were shortened to fit into the file. Show them" in page
    assert f"{LONG} was shortened." in page
    assert "… and 1 more." in page


async def test_a_file_that_failed_says_what_to_do_and_lists_the_addresses(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme, first_name="Łu")
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    with pytest.raises(Invalid):
        await build(acme, run, FileFormat.CSV, "mailing-house-windows")
    page = (await owner.http.get(address)).text
    assert "<p><bdi>2 lines of the run cannot be written to this file. Choose another" in page
    listed = page[page.index('<ul class="why">') :]
    assert listed[: listed.index("</ul>")].count("<li><bdi>Line ") == 2


async def test_each_choice_of_a_file_is_named_and_the_checked_profile_is_proposed(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    opened = owner.address("issues", issue["id"], "dispatch")
    response = await owner.send(opened, opened=f"{opened}?profile=labels-l7160")
    page = (await owner.http.get(response.headers["Location"])).text
    labels = re.findall(r"<option[^>]*>(.*?)</option>", page)
    assert len(labels) == len(set(labels))
    assert "Mailing house: CSV" in labels
    assert "Mailing house – one file per country group (ZIP)" in labels
    assert re.findall(r'<option value="([^"]*)" selected>', page) == ["pdf:labels-l7160"]
    other = response.headers["Location"].replace("labels-l7160", "none")
    page = (await owner.http.get(other)).text
    assert re.findall(r'<option value="([^"]*)" selected>', page) == ["csv:mailing-house"]
