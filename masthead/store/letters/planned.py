"""The subscriptions whose subscribers can get a letter of a stage now, and how many there are.

`store.renewals.lapsed` says which subscriptions reached a stage and were not renewed.
"""

from collections.abc import Collection
from datetime import date

from msgspec import Struct

from masthead.model.letters.outcomes import LetterStatus
from masthead.model.privacy.redaction import escape_like
from masthead.model.renewals.lapsed import Candidate, RenewalStage, ends_at_stage
from masthead.store.addresses.in_force import PARTS, is_on_hold, join_change
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.folding import fold_text, folded
from masthead.store.renewals.lapsed import (
    ENDED_ON_DAYS,
    ENDED_WITH_ISSUE,
    JOIN_CANDIDATES,
    LAST_PERIOD,
    SELECT_CANDIDATES,
    parameters_of,
)
from masthead.store.subscriptions.gifts import GIVER_OF

NO_LIMIT = 2**31

# Free copies and what renews automatically need no letter
_IS_PAID = """s.is_comp = false
          AND NOT (s.status = 'Active' AND s.is_recurring = true)"""
# max(): PostgreSQL would make a join of EXISTS, and read all letters for each subscription
_LETTER = f"""(
              SELECT max(l.status)
              FROM renewal_letter l
              WHERE l.account_id = :account_id
                AND l.period_id = {LAST_PERIOD}
                AND l.stage = :stage
                AND coalesce(l.reason, '') <> 'stopped'
          )"""  # noqa: S608 - a constant
_IS_EXCLUDED = f"""s.id IN (
                SELECT x.subscription_id
                FROM letter_exclusion x
                WHERE x.account_id = :account_id
                  AND x.stage = :stage
                  AND x.period_id = {LAST_PERIOD.replace("s.id", "x.subscription_id")}
            )"""  # noqa: S608 - a constant
# Of a gift whose giver is not known, who got it is asked to renew
_IS_TO_RECIPIENT = f"s.is_gift AND coalesce({GIVER_OF}, s.subscriber_id) = s.subscriber_id"
# `s.id || ''` keeps SQLite from reading by the primary key; ids come after any blank
_IS_SEARCHED = f"""(s.id || '') > :after
          AND (:is_any OR s.id IN (:only...))
          AND (NOT :is_to_recipient OR ({_IS_TO_RECIPIENT}))
          AND (
              :pattern = ''
              OR {folded("coalesce(s.first_name, '') || ' ' || coalesce(s.last_name, '')")}
                  LIKE :pattern ESCAPE '\\'
              OR {folded("coalesce(s.company, '') || ' ' || coalesce(s.gifter_name, '')")}
                  LIKE :pattern ESCAPE '\\'
              OR EXISTS (
                  SELECT 1
                  FROM subscriber u
                  WHERE u.account_id = :account_id
                    AND u.id = s.subscriber_id
                    AND lower(u.email) LIKE :pattern ESCAPE '\\'
              )
          )"""  # noqa: S608 - names of columns
