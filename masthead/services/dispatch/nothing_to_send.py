"""Say why a dispatch run would be empty."""

from collections import Counter

from masthead.model.dispatch.runs import DispatchSelection, DispatchStatus
from masthead.model.errors import Invalid
from masthead.store.dispatch import candidates, runs
from masthead.store.engine.interface import Connection


async def explain_nothing(
    db: Connection, account_id: int, number: int, selection: DispatchSelection
) -> Invalid:
    """The error `nothing_to_send` of an issue, with the reasons. Queries: three."""
    reasons: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for row in await candidates.count_copies(db, account_id, number, selection):
        reasons[row["reason"]] += row["count"]
        held[row["dispatch_id"]] += row["count"]
    claims: Counter[str] = Counter()
    for row in await candidates.count_claims(db, account_id, number, selection):
        claims[row["reason"]] += row["count"]
    parts = [
        f"{_copies(held[run.id])} in run {run.number}, which is frozen: mark or discard that run"
        for run in await runs.list_of_issue(db, account_id, number)
        if run.status is DispatchStatus.FROZEN and held[run.id]
    ]
    if count := reasons["on hold"] + claims["on hold"]:
        parts.append(f"{_copies(count)} on hold, because the address is undeliverable")
    if count := reasons["not selected"] + claims["not selected"]:
        parts.append(f"{_copies(count)} not selected by the filters")
    why = "; ".join(parts) or "all its copies are sent or cancelled"
    if not reasons.total():
        why = "it has no copies"
    return Invalid(
        f"Nothing is left to send of issue {number}: {why}.", code="nothing_to_send", field="issue"
    )


def _copies(count: int) -> str:
    return "1 copy is" if count == 1 else f"{count:,} copies are"
