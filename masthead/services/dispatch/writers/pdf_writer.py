"""PDF files: sheets of labels, each with an address and its key."""

from collections.abc import Callable, Iterator, Sequence

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.joined_lines import issues_of
from masthead.model.dispatch.labels import MM
from masthead.model.dispatch.profiles import sheet_of
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.translations import gettext as _, in_language, ngettext
from masthead.services.dispatch.writers.characters import describe_characters
from masthead.services.dispatch.writers.contents import CHUNK, FileContents, Problems
from masthead.services.dispatch.writers.fonts import uncovered_characters
from masthead.services.dispatch.writers.label_layout import (
    KEY_FONT_SIZE,
    KEY_HEIGHT,
    LEADING,
    MIN_FONT_SIZE,
    PADDING,
    PlacedAddress,
    label_corner,
    label_placer,
    label_texts,
    page_size,
    vertical_padding,
)
from masthead.services.dispatch.writers.label_printer import LabelPrinter

Placer = Callable[[Sequence[str]], PlacedAddress | None]

QUANTITY_FONT_SIZE = 8.0
MOST = 100  # copies whose number fits beside the key
CODE_SIZE, CODE_GAP = 14 * MM, 2 * MM  # of the QR code, and around it
ASCENT = 0.95  # from the top of a line to its baseline, as a multiple of the font size