_LIST = f"""
    {SELECT_CANDIDATES}
    FROM (
        SELECT t.id
        FROM (
            SELECT s.id {ENDED_WITH_ISSUE} AND {_IS_PAID} AND {_LETTER} IS NULL AND {_IS_SEARCHED}
            ORDER BY s.id
            LIMIT :limit
        ) AS t
        UNION ALL
        SELECT t.id
        FROM (
            SELECT s.id {ENDED_ON_DAYS} AND {_IS_PAID} AND {_LETTER} IS NULL AND {_IS_SEARCHED}
            ORDER BY s.id
            LIMIT :limit
        ) AS t
    ) AS listed
    {JOIN_CANDIDATES}
    ORDER BY s.id
    LIMIT :limit
"""  # noqa: S608 - the constants above
# Only of those that have no letter yet, the subscriber `u` that it is to is looked up; for a gift,
# who gave it
_COUNT = f"""
    WITH listed AS MATERIALIZED (
        SELECT s.id, false AS is_membership, {_LETTER} AS letter
        {ENDED_WITH_ISSUE}
          AND {_IS_PAID}
        UNION ALL
        SELECT s.id, true, {_LETTER}
        {ENDED_ON_DAYS}
          AND {_IS_PAID}
    )
    SELECT
        is_membership,
        letter,
        false AS is_excluded,
        false AS is_unsubscribed,
        false AS has_bounced,
        false AS is_placeholder,
        false AS has_address,
        false AS is_on_hold,
        false AS is_to_recipient,
        false AS has_new_giver,
        NULL AS language,
        NULL AS country,
        count(*) AS count
    FROM listed
    WHERE letter IS NOT NULL
    GROUP BY is_membership, letter
    UNION ALL
    SELECT
        t.is_membership,
        NULL,
        t.is_excluded,
        t.is_unsubscribed,
        t.has_bounced,
        t.is_placeholder,
        t.has_address,
        t.is_on_hold,
        t.is_to_recipient,
        t.has_new_giver,
        t.language,
        t.country,
        count(*)
    FROM (
        SELECT
            listed.is_membership,
            {_IS_EXCLUDED} AS is_excluded,
            u.unsubscribed_at IS NOT NULL AS is_unsubscribed,
            u.bounced_at IS NOT NULL AS has_bounced,
            u.is_placeholder,
            CASE
                WHEN u.country IS NOT NULL THEN true
                ELSE u.id = s.subscriber_id
                    AND {PARTS["city"]} IS NOT NULL
                    AND coalesce({PARTS["address1"]}, {PARTS["address2"]}) IS NOT NULL
            END AS has_address,
            u.is_placeholder
                AND u.country IS NULL
                AND {is_on_hold("s.id", ":issue_number")} AS is_on_hold,
            s.is_gift AND u.id = s.subscriber_id AS is_to_recipient,
            s.is_gift
                AND u.id = s.subscriber_id
                AND coalesce(lower(s.gifter_email), u.email_key) <> u.email_key AS has_new_giver,
            u.language,
            CASE
                WHEN u.country IS NOT NULL THEN u.country
                WHEN u.id <> s.subscriber_id THEN u.latest_country
                WHEN u.is_placeholder THEN {PARTS["country"]}
                ELSE s.country
            END AS country
        FROM listed
        CROSS JOIN subscription s
        CROSS JOIN subscriber u
        {join_change(":issue_number")}
        WHERE listed.letter IS NULL
          AND s.account_id = :account_id
          AND s.id = listed.id
          AND u.account_id = s.account_id
          AND u.id = coalesce({GIVER_OF}, s.subscriber_id)
    ) AS t
    GROUP BY
        t.is_membership,
        t.is_excluded,
        t.is_unsubscribed,
        t.has_bounced,
        t.is_placeholder,
        t.has_address,
        t.is_on_hold,
        t.is_to_recipient,
        t.has_new_giver,
        t.language,
        t.country
"""  # noqa: S608 - the constants above


class ReadyCount(Struct, frozen=True, kw_only=True):
    """The number of subscriptions that have reached a stage, with subscribers who are alike.

    letter: what became of theirs, None if it is not written. language, country: of who it goes to;
    None if it is written. is_to_recipient: whether it goes to who got a gift, not to its giver.
    has_new_giver: whether it would go to the giver, whose email is known, if they had a record.
    """

    is_membership: bool
    letter: LetterStatus | None
    is_excluded: bool
    is_unsubscribed: bool
    has_bounced: bool
    is_placeholder: bool
    has_address: bool
    is_on_hold: bool
    is_to_recipient: bool
    has_new_giver: bool
    language: str | None
    country: str | None
    count: int


async def list_ready(
    db: Connection,
    account_id: int,
    stage: RenewalStage,
    *,
    issue_number: int,
    today: date,
    limit: int = NO_LIMIT,
    after: str = "",
    search: str = "",
    only: Collection[str] | None = None,
    is_to_recipient: bool = False,
) -> list[Candidate]:
    """Subscriptions that reached a stage and have no letter of it, oldest first.

    issue_number: of the current issue. after: the id of a subscription. search: a part of a name
    or an email address, in any case. only: the ids of subscriptions, None for all.
    is_to_recipient: only gifts whose letters go to who got them. Queries: one, read aside.
    """
    parameters = parameters_of(ends_at_stage(stage, issue_number, today))
    return await fetch_all(
        db,
        _LIST,
        {
            **parameters,
            "account_id": account_id,
            "stage": stage,
            "limit": limit,
            "after": after,
            "pattern": _pattern(search),
            "is_any": only is None,
            "only": list(only or ()),
            "is_to_recipient": is_to_recipient,
        },
        into=Candidate,
    )


def _pattern(search: str) -> str:
    """The pattern for LIKE of a search; empty for an empty search."""
    text = escape_like(fold_text(search.strip()))
    return f"%{text}%" if text else ""


async def count_ready(
    db: Connection, account_id: int, stage: RenewalStage, *, issue_number: int, today: date
) -> list[ReadyCount]:
    """Count subscriptions that reached a stage, with or without a letter. Queries: one, aside.

    Takes 10 µs for each.
    """
    parameters = parameters_of(ends_at_stage(stage, issue_number, today))
    return await fetch_all(
        db,
        _COUNT,
        {**parameters, "account_id": account_id, "stage": stage, "issue_number": issue_number},
        into=ReadyCount,
    )
