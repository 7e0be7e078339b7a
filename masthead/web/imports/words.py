"""The words of the pages about imports."""

from masthead.model.imports.batches import BatchStatus, RowOutcome
from masthead.model.translations import gettext_noop

STATUS = {
    BatchStatus.UPLOADED: gettext_noop("uploaded"),
    BatchStatus.REHEARSING: gettext_noop("being rehearsed"),
    BatchStatus.REHEARSED: gettext_noop("rehearsed"),
    BatchStatus.RUNNING: gettext_noop("being imported"),
    BatchStatus.IMPORTED: gettext_noop("imported"),
    BatchStatus.UNDOING: gettext_noop("being undone"),
    BatchStatus.UNDONE: gettext_noop("undone"),
    BatchStatus.FAILED: gettext_noop("stopped"),
}
OUTCOME = {
    RowOutcome.IMPORTED: gettext_noop("Imported"),
    RowOutcome.SKIPPED: gettext_noop("Already here"),
    RowOutcome.REFUSED: gettext_noop("Refused"),
    RowOutcome.LEFT_OUT: gettext_noop("Left out"),
    RowOutcome.LIKELY: gettext_noop("Likely duplicates"),
    RowOutcome.UNDONE: gettext_noop("Undone"),
    RowOutcome.KEPT: gettext_noop("Kept"),
}
_REMARKS = gettext_noop("With remarks")


def outcome_word(outcome: RowOutcome, status: BatchStatus) -> str:
    """What became of rows. Of a rehearsal, only those that have remarks are stored."""
    is_remark = outcome is RowOutcome.IMPORTED and status is BatchStatus.REHEARSED
    return _REMARKS if is_remark else OUTCOME[outcome]