class PdfWriter:
    """Writes the lines of a run as labels. The document is in memory until it is finished."""

    def __init__(self, contents: FileContents, totals: FileTotals) -> None:
        settings = contents.settings
        self._contents, self._totals = contents, totals
        self._problems = Problems()
        self._sheet = sheet_of(settings)
        self._labels = self._sheet.columns * self._sheet.rows
        self._number = settings.start_label - 1  # of the next label, from 0
        self._printer = LabelPrinter(page_size(self._sheet))
        self._printer.add_page()
        self._place = label_placer(settings, self._printer.measure)
        self._place_several = self._placer_beside(self._quantity(MOST))

    def _placer_beside(self, note: str) -> Placer:
        """The function that places an address on a label with a note beside its key."""
        width = (self._printer.measure(note) + 1) * QUANTITY_FONT_SIZE
        return label_placer(self._contents.settings, self._printer.measure, beside_key=width)

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Draw the labels of some lines; returns nothing, because a PDF is written at the end."""
        for line in lines:
            texts = label_texts(line, self._contents.dispatch.layout)
            if missing := uncovered_characters("".join(texts)):
                named = describe_characters(missing)
                self._problems.add(
                    f"{self._contents.describe(line)}: no font of masthead has {named}."
                )
                continue
            place = self._place if line.quantity == 1 else self._place_several
            note = self._note(line)
            placed = (self._placer_beside(note) if line.parts else place)(texts)
            if placed is None:
                self._problems.add(
                    f"{self._contents.describe(line)}: the address does not fit on the label, even "
                    f"at {MIN_FONT_SIZE:g} points."
                )
            else:
                self._draw(line, placed, note)
        return b""

    def _note(self, line: DispatchLine) -> str:
        """What is written before the key: how many copies, and of which issues if several go out.

        Issues for which there is no room are left out. Empty for one copy of the issue of the run.
        """
        count = self._quantity(line.quantity) if line.quantity > 1 else ""
        if not line.parts:
            return count
        with in_language(self._contents.locale):
            text = _("No. {issues}").format(issues=issues_of(line))
        note = f"{count}: {text}" if count else text
        key = printed(key_of(self._contents.account_id, line.id))
        used = self._printer.measure(key) * KEY_FONT_SIZE
        used += (self._printer.measure(note) + 1) * QUANTITY_FONT_SIZE
        return note if used <= self._sheet.width * MM - 2 * PADDING else count

    def _draw(self, line: DispatchLine, placed: PlacedAddress, note: str) -> None:
        """Draw a label: the address at the left in the middle, the key in the corner."""
        if self._number == self._labels:
            self._printer.add_page()
            self._number = 0
        left, top = label_corner(self._sheet, self._number)
        self._number += 1
        size, height = placed.font_size, self._sheet.height * MM
        padding = vertical_padding(self._sheet)
        free = height - 2 * padding - len(placed.lines) * LEADING * size
        first = baseline = top + padding + max(0, free - KEY_HEIGHT) / 2 + ASCENT * size
        for text in placed.lines:
            self._printer.draw(text, left + PADDING, baseline, size)
            baseline += LEADING * size
        key = printed(key_of(self._contents.account_id, line.id))
        right = left + self._sheet.width * MM - PADDING
        x = right - self._printer.measure(key) * KEY_FONT_SIZE
        self._printer.draw(key, x, top + height - padding, KEY_FONT_SIZE)
        if self._contents.code_url:
            self._draw_code(key_of(self._contents.account_id, line.id), placed, first, right, top)
        if note:
            self._draw_note(note, x, top + height - padding)

    def _draw_code(
        self, key: str, placed: PlacedAddress, first: float, right: float, top: float
    ) -> None:
        """Draw the QR code of the page for subscribers at the upper right, if there is room.

        The address and the key have priority: a code that would touch them is left out. first: the
        baseline of the first line; a long line that begins below the code leaves it alone.
        """
        size = placed.font_size
        end = top + vertical_padding(self._sheet) + CODE_SIZE + CODE_GAP
        beside = [
            line
            for place, line in enumerate(placed.lines)
            if first + (place * LEADING - ASCENT) * size < end
        ]
        used = max(map(self._printer.measure, beside), default=0.0) * size
        width = self._sheet.width * MM - 2 * PADDING
        height = self._sheet.height * MM - 2 * vertical_padding(self._sheet)
        if used + CODE_GAP + CODE_SIZE <= width and height >= CODE_SIZE + CODE_GAP + KEY_HEIGHT:
            address = f"{self._contents.code_url}?key={key}"
            place = right - CODE_SIZE, top + vertical_padding(self._sheet)
            self._printer.draw_code(address, *place, CODE_SIZE)

    def _draw_note(self, text: str, right: float, baseline: float) -> None:
        """Draw what goes to the address, before the key. right: where the key begins."""
        width = self._printer.measure(text) * QUANTITY_FONT_SIZE
        self._printer.draw(text, right - QUANTITY_FONT_SIZE - width, baseline, QUANTITY_FONT_SIZE)

    def _quantity(self, quantity: int) -> str:
        """The number of copies in words, in the language of the account."""
        with in_language(self._contents.locale):
            return ngettext("{count} copy", "{count} copies", quantity).format(count=quantity)

    def finish(self) -> Iterator[bytes]:
        """The bytes of the document. Raises: Invalid."""
        self._problems.require_none(
            "Correct the addresses and freeze a new run, choose larger labels, or give the mailing "
            "house another format."
        )
        dispatch, totals = self._contents.dispatch, self._totals
        counts = [
            f"{name}: " + ", ".join(f"{each} {count}" for each, count in section.items())
            for name, section in totals.by_section().items()
        ]
        self._printer.describe(
            title=f"{self._name_run()}: {totals.addresses} labels",
            subject="; ".join(counts),
            keywords=f"run {dispatch.id}, fingerprint {dispatch.fingerprint}",
            created_at=dispatch.created_at,
        )
        content = memoryview(self._printer.save())
        for start in range(0, len(content), CHUNK):
            yield bytes(content[start : start + CHUNK])

    def _name_run(self) -> str:
        """The issue and the run, or the issues of several that go out together."""
        if self._contents.issues:
            return f"Issues {', '.join(map(str, self._contents.issues))}"
        dispatch = self._contents.dispatch
        return f"Issue {dispatch.issue_number}, run {dispatch.number}"

    def close(self) -> None:
        """Close the fonts."""
        self._printer.close()
