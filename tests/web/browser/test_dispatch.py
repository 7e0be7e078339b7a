"""Sending out an issue in a real browser: freeze, download, mark, undo, and a late order.

Each test runs with and without JavaScript; axe checks each page.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.dispatch_files import rows_of
from tests.web.browser.conftest import Publication, set_password_and_sign_in
from tests.web.browser.test_desk_subscriptions import sign_in_with_issues
from tests.web.browser.test_people import check_accessibility

HEADER = "order_id,first_name,last_name,address1,city,postcode,country"
SUBSCRIBERS = (
    "R1,Vera,Lind,1 Sea Street,Ulm,89073,DE",
    "R2,Nils,Maar,2 Hill Road,Graz,8010,AT",
    "R3,Kei,Mori,3-1 Minato,Kobe,650-0001,JP",
)
LATE = "R4,Ada,Byron,4 Late Lane,Bonn,53111,DE"
ORDER = {"order_date": "2026-01-15", "price": "42.00", "start_issue": "11", "length": "4"}


def sign_in_with_subscribers(page: Page, publication: Publication, folder: Path) -> None:
    """Sign in to an account whose issue 11 is due to three subscribers."""
    stage, at = publication.stage, ["--account", publication.subdomain]
    stage.run("issue", "create", *at, "--number", "11", "--date-as-start-issue", "2026-01-05")
    add_subscribers(publication, folder, *SUBSCRIBERS)
    set_password_and_sign_in(page, publication)


def add_subscribers(publication: Publication, folder: Path, *subscribers: str) -> None:
    """Import subscriptions that include issue 11."""
    stage, at = publication.stage, ["--account", publication.subdomain]
    name = f"List of {len(subscribers)}"
    source = stage.run("source", "create", *at, "--name", name, "--type", "import")
    lines = [",".join([HEADER, *ORDER]), *(",".join([row, *ORDER.values()]) for row in subscribers)]
    file = folder / f"{len(subscribers)}.csv"
    file.write_text("\n".join(lines))
    stage.say("import", *at, "--source", source["id"], "--sent-through", "none", str(file))


def freeze(page: Page, publication: Publication, link: str) -> str:
    """Freeze a run from the home page; returns the address of its page."""
    page.goto(publication.at())
    page.get_by_role("button", name=link).click()
    page.get_by_role("button", name=re.compile("^Prepare mailing .* cop")).click()
    expect(page.get_by_role("status").first).to_contain_text("in mailing")
    return page.url


def download(page: Page, choice: str) -> tuple[str, bytes]:
    """Prepare a file and download it, which a script does; its name and its bytes."""
    before = page.get_by_role("button", name="Download", exact=True).count()
    format, profile = choice.split(":")
    page.get_by_text("Another file, or a sheet that is partly used").click()
    page.get_by_label("Export profile").select_option(profile)
    page.get_by_label("Format").select_option(format)
    prepare = page.get_by_role("button", name="Prepare the file")
    links = page.get_by_role("button", name="Download", exact=True)
    begun = page.get_by_text("The download has begun.").locator("visible=true")
    has_script = page.evaluate("typeof window.htmx") == "object"
    with page.expect_download() as downloaded:
        prepare.click()
        expect(links).to_have_count(before + 1)
        expect(begun).to_have_count(1 if has_script else 0)
        if not has_script:
            links.last.click()
    return downloaded.value.suggested_filename, downloaded.value.path().read_bytes()


def test_what_is_chosen_is_shown_before_the_page_is_loaded_again(
    script_page: Page, publication: Publication, tmp_path: Path
) -> None:
    page = script_page
    sign_in_with_subscribers(page, publication, tmp_path)
    page.goto(publication.at())
    page.get_by_role("button", name="Prepare mailing 1 (3)").click()
    chosen = page.locator(".chips [aria-current]")
    expect(chosen).to_have_text(re.compile(r"All countries\s+3"))
    page.get_by_text("Countries by name: all").click()
    austria = page.get_by_label("Austria")
    austria.check()
    expect(page.get_by_text("Countries by name: Austria")).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("takes 1 copy")
    expect(chosen).to_have_text(re.compile(r"Austria\s+1"))
    expect(austria).to_be_focused()
    page.get_by_label("Germany").check()
    expect(page.get_by_text("Countries by name: Austria, Germany")).to_be_visible()
    expect(chosen).to_have_count(0)


def test_an_issue_is_sent_while_a_late_order_comes_in(
    page: Page, publication: Publication, tmp_path: Path
) -> None:
    sign_in_with_subscribers(page, publication, tmp_path)
    run = freeze(page, publication, "Prepare mailing 1 (3)")
    expect(page.get_by_text("After you have downloaded the addresses")).to_be_visible()
    name, content = download(page, "csv:mailing-house")
    assert name == "issue-11-mailing-1-mailing-house-csv.csv"
    assert {row["name"] for row in rows_of(content)} == {"Vera Lind", "Nils Maar", "Kei Mori"}

    add_subscribers(publication, tmp_path, LATE)
    page.goto(publication.at())
    expect(page.get_by_text("1 late order: prepare mailing 2")).to_be_visible()
    page.get_by_role("button", name="Mark as sent (3)").click()
    page.get_by_label("Sent on").fill("2026-05-03")
    page.get_by_role("button", name="Mark 3 copies as sent").click()
    expect(page.get_by_role("status").first).to_have_text("3 copies are marked as sent.")
    page.get_by_role("button", name="Undo: make 3 copies Not sent again …").click()
    page.get_by_role("button", name="Make 3 copies Not sent again").click()
    expect(page.get_by_role("status").first).to_contain_text("3 copies are Not sent again.")
    page.get_by_role("button", name="Mark 3 copies as sent").click()
    expect(page.get_by_role("status").first).to_have_text("3 copies are marked as sent.")

    freeze(page, publication, "1 late order: prepare mailing 2")
    _, late = download(page, "csv:mailing-house")
    assert [row["name"] for row in rows_of(late)] == ["Ada Byron"]
    page.get_by_role("button", name="Mark 1 copy as sent").click()
    page.goto(publication.at())
    expect(page.get_by_text("Done: all 4 copies are sent.")).to_be_visible()
    page.goto(run)
    with page.expect_download() as again:
        page.get_by_role("button", name="Download", exact=True).click()
    assert again.value.path().read_bytes() == content


@pytest.mark.slow
def test_a_run_can_be_exported_in_each_format(
    page: Page, publication: Publication, tmp_path: Path
) -> None:
    sign_in_with_subscribers(page, publication, tmp_path)
    freeze(page, publication, "Prepare mailing 1 (3)")
    for choice, name, start in (
        ("xlsx:spreadsheet", r"\.xlsx$", b"PK"),
        ("pdf:labels-l7160", r"\.pdf$", b"%PDF"),
        ("zip:mailing-house", r"\.zip$", b"PK"),
    ):
        found, content = download(page, choice)
        assert re.search(name, found)
        assert content.startswith(start)


@pytest.mark.slow
def test_a_run_can_be_limited_and_discarded(
    page: Page, publication: Publication, tmp_path: Path
) -> None:
    sign_in_with_subscribers(page, publication, tmp_path)
    page.goto(publication.at())
    page.get_by_role("button", name="Prepare mailing 1 (3)").click()
    page.get_by_text("Countries by name: all").click()
    page.get_by_label("Austria").check()
    preview = page.get_by_role("button", name="Show the preview")
    if preview.is_visible():  # without JavaScript
        preview.click()
    page.get_by_role("button", name="Prepare mailing 1: 1 copy").click()
    page.get_by_role("link", name="Discard this mailing").click()
    page.get_by_role("button", name="Discard the mailing").click()
    expect(page.get_by_role("status").first).to_contain_text("Mailing 1 is discarded.")
    expect(page.get_by_text("Mailing 2 takes 3 copies")).to_be_visible()


@pytest.mark.slow
def test_a_profile_is_copied_and_changed(page: Page, publication: Publication) -> None:
    set_password_and_sign_in(page, publication)
    page.goto(publication.at("settings", "export-profiles"))
    page.get_by_role("button", name="Copy Mailing house (CSV)").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Printer")
    page.get_by_label("Move Key up").click()
    expect(page.locator("input[name=column]").first).to_have_value("key")
    page.get_by_label("Name of Town in the file").fill("Place")
    show = page.get_by_role("button", name="Show the sample")
    if show.is_visible():  # without JavaScript
        show.click()
    else:
        page.get_by_label("Name of Town in the file").blur()
    expect(page.get_by_role("row", name="Place Seaford")).to_be_visible()
    page.get_by_role("button", name="Create the profile").click()
    expect(page.get_by_role("status")).to_have_text("Printer is saved.")


@pytest.mark.slow
def test_the_sample_of_a_profile_follows_the_order_of_columns_also_on_a_phone(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    set_password_and_sign_in(page, publication)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(publication.at("settings", "export-profiles", "new"))
    rows = page.locator("#sample tbody th")
    expect(rows.first).to_have_text("sequence")
    table = page.locator(".table:has(> .columns)")
    assert table.evaluate("it => it.scrollWidth - it.clientWidth") == 0  # all buttons are visible
    table.locator("tbody tr").first.locator("button").last.click()
    expect(page.locator("input[name=column]").first).to_have_value("key")
    expect(rows.first).to_have_text("key")


@pytest.mark.slow
def test_the_pages_of_a_run_are_accessible(
    script_page: Page, publication: Publication, tmp_path: Path
) -> None:
    page = script_page
    sign_in_with_subscribers(page, publication, tmp_path)
    page.goto(publication.at("dispatches"))
    check_accessibility(page, "dispatches-empty")
    run = freeze(page, publication, "Prepare mailing 1 (3)")
    check_accessibility(page, "run-frozen")
    download(page, "csv:mailing-house")
    check_accessibility(page, "run-ready")
    page.get_by_role("button", name="Mark 3 copies as sent").click()
    expect(page.get_by_role("status").first).to_contain_text("marked as sent")
    check_accessibility(page, "run-marked")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(run)
    check_accessibility(page, "run-phone")


@pytest.mark.slow
def test_the_header_has_one_line_on_a_laptop_and_never_widens_the_page(
    script_page: Page, publication: Publication
) -> None:
    page = script_page
    sign_in_with_issues(page, publication)
    for width in (1280, 1024, 960, 800, 640, 390):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(publication.at())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        box = page.locator("header.top").bounding_box()
        assert box
        assert box["height"] < 100  # below 1,024 px, the sections are in a menu
