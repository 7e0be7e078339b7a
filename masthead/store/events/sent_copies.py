"""The events of copies that are about to be marked as sent: one for up to 1,000 of an issue."""

from collections.abc import Sequence
from datetime import date
from itertools import chain

import msgspec
from msgspec import Struct

from masthead.model.events.resources import COPIES_OF_EVENT, SentCopies
from masthead.model.events.types import PublicEventType
from masthead.model.resources import IssueRef
from masthead.store.engine.interface import Connection, Parameters, Row
from masthead.store.events.write import NewEvent

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[str]).decode

# The unsent copies of the lines of a run that wait
_OF_LINES = """
    c.status NOT IN ('Sent', 'Cancelled')
          AND c.id IN (
              SELECT l.copy_id
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.id IN (:ids... AS bigint)
                AND l.claim_id = ''
                AND l.status = 'held'
          )
"""
_SUBSCRIPTIONS = """
                json_group_array(c.subscription_id)
                    FILTER (WHERE c.status NOT IN ('Sent', 'Cancelled'))
"""
OF_RUN = "c.dispatch_id = :id AND c.status NOT IN ('Sent', 'Cancelled')"


class CopiesToSend(Struct, frozen=True):
    """Copies that are about to be marked as sent. events: of them, with the date that they get.

    subscriptions: of those that are not sent yet, as a JSON list for statements; empty if there are
    none.
    """

    events: list[NewEvent]
    subscriptions: str


async def find_to_send(
    db: Connection, account_id: int, condition: str, parameters: Parameters, *, sent_on: date | None
) -> CopiesToSend:
    """The copies `c` that meet a condition. Queries: one, for any number of them.

    sent_on: the date that they will have.
    """
    rows = await _list_issues(db, account_id, condition, parameters, with_subscriptions=True)
    found = [row["subscriptions"] for row in rows if row["subscriptions"] not in (None, "[]")]
    if len(found) > 1:  # a subscription has one copy of an issue, but perhaps copies of several
        each_once = dict.fromkeys(chain.from_iterable(map(_decode, found)))
        found = [_encode(list(each_once)).decode()]
    return CopiesToSend(_events_of(rows, sent_on), found[0] if found else "")


async def list_shipped(
    db: Connection, account_id: int, line_ids: list[int], day: date
) -> list[NewEvent]:
    """The events of the lines that a carrier reports as shipped: of their copies, and of claims
    whose replacement they are. Queries: two.
    """
    values: Parameters = {"account_id": account_id, "ids": line_ids}
    rows = await db.fetch_all(
        """
        SELECT claim_id
        FROM dispatch_line
        WHERE account_id = :account_id
          AND id IN (:ids... AS bigint)
          AND claim_id <> ''
          AND status = 'held'
        ORDER BY id
        """,
        values,
    )
    claims = [NewEvent(PublicEventType.CLAIM_UPDATED, row["claim_id"]) for row in rows]
    return [*_events_of(await _list_issues(db, account_id, _OF_LINES, values), day), *claims]


async def _list_issues(
    db: Connection,
    account_id: int,
    condition: str,
    parameters: Parameters,
    *,
    with_subscriptions: bool = False,
) -> list[Row]:
    """The issues of the copies `c` that meet a condition, with the ids of these copies."""
    subscriptions = f", {_SUBSCRIPTIONS} AS subscriptions" if with_subscriptions else ""
    return await db.fetch_all(
        f"""
        SELECT i.id, i.number, i.name, sent.*
        FROM (
            SELECT
                c.issue_number,
                group_concat(CAST(c.id AS text), ',') AS ids
                {subscriptions}
            FROM copy c
            WHERE c.account_id = :account_id AND {condition}
            GROUP BY c.issue_number
        ) AS sent
        JOIN issue i ON i.account_id = :account_id AND i.number = sent.issue_number
        ORDER BY i.number
        """,  # noqa: S608 - a constant of this module or of `store.copies`
        {**parameters, "account_id": account_id},
    )


def _events_of(rows: Sequence[Row], sent_on: date | None) -> list[NewEvent]:
    events = []
    for row in rows:
        issue = IssueRef(id=row["id"], number=row["number"], name=row["name"])
        ids = sorted(map(int, row["ids"].split(",")))
        for start in range(0, len(ids), COPIES_OF_EVENT):
            part = ids[start : start + COPIES_OF_EVENT]
            data = SentCopies(issue=issue, date_sent=sent_on, count=len(part), ids=part)
            events.append(NewEvent(PublicEventType.COPY_SENT, issue.id, _encode(data)))
    return events
