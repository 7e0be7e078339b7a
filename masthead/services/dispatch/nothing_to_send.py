"""Say why a dispatch run would be empty."""

from collections import Counter

from masthead.model.dispatch.runs import DispatchSelection, DispatchStatus
from masthead.model.errors import Invalid
from masthead.model.translations import counted, gettext as _
from masthead.store.dispatch import candidates, runs
from masthead.store.engine.interface import Connection


async def explain_nothing(
    db: Connection, account_id: int, number: int, selection: DispatchSelection
) -> Invalid:
    """The error `nothing_to_send` of an issue, with the reasons. Queries: three."""
    reasons: Counter[str] = Counter()
    in_runs: Counter[str] = Counter()
    for each in await candidates.count_copies(db, account_id, number):
        reasons[each.within(selection).reason] += each.count
        in_runs[each.dispatch_id] += each.count
    left_out = reasons.copy()
    for each in await candidates.count_claims(db, account_id, number, selection):
        left_out[each.reason] += each.count
    parts = [
        counted(
            "{count} copy is in dispatch {number}, which is prepared: mark or discard that one.",
            "{count} copies are in dispatch {number}, which is prepared: mark or discard that one.",
            in_runs[run.id],
            number=run.number,
        )
        for run in await runs.list_of_issues(db, account_id, [number])
        if run.status is DispatchStatus.FROZEN and in_runs[run.id]
    ]
    if count := left_out["on hold"]:
        parts.append(
            counted(
                "{count} copy is on hold, because the address is undeliverable.",
                "{count} copies are on hold, because the addresses are undeliverable.",
                count,
            )
        )
    if count := left_out["held"]:
        parts.append(
            counted(
                "{count} copy is held, because of an unpaid invoice or by hand.",
                "{count} copies are held, because of unpaid invoices or by hand.",
                count,
            )
        )
    if count := left_out["not selected"]:
        parts.append(
            counted(
                "{count} copy is not selected by the filters.",
                "{count} copies are not selected by the filters.",
                count,
            )
        )
    if not parts:
        parts = [_("All its copies are sent or cancelled.")]
    if not reasons.total():
        parts = [_("It has no copies.")]
    nothing = _("Nothing is left to send of issue {number}.").format(number=number)
    return Invalid(" ".join([nothing, *parts]), code="nothing_to_send", field="issue")
