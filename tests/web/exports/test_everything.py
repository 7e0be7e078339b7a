"""Settings → Export: a button, the exports of the last week, and their files."""

from masthead.services.exports import archives as service
from masthead.store.exports import archives as store
from tests.conftest import Cast
from tests.web.conftest import Person


async def test_an_owner_exports_everything(acme: Cast, owner: Person) -> None:
    assert "There are no exports." in await owner.text("settings", "export")
    page = owner.address("settings", "export")
    sent = await owner.send(page)
    assert sent.status_code == 303
    text = await owner.text("settings", "export")
    assert "being written" in text
    assert "hx-trigger" in text
    assert (await owner.send(page)).status_code == 400
    (archive,) = await store.list_archives(acme.db, acme.account_id)
    assert (await owner.see("settings", "export", archive.id, "zip")).status_code == 404
    refused = await owner.send(
        owner.address("settings", "export", archive.id, "delete"), opened=page
    )
    assert refused.status_code == 400
    await service.make_archive(acme.db, acme.account_id, archive.id)
    assert "Ready" in await owner.text("settings", "export")
    response = await owner.see("settings", "export", archive.id, "zip")
    assert response.content.startswith(b"PK")
    assert response.headers["content-type"] == "application/zip"
    assert len(response.content) == int(response.headers["content-length"])
    log = await owner.text("settings", "log")
    assert "Everything exported" in log
    assert "Export downloaded" in log
    await owner.send(owner.address("settings", "export", archive.id, "delete"), opened=page)
    assert "There are no exports." in await owner.text("settings", "export")


async def test_a_failed_export_shows_why(acme: Cast, owner: Person) -> None:
    await owner.send(owner.address("settings", "export"))
    (archive,) = await store.list_archives(acme.db, acme.account_id)
    await service.fail_archive(acme.db, acme.account_id, archive.id, "The disk is full.")
    assert "Failed: The disk is full." in await owner.text("settings", "export")


async def test_htmx_loads_the_whole_page_when_the_export_is_ready(owner: Person) -> None:
    headers = {"HX-Request": "true", "HX-Target": "waiting"}
    response = await owner.http.get(owner.address("settings", "export"), headers=headers)
    assert response.headers["HX-Refresh"] == "true"
