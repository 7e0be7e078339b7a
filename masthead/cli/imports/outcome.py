"""What `masthead import` prints about a file."""

from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from masthead.cli.imports.notes import rows_were
from masthead.cli.output import print_message, print_record
from masthead.model.imports.batches import Counts, ImportBatch


class ImportOutcome(Struct, frozen=True):
    """What became of a file. batch: None for a rehearsal. rejects: the file of refused rows.

    reasons: why a rehearsal refuses rows.
    """

    counts: Counts
    batch: ImportBatch | None
    rejects: Path | None
    notes: list[str]
    reasons: list[str] = []


def print_outcome(outcome: ImportOutcome, *, is_dry: bool, json: bool) -> int:
    """Print the numbers and the notes; returns the exit code: 1 if rows were rejected."""
    counts = outcome.counts
    record: dict[str, Any] = {
        name: getattr(counts, name) for name in ("read", "imported", "skipped", "rejected")
    }
    record |= {"left_out": counts.left_out, "batch": outcome.batch and outcome.batch.number}
    if json:
        more = structs.asdict(counts)
        record |= {name: more[name] for name in more if name not in (*record, "undone", "kept")}
        record |= {"rejects": outcome.rejects and str(outcome.rejects), "notes": outcome.notes}
        record |= {"reasons": outcome.reasons} if is_dry else {}
    print_record(record, json=json)
    for note in [*outcome.notes, *outcome.reasons]:
        print_message(note)
    if is_dry:
        print_message("Nothing was changed: this was a dry run.")
    if not counts.rejected:
        return 0
    where = f"; `{outcome.rejects}` has them with the reasons" if outcome.rejects else ""
    if is_dry and not outcome.rejects:
        where = "; `--rejects FILE` writes them with the reasons"
    print_message(f"{rows_were(counts.rejected)} rejected{where}.")
    return 1
