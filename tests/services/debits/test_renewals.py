"""Recurring subscriptions that are renewed by direct debit, and invoices that are replaced."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import date

import pytest

from masthead.model.billing.terms import BillingTerms
from masthead.model.debits.rules import DebitStatus
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.offers import Offer
from masthead.model.orders.price_rises import PriceRise
from masthead.model.types.enums import Medium
from masthead.services.accounts import update_account
from masthead.services.background.daily import redo_daily_pass, run_daily_pass
from masthead.services.billing.credit import correct_invoice
from masthead.services.debits import renew
from masthead.services.debits.mandates import add_mandate, revoke_mandate
from masthead.services.debits.renew import find_problem, renew_due
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.products import create_product
from masthead.store.accounts import Account, get_account
from masthead.store.engine.interface import Connection
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill, newest_invoices, read_invoice, turn_on_billing
from tests.support.checks import execute, faults
from tests.support.days import pass_on
from tests.support.debits import (
    FIRST_DAY,
    collect_all,
    debit_one,
    list_debits,
    list_mandates,
    make_debtor,
    new_mandate,
    turn_on_debits,
)
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription
from tests.support.price_rises import raise_renewals


async def start(cast: Cast, **fields: object) -> str:
    """A recurring subscription of issues 1 to 3 by debit, to renew with issue 4 on 1 February.

    Returns the payer.
    """
    await turn_on_debits(cast)
    for number in (2, 3):
        await make_issue(cast, number)
    await make_issue(cast, 4, recurring_charge_date="2026-02-01")
    payer = await make_debtor(cast)
    asked = {"length": 3, "start_issue": 1, "is_recurring": True, "is_debited": True}
    await bill(cast, subscriber_id=payer, **(asked | fields))
    return payer


async def problem(cast: Cast, id: str) -> str:
    async with cast.db.read() as db:
        account = await get_account(db, cast.account_id)
        return await find_problem(db, account, id)


async def test_a_recurring_subscription_is_renewed_on_its_charge_date(acme: Cast) -> None:
    payer = await start(acme)
    await pass_on(acme, "2026-01-31")
    assert len(await newest_invoices(acme)) == 1
    for day in ("2026-02-01", "2026-02-01", "2026-02-02"):
        await pass_on(acme, day)
    new, old = await newest_invoices(acme)
    assert new.payer_id == old.payer_id == payer
    assert new.document.total == old.document.total == 6000
    assert "4" in new.document.lines[0].detail
    [debit] = await list_debits(acme, new.id)
    assert debit.status is DebitStatus.WAITING
    assert (await renew_due(acme.db, acme.account_id, by=BY)).count == 0
    assert await faults(acme) == []


async def test_after_days_without_a_pass_it_is_renewed_once(acme: Cast) -> None:
    await start(acme, copies=2)
    await pass_on(acme, "2026-02-20")
    new, old = await newest_invoices(acme)
    assert len(new.document.lines) == len(old.document.lines) == 2
    assert await faults(acme) == []


async def test_other_recurring_subscriptions_are_charged_elsewhere(acme: Cast) -> None:
    await start(acme, is_debited=False)
    await pass_on(acme, "2026-02-20")
    assert len(await newest_invoices(acme)) == 1


async def test_without_a_mandate_it_is_tried_again_every_day(acme: Cast) -> None:
    payer = await start(acme)
    [mandate] = await list_mandates(acme, payer)
    await revoke_mandate(
        acme.db, acme.account_id, mandate.id, day=mandate.signed_date, reason="Letter", by=BY
    )
    await pass_on(acme, "2026-02-01")
    assert len(await newest_invoices(acme)) == 1
    done = await renew_due(acme.db, acme.account_id, by=BY)
    [(id, reason)] = done.refused.items()
    assert (done.count, "no mandate" in reason) == (0, True)
    assert "no mandate" in await problem(acme, id)
    await add_mandate(acme.db, acme.account_id, payer, new_mandate(), by=BY)
    assert "tried again" in await problem(acme, id)
    await pass_on(acme, "2026-02-02")
    assert len(await newest_invoices(acme)) == 2
    assert await faults(acme) == []


async def test_a_stopped_subscription_is_not_renewed(acme: Cast) -> None:
    await start(acme)
    listed = (await acme.get("/v1/subscriptions/")).json()["items"]
    [subscription] = [each for each in listed if each["is_recurring"]]
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "stop_renewals"})
    await pass_on(acme, "2026-02-20")
    assert len(await newest_invoices(acme)) == 1


async def erase(cast: Cast, id: str) -> None:
    await erase_subscriber(
        cast.db,
        cast.account_id,
        id,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def test_a_payer_who_was_erased_keeps_no_other_renewal_waiting(acme: Cast) -> None:
    gone = await start(acme)
    reader = (await make_subscription(acme, length=1))["subscriber"]["id"]
    asked = {"length": 3, "start_issue": 1, "is_recurring": True, "is_debited": True}
    await bill(acme, subscriber_id=reader, payer_id=gone, **asked)
    stays = await make_debtor(acme)
    await bill(acme, subscriber_id=stays, **asked)
    await erase(acme, gone)
    await pass_on(acme, "2026-02-01")
    new, *_old = await newest_invoices(acme)
    assert new.payer_id == stays
    done = await renew_due(acme.db, acme.account_id, by=BY)
    [(id, reason)] = done.refused.items()
    assert (done.count, "was erased" in reason) == (0, True)
    assert "was erased" in await problem(acme, id)


async def test_a_renewal_costs_what_the_product_costs_today_with_vat(acme: Cast) -> None:
    await redo_daily_pass(acme.db, acme.account_id, FIRST_DAY, by=BY)  # the price holds from now on
    await update_account(acme.db, acme.account_id, country="DE", by=BY)
    prices = {(Medium.PRINT, CountryGroup.HOME): 7000}
    product = await create_product(
        acme.db, acme.account_id, name="Three", offer=Offer(length=3, prices=prices), by=BY
    )
    await start(acme, product=product.id)
    await turn_on_billing(acme, has_issue=True, prices_include_vat=False)
    await pass_on(acme, "2026-02-01")
    new, old = await newest_invoices(acme)
    assert (old.document.total, new.document.net, new.document.total) == (6000, 7000, 7490)
    assert await faults(acme) == []


@pytest.mark.parametrize("copies, total", [(1, 6400), (2, 6800)])
async def test_a_renewal_without_a_price_is_raised_once(
    acme: Cast, copies: int, total: int
) -> None:
    await redo_daily_pass(acme.db, acme.account_id, FIRST_DAY, by=BY)
    await start(acme, copies=copies)
    await raise_renewals(acme, PriceRise(400), date(2026, 2, 1))
    await pass_on(acme, "2026-02-01")
    new, old = await newest_invoices(acme)
    assert (old.document.total, new.document.total) == (6000, total)
    await make_issue(acme, 5)
    await make_issue(acme, 6)
    await make_issue(acme, 7, recurring_charge_date="2026-05-01")
    await pass_on(acme, "2026-05-01")
    assert (await newest_invoices(acme))[0].document.total == total


async def test_a_renewal_that_another_pass_makes_meanwhile_is_made_once(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await start(acme)
    list_groups = renew.list_groups

    async def then_renewed(
        db: Connection, account: Account, ids: Collection[str] = ()
    ) -> list[list[str]]:
        found = await list_groups(db, account, ids)
        monkeypatch.undo()
        assert (await renew_due(acme.db, acme.account_id, by=BY)).count == 1
        return found

    monkeypatch.setattr(renew, "list_groups", then_renewed)
    await pass_on(acme, "2026-02-01")
    assert renew.list_groups is list_groups
    assert len(await newest_invoices(acme)) == 2
    assert await faults(acme) == []


async def test_a_renewal_whose_order_is_refused_changes_nothing_and_says_why(acme: Cast) -> None:
    await start(acme)
    [period] = await acme.db.fetch_all(
        "SELECT id FROM period WHERE account_id = :account_id AND length = 3",
        {"account_id": acme.account_id},
    )
    await make_subscription(acme, order_id=f"DEBIT-{period['id']}")
    await pass_on(acme, "2026-02-01")
    done = await renew_due(acme.db, acme.account_id, by=BY)
    [reason] = done.refused.values()
    assert f"DEBIT-{period['id']}" in reason
    assert len(await newest_invoices(acme)) == 1


async def test_a_renewal_needs_the_postal_address_of_the_payer(acme: Cast) -> None:
    await start(acme)
    await execute(acme, "UPDATE subscription SET address1 = NULL, city = NULL WHERE {own}")
    await pass_on(acme, "2026-02-01")
    done = await renew_due(acme.db, acme.account_id, by=BY)
    [(id, reason)] = done.refused.items()
    assert (done.count, "postal address" in reason) == (0, True)
    assert "no postal address" in await problem(acme, id)


async def test_an_error_nobody_expected_keeps_no_other_renewal_waiting(acme: Cast) -> None:
    payers = [await start(acme), await make_debtor(acme)]
    asked = {"length": 3, "start_issue": 1, "is_recurring": True, "is_debited": True}
    await bill(acme, subscriber_id=payers[1], **asked)
    broken, _sound = reversed(await newest_invoices(acme))
    await execute(
        acme,
        "UPDATE mandate SET signed_date = '9999-12-31' WHERE payer_id = :id",
        id=broken.payer_id,
    )
    failed = []

    @contextmanager
    def guard(account_id: int) -> Iterator[None]:
        try:
            yield
        except (ValueError, OverflowError):
            failed.append(account_id)

    await pass_on(acme, "2026-01-31")
    day = date(2026, 2, 1)
    assert await run_daily_pass(acme.db, acme.account_id, day, by=BY, guard=guard)
    new, *_old = await newest_invoices(acme)
    assert (new.payer_id, failed) == (payers[1], [acme.account_id])


@pytest.mark.parametrize("case", ["same payer", "another payer", "revoked"])
async def test_a_replaced_invoice_is_collected_by_debit_as_before_if_it_can_be(
    acme: Cast, case: str
) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    old = await debit_one(acme, payer)
    terms = BillingTerms()
    if case == "another payer":
        terms = BillingTerms(payer_id=await make_debtor(acme, **HOME))
    if case == "revoked":
        [mandate] = await list_mandates(acme, payer)
        day = mandate.signed_date
        await revoke_mandate(acme.db, acme.account_id, mandate.id, day=day, reason="", by=BY)
    corrected = await correct_invoice(acme.db, acme.account_id, old.id, terms, reason="x", by=BY)
    [id] = corrected.invoice_ids
    waiting = [each.status for each in await list_debits(acme, id)]
    assert waiting == ([DebitStatus.WAITING] if case == "same payer" else [])
    assert ((await read_invoice(acme, id)).document.debit is not None) is (case == "same payer")
    assert await faults(acme) == []


async def test_an_invoice_in_a_collection_is_not_replaced(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    await collect_all(acme)
    with pytest.raises(Invalid, match="is being collected by direct debit") as refusal:
        await correct_invoice(
            acme.db, acme.account_id, invoice.id, BillingTerms(), reason="x", by=BY
        )
    assert refusal.value.code == "in_collection"
    assert [each.id for each in await newest_invoices(acme)] == [invoice.id]
