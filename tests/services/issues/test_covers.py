"""Covers of issues: what is stored of an uploaded picture, and what is refused."""

import random
from io import BytesIO

import pytest
from PIL import Image

from masthead.model.errors import Busy, Invalid, NotFound
from masthead.services import child_process, pictures
from masthead.services.check.accounts import check_account
from masthead.services.issues import covers
from masthead.services.issues.numbers import delete_issue
from masthead.store.engine.interface import Transaction
from masthead.store.issues import covers as store
from tests.conftest import BY, Cast
from tests.support.factories import make_issue
from tests.support.pictures import picture, png_bomb, set_cover


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(covers.make_picture(content).content))


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_a_picture_becomes_a_small_jpeg(format: str) -> None:
    made = covers.make_picture(picture(1500, 2000, format=format))
    image = Image.open(BytesIO(made.content))
    assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (360, 480))
    assert (made.width, made.height) == image.size
    assert len(made.content) < 20_000


def test_a_small_picture_is_not_enlarged() -> None:
    assert opened(picture(60, 80)).size == (60, 80)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P", "L", "1", "I;16"])
def test_pictures_of_each_mode_are_read(mode: str) -> None:
    assert opened(picture(mode=mode, color=0)).mode == "RGB"


def test_cmyk_is_read() -> None:
    assert opened(picture(format="JPEG", mode="CMYK", color=(0, 0, 0, 0))).mode == "RGB"


def test_what_is_transparent_becomes_white() -> None:
    corner = opened(picture(mode="RGBA", color=(0, 0, 0, 0))).getpixel((5, 5))
    assert isinstance(corner, tuple)
    assert min(corner) > 250


def with_orientation(number: int) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = number
    exif[0x010E] = "taken at 12 Secret Street"
    return picture(300, 400, format="JPEG", exif=exif, comment=b"secret", quality=95)


@pytest.mark.parametrize(
    "number, size, corner",
    [
        (1, (300, 400), (5, 5)),
        (2, (300, 400), (290, 5)),
        (3, (300, 400), (290, 390)),
        (4, (300, 400), (5, 390)),
        (5, (400, 300), (5, 5)),
        (6, (400, 300), (390, 5)),
        (7, (400, 300), (390, 290)),
        (8, (400, 300), (5, 290)),
        (99, (300, 400), (5, 5)),
    ],
)
def test_exif_turns_the_picture_and_is_not_kept(
    number: int, size: tuple[int, int], corner: tuple[int, int]
) -> None:
    content = with_orientation(number)
    assert b"Secret" in content
    made = covers.make_picture(content)
    image = Image.open(BytesIO(made.content))
    assert image.size == size
    pixel = image.getpixel(corner)
    assert isinstance(pixel, tuple)
    assert pixel[2] > 200  # the blue mark of the top left
    assert not image.getexif()
    assert b"Secret" not in made.content
    assert b"secret" not in made.content


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "no picture"),
        (b"hello", "no picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture"),
        (picture(format="GIF"), "no picture"),
        (picture(format="BMP"), "no picture"),
        (picture(49, 400), "49 × 400 pixels"),
        (png_bomb(6_000, 6_000), "more than 30 million pixels"),
        (png_bomb(60_000, 60_000), "more than 30 million pixels"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * pictures.MAX_UPLOAD, "more than 10 MB"),
    ],
)
def test_other_files_are_refused(content: bytes, message: str) -> None:
    with pytest.raises(Invalid, match=message) as refused:
        covers.make_picture(content)
    assert refused.value.field == "file"


def test_a_broken_picture_is_refused_whatever_is_broken() -> None:
    chance = random.Random(7)
    for format in ("PNG", "JPEG", "WEBP"):
        whole = picture(format=format)
        for _ in range(150):
            broken = bytearray(whole)
            for _ in range(chance.randrange(1, 6)):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            del broken[chance.randrange(len(broken) // 2, len(broken) + 1) :]
            try:
                made = covers.make_picture(bytes(broken))
            except Invalid:
                continue
            assert max(made.width, made.height) <= 480


async def test_a_cover_is_stored_replaced_and_deleted(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(acme)
    where = (acme.db, acme.account_id)
    first = await set_cover(acme, issue["id"])
    assert await set_cover(acme, issue["id"]) == first
    found = (await store.list_covers(*where, [issue["id"]]))[issue["id"]]
    assert (found.sha256, found.width, found.height, found.width_for(40)) == (first, 300, 400, 30)
    second = await set_cover(acme, issue["id"], picture(color="green"))
    assert second != first
    assert await store.find_file(*where, issue["id"], first) is None
    file = await store.find_file(*where, issue["id"], second)
    assert file is not None
    assert file.content.startswith(b"\xff\xd8\xff")
    assert await store.list_covers(rival.db, rival.account_id, [issue["id"]]) == {}
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    assert await covers.delete_cover(*where, issue["id"], by=BY)
    assert not await covers.delete_cover(*where, issue["id"], by=BY)
    assert await store.list_covers(*where, [issue["id"]]) == {}


async def test_a_small_file_of_many_pixels_is_worked_on_in_a_process(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = await make_issue(acme)
    large = picture(1500, 2000)
    assert len(large) < child_process.SMALL
    monkeypatch.setattr(child_process, "WAIT_SECONDS", 0.0)
    async with child_process._turn(acme.account_id):  # the account has no other process
        assert await set_cover(acme, issue["id"])
        with pytest.raises(Busy):
            await set_cover(acme, issue["id"], large)


async def test_an_issue_of_another_account_gets_no_cover(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(rival)
    with pytest.raises(NotFound):
        await set_cover(acme, issue["id"])
    with pytest.raises(NotFound):
        await covers.delete_cover(acme.db, acme.account_id, issue["id"], by=BY)


async def test_a_deleted_issue_takes_its_cover_along(acme: Cast) -> None:
    issue = await make_issue(acme)
    await set_cover(acme, issue["id"])
    await delete_issue(acme.db, acme.account_id, issue["id"], by=BY)
    assert await store.list_stored(acme.db, acme.account_id) == {}


async def test_check_finds_a_cover_that_is_not_what_its_hash_says(acme: Cast) -> None:
    issue = await make_issue(acme)
    await set_cover(acme, issue["id"])

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE issue_cover SET content = :content WHERE account_id = :account_id",
            {"account_id": acme.account_id, "content": b"other"},
        )

    await acme.db.write(work)
    found = [fault async for fault in check_account(acme.db, acme.subdomain)]
    assert [(fault.invariant, fault.id) for fault in found] == [
        ("a cover matches its hash", issue["id"])
    ]
