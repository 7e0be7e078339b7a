"""The page of the renewal rates."""

import csv
import io
import re
from datetime import date

from tests.conftest import Cast
from tests.support.days import count_trend
from tests.support.factories import import_row, make_issue, make_subscription
from tests.web.conftest import Person


async def fill(acme: Cast) -> None:
    for number in range(1, 6):
        await make_issue(acme, number, release_date_actual=f"2026-{number:02}-01")
    await make_subscription(acme, length=1)
    await import_row(acme, start_issue="1", length="1", order_id="FIRST-ORDER")
    await import_row(acme, renews="FIRST-ORDER", start_issue="", length="", order_date="2026-02-03")
    await count_trend(acme, date(2026, 6, 1))


async def test_the_page_has_a_row_for_each_issue(acme: Cast, owner: Person) -> None:
    assert "being counted in the background" in await owner.text("ending", "retention")
    await count_trend(acme, date(2026, 6, 1))
    assert "No subscription has ended yet." in await owner.text("ending", "retention")
    await fill(acme)
    page = await owner.text("ending", "retention")
    rows = re.sub(r"<[^>]+>", " ", page[page.index("<tbody>") : page.index("</tbody>")]).split()
    assert " ".join(rows) == "2 1 0 (0%) 0 (0%) 0 (0%) 1 (100%) 1 2 0 (0%) 1 (50%) 1 (50%) 1 (50%)"
    assert "Counted on" in page


async def test_each_figure_leads_to_its_list(acme: Cast, owner: Person) -> None:
    await fill(acme)
    page = await owner.text("ending", "retention", medium="Print")
    links = re.findall(r'href="([^"]+/retention/list/[^"]+)"', page)
    assert links
    for link in links:
        address = link.replace("&amp;", "&")
        assert "medium=Print" in address
        response = await owner.http.get(address)
        assert response.status_code == 200
        assert len(re.findall(r'<th scope="row"', response.text)) in (1, 2)
    assert "not renewed within three" in await owner.text(
        "ending", "retention", "list", issue="1", renewed="no"
    )
    assert "no subscriptions in this list" in await owner.text(
        "ending", "retention", "list", issue="4"
    )
    for renewed in ("1", "2", "3"):
        assert "renewed with" in await owner.text(
            "ending", "retention", "list", issue="1", renewed=renewed
        )


async def test_the_file_has_the_figures_of_the_page(acme: Cast, owner: Person) -> None:
    await fill(acme)
    response = await owner.see("ending", "retention", "csv")
    rows = list(csv.DictReader(io.StringIO(response.text.removeprefix("\ufeff"))))
    assert [row["last_issue"] for row in rows] == ["2", "1"]
    assert rows[1] == {
        "last_issue": "1",
        "ended": "2",
        "renewed_with_next": "0",
        "renewed_within_2": "1",
        "renewed_within_3": "1",
        "not_renewed": "1",
        "share_with_next": "0.0000",
        "share_within_2": "0.5000",
        "share_within_3": "0.5000",
        "is_final": "yes",
        "renews_automatically": "",
        "not_decided": "",
    }


async def test_a_wrong_filter_is_explained(owner: Person) -> None:
    response = await owner.see("ending", "retention", medium="Stone")
    assert response.status_code == 400
    assert 'role="alert"' in response.text
    for query in ({}, {"issue": "x"}, {"issue": "1", "renewed": "9"}):
        response = await owner.see("ending", "retention", "list", **query)
        assert response.status_code == 400


async def test_what_is_not_final_is_not_called_not_renewed(acme: Cast, owner: Person) -> None:
    for number in range(1, 8):
        await make_issue(acme, number, release_date_actual=f"2026-{number:02}-01")
    await make_subscription(acme, start_issue=5, length=1, is_recurring=True)
    for _ in range(2):
        await make_subscription(acme, start_issue=5, length=1, is_recurring=False)
    await count_trend(acme, date(2026, 5, 15))
    page = await owner.text("ending", "retention")
    rows = re.sub(r"<[^>]+>", " ", page[page.index("<tbody>") : page.index("</tbody>")]).split()
    shown = " ".join(rows)
    assert shown.endswith("3 0 (0%) 0 (0%) 0 (0%) 1 (33%) 2 (67%)")
    for renewed, count in (("auto", 1), ("open", 2)):
        listed = await owner.text("ending", "retention", "list", issue="5", renewed=renewed)
        assert len(re.findall(r'<th scope="row"', listed)) == count
    rows_of_file = (await owner.see("ending", "retention", "csv")).text.splitlines()
    assert rows_of_file[1].split(",")[5:6] == [""]
    assert rows_of_file[1].split(",")[-2:] == ["1", "2"]
