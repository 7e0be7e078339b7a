"""Find the addresses that do not fit on their labels.

Many labels are measured in a process of their own: one takes up to 0.3 ms, and 3 ms if its letters
must be shaped, for which fonts are loaded in half a second.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from masthead.model.dispatch.address_checks import addressee
from masthead.model.dispatch.preview import CheckableLine, LineProblem, ProblemLine
from masthead.model.dispatch.profiles import ProfileSettings, sheet_of
from masthead.model.dispatch.runs import Layout
from masthead.model.translations import gettext as _
from masthead.services.child_process import SMALL, run_on_file
from masthead.services.dispatch.writers.fonts import simple_characters, uncovered_characters
from masthead.services.dispatch.writers.label_layout import (
    MIN_FONT_SIZE,
    label_placer,
    label_texts,
    page_size,
)
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.temporary_files import TemporaryFile

LABEL_TOO_SMALL = "label_too_small"
LABEL = 512  # bytes of a file that take as long: so at most 256 labels are measured in a thread
SHAPED = SMALL + 1  # the same for a label whose letters must be shaped


class Label(Struct, frozen=True, array_like=True):
    """An address as it is on its label, and whose it is. texts: its lines."""

    copy_id: int
    subscription_id: str
    subscriber_id: str
    addressee: str
    texts: list[str]


class LabelProblems:
    """Collects labels in a file, and measures them when all lines are read.

    So no read of the database waits for a process. Memory: constant.
    """

    def __init__(self, layout: Layout, settings: ProfileSettings) -> None:
        self._layout, self._settings = layout, settings
        self._file, self._encoder = TemporaryFile(), msgspec.json.Encoder()
        self._simple, self._cost = simple_characters(), 0

    def add(self, part: Sequence[CheckableLine]) -> None:
        """Add the labels of some lines that go by post."""
        labels = []
        for line in part:
            texts = label_texts(line, self._layout)
            ids = line.copy_id, line.subscription_id, line.subscriber_id
            labels.append(Label(*ids, addressee(line), texts))
            self._cost += LABEL if self._simple.issuperset("".join(texts)) else SHAPED
        with self._file.path.open("ab") as stream:
            stream.write(self._encoder.encode_lines(labels))

    async def report(self, account_id: int, *, keep: int) -> list[LineProblem]:
        """The problem of labels that are too small, if there are any. Call it once.

        keep: how many lines to name. Raises: Invalid if it takes too much time; Busy.
        """
        task = measure_labels, self._file.path, self._settings, keep
        count, first = await run_on_file(*task, account_id=account_id, size=self._cost)
        if not count:
            return []
        label = _("Too long for the label")
        return [LineProblem(kind=LABEL_TOO_SMALL, label=label, count=count, first=first)]


def measure_labels(
    path: Path, settings: ProfileSettings, keep: int
) -> tuple[int, list[ProblemLine]]:
    """The number of labels in a file that are too small, and the first lines. It blocks."""
    decoder, count, first = msgspec.json.Decoder(Label), 0, list[ProblemLine]()
    printer = LabelPrinter(page_size(sheet_of(settings)))
    place = label_placer(settings, printer.measure)
    try:
        with path.open("rb") as stream:
            for label in map(decoder.decode, stream):
                if uncovered_characters("".join(label.texts)) or place(label.texts) is not None:
                    continue
                count += 1
                if count <= keep:
                    first.append(_named(label))
    finally:
        printer.close()
    return count, first


def _named(label: Label) -> ProblemLine:
    text = _("{addressee}: the address does not fit, even at {size} points.")
    return ProblemLine(
        copy_id=label.copy_id,
        subscription_id=label.subscription_id,
        subscriber_id=label.subscriber_id,
        message=text.format(addressee=label.addressee, size=f"{MIN_FONT_SIZE:g}"),
    )
