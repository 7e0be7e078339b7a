"""Refused rows are corrected on their page and imported, in Chromium."""

from pathlib import Path

import pytest

from tests.web.browser.conftest import LAPTOP
from tests.web.browser.moving.steps import ORDERS, press_import, wait_for
from tests.web.browser.moving.test_moving_in import COLUMNS, PHONE, UNKNOWN, desk, look, upload
from tests.web.browser.office import Desk

__all__ = ["desk"]
HEAD, FINE, _DEPOT = UNKNOWN.splitlines(keepends=True)
LIST = (
    f"{HEAD}{FINE}{FINE.replace('Ann', 'Eve').replace(';2;', ';zwei;')}"
    f"{FINE.replace('Ann', 'Cem').replace('13.01.2026', '31.02.2025')}"
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "desk",
    [(LAPTOP, "en_GB", True), (LAPTOP, "de_DE", True), (PHONE, "de_DE", False)],
    indirect=True,
    ids=["laptop", "german", "phone"],
)
def test_refused_rows_are_corrected_on_their_page(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(LIST, encoding="utf-8")
    upload(desk, file, "Old list")
    for field, column in COLUMNS.items():
        desk.field(field).first.select_option(label=column)
    everywhere = desk.say("%(field)s in all rows", field=desk.say("Number of issues"))
    desk.page.get_by_label(everywhere).fill("4")
    look(desk, "columns")
    desk.press("Continue to the preview")
    desk.press("Rehearse with all rows")
    wait_for(desk, "What the import would do")
    look(desk, "refused")
    label = desk.count("Correct the refused row", "Correct the %(shown)s refused rows", 2, shown=2)
    desk.go(desk.page.get_by_role("button", name=label, exact=True))
    look(desk, "correct")
    wrong = desk.page.locator("[aria-invalid]")
    for text in ("2", "28.02.2025"):
        desk.fill(wrong.nth(0 if text == "2" else 1), text)
    desk.press("Use the corrected rows")
    wait_for(desk, "What the import would do")
    look(desk, "corrected")
    press_import(desk, 3)
    wait_for(desk, "This import is done")
    assert desk.figures(ORDERS) == [3]
