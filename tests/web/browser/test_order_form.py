"""The form of an order: what it adds up to is in sight while someone fills it in."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import LAPTOP, open_page

pytestmark = pytest.mark.slow

BUTTON = "Add the subscription"


def test_the_summary_and_the_button_are_in_sight_on_a_laptop(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    fields = tab.locator(".entered").bounding_box()
    summary = tab.locator(".entry-summary")
    beside = summary.bounding_box()
    assert fields is not None
    assert beside is not None
    assert fields["x"] + fields["width"] <= beside["x"]
    assert fields["y"] + fields["height"] <= LAPTOP["height"] * 1.3
    tab.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    button = summary.get_by_role("button", name=BUTTON).bounding_box()
    assert button is not None
    assert 0 < button["y"] < LAPTOP["height"]


def test_the_summary_follows_what_is_typed(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    summary = tab.locator("#summary")
    tab.locator("#last_name").fill("Falk")
    tab.locator("#length").fill("6")
    tab.keyboard.press("Tab")
    expect(summary).to_contain_text("Falk")
    expect(summary).to_contain_text("(6 issues)")
    tab.locator("#copies").fill("3")
    tab.keyboard.press("Tab")
    expect(tab.locator("#price")).to_have_value("126.00")  # which the product fills in
    expect(summary).to_contain_text("€126.00")


def test_the_summary_is_above_the_button_on_a_phone(tab: Page, ids: dict[str, str]) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    open_page(tab, "subscription-new", ids)
    last_field = tab.locator(".entered").bounding_box()
    summary = tab.locator("#summary").bounding_box()
    button = tab.get_by_role("button", name=BUTTON).bounding_box()
    assert last_field is not None
    assert summary is not None
    assert button is not None
    assert last_field["y"] + last_field["height"] <= summary["y"]
    assert summary["y"] + summary["height"] <= button["y"]


ROWS = """all => all.map(row => {
    const fields = [...row.children].filter(each => each.matches(".field"))
        .map(each => each.querySelector("input:not([type=checkbox], [type=radio]), select"))
        .filter(each => each?.checkVisibility())
        .map(each => each.getBoundingClientRect())
    return fields.map(box => [box.top, box.bottom].map(Math.round).join());
})"""


@pytest.mark.parametrize("name", ["subscription-new", "subscription-renew", "settings-billing"])
@pytest.mark.parametrize("width", [1280, 1024, 700])
def test_the_fields_of_a_row_are_at_the_same_height(
    tab: Page, ids: dict[str, str], name: str, width: int
) -> None:
    tab.set_viewport_size({"width": width, "height": 800})
    open_page(tab, name, ids)
    tab.locator("main .fields label").first.evaluate(
        "label => label.textContent = 'Ein Name, der zwei oder drei Zeilen braucht, je nach Breite'"
    )
    for row in tab.locator("main .fields").evaluate_all(ROWS):
        tops = [int(place.partition(",")[0]) for place in row]
        for place in set(tops):
            near = {each for each in tops if abs(each - place) < 24}
            assert len(near) == 1, row


def test_a_new_caller_is_typed_once(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("kirsten albers")
    tab.keyboard.press("Enter")  # before anything was found
    expect(tab.locator("#is_gift-no")).to_be_focused()
    expect(tab.locator("#first_name")).to_have_value("Kirsten")
    expect(tab.locator("#last_name")).to_have_value("Albers")
    expect(tab.locator("#summary")).to_contain_text("Kirsten Albers")
    tab.locator("#find").fill("Werft GmbH, 27568")
    tab.keyboard.press("Tab")  # what was taken over before is replaced
    expect(tab.locator("#company")).to_have_value("Werft GmbH")
    expect(tab.locator("#postcode")).to_have_value("27568")
    expect(tab.locator("#last_name")).to_have_value("")


def test_what_is_typed_replaces_what_was_taken_from_a_search(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("Stadtbücherei Aur")
    tab.keyboard.press("Tab")
    expect(tab.locator("#company")).to_have_value("Stadtbücherei Aur")
    expect(tab.locator("[data-taken='']")).to_have_text(
        "Taken over from the search: Stadtbücherei Aur"
    )
    tab.locator("#company").click()
    tab.keyboard.type("Stadtbücherei Aurich")
    expect(tab.locator("#company")).to_have_value("Stadtbücherei Aurich")
    expect(tab.locator("[data-taken='']")).to_be_hidden()


def test_a_recipient_with_the_same_last_name_was_typed(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("Vera Lohmann")
    tab.keyboard.press("Tab")
    expect(tab.locator("[data-taken='']")).to_contain_text("Vera Lohmann")
    tab.locator("#is_gift").check()
    expect(tab.locator("[data-taken=gifter_]")).to_contain_text("Vera Lohmann")
    tab.locator("#first_name").fill("Tom")
    tab.locator("#last_name").fill("Lohmann")
    tab.locator("#email").focus()
    expect(tab.locator("[data-taken='']")).to_be_hidden()


def test_a_company_replaces_the_name_that_a_search_took_for_a_person(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("Emder Kunst")
    tab.keyboard.press("Tab")
    expect(tab.locator("#last_name")).to_have_value("Kunst")
    tab.locator("#company").fill("Emder Kunst e. V.")
    tab.keyboard.press("Tab")
    expect(tab.locator("#last_name")).to_have_value("")
    expect(tab.locator("#first_name")).to_have_value("")


def test_the_address_of_a_giver_is_in_sight_once_they_get_an_invoice(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#is_gift").check()
    expect(tab.locator("#gifter_last_name")).to_be_visible()
    expect(tab.locator("#gifter_address1")).to_be_hidden()
    tab.route("**/subscriptions/new/", lambda route: route.abort())
    tab.locator("#is_billed-invoice").check()  # and the server does not answer
    expect(tab.locator("#gifter_address1")).to_be_visible()
    tab.unroute("**/subscriptions/new/")


def test_enter_chooses_a_radio_button_and_then_leaves_the_question(
    tab: Page, ids: dict[str, str]
) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#is_billed").focus()
    tab.keyboard.press("Enter")
    expect(tab.locator("#is_billed")).to_be_checked()
    expect(tab.locator("#is_billed")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.locator("#payment_method")).to_be_focused()


def test_escape_leaves_the_search_of_each_page(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    search = tab.locator("header [data-find]")
    search.fill("Lohmannn")
    expect(tab.locator("#found-new")).to_have_text("Add a subscription for “Lohmannn”")
    search.press("Escape")
    expect(tab.locator("#suggestions")).to_be_hidden()
    expect(search).to_be_focused()
    search.press("Escape")
    expect(search).not_to_be_focused()
    search.fill("Lohmann")
    tab.locator("#found-new").click()
    expect(tab.locator("#last_name")).to_have_value("Lohmann")


def test_enter_in_an_empty_search_goes_to_the_next_field(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").press("Enter")
    expect(tab.locator("#is_gift-no")).to_be_focused()


def test_enter_in_the_first_search_goes_to_who_is_found(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("Solheim")
    tab.keyboard.press("Enter")
    expect(tab.locator("#subscribers a").first).to_be_focused()
    expect(tab.locator("#last_name")).to_have_value("")


def test_what_was_typed_of_a_new_person_stays(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#last_name").fill("Lund")
    tab.locator("#find").fill("Kirsten Albers")
    tab.keyboard.press("Enter")
    expect(tab.locator("#is_gift-no")).to_be_focused()
    expect(tab.locator("#last_name")).to_have_value("Lund")
    expect(tab.locator("#first_name")).to_have_value("")


def test_a_new_caller_who_gives_is_typed_once(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#find").fill("Kirsten Albers")
    tab.keyboard.press("Enter")
    expect(tab.locator("#last_name")).to_have_value("Albers")
    tab.keyboard.press("ArrowDown")  # for someone else, as a gift
    expect(tab.locator("#gifter_last_name")).to_have_value("Albers")
    expect(tab.locator("#last_name")).to_have_value("")
    tab.locator("#gifter_find").fill("Edda Brock")
    tab.keyboard.press("Enter")
    expect(tab.locator("#gifter_salutation")).to_be_focused()
    expect(tab.locator("#gifter_last_name")).to_have_value("Brock")


def open_new_payer(tab: Page, ids: dict[str, str]) -> None:
    open_page(tab, "subscription-new", ids)
    tab.locator("#is_billed-invoice").check()
    tab.locator("#is_other_payer").check()
    expect(tab.locator("#payer_company")).to_be_visible()


WIDTHS = """all => all.filter(it => it.checkVisibility()).map(it => [
    it.id, ...["left", "width", "right"].map(
        side => Math.round(it.getBoundingClientRect()[side]))])"""
FIELDS = ".entered .fields :is(input, select):not([type=checkbox], [type=radio])"


def test_a_new_payer_has_the_columns_of_the_subscriber(tab: Page, ids: dict[str, str]) -> None:
    open_new_payer(tab, ids)
    expect(tab.get_by_role("heading", name="Who pays")).to_be_visible()
    found = {name: place for name, *place in tab.locator(FIELDS).evaluate_all(WIDTHS)}
    rows = [
        ("payer_company", "email"),
        ("department", "address1"),
        ("payer_first_name", "first_name"),
        ("payer_last_name", "last_name"),
        ("payer_email", "company"),
        ("payer_address1", "email"),
        ("payer_address2", "address1"),
        ("payer_postcode", "postcode"),
        ("payer_country", "country"),
    ]
    for payer, subscriber in rows:
        assert found[payer] == found[subscriber], payer


@pytest.mark.parametrize("width", [390, 1280])
def test_no_field_leaves_the_column(tab: Page, ids: dict[str, str], width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 844})
    open_new_payer(tab, ids)
    tab.locator("label[for=order_reference]").evaluate(
        "label => label.textContent = 'Bestellnummer des Rechnungsempfängers'"
    )
    column = tab.locator(".entered").bounding_box()
    assert column is not None
    for name, left, _width, right in tab.locator(FIELDS).evaluate_all(WIDTHS):
        assert column["x"] - 1 <= left, name
        assert right <= column["x"] + column["width"] + 1, name


def test_the_vat_id_is_asked_of_a_company(tab: Page, ids: dict[str, str]) -> None:
    open_new_payer(tab, ids)
    expect(tab.locator("#vat_id")).to_be_hidden()
    tab.locator("#payer_company").fill("Stadt Ulm")
    expect(tab.locator("#vat_id")).to_be_visible()
    tab.locator("#payer_company").fill("")
    expect(tab.locator("#vat_id")).to_be_hidden()
    tab.get_by_text("VAT ID, for a company").click()
    expect(tab.locator("#vat_id")).to_be_visible()


@pytest.mark.parametrize("keys", [False, True])
def test_what_is_chosen_stays_where_it_is_on_the_screen(
    tab: Page, ids: dict[str, str], keys: bool
) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    open_page(tab, "subscription-new", ids)
    button, other = tab.locator("#is_billed-invoice"), tab.locator("#is_billed")
    other.evaluate("it => window.scrollTo(0, it.getBoundingClientRect().top + scrollY - 500)")
    before = button.bounding_box()
    if keys:
        other.focus()
        tab.keyboard.press("ArrowDown")
    else:
        button.check()
    expect(tab.locator("#is_other_payer")).to_be_visible()  # what it opens
    after = button.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 2
