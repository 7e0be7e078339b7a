"""The fonts of labels are complete and unchanged, with licence and origin."""

import hashlib
import re
import unicodedata

import pytest

from masthead.services.dispatch.writers.fonts import (
    FOLDER,
    MAIN_FONT,
    font_of,
    is_simple,
    list_fonts,
    simple_characters,
    uncovered_characters,
)


def test_the_fonts_match_their_package() -> None:
    lines = (FOLDER / "VENDORED").read_text().splitlines()
    noto, droid = [line for line in lines if line.startswith("#")]
    assert re.match(r"# fonts-noto-core \d{8}, OFL-1.1, unchanged", noto)
    assert re.match(r"# fonts-droid-fallback \S+, Apache-2.0, unchanged", droid)
    hashes = [line.split("  ") for line in lines if not line.startswith("#")]
    digests = {name: digest for digest, name in hashes}
    files = [path for path in FOLDER.iterdir() if path.suffix in {".ttf", ".txt"}]
    assert digests == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert "SIL OPEN FONT LICENSE" in (FOLDER / "LICENSE.txt").read_text()
    assert "Apache License" in (FOLDER / "LICENSE-Apache-2.0.txt").read_text()
    assert {path.name for path in list_fonts()} < digests.keys()


@pytest.mark.parametrize(
    "text",
    [
        "Ada Müller, Łódź, Ñandú, ẞ",
        "Привет",
        "Ελληνικά",
        "العربية",
        "עברית",
        "हिन्दी",
        "বাংলা",
        "ไทย",
        "ქართული",
        "Հայերեն",
        "தமிழ்",
        "ខ្មែរ",
        "မြန်မာ",
        "አማርኛ",
        "සිංහල",
        "తెలుగు",
        "ಕನ್ನಡ",
        "മലയാളം",
        "ਪੰਜਾਬੀ",
        "ગુજરાતી",
        "ລາວ",
        "北京市, 臺北市",
        "東京都 かな カナ",
        "서울특별시",
        "zero\N{ZERO WIDTH JOINER}width",
    ],
)
def test_these_scripts_are_covered(text: str) -> None:
    assert uncovered_characters(text) == []
    assert uncovered_characters(f"{text} བད") == ["ད", "བ"]


def test_only_letters_of_a_fixed_shape_are_drawn_without_shaping() -> None:
    assert simple_characters().issuperset("Ada Müller Łódź Привет Ελληνικά – „x“ €")
    assert not simple_characters() & set("عhनไק\u0301") - {"h"}


def test_each_character_has_its_font() -> None:
    assert font_of("A") == MAIN_FONT
    hebrew = font_of("ש")
    assert hebrew is not None
    assert hebrew.stem == "NotoSansHebrew-Regular"
    assert font_of("ཀ") is None


def test_the_font_has_all_forms_of_simple_characters() -> None:
    simple = [character for character in map(chr, range(0x20, 0x110000)) if is_simple(character)]
    assert len(simple) > 900
    text = "".join(simple)
    for form in (text, text.upper()):
        assert uncovered_characters(form) == []
        assert uncovered_characters(unicodedata.normalize("NFC", form)) == []
    # so that no two of them become another one
    assert not any(unicodedata.combining(character) for character in simple)
    assert not is_simple("ŉ")  # its capital is two characters
    assert not is_simple("ཀ")
