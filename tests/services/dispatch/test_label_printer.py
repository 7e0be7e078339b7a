"""Each text of a PDF is shown in its font and size, whatever was drawn before it."""

from collections.abc import Sequence
from io import BytesIO
from itertools import product
from typing import Any, cast

from pypdf import PageObject, PdfReader

from masthead.services.dispatch.writers.label_printer import LabelPrinter

Line = tuple[str, float]  # a text, and its size
MAIN, HAN, ARABIC, BOTH = "CHINA", "北京市", "القاهرة", "100000 北京"
FONTS = {
    MAIN: {"NotoSans"},
    HAN: {"DroidSansFallback"},
    ARABIC: {"NotoSansArabic"},
    BOTH: {"NotoSans", "DroidSansFallback"},
}
SIZES = 7.0, 10.0


def drawn(pages: Sequence[Sequence[Line]]) -> list[list[list[Line]]]:
    """The font and size of each shown string as a viewer finds them, for each line of each page."""
    printer = LabelPrinter((200, 200))
    for lines in pages:
        printer.add_page()
        for number, (text, size) in enumerate(lines, 1):
            printer.draw(text, 10, 20 * number, size)
    with BytesIO(bytes(printer.save())) as file:
        printer.close()
        found = zip(PdfReader(file).pages, pages, strict=True)
        return [shown(page, len(lines)) for page, lines in found]


def shown(page: PageObject, lines: int) -> list[list[Line]]:
    """The font and size of each shown string, for each line of a page."""
    fonts = cast(Any, page["/Resources"])["/Font"]
    found: list[list[Line]] = [[] for _ in range(lines)]
    saved, font, height = list[Line](), ("no font", 0.0), 0.0
    contents = page.get_contents()
    assert contents is not None
    for operands, operator in contents.operations:
        match operator:
            case b"q":
                saved.append(font)
            case b"Q":
                font = saved.pop()
            case b"Tf":
                name = str(fonts[operands[0]]["/BaseFont"]).partition("+")[2]
                font = name, float(operands[1])
            case b"Td":
                height = float(operands[1])
            case b"Tj" if operands[0]:
                found[round((200 - height) / 20) - 1].append(font)
    return found


def test_each_text_is_shown_in_its_font_and_size() -> None:
    lines = list(product(FONTS, SIZES))
    pages = [(first, second, (MAIN, 10.0)) for first, second in product(lines, lines)]
    for page, strings in zip(pages, drawn(pages), strict=True):
        for (text, size), shown_ in zip(page, strings, strict=True):
            assert {name for name, _ in shown_} == FONTS[text], page
            assert {found for _, found in shown_} == {size}, page
