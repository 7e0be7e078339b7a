"""Uploads of people who mean harm, or who may not upload at all."""

from types import SimpleNamespace

import pytest

from masthead.web.kit import form_data
from tests.conftest import Cast
from tests.support.factories import make_issue
from tests.web.conftest import Person
from tests.web.imports.uploads import upload, uploaded

SCRIPT = "<script>alert(1)</script>"


async def test_nothing_in_a_file_becomes_part_of_a_page(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    names = "order_id,email,first_name,address1,country,order_date,price,start_issue,length"
    columns = f"{names},{SCRIPT}"
    cells = f"{SCRIPT},{SCRIPT},{SCRIPT},{SCRIPT},{SCRIPT},01/02/2026,{SCRIPT},{SCRIPT},1,{SCRIPT}"
    fine = f"A1,a@example.test,{SCRIPT},{SCRIPT},DE,2026-01-15,1.00,1,1,{SCRIPT}"
    content = f"{columns}\n{cells}\n{fine}\n".encode()
    id = await uploaded(owner, content, f"{SCRIPT.replace('/', '')}.csv")
    pages = [await owner.text("imports", id, page) for page in ("columns", "preview", "delete")]
    pages.append(await owner.text("imports"))
    assert all("alert(1)" in page for page in pages)
    assert not any("<script>alert" in page for page in pages)


async def test_who_is_no_user_of_the_account_fills_no_disk(
    outsider: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise AssertionError("a file was stored")

    # not that of the standard library, with which the compiled templates of pages are written, too
    monkeypatch.setattr(form_data, "tempfile", SimpleNamespace(NamedTemporaryFile=fail))
    assert (await upload(outsider, b"a,b\n1,2\n")).status_code == 404
    assert (await upload(outsider, b"x" * 2**21)).status_code == 404
