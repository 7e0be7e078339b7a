"""Vendored files are complete and unchanged, with licence and origin."""

import hashlib
import re

import pytest

from masthead.web.kit.rendering import STATIC
from tests.support.page_resources import PageResources
from tests.web.conftest import Person

VENDORED = sorted(STATIC.glob("*/VENDORED"))


@pytest.mark.parametrize("origin", VENDORED, ids=lambda origin: origin.parent.name)
def test_vendored_files_match_their_packages(origin: object) -> None:
    assert isinstance(origin, type(STATIC))
    header, *lines = origin.read_text().splitlines()
    assert re.match(r"# \S+ \d+\.\d+\.\d+, (MIT|0BSD), unchanged", header)
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = {file.name: file for file in origin.parent.iterdir() if file != origin}
    assert digests == {
        name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()
    }
    assert any(name.startswith("LICENSE") for name in files)


def test_every_vendored_folder_has_a_note_of_its_origin() -> None:
    assert {folder.name for folder in STATIC.iterdir() if folder.is_dir()} == {
        origin.parent.name for origin in VENDORED
    }


async def test_a_page_loads_from_this_server_only(owner: Person) -> None:
    loads = PageResources()
    loads.feed(await owner.text())
    assert loads.addresses
    assert all(re.match(r"/static/[0-9a-f]{12}/", address) for address in loads.addresses)
    assert loads.inline == []
