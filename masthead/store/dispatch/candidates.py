"""The copies and claims of an issue: which of them a run takes, and why not the others.

Freezing, counting and previewing share the conditions of this module, so that they agree.
"""

from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.types.full_names import Named
from masthead.store.addresses.in_force import COUNTRY, is_held, is_on_hold, join_change, must_wait
from masthead.store.copies import IS_FREE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# The change of address that the issue of the run follows
JOIN_CHANGE = join_change(":issue_number")

# Whether the subscription `s`, with its change `a`, passes the filters
IS_SELECTED = f"""(:all_countries OR {COUNTRY} IN (:countries...))
            AND (:all_media OR s.medium IN (:media...))
            AND (:all_sources OR s.source_id IN (:sources...))"""

_IS_HELD = is_held("s.id")
_IS_ON_HOLD = is_on_hold("s.id", ":issue_number")
# Its subscription is held, or its address is on hold
MUST_WAIT = must_wait("s.id", ":issue_number")

# Whether the copy of the open claim `k` was sent; if that was undone, the copy itself goes out
IS_CLAIMED_COPY_SENT = """EXISTS (
                SELECT 1
                FROM copy o
                WHERE o.account_id = :account_id
                  AND o.id = k.copy_id
                  AND (o.status = 'Sent') IS TRUE
            )"""

# Free copies by `copy_free`, which has all that is asked of a copy; the others without their
# subscription. In parts, since an index is of no use to one condition with OR
_COUNT_COPIES = f"""
    SELECT reason, '' AS dispatch_id, country, medium, source_id, count(*) AS count
    FROM (
        SELECT
            CASE
                WHEN {_IS_HELD} THEN 'held'
                WHEN {_IS_ON_HOLD} THEN 'on hold'
                ELSE 'free'
            END AS reason,
            {COUNTRY} AS country,
            s.medium,
            s.source_id
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        {JOIN_CHANGE}
        WHERE c.account_id = :account_id
          AND c.issue_number = :issue_number
          AND {IS_FREE}
    ) AS t
    GROUP BY country, medium, source_id, reason
    UNION ALL
    SELECT c.status, '', '', '', '', count(*)
    FROM copy c
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND c.status IN ('Sent', 'Cancelled')
      AND c.dispatch_id IS NULL
    GROUP BY c.status
    UNION ALL
    SELECT 'run', d.id, '', '', '', d.count
    FROM (
        SELECT
            r.id,
            (
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id AND c.dispatch_id = r.id
            ) AS count
        FROM dispatch r
        WHERE r.account_id = :account_id AND r.issue_number = :issue_number
    ) AS d
    WHERE d.count > 0
"""  # noqa: S608 - the conditions are constants of this module

_COUNT_CLAIMS = f"""
    SELECT reason, country, medium, count(*) AS count
    FROM (
        SELECT
            CASE
                WHEN NOT {IS_CLAIMED_COPY_SENT} THEN 'not sent'
                WHEN {_IS_HELD} THEN 'held'
                WHEN {_IS_ON_HOLD} THEN 'on hold'
                WHEN {IS_SELECTED} THEN 'free'
                ELSE 'not selected'
            END AS reason,
            {COUNTRY} AS country,
            s.medium
        FROM claim k
        JOIN subscription s ON s.account_id = k.account_id AND s.id = k.subscription_id
        {JOIN_CHANGE}
        WHERE k.account_id = :account_id
          AND k.issue_number = :issue_number
          AND k.status = 'open'
    ) AS t
    GROUP BY reason, country, medium
    ORDER BY country, medium
"""  # noqa: S608 - the conditions are constants of this module


class CandidateCount(Struct, frozen=True):
    """How many copies or claims there are. dispatch_id: of the run that has them, else empty.

    country, medium, source_id: empty for copies that are sent, cancelled or in a run; source_id
    also for claims.
    """

    reason: str
    country: str
    medium: str
    count: int
    dispatch_id: str = ""
    source_id: str = ""

    def within(self, selection: DispatchSelection) -> "CandidateCount":
        """The same, `not selected` if they are free, but a run with this selection leaves them."""
        if self.reason != "free" or selection.takes_copy(self.country, self.medium, self.source_id):
            return self
        return replace(self, reason="not selected")


class ChangedSubscription(Named, frozen=True, kw_only=True):
    """A subscription whose address changed. changed_at: None if it is not known.

    count: of all that changed, also those that are not listed.
    """

    id: str
    subscriber_id: str
    changed_at: datetime | None
    count: int


def candidate_parameters(
    account_id: int, issue_number: int, selection: DispatchSelection
) -> dict[str, object]:
    """A selection as the parameters of the statements that take, count or list its copies."""
    return {
        "account_id": account_id,
        "issue_number": issue_number,
        "countries": list(selection.countries),
        "all_countries": not selection.countries,
        "media": [str(medium) for medium in selection.media],
        "all_media": not selection.media,
        "sources": list(selection.sources),
        "all_sources": not selection.sources,
        "takes_copies": not selection.only_replacements,
    }


async def count_copies(db: Connection, account_id: int, issue_number: int) -> list[CandidateCount]:
    """The copies of an issue: by run, and unsent ones by country, medium and source.

    reason: `run` (it is in a live run), `Sent` (without a run), `Cancelled`, `held`, `on hold`
    (its address), or `free`: a run of everything takes it. Queries: one, about 3 µs for each unsent
    copy: read aside.
    """
    parameters = {"account_id": account_id, "issue_number": issue_number}
    found = await fetch_all(db, _COUNT_COPIES, parameters, into=CandidateCount)
    # Sorted here: PostgreSQL would sort all copies, in place of their groups
    return sorted(found, key=lambda each: (each.country, each.medium, each.source_id))


async def count_claims(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> list[CandidateCount]:
    """The open claims of an issue.

    reason: `not sent` (its copy is not sent), `held`, `on hold`, `not selected`, or `free`: a run
    takes it. Queries: one.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await fetch_all(db, _COUNT_CLAIMS, parameters, into=CandidateCount)
