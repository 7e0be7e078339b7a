"""Upload the cover of an issue, show it, and delete it."""

import re

import httpx

from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.factories import make_issue
from tests.support.pictures import picture, png_bomb
from tests.web.conftest import Person, fields_of


async def upload(person: Person, issue: dict[str, str], content: bytes) -> httpx.Response:
    address = person.address("issues", issue["id"], "cover")
    fields = fields_of((await person.http.get(address)).text)
    return await person.http.post(
        address,
        data={"idempotency_key": fields["idempotency_key"]},
        files={"file": ("cover.png", content, "image/png")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


def cover_in(page: str) -> str:
    [source] = re.findall(r'<img class="cover" src="([^"]+)"', page)
    return str(source)


async def test_a_cover_is_shown_in_the_list_and_on_the_page(
    staff: Person, outsider: Person, acme: Cast
) -> None:
    issue = await make_issue(acme)
    await make_issue(acme, 2)
    assert "Add a cover" in await staff.text("issues", issue["id"])
    response = await upload(staff, issue, picture())
    assert response.status_code == 303, response.text
    page = await staff.text("issues", issue["id"])
    assert "The cover is saved." in page
    assert "Change the cover" in page
    assert 'width="120" height="160"' in page
    source = cover_in(page)
    listed = await staff.text("issues")
    assert cover_in(listed) == source
    assert re.search(r'width="(19|20)" height="26"', listed)
    sent = await staff.http.get(source)
    assert sent.headers["Content-Type"] == "image/jpeg"
    assert sent.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert sent.headers["X-Content-Type-Options"] == "nosniff"
    assert sent.content.startswith(b"\xff\xd8\xff")
    assert (await outsider.http.get(source)).status_code == 404
    assert (await staff.http.get(source.replace("/cover/", "/cover/0"))).status_code == 404


async def test_a_new_cover_has_another_address(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    await upload(owner, issue, picture())
    first = cover_in(await owner.text("issues", issue["id"]))
    await upload(owner, issue, picture(color="green", format="WEBP"))
    assert cover_in(await owner.text("issues", issue["id"])) != first
    assert (await owner.http.get(first)).status_code == 404


async def test_a_cover_can_be_deleted(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    await upload(owner, issue, picture())
    assert "Delete the cover" in await owner.text("issues", issue["id"], "cover")
    for _ in range(2):
        await owner.post(owner.address("issues", issue["id"], "cover", "delete"))
        assert "The issue has no cover now." in await owner.text("issues", issue["id"])
    assert "<img" not in await owner.text("issues", issue["id"])


async def test_a_file_that_is_no_picture_is_refused_at_its_field(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    for content, message in (
        (b"hello", "This is no picture in PNG, JPEG or WebP."),
        (b"", "Choose a picture that is not empty."),
        (png_bomb(60_000, 60_000), "more than 30 million pixels"),
    ):
        response = await upload(owner, issue, content)
        assert response.status_code == 400
        assert message in response.text
        assert 'id="file-error"' in response.text
    text = await owner.post(owner.address("issues", issue["id"], "cover"), {"file": "text"})
    assert "Choose a picture that is not empty." in text.text


async def test_a_file_in_the_database_that_is_no_picture_runs_nothing(
    owner: Person, acme: Cast
) -> None:
    issue = await make_issue(acme)
    await upload(owner, issue, picture(100, 140))
    address = cover_in(await owner.text("issues", issue["id"]))

    async def work(tx: Transaction) -> None:
        sql = "UPDATE issue_cover SET media_type = 'text/html' WHERE account_id = :id"
        await tx.execute(sql, {"id": acme.account_id})

    await acme.db.write(work)
    response = await owner.http.get(address)
    assert response.headers["Content-Type"] == "image/jpeg"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


async def test_a_cover_of_several_megabytes_is_accepted(owner: Person, acme: Cast) -> None:
    cover = picture(1_000, 1_400, compress_level=0)
    assert len(cover) > 4_000_000
    issue = await make_issue(acme)
    assert (await upload(owner, issue, cover)).status_code == 303
    assert "The cover is saved." in await owner.text("issues", issue["id"])


async def test_a_huge_upload_is_refused(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    assert (await upload(owner, issue, b"x" * 12_000_000)).status_code == 413
    assert (await upload(owner, issue, b"x" * 10_500_000)).status_code in (400, 413)
