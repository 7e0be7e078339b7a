"""Payers: subscribers with a customer number and a VAT id."""

from collections.abc import Collection

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.types.postal_fields import EnvelopeFields, PayerAddress
from masthead.store.addresses.in_force import OWN_COLUMNS, OWN_FORMS_OF_ADDRESS
from masthead.store.billing.numbers import skip_to, take_number
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, insert_row
from masthead.store.subscribers.corrections import get_subscriber

_SERIES = "customer numbers"  # no series of invoices has a blank


class StoredPayer(Struct, frozen=True, kw_only=True):
    """What is known of a subscriber as a payer.

    number: their customer number. bills_together: whether their orders wait for one invoice.
    department: or the person, named between the company and the street; empty if there is none.
    language: of the subscriber, None for none.
    """

    subscriber_id: str
    number: int
    vat_id: str
    bills_together: bool
    department: str = ""
    language: str | None = None


async def find_payers(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, StoredPayer]:
    """Those of some subscribers who are payers, by id. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT
            p.subscriber_id,
            p.number,
            p.vat_id,
            p.bills_together,
            coalesce(p.department, '') AS department,
            u.language
        FROM payer p
        JOIN subscriber u ON u.account_id = p.account_id AND u.id = p.subscriber_id
        WHERE p.account_id = :account_id AND p.subscriber_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
        into=StoredPayer,
    )
    return {each.subscriber_id: each for each in found}


async def find_by_number(db: Connection, account_id: int, number: int) -> str | None:
    """The payer with a customer number; None if nobody has it. Index: payer_number."""
    row = await db.fetch_one(
        """
        SELECT subscriber_id
        FROM payer
        WHERE account_id = :account_id AND number = :number
        """,
        {"account_id": account_id, "number": number},
    )
    return str(row["subscriber_id"]) if row else None


async def find_by_numbers(db: Connection, account_id: int, numbers: Collection[int]) -> list[str]:
    """The payers with these customer numbers. Queries: one at most. Index: payer_number."""
    if not numbers:
        return []
    rows = await db.fetch_all(
        """
        SELECT subscriber_id
        FROM payer
        WHERE account_id = :account_id AND number IN (:numbers... AS bigint)
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return [row["subscriber_id"] for row in rows]


async def make_payer(
    tx: Transaction, account_id: int, subscriber_id: str, *, number: int | None = None
) -> StoredPayer:
    """The subscriber as a payer, with a customer number if they are none yet.

    number: one that nobody has; None for the next, which is higher than all of them. Queries: one,
    or three for a new one. The account is locked.
    """
    known = (await find_payers(tx, account_id, [subscriber_id])).get(subscriber_id)
    if known is not None:
        return known
    if number is None:
        number = await take_number(tx, account_id, _SERIES)
    else:
        await skip_to(tx, account_id, _SERIES, number)
    made = StoredPayer(
        subscriber_id=subscriber_id, number=number, vat_id="", bills_together=False, department=""
    )
    await insert_row(
        tx,
        "payer",
        account_id=account_id,
        subscriber_id=subscriber_id,
        number=made.number,
        vat_id=made.vat_id,
        bills_together=made.bills_together,
        created_at=now(),
    )
    return made


async def update_payer(
    tx: Transaction,
    account_id: int,
    id: str,
    *,
    vat_id: str,
    bills_together: bool,
    department: str,
) -> None:
    """Set what is known of a payer. Queries: one."""
    await tx.execute(
        """
        UPDATE payer
        SET vat_id = :vat_id, bills_together = :bills_together, department = :department
        WHERE account_id = :account_id AND subscriber_id = :id
        """,
        {
            "account_id": account_id,
            "id": id,
            "vat_id": vat_id,
            "bills_together": bills_together,
            "department": department or None,
        },
    )


# Whether the subscription `s` has a street and a town, so that a letter arrives
HAS_ADDRESS = """coalesce(s.address1, s.address2) IS NOT NULL
          AND coalesce(s.city, s.postcode) IS NOT NULL"""
# The country of the payer `u`, as `find_address` finds it; NULL if there is none
COUNTRY = f"""
    coalesce(u.country, (
        SELECT s.country
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.subscriber_id = u.id
          AND {HAS_ADDRESS}
        ORDER BY s.id DESC
        LIMIT 1
    ))
"""  # noqa: S608 - a constant


async def find_address(db: Connection, account_id: int, id: str) -> EnvelopeFields | None:
    """The postal address of a payer: their own, or that of their newest subscription.

    None if there is none with a street and a town. Queries: one or two.
    """
    subscriber = await get_subscriber(db, account_id, id)
    if subscriber.own_address is not None:
        return subscriber.own_address
    return await find_subscription_address(db, account_id, id)


async def find_letter_address(db: Connection, account_id: int, id: str) -> PayerAddress | None:
    """The address of a payer with their department. Queries: two or three."""
    address = await find_address(db, account_id, id)
    payer = (await find_payers(db, account_id, [id])).get(id)
    if address is None:
        return None
    return PayerAddress.to(address, payer.department if payer else "")


async def find_subscription_address(
    db: Connection, account_id: int, id: str
) -> EnvelopeFields | None:
    """The address of a payer's newest subscription with a street and a town. Queries: one."""
    return await fetch_one(
        db,
        f"""
        SELECT {OWN_COLUMNS},
            {OWN_FORMS_OF_ADDRESS}
        FROM subscription s
        JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
        WHERE s.account_id = :account_id
          AND s.subscriber_id = :id
          AND {HAS_ADDRESS}
        ORDER BY s.id DESC
        LIMIT 1
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "id": id},
        into=EnvelopeFields,
    )


async def list_with_address(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """Those payers that have a subscription with a street and a town. Queries: one at most."""
    if not ids:
        return set()
    rows = await db.fetch_all(
        f"""
        SELECT DISTINCT s.subscriber_id AS id
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.subscriber_id IN (:ids...)
          AND {HAS_ADDRESS}
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"] for row in rows}
