"""The settings of an account for its invoices, and its rates of VAT."""

from datetime import date

from msgspec import structs

from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import VatRate, VatSetting
from masthead.model.clock import now
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import to_struct
from masthead.store.update_statement import upsert_row


async def find_settings(db: Connection, account_id: int) -> BillingSettings | None:
    """The settings; None if the account writes no invoices. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT
            b.*,
            v.first_day,
            v.is_small_business AS is_small_then,
            v.digital_percent AS percent_then
        FROM billing b
        LEFT JOIN vat_setting v ON v.account_id = b.account_id
        WHERE b.account_id = :account_id
        ORDER BY v.first_day
        """,
        {"account_id": account_id},
    )
    if not rows:
        return None
    return structs.replace(
        to_struct(rows[0], BillingSettings),
        vat_settings=tuple(
            VatSetting(
                first_day=row["first_day"],
                is_small_business=bool(row["is_small_then"]),
                digital_percent=row["percent_then"],
            )
            for row in rows
            if row["first_day"] is not None
        ),
    )


async def save_settings(tx: Transaction, account_id: int, settings: BillingSettings) -> None:
    """Store the settings. Queries: one."""
    columns = structs.asdict(settings)
    del columns["vat_settings"]  # rows of their own
    await upsert_row(tx, account_id, "billing", [], **columns, updated_at=now())


async def save_vat_setting(tx: Transaction, account_id: int, setting: VatSetting) -> None:
    """Store what holds from a day on, in place of what was to hold from it. Queries: one."""
    columns = structs.asdict(setting)
    await upsert_row(tx, account_id, "vat_setting", ["first_day"], **columns)


async def delete_vat_setting(tx: Transaction, account_id: int, first_day: date) -> None:
    """Delete what holds from a day on. Queries: one."""
    await tx.execute(
        "DELETE FROM vat_setting WHERE account_id = :account_id AND first_day = :first_day",
        {"account_id": account_id, "first_day": first_day},
    )


async def list_rates(db: Connection, account_id: int) -> list[VatRate]:
    """All rates of VAT, newest first. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT first_day, place, product_id, medium, rate
        FROM vat_rate
        WHERE account_id = :account_id
        ORDER BY first_day DESC, place, product_id, medium
        """,
        {"account_id": account_id},
    )
    return [
        VatRate(
            first_day=row["first_day"],
            place=row["place"],
            product_id=row["product_id"] or None,
            medium=Medium(row["medium"]) if row["medium"] else None,
            rate=row["rate"],
        )
        for row in rows
    ]


async def save_rate(tx: Transaction, account_id: int, rate: VatRate) -> None:
    """Store a rate, in place of the one for the same sales from the same day. Queries: one."""
    key = _key(rate)
    await upsert_row(tx, account_id, "vat_rate", list(key), **key, rate=rate.rate)


async def delete_rate(tx: Transaction, account_id: int, rate: VatRate) -> int:
    """Delete a rate; returns 0 if it is not there. Queries: one."""
    return await tx.execute(
        """
        DELETE FROM vat_rate
        WHERE account_id = :account_id
          AND first_day = :first_day
          AND place = :place
          AND product_id = :product_id
          AND medium = :medium
        """,
        {**_key(rate), "account_id": account_id},
    )


def _key(rate: VatRate) -> dict[str, str | date]:
    """The columns that say what a rate is for; empty texts stand for all."""
    return {
        "first_day": rate.first_day,
        "place": rate.place,
        "product_id": rate.product_id or "",
        "medium": rate.medium or "",
    }
