"""docs/moving-in.md: its mapping can be read, and its pictures and presets exist."""

import re
from pathlib import Path

from masthead.model.imports.mapping import ANSWERED, ImportMapping
from masthead.model.imports.mapping_files import decode_mapping
from masthead.model.imports.presets.registry import list_presets

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "moving-in.md").read_text(encoding="utf-8")


def test_the_mappings_can_be_read() -> None:
    short, example = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert decode_mapping(short).products["Back issue*"].leave_out
    mapping = decode_mapping(example)
    assert mapping.columns["address1"].join == ("Straße", "Hausnummer")
    assert mapping.products["Probeheft*"].leave_out


def test_each_setting_of_a_mapping_is_described() -> None:
    reference = PAGE[PAGE.index("| Setting | Meaning |") :]
    for name in (*ImportMapping.__struct_fields__, *ANSWERED):
        assert f"`{name}`" in reference, name


def test_each_system_is_named() -> None:
    names = {preset.label.split()[0] for preset in list_presets()}
    assert [name for name in sorted(names) if name not in PAGE] == []


def test_the_pictures_are_shown_and_small() -> None:
    pictures = sorted(DOCS.glob("pictures/import-*.png"))
    assert len(pictures) == 3
    for picture in pictures:
        assert f"(pictures/{picture.name})" in PAGE
        assert picture.stat().st_size < 150_000
