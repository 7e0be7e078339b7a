"""What the page of a dispatch run says about its files."""

import re

import pytest

from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.errors import Invalid
from masthead.model.identity.rights import STAFF_RIGHTS, Right
from masthead.services.dispatch.profiles import create_profile, set_profile_active
from masthead.store.dispatch import runs as store
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import freeze, id_in, text_of
from tests.web.reports.test_home import words
from tests.web.subscriptions.test_renew import make_bundle
from tests.web.test_rights import REFUSED, give

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


async def test_the_page_of_a_mailing_says_what_the_printer_gets_in_the_same_words(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_bundle(acme, 3, address1="Kai 4", city="Kiel", postcode="24103")
    await make_subscription(acme, medium="Digital")
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    assert "Download the addresses (3 copies)" in await text_of(owner, address)
    await build(acme, run, FileFormat.PDF, "labels-l7160")
    page = await text_of(owner, address)
    assert page.count("4 copies: 3 by post and 1 digital; 1 label for 3 copies") == 1
    assert "Download the addresses (1 label for 3 copies)" in page
    assert "1 label for 3 copies ·" in page
    await build(acme, run, FileFormat.XLSX, "spreadsheet")
    page = await text_of(owner, address)
    assert "3 rows ·" in page
    assert "1 label for 3 copies ·" in page
    assert "Download the addresses (3 copies)" in page
    owner.http.headers["Accept-Language"] = "de"
    await owner.post("/you/locale/", {"locale": "de_DE"})
    assert "1 Etikett für 3 Hefte ·" in await text_of(owner, address)


async def test_the_preview_counts_as_problems_those_that_it_lists_as_problems(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, first_name="Vera", address1="")
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Ulm", "address1": " "})
    page = await owner.text("issues", issue["id"], "dispatch")
    listed = re.findall(r'<details class="problem">\s*<summary>.*</strong> (\d+)', page)
    assert "Address changed in the last seven days: 1" in words(page)
    warning = re.search(r'<p class="warning">([^<]*)<a href="#checks-title">', page)
    assert warning
    assert re.findall(r": (\d+)", warning[1]) == listed


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
    assert "<p><bdi>2 lines cannot be written to this file. Choose another" in page
    listed = page[page.index('<ul class="why">') :]
    assert listed[: listed.index("</ul>")].count("<li><bdi>Line ") == 2


def file_buttons(page: str) -> list[str]:
    """The files that have a button of their own; the first one is proposed."""
    return re.findall(r'<button name="file" value="([^"]*)"', page)


async def test_three_buttons_prepare_the_usual_files(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    opened = owner.address("issues", issue["id"], "dispatch")
    response = await owner.send(opened, opened=f"{opened}?profile=labels-l7160")
    page = (await owner.http.get(response.headers["Location"])).text
    labels, house, excel = "pdf:labels-l7160", "csv:mailing-house", "xlsx:spreadsheet"
    assert file_buttons(page) == [labels, house, excel]
    for label in ("Labels (PDF)", "For the mailing house (CSV)", "Excel"):
        assert f">{label}</button>" in page
    # the choice of another file is two short lists
    assert all(len(re.findall("<option", each)) <= 15 for each in page.split("<select")[1:])
    run = response.headers["Location"].partition("?")[0]
    await owner.send(f"{run}files/", {"file": excel}, opened=run)
    assert file_buttons((await owner.http.get(run)).text) == [excel, labels, house]
    other = {"file": "", "format": "zip", "profile": "mailing-house"}
    await owner.send(f"{run}files/", other, opened=run)
    page = (await owner.http.get(run)).text
    assert file_buttons(page) == ["zip:mailing-house", labels, house, excel]
    assert "Mailing house – one file per country group (ZIP)</button>" in page
    own = await create_profile(
        acme.db, acme.account_id, name="Own", settings=BUILT_IN["mailing-house"].settings, by=BY
    )
    await owner.send(f"{run}files/", {**other, "profile": own.id}, opened=run)
    usual = [labels, f"csv:{own.id}", f"xlsx:{own.id}"]
    assert file_buttons((await owner.http.get(run)).text) == [f"zip:{own.id}", *usual]
    await set_profile_active(acme.db, acme.account_id, own.id, is_active=False, by=BY)
    assert file_buttons((await owner.http.get(run)).text) == [labels, house, excel]


async def test_orders_that_came_after_a_mailing_are_announced(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    response = await owner.send(owner.address("issues", issue["id"], "dispatch"))
    run = response.headers["Location"]
    assert "came after mailing" not in (await owner.http.get(run)).text
    for _ in range(2):
        await make_subscription(acme)
    page = (await owner.http.get(run)).text
    assert "2 orders came after mailing 1." in page
    assert "Prepare mailing 2\N{NO-BREAK SPACE}…</a>" in page


async def test_groups_of_countries_are_chosen_with_one_click(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    for country in ("DE", "DE", "FR", "AT", "US"):
        await make_subscription(acme, country=country)
    page = await owner.text("issues", issue["id"], "dispatch")
    address = owner.address("issues", issue["id"], "dispatch")
    chips = re.findall(
        r'<li><a href="([^"]+)"(?: aria-current="true")?>', page[page.index("chips") :]
    )
    europe = f"{address}?country=AT&amp;country=FR"
    assert chips[:4] == [address, f"{address}?country=DE", europe, f"{address}?country=US"]
    page = (await owner.http.get(europe.replace("&amp;", "&"))).text
    assert f'<a href="{europe}" aria-current="true">Europe' in page
    assert "takes 2 copies" in page
    assert "Countries by name: Austria, France" in words(page)
    assert "Countries by name: all" in words(await owner.text("issues", issue["id"], "dispatch"))


async def test_a_list_of_a_mailing_needs_the_right_to_download_lists(
    acme: Cast, owner: Person, staff: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    files = {format: (await build(acme, run, format))[0] for format in FileFormat}
    for rights in (STAFF_RIGHTS, STAFF_RIGHTS - {Right.DOWNLOAD}):
        await give(acme.db, acme, staff, rights)
        page = (await staff.http.get(address)).text
        for format, file in files.items():
            is_open = Right.DOWNLOAD in rights or format is FileFormat.PDF
            link = f"{address}files/{file.id}/"
            assert (link in page) == is_open, format
            assert (f'value="{format.value}' in page) == is_open, format
            response = await staff.http.get(link)
            assert response.status_code == (200 if is_open else 403), format
            fields = {"file": "", "format": format.value, "profile": file.profile_id}
            response = await staff.send(f"{address}files/", fields, opened=address)
            assert response.status_code == (303 if is_open else 403), format
            assert (REFUSED in response.text) != is_open, format


async def test_files_have_names_in_the_language_of_the_reader(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme)
    address = await freeze(owner, issue)
    run = await store.get_dispatch(acme.db, acme.account_id, id_in(address))
    file, _content = await build(acme, run, FileFormat.PDF, "labels-l7160")
    assert file.name.startswith("issue-1-mailing-1-labels-l7160")
    await owner.post("/you/locale/", {"locale": "de_DE"})
    german = "ausgabe-1-aussendung-1-etiketten-l7160"
    assert german in await text_of(owner, address)
    response = await owner.http.get(f"{address}files/{file.id}/")
    assert german in response.headers["Content-Disposition"]
    response = await owner.send(f"{address}files/", {"file": "pdf:labels-l7160"}, opened=address)
    assert f"{german}-3-7-a4.pdf ist fertig." in await text_of(
        owner, response.headers["Location"].partition("#")[0]
    )
