"""Find the problems of many addresses without delaying other requests.

The checks are Python, about 20 µs a line. They run on the event loop in slices of a millisecond: a
thread of pure Python would delay each request by several.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import cast

from masthead.model.dispatch.address_checks import (
    AddressChecker,
    AddressReport,
    ProblemKind,
    addressee,
    explain_characters,
)
from masthead.model.dispatch.address_layout import address_lines
from masthead.model.dispatch.fitting import AddressSpace
from masthead.model.dispatch.preview import CandidateLine, LineProblem, ProblemLine
from masthead.model.dispatch.profiles import ExportSettings, prints_labels, sheet_of
from masthead.model.dispatch.runs import DispatchLine, DispatchSelection, Layout
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread
from masthead.services.dispatch.writers.fonts import uncovered_characters
from masthead.services.dispatch.writers.label_layout import (
    MIN_FONT_SIZE,
    label_placer,
    label_texts,
    page_size,
)
from masthead.services.dispatch.writers.label_printer import LabelPrinter
from masthead.store.dispatch import candidate_lists, lines
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import bundles

READ = 500  # lines read at a time
SLICE = 40  # lines checked at a time, about 1 ms
KEEP = 20  # lines named for each problem
MISSING_GLYPH = "missing_glyph"
LABEL_TOO_SMALL = "label_too_small"

CheckableLine = CandidateLine | DispatchLine


async def find_candidate_problems(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    layout: Layout,
    settings: ExportSettings | None,
) -> list[LineProblem]:
    """The problems of the lines that a run would take now. Queries: two and one for 500 lines.

    layout: with all countries of the lines. settings: of the profile of the files; without one,
    any length and all characters are right. For labels, a Chinese address takes milliseconds.
    """

    async def read() -> AsyncIterator[Sequence[CheckableLine]]:
        yield await candidate_lists.list_claims(db, account_id, issue_number, selection)
        after = 0
        while found := await candidate_lists.list_copies(
            db, account_id, issue_number, selection, after=after, limit=READ
        ):
            after = found[-1].copy_id
            yield found

    bundled = await bundles.list_bundled(db, account_id)
    return await _check(read(), layout, settings, bundled)


async def find_run_problems(
    db: Connection, account_id: int, id: str, layout: Layout, settings: ExportSettings | None
) -> list[LineProblem]:
    """The problems of the lines that are held or sent in a run. Queries: as above."""

    async def read() -> AsyncIterator[Sequence[CheckableLine]]:
        after = 0
        while found := await lines.list_lines(db, account_id, id, after=after, limit=READ):
            after = found[-1].id
            yield [line for line in found if line.is_postal and not line.left_reason]

    bundled = await bundles.list_bundled(db, account_id)
    return await _check(read(), layout, settings, bundled)


async def _check(
    batches: AsyncIterator[Sequence[CheckableLine]],
    layout: Layout,
    settings: ExportSettings | None,
    bundled: Mapping[str, str],
) -> list[LineProblem]:
    space: AddressSpace | None = settings.block if settings else None
    encoding = settings.encoding.value if settings else "utf-8"
    checker = AddressChecker(layout, space=space, encoding=encoding, keep=KEEP, bundles=bundled)
    glyphs = _GlyphCheck(layout)
    labels: _LabelCheck | None = None
    if settings and prints_labels(settings):
        labels = await run_in_file_thread(_LabelCheck, layout, settings)
    try:
        async for batch in batches:
            for start in range(0, len(batch), SLICE):
                part = batch[start : start + SLICE]
                checker.check(part)
                glyphs.check(part)
                if labels:
                    await run_in_file_thread(labels.check, part)
                await asyncio.sleep(0)
    finally:
        if labels:
            labels.close()
    return [
        *_problems(checker.report),
        *(labels.problems() if labels else []),
        *glyphs.problems(),
    ]


class _LabelCheck:
    """Finds addresses that do not fit on their label. Fonts are slow to load and to measure."""

    def __init__(self, layout: Layout, settings: ExportSettings) -> None:
        self._layout, self._count, self._first = layout, 0, list[ProblemLine]()
        self._printer = LabelPrinter(page_size(sheet_of(settings)))
        self._place = label_placer(settings, self._printer.measure)

    def check(self, part: Sequence[CheckableLine]) -> None:
        for line in part:
            texts = label_texts(line, self._layout)
            if texts and not uncovered_characters("".join(texts)) and self._place(texts) is None:
                self._count += 1
                if self._count <= KEEP:
                    text = _("{addressee}: the address does not fit, even at {size} points.")
                    message = text.format(addressee=addressee(line), size=f"{MIN_FONT_SIZE:g}")
                    self._first.append(_named(line, message))

    def problems(self) -> list[LineProblem]:
        if not self._count:
            return []
        label = _("Too long for the label")
        return [
            LineProblem(kind=LABEL_TOO_SMALL, label=label, count=self._count, first=self._first)
        ]

    def close(self) -> None:
        self._printer.close()


class _GlyphCheck:
    """Finds lines with characters that the fonts of PDF labels lack."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._count, self._first = layout, 0, list[ProblemLine]()

    def check(self, part: Sequence[CheckableLine]) -> None:
        for line in part:
            text = "".join(address_lines(line, self._layout))
            missing = uncovered_characters(text)
            if missing:
                self._count += 1
                if self._count <= KEEP:
                    font = _("the font of PDF labels")
                    why = explain_characters(line, self._layout, missing, font)
                    self._first.append(_named(line, f"{addressee(line)}: {why}."))

    def problems(self) -> list[LineProblem]:
        if not self._count:
            return []
        label = _("Characters that PDF labels cannot show")
        return [LineProblem(kind=MISSING_GLYPH, label=label, count=self._count, first=self._first)]


def _problems(report: AddressReport) -> list[LineProblem]:
    """In the order in which pages show them."""
    return [
        LineProblem(
            kind=kind.value,
            label=kind.label,
            count=report.counts[kind],
            first=[
                _named(cast(CheckableLine, each.line), each.message, each.other_copy_id)
                for each in report.problems[kind]
            ],
        )
        for kind in ProblemKind
        if kind in report.counts
    ]


def _named(line: CheckableLine, message: str, other_copy_id: int | None = None) -> ProblemLine:
    return ProblemLine(
        copy_id=line.copy_id,
        subscription_id=line.subscription_id,
        subscriber_id=line.subscriber_id,
        message=message,
        other_copy_id=other_copy_id,
    )
