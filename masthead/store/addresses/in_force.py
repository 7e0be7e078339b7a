"""The address of a subscription for an issue: that of a planned change, or its own.

Statements that send an issue share these fragments, so that they agree. Planned changes of a
subscription do not overlap, so the join adds no rows.
"""


def join_change(issue: str) -> str:
    """The join of the change `a` that an issue of the subscription `s` follows, if there is one.

    issue: the expression of its number, for example `c.issue_number`.
    """
    return f"""
    LEFT JOIN address_change a
        ON a.account_id = s.account_id
        AND a.subscription_id = s.id
        AND a.status = 'planned'
        AND a.first_issue <= {issue}
        AND coalesce(a.last_issue, {issue}) >= {issue}
    """


def join_past_change(issue: str) -> str:
    """The join of the change `a` that an issue of the subscription `s` followed when it was sent.

    A change for good that was made is in the subscription. issue: as in `join_change`.
    """
    return f"""
    LEFT JOIN address_change a
        ON a.account_id = s.account_id
        AND a.subscription_id = s.id
        AND (a.status = 'planned' OR (a.status = 'done' AND a.last_issue IS NOT NULL))
        AND a.first_issue <= {issue}
        AND coalesce(a.last_issue, {issue}) >= {issue}
    """


COUNTRY = "coalesce(a.country, s.country)"
_KEEPS_NAME = "coalesce(a.first_name, a.last_name, a.company) IS NULL"


def name_of(column: str) -> str:
    """The expression of a part of the name; a change without a name keeps the subscription's."""
    return f"CASE WHEN {_KEEPS_NAME} THEN s.{column} ELSE a.{column} END"


def part_of(column: str) -> str:
    """The expression of a part of the address."""
    return f"CASE WHEN a.id IS NULL THEN s.{column} ELSE a.{column} END"


NAMES = {name: name_of(name) for name in ("first_name", "last_name", "company")}
PARTS = {
    **NAMES,
    **{name: part_of(name) for name in ("address1", "address2", "city", "state", "postcode")},
    "country": COUNTRY,
}
# Those of the subscription itself
OWN_COLUMNS = ",\n        ".join(f"s.{name}" for name in PARTS)
# The name and the address, each under the name of its column
COLUMNS = ",\n            ".join(f"{expression} AS {name}" for name, expression in PARTS.items())


def _forms_of_address(first_name: str, last_name: str) -> str:
    """The salutation and the title of the subscriber `u`, for an address with their name."""
    columns = [
        f"""CASE
                WHEN coalesce({first_name}, '') = coalesce(u.first_name, '')
                AND coalesce({last_name}, '') = coalesce(u.last_name, '')
                THEN u.{column}
            END AS {column}"""
        for column in ("salutation", "title")
    ]
    return ",\n            ".join(columns)


# For statements that join the subscriber as `u`
FORMS_OF_ADDRESS = _forms_of_address(NAMES["first_name"], NAMES["last_name"])
OWN_FORMS_OF_ADDRESS = _forms_of_address("s.first_name", "s.last_name")


def is_elsewhere(issue: str) -> str:
    """The condition that the report `r` is about another address than that of an issue.

    A report is about the address to which its own issue went. An issue goes elsewhere if there is a
    change that only one of the two follows. The parts of a change for good have one group.
    issue: the expression of its number.
    """
    return f"""EXISTS (
                SELECT h.group_id
                FROM address_change h
                WHERE h.account_id = :account_id
                  AND h.subscription_id = r.subscription_id
                  AND (
                      h.status = 'planned'
                      OR (h.status = 'done' AND h.last_issue IS NOT NULL)
                  )
                GROUP BY h.group_id
                HAVING max(
                    CASE
                        WHEN h.status = 'planned'
                        AND h.first_issue <= {issue}
                        AND coalesce(h.last_issue, {issue}) >= {issue}
                        THEN 1
                        ELSE 0
                    END
                ) <> max(
                    CASE
                        WHEN h.first_issue <= r.issue_number
                        AND coalesce(h.last_issue, r.issue_number) >= r.issue_number
                        AND h.created_at <= r.created_at
                        THEN 1
                        ELSE 0
                    END
                )
            )"""  # noqa: S608 - names of columns


def is_held(subscription_id: str) -> str:
    """The condition that the copies of a subscription wait, whatever their address.

    subscription_id: as in `is_on_hold`. Index: subscription_hold_open.
    """
    return f"""{subscription_id} IN (
                SELECT held.subscription_id
                FROM subscription_hold held
                WHERE held.account_id = :account_id AND held.ended_at IS NULL
            )"""  # noqa: S608 - the name of a column


def must_wait(subscription_id: str, issue: str) -> str:
    """The condition that no mailing takes an issue: the subscription is held, or its address.

    subscription_id, issue: as in `is_on_hold`.
    """
    return f"({is_held(subscription_id)} OR {is_on_hold(subscription_id, issue)})"


def is_on_hold(subscription_id: str, issue: str) -> str:
    """The condition that the address of a subscription for an issue was reported undeliverable.

    The first part reads all such reports once, and the second part is for the few subscriptions
    that have one. subscription_id: the column with its id, for example `c.subscription_id`. issue:
    the expression of the number of the issue.
    """
    return f"""(
            {subscription_id} IN (
                SELECT reported.subscription_id
                FROM delivery_report reported
                WHERE reported.account_id = :account_id
                  AND reported.status = 'open'
                  AND reported.kind = 'undeliverable'
            )
            AND EXISTS (
                SELECT 1
                FROM delivery_report r
                WHERE r.account_id = :account_id
                  AND r.subscription_id = {subscription_id}
                  AND r.status = 'open'
                  AND r.kind = 'undeliverable'
                  AND NOT {is_elsewhere(issue)}
            )
            )"""  # noqa: S608 - the name of a column
