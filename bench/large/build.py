"""Fill an account whose subscriptions are imported: settings by services, the rest by SQL."""

import contextlib
import time
from datetime import date
from functools import partial
from typing import TypeVar

from bench.large import billing, others
from bench.large.statements import Sizes, create_tables, drop_tables
from bench.progress import say
from masthead.model.actors import Actor
from masthead.model.billing.settings import BillingInput
from masthead.model.billing.vat import HOME, VatRate
from masthead.model.clock import now
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.reminders.stages import ReminderSettings
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.billing.settings import save_rate, save_settings as save_billing
from masthead.services.debits.settings import save_settings as save_debits
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.services.letters.write import write_letters
from masthead.services.privacy.finish import restore_fingerprints
from masthead.services.reminders.settings import adopt_defaults, save_settings as save_reminders
from masthead.services.revenue.statements import make_statement, request_statement
from masthead.services.self_service.settings import switch_all
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction, Work

T = TypeVar("T")
SITE = Site("https://masthead.test", "masthead.test")
_OWN = billing.SELLER
SELLER = BillingInput(
    name=_OWN.name,
    street=_OWN.street,
    postcode=_OWN.postcode,
    city=_OWN.city,
    country=_OWN.country,
    vat_id=_OWN.vat_id,
    iban=_OWN.iban,
    series="{year}-",
)
MANY = 100_000  # rows of a statement, after which PostgreSQL needs new statistics
FIRST_RATE = VatRate(first_day=date(2020, 1, 1), place=HOME, rate=700)


async def fill(
    url: str, account_id: int, *, invoices: int, issues: dict[int, str], newest_sent: int, by: Actor
) -> None:
    """Add invoices and what belongs to them, letters, claims, runs, requests and the trail.

    issues: ids by number. newest_sent: the last issue that is out; a run of the next one waits.
    """
    db = await connect(url)
    try:
        await save_billing(db, account_id, SELLER, by=by)
        await save_rate(db, account_id, FIRST_RATE, by=by)
        await save_debits(db, account_id, creditor_id="DE98ZZZ09999999999", notice_days=5, by=by)
        await adopt_defaults(db, account_id, by=by)
        await save_reminders(db, account_id, ReminderSettings(hold_stage=2), by=by)
        await switch_all(db, account_id, is_on=True, page_url="https://masthead.test/my/", by=by)
        await _insert(db, account_id, invoices, newest_sent)
        await restore_fingerprints(db)
        with contextlib.suppress(Invalid):  # very little data may have nothing to send
            await freeze_dispatch(
                db, account_id, issues[newest_sent + 1], DispatchSelection(countries=("DE",)), by=by
            )
        today = now().date()
        statement = await request_statement(db, account_id, today, today=today, by=by)
        await make_statement(db, account_id, statement)
        with contextlib.suppress(Invalid):  # or no letters
            stage, channel = RenewalStage.LAST, LetterChannel.EMAIL
            await write_letters(db, account_id, stage, channel, site=SITE, by=by)
    finally:
        await db.close()


async def _insert(db: Database, account_id: int, invoices: int, newest_sent: int) -> None:
    """Run the statements, each in a transaction of its own, so that the log stays small."""
    today = now().date()
    persons = await _run(db, lambda tx: create_tables(tx, account_id, invoices, today))
    sizes = Sizes(account_id, invoices, persons, today)
    for sql, parameters in (
        *billing.statements(sizes),
        *others.statements(sizes, newest_sent),
    ):
        await _run(db, partial(_execute, sql=sql, parameters=parameters))
    await _run(db, drop_tables)


async def _execute(tx: Transaction, sql: str, parameters: dict[str, object]) -> int:
    began = time.perf_counter()
    count = await tx.execute(sql, parameters)
    words = sql.split()
    if tx.dialect == "postgres" and count > MANY and words[0] == "INSERT":
        # else it would read all of the table for each row
        await tx.execute_many(f"ANALYZE {words[2]}", [{}])
    say(f"  {time.perf_counter() - began:.0f} s, {count:,} rows: {' '.join(words[:3])}")
    return count


async def _run(db: Database, work: Work[T]) -> T:
    async def without_foreign_keys(tx: Transaction) -> T:
        if tx.dialect == "postgres":  # if the user may: checks take half of the time
            await tx.fetch_all(
                "SELECT set_config('session_replication_role', 'replica', true)"
                " WHERE current_setting('is_superuser') = 'on'",
                {},
            )
        return await work(tx)

    return await db.write(without_foreign_keys, is_long=True)
