"""The renewals to expect, by what was renewed of the last issues whose figures are final."""

from masthead.model.renewals.rates import RateQuery, by_issue
from masthead.model.reports.forecasts import UsualRenewals
from masthead.store.engine.interface import Connection
from masthead.store.renewals import rates
from masthead.store.renewals.ending import find_soon
from masthead.web.kit.context import PageContext

ISSUES = 4  # the last final ones: about a year of a quarterly


async def find_usual(context: PageContext, db: Connection) -> UsualRenewals | None:
    """What was renewed within three issues; None if no figures are final. Queries: two to four."""
    stored = await rates.list_rates(db, context.account_id)
    if not stored:
        return None
    soon = await find_soon(db, context.account_id, context.membership.daily_date)
    rows = by_issue(stored, RateQuery(), current=soon.first if soon else 0)
    final = [row for row in rows if row.is_final and row.ended][:ISSUES]
    if not final:
        return None
    return UsualRenewals(
        first=final[-1].issue_number,
        last=final[0].issue_number,
        renewed=sum(row.within_3 for row in final),
        ended=sum(row.ended for row in final),
    )
