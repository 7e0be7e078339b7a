"""Each service that writes gives its events, or is known to change nothing that has events."""

import ast
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from masthead.model.billing.statements import StoredLine
from masthead.model.billing.terms import BillingTerms
from masthead.model.clock import now
from masthead.model.debits.rules import Collection
from masthead.model.imports.plan import ImportPlan
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.order import OrderDefaults
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.subscriptions.cancellations import CancelReason
from masthead.model.subscriptions.copy_counts import CopyCountChange
from masthead.model.subscriptions.renewals import Renewal
from masthead.model.subscriptions.skips import Instead
from masthead.model.types.enums import CancelMode, Medium
from masthead.model.validation import decode_input
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing import bank_lines
from masthead.services.billing.balances import pay_back, use_credit, write_off
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.payments import ReceivedPayment
from masthead.services.billing.waiting import issue_for_payer, issue_waiting
from masthead.services.debits.book import book_collection
from masthead.services.debits.renew import renew_due
from masthead.services.dispatch import run_groups
from masthead.services.imports.batches import fail_batch, request_run
from masthead.services.imports.work.leases import end_abandoned
from masthead.services.imports.work.run_batch import run_batch
from masthead.services.issues.numbers import delete_issue, renumber_issue
from masthead.services.letters import subscribers as letters
from masthead.services.letters.givers import enter_givers
from masthead.services.orders.enter import enter_order
from masthead.services.reminders.rounds import stop_round
from masthead.services.reminders.write import send_round
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.services.subscriptions.cancel import CancelDetails, end_together, stop_together
from masthead.services.subscriptions.cancel_preview import digest_previews, preview_cancel
from masthead.services.subscriptions.copy_counts import change_copy_count
from masthead.services.subscriptions.recorded_refunds import delete_refund, list_recorded
from masthead.services.subscriptions.refunds import Refund, refund_order
from masthead.services.subscriptions.renew import list_ends, renew_together
from masthead.services.subscriptions.reopen import preview_reopen, reopen_subscription
from masthead.services.subscriptions.skip import skip_issues, take_back_skip
from masthead.services.subscriptions.terms import SubscriptionTerms, change_terms
from masthead.store.billing.invoices import StoredInvoice
from tests.conftest import BY, Cast
from tests.services.imports.support import begin, imported, reading_of, row, undone
from tests.services.subscriptions.test_change_price import change
from tests.services.subscriptions.test_move_subscription import move as move_subscription
from tests.support.addresses import move
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import BERLIN, bill_one, bill_together, turn_on_billing
from tests.support.days import pass_on
from tests.support.debits import collect_all, debit_one, make_debtor, turn_on_debits
from tests.support.events import list_events, show_all
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    copies_of,
    make_delivery_report,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
    manual,
)
from tests.support.followers import Followers
from tests.support.keyed_requests import REQUESTS, new_key, send
from tests.support.letters import add_subscribers, set_up
from tests.support.privacy import erase
from tests.support.reminders import SITE, due, turn_on_reminders
from tests.support.subscribers import correct, make_subscriber, merge
from tests.support.walk import walk

SERVICES = Path(__file__).parents[2] / "masthead" / "services"
DAY = date(2026, 6, 1)
DECORATORS = {"in_transaction", "in_long_transaction", "with_locked_account"}
Write = Callable[[], Awaitable[Any]]
Prepare = Callable[[Cast], Awaitable[Write]]

# These write settings, users, keys, emails, files and the work of masthead itself. Their modules:
WITHOUT_EVENTS = """
    account_deletion accounts background.clock background.idle_accounts background.read_model
    background.trends dispatch.file_builds dispatch.files dispatch.profiles download_records
    emails.messages emails.outbox emails.welcome exports.archives exports.write identity.invitations
    identity.login_throttling identity.own_accounts identity.passkeys
    identity.password_confirmation identity.preferences identity.second_step identity.server_secrets
    identity.sessions identity.sign_in
    imports.work.page_batches imports.work.rehearse issues.covers key_usage keys letters.chosen
    letters.failed letters.printing letters.rounds letters.texts letters.write
    moving.restores moving.verify privacy.everything privacy.finish
    price_rises product_prices products returns.uploads revenue.statements search_index sources
    subscribers.dismissed_pairs subscribers.notes users
    webhooks.endpoints webhooks.outcomes
""".split()
# Functions of other modules without events. Nobody can have read events of a loaded account yet
WITHOUT_EVENTS += """
    claims.records.update_policy exports.load.load_export
    imports.batches._change imports.delete.delete_upload imports.batches.upload_file
    imports.again.import_again imports.delete._forget
    imports.mappings.delete_mapping imports.mappings.save_mapping imports.work.undo._stop
    privacy.retention.save_rules billing.settings.delete_rate billing.settings.save_rate
    billing.exchange_rates billing.settings.delete_vat_setting billing.settings.save_vat_setting
    billing.settings.save_settings billing.payers.update_payer
    billing.bank_statements.import_file billing.bank_lines.leave_out_line
    billing.daily_sums billing.emails.email_invoice
    billing.emails.email_invoices billing.emails.email_test billing.emails.stop_emails
    billing.files.deliver.write_many billing.seen.require_same_open
    billing.letterhead.set_letterhead billing.posted billing.settings.save_numbers
    debits.mandates debits.mark debits.notice debits.settings
    debits.collect.cancel_collection debits.collect.create_collection
    debits.collect.create_collections debits.collect.download_file debits.collect.mark_sent
    holds.by_hand reminders.settings reminders.terms reminders.rounds.mark_printed
    reminders.rounds.undo_printed reminders.printing
""".split()
# The page for subscribers and the form of orders: their events are those of the services that they
# call, such as `subscribers.correct` and `claims.records`
WITHOUT_EVENTS += """
    self_service.actions self_service.decide self_service.new_email self_service.settings
    self_service.renew self_service.sign_in billing.new_payers
""".split()
# Sandboxes: the events are those of the services that a new day calls, and of the made-up orders
WITHOUT_EVENTS += ["sandboxes.clock", "sandboxes.create", "sandboxes.staff"]

# What each operation of the API gives, in this order, and the services that it calls
OPERATIONS: dict[str, tuple[list[str], str]] = {
    "POST /v1/subscriptions/": (
        ["subscriber.created", "subscription.created"],
        "subscriptions.create.create_subscription",
    ),
    "PATCH /v1/subscriptions/{id}/": (
        ["subscription.updated"],
        "subscriptions.update.update_subscription",
    ),
    "POST /v1/subscriptions/{id}/cancel/": (
        ["subscription.cancelled"],
        "subscriptions.cancel.cancel_subscription",
    ),
    "POST /v1/subscriptions/{id}/renewals/": (
        ["subscription.renewed"],
        "subscriptions.renew.renew_subscription",
    ),
    "PATCH /v1/subscribers/{id}/": (
        ["subscriber.updated"],
        "subscribers.update.update_subscriber",
    ),
    "POST /v1/issues/": (["issue.created"], "issues.records.create_issue"),
    "PATCH /v1/issues/{id}/": (["issue.updated"], "issues.records.update_issue"),
    "POST /v1/copies/mark-sent/": (["copy.sent"], "copies.mark_copies_sent"),
    "POST /v1/copies/{copy_id}/mark-sent/": (["copy.sent"], "copies.mark_copies_sent"),
    "POST /v1/dispatches/": (["dispatch.created"], "dispatch.runs.freeze_dispatch"),
    "POST /v1/dispatches/{id}/mark-sent/": (
        ["copy.sent", "dispatch.sent"],
        "dispatch.runs.mark_dispatch",
    ),
    "POST /v1/dispatches/{id}/undo/": (["dispatch.undone"], "dispatch.runs.undo_dispatch"),
    "POST /v1/dispatches/{id}/discard/": (
        ["dispatch.discarded"],
        "dispatch.runs.discard_dispatch",
    ),
    "POST /v1/delivery-reports/": (
        ["copy.sent", "delivery_report.created"],
        "returns.record.record_returned returns.shipped.ship",
    ),
    "POST /v1/delivery-reports/{id}/accept/": (
        ["delivery_report.closed", "subscription.updated"],
        "returns.decisions.accept_report",
    ),
    "POST /v1/delivery-reports/{id}/dismiss/": (
        ["delivery_report.closed"],
        "returns.decisions.dismiss_report",
    ),
    "POST /v1/claims/": (["claim.created"], "claims.records.create_claims"),
    "POST /v1/claims/{id}/close/": (["claim.closed"], "claims.records.close_claims"),
    "POST /v1/invoices/{id}/credit/": (
        ["refund.created", "subscription.updated", "invoice.created", "invoice.updated"],
        "billing.credit_orders.credit_invoice",
    ),
    "POST /v1/payments/": (
        ["invoice.updated", "payment.created"],
        "billing.payments.create_payment",
    ),
    "POST /v1/payments/{id}/undo/": (
        ["invoice.updated", "payment.undone"],
        "billing.undo.undo_payment",
    ),
    "POST /v1/orders/": (
        ["subscriber.created", "subscriber.created", "subscription.created"],  # a gift
        "orders.create.create_order",
    ),
    "POST /v1/orders/bulk/": (
        [*["subscriber.created"] * 2, *["subscription.created"] * 2],
        "orders.create.create_orders",
    ),
    "POST /v1/subscriptions/{id}/terms/": (
        ["subscription.updated"],
        "subscriptions.terms.update_terms",
    ),
    "POST /v1/subscriptions/{id}/move/": (
        ["subscription.updated"],
        "subscriptions.move.give_subscription",
    ),
    "POST /v1/subscriptions/{id}/price/": (
        ["subscription.updated"],
        "subscriptions.price.change_order_price",
    ),
    "POST /v1/subscriptions/{id}/reopen/": (
        ["subscription.reopened"],
        "subscriptions.reopen.reopen_subscription",
    ),
    "POST /v1/subscriptions/{id}/refunds/": (
        ["refund.created", "subscription.updated"],
        "subscriptions.refunds.create_refund",
    ),
    "POST /v1/address-changes/": (
        ["subscription.updated"],
        "addresses.changes.change_addresses",
    ),
    "POST /v1/address-changes/{id}/cancel/": (
        ["subscription.updated"],
        "addresses.changes.cancel_changes",
    ),
}


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The modules of the services, by name."""
    for path in sorted(SERVICES.rglob("*.py")):
        name = ".".join(path.relative_to(SERVICES).with_suffix("").parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def writing_services() -> set[str]:
    """The functions and methods that begin a transaction; of nested ones, the outer one."""
    found = set()
    for module, tree in modules():
        functions = [each for each in tree.body if not isinstance(each, ast.ClassDef)]
        for kind in tree.body:
            functions += kind.body if isinstance(kind, ast.ClassDef) else []
        for function in functions:
            if isinstance(function, ast.AsyncFunctionDef) and (
                DECORATORS & {ast.unparse(each) for each in function.decorator_list}
                or any(
                    isinstance(each, ast.Call)
                    and isinstance(each.func, ast.Attribute)
                    and each.func.attr == "write"
                    and ast.unparse(each.func.value) in ("db", "self._db")
                    for each in ast.walk(function)
                )
            ):
                found.add(f"{module}.{function.name}")
    return found


async def _subscription(cast: Cast, **fields: object) -> dict[str, Any]:
    await make_issue(cast)
    return await make_subscription(cast, **fields)


async def _id(cast: Cast, **fields: object) -> str:
    return str((await _subscription(cast, **fields))["id"])


async def _move(cast: Cast) -> Write:
    made = await _subscription(cast)
    await make_delivery_report(cast, made["id"])
    return partial(move, cast, made)


async def _past_due(cast: Cast) -> Write:
    year = now().year
    row = {"period_start": f"{year}-01-01", "period_end": f"{year + 1}-12-31"}
    await make_membership(cast, interval_months="24", is_recurring="true", **row)
    return partial(pass_on, cast, f"{year + 2}-01-01")


async def _redo(cast: Cast) -> Write:
    await (await _past_due(cast))()
    day = date(now().year + 1, 12, 1)
    return partial(redo_daily_pass, cast.db, cast.account_id, day, by=BY)


async def _import(cast: Cast) -> Write:
    rows = [row("A1"), row("A2", renews="A1", start_issue="", length="2", refunded="1.00")]
    await make_issue(cast)
    return partial(imported, cast, *rows)


async def _import_missing_issue(cast: Cast) -> Write:
    rows = [row("A1", start_issue="7", length="1")]

    async def work() -> None:
        reading = await reading_of(cast, *rows, plan=ImportPlan(create_issues=True))
        batch = await begin(cast, reading)
        await run_batch(cast.db, cast.account_id, batch, reading, holder="me")

    return work


async def _billed(cast: Cast) -> StoredInvoice:
    await turn_on_billing(cast)
    return await bill_one(cast)


async def _issue_waiting(cast: Cast) -> Write:
    await turn_on_billing(cast)
    await bill_together(cast)
    return partial(issue_waiting, cast.db, cast.account_id, by=BY)


async def _issue_for_payer(cast: Cast) -> Write:
    await turn_on_billing(cast)
    payer = await bill_together(cast)
    return partial(issue_for_payer, cast.db, cast.account_id, payer, by=BY)


async def _open_line(cast: Cast) -> tuple[StoredInvoice, StoredLine]:
    invoice = await _billed(cast)
    await import_lines(cast, bank_line(text=invoice.document.number, reference="E2E-1"))
    [line] = await list_lines(cast)
    return invoice, line


async def _confirm_line(cast: Cast) -> Write:
    invoice, line = await _open_line(cast)
    return partial(bank_lines.confirm_line, cast.db, cast.account_id, line.id, [invoice.id], by=BY)


async def _confirm_safe(cast: Cast) -> Write:
    _invoice, line = await _open_line(cast)
    return partial(bank_lines.confirm_safe, cast.db, cast.account_id, [line.id], by=BY)


async def _reopen_line(cast: Cast) -> Write:
    invoice, line = await _open_line(cast)
    await bank_lines.confirm_line(cast.db, cast.account_id, line.id, [invoice.id], by=BY)
    return partial(bank_lines.reopen_line, cast.db, cast.account_id, line.id, by=BY)


async def _confirm_return(cast: Cast) -> Write:
    invoice, line = await _open_line(cast)
    paid = await bank_lines.confirm_line(cast.db, cast.account_id, line.id, [invoice.id], by=BY)
    await import_lines(
        cast, bank_line(-6000, return_reason="AC04", original_amount=6000, reference="E2E-1")
    )
    [back] = await list_lines(cast, status="open")
    return partial(bank_lines.confirm_return, cast.db, cast.account_id, back.id, paid, by=BY)


async def _collected(cast: Cast) -> Collection:
    await turn_on_debits(cast)
    await debit_one(cast, await make_debtor(cast))
    collection = await collect_all(cast)
    await pass_on(cast, "2026-03-05")
    return collection


async def _book_collection(cast: Cast) -> Write:
    collection = await _collected(cast)
    return partial(book_collection, cast.db, cast.account_id, collection.id, by=BY)


async def _confirm_debits(cast: Cast) -> Write:
    collection = await _collected(cast)
    day = collection.collect_date
    await import_lines(cast, bank_line(6000, booking_date=day, reference=collection.id))
    [line] = await list_lines(cast)
    return partial(bank_lines.confirm_debits, cast.db, cast.account_id, line.id, by=BY)


async def _renew_due(cast: Cast) -> Write:
    await turn_on_debits(cast)
    await make_issue(cast, 2, recurring_charge_date="2026-01-01")
    payer = await make_debtor(cast)
    await debit_one(cast, payer, length=1, start_issue=1, is_recurring=True)
    return partial(renew_due, cast.db, cast.account_id, by=BY)


async def _correct_invoice(cast: Cast) -> Write:
    invoice = await _billed(cast)
    terms = BillingTerms()
    return partial(
        correct_invoice, cast.db, cast.account_id, invoice.id, terms, reason="Name", by=BY
    )


async def _write_off(cast: Cast) -> Write:
    invoice = await _billed(cast)
    return partial(write_off, cast.db, cast.account_id, invoice.id, reason="Died", by=BY)


async def _due(cast: Cast) -> list[str]:
    """The keys of the reminders that are due: of one invoice, with a fee."""
    await turn_on_reminders(cast, fees=(100, 0, 0))
    await redo_daily_pass(cast.db, cast.account_id, date(2026, 6, 1), by=BY)
    await bill_one(cast, due_days=1, email="ada@example.org")
    await pass_on(cast, "2026-06-09")
    return [each.key for each in await due(cast, 1)]


async def _remind(cast: Cast) -> Write:
    keys = await _due(cast)
    return partial(send_round, cast.db, cast.account_id, 1, keys, site=SITE, by=BY)


async def _stop_reminders(cast: Cast) -> Write:
    made = await (await _remind(cast))()
    return partial(stop_round, cast.db, cast.account_id, made.id, by=BY)


async def _pay_too_much(cast: Cast, **paid: object) -> StoredInvoice:
    invoice = await _billed(cast)
    await cast.post("/v1/payments/", {"amount": "90", "payer": invoice.payer_id})
    return invoice


async def _use_credit(cast: Cast) -> Write:
    first = await _pay_too_much(cast)
    next_one = await bill_one(cast, subscriber_id=first.payer_id)
    return partial(use_credit, cast.db, cast.account_id, next_one.id, by=BY)


async def _pay_back(cast: Cast) -> Write:
    first = await _pay_too_much(cast)
    payment = ReceivedPayment(
        payer_id=first.payer_id, payment_date=first.document.issue_date, amount=3000, currency="EUR"
    )
    return partial(pay_back, cast.db, cast.account_id, payment, by=BY)


async def _undo_import(cast: Cast) -> Write:
    await make_issue(cast)
    batch = await imported(cast, row("A1"))
    return partial(undone, cast, batch)


async def _undo_renewal(cast: Cast) -> Write:
    await make_issue(cast)
    await make_subscription(cast, order_id="OLD")
    batch = await imported(cast, row("A2", renews="OLD", start_issue="", length="2"))
    return partial(undone, cast, batch)


async def _fail_import(cast: Cast) -> Write:
    batch = await begin(cast, await reading_of(cast, row("A1")))
    return partial(fail_batch, cast.db, cast.account_id, batch.id, "It failed.")


async def _resume_import(cast: Cast) -> Write:
    await (await _fail_import(cast))()
    (started, _failed) = await list_events(cast)
    return partial(request_run, cast.db, cast.account_id, started["record"]["id"], by=BY)


async def _freeze_several(cast: Cast) -> Write:
    ids = [(await make_issue(cast, number))["id"] for number in (1, 2)]
    await make_subscription(cast, length=2)
    return partial(run_groups.freeze_several, cast.db, cast.account_id, ids, by=BY)


async def _freeze_replacements(cast: Cast) -> Write:
    await make_issue(cast)
    made = await make_subscription(cast)
    [copy] = await copies_of(cast, made["id"])
    await cast.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    body = {"copy": copy["id"], "reason": "damaged"}
    claim = (await cast.post("/v1/claims/", body)).json()
    return partial(run_groups.freeze_replacements, cast.db, cast.account_id, [claim["id"]], by=BY)


async def _delete_issue(cast: Cast) -> Write:
    issue = await make_issue(cast)
    return partial(delete_issue, cast.db, cast.account_id, issue["id"], by=BY)


async def _renumber_issue(cast: Cast) -> Write:
    issue = await make_issue(cast)
    return partial(renumber_issue, cast.db, cast.account_id, issue["id"], 3, by=BY)


async def _letters(cast: Cast) -> Write:
    made = await _subscription(cast, email="ada@x.test")
    where = (cast.db, cast.account_id, made["subscriber"]["id"])

    async def work() -> None:
        for wanted in (True, False):
            await letters.set_unsubscribed(*where, is_unsubscribed=wanted, by=BY)
        await letters.mark_bounced(*where, reason="550", by=BY)
        await letters.clear_bounce(*where, by=BY)

    return work


async def _enter_givers(cast: Cast) -> Write:
    await set_up(cast)
    gift = {"is_gift": "true", "gifter_name": "Grace Hopper", "gifter_email": "grace@example.test"}
    await add_subscribers(cast, 2, **gift)
    return partial(
        enter_givers,
        cast.db,
        cast.account_id,
        RenewalStage.LAST,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def _enter(cast: Cast) -> Write:
    await make_issue(cast)
    entry = decode_input(OrderEntry, manual(cast))
    defaults = OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN)
    return partial(enter_order, cast.db, cast.account_id, entry, defaults=defaults, by=BY)


async def _erase(cast: Cast) -> Write:
    return partial(erase, cast, (await _subscription(cast))["subscriber"]["id"])


async def _correct(cast: Cast) -> Write:
    made = await _subscription(cast)
    id = made["subscriber"]["id"]
    return partial(correct, cast, id, with_subscriptions=True, last_name="King")


async def _merge(cast: Cast) -> Write:
    await make_issue(cast)
    kept, other = [await make_subscriber(cast, f"{name}@x.test") for name in ("ada", "bob")]
    return partial(merge, cast, kept, other)


async def _undo_merge(cast: Cast) -> Write:
    id = await (await _merge(cast))()
    return partial(undo_merge, cast.db, cast.account_id, id, by=BY)


async def _end(cast: Cast) -> Write:
    id = await _id(cast)
    async with cast.db.read() as db:
        preview = await preview_cancel(db, cast.account_id, id, CancelMode.CANCEL, day=DAY)
    details = CancelDetails(reason=CancelReason.MOVED)
    seen = digest_previews([preview])
    return partial(end_together, cast.db, cast.account_id, [id], details, seen=seen, by=BY)


async def _reopen(cast: Cast) -> Write:
    id = await _id(cast)
    await cast.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"})
    async with cast.db.read() as db:
        preview = await preview_reopen(db, cast.account_id, id, day=DAY)
    assert preview is not None
    where = (cast.db, cast.account_id, id)
    return partial(reopen_subscription, *where, seen=preview.digest, by=BY)


async def _refund(cast: Cast) -> Write:
    made = await _subscription(cast, price="42.00", order_date="2026-01-01")
    period = made["periods"][0]["id"]
    refund, seen = Refund(amounts={period: 100}, day=date(2026, 1, 2)), {period: 0}
    return partial(refund_order, cast.db, cast.account_id, made["id"], refund, seen=seen, by=BY)


async def _deleted_refund(cast: Cast) -> Write:
    await (await _refund(cast))()
    [made] = await walk(cast, "/v1/subscriptions/")
    async with cast.db.read() as db:
        [refund] = await list_recorded(db, cast.account_id, made["id"])
    return partial(delete_refund, cast.db, cast.account_id, made["id"], refund.id, by=BY)


async def _renew(cast: Cast) -> Write:
    id = await _id(cast)
    ends = await list_ends(cast.db, cast.account_id, [id])
    return partial(
        renew_together,
        cast.db,
        cast.account_id,
        [id],
        Renewal(order_id="R-1", order_date=DAY, price=0, currency=cast.currency, length=4),
        source_id=cast.shop,
        seen=[end.seen for end in ends],
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )


async def _terms(cast: Cast) -> Write:
    id = await _id(cast, length=4)
    seen = SubscriptionTerms(medium=Medium.PRINT, start_issue=1, length=4)
    wanted = SubscriptionTerms(medium=Medium.PRINT, start_issue=1, length=5)
    where = (cast.db, cast.account_id, id, wanted)
    return partial(change_terms, *where, seen=seen, seen_orders=1, by=BY)


async def _copies(cast: Cast) -> Write:
    id = await _id(cast, length=4)
    await make_issues(cast, 2, 3)
    change = CopyCountChange(
        count=2, first_issue=3, order_id="MORE-1", order_date=DAY, price=0, currency=cast.currency
    )
    return partial(
        change_copy_count,
        cast.db,
        cast.account_id,
        id,
        change,
        source_id=cast.shop,
        seen=1,
        defaults=OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )


async def _stop(cast: Cast) -> Write:
    id = await _id(cast, is_recurring=True)
    return partial(stop_together, cast.db, cast.account_id, [id], by=BY)


async def _skip(cast: Cast) -> Write:
    id = await _id(cast, length=4)
    return partial(skip_issues, cast.db, cast.account_id, id, [3], Instead.ADDED, by=BY)


async def _include_again(cast: Cast) -> Write:
    id = await _id(cast, length=4)
    await skip_issues(cast.db, cast.account_id, id, [3], Instead.ADDED, by=BY)
    return partial(take_back_skip, cast.db, cast.account_id, id, 3, by=BY)


async def _price(cast: Cast) -> Write:
    return partial(change, cast, await _id(cast), 2000)


async def _other_subscriber(cast: Cast) -> Write:
    id, to_id = await _id(cast), await make_subscriber(cast, "new@x.test", **BERLIN)
    return partial(move_subscription, cast, id, to_id)


# What the pages, files and time write, and the services that they call
SCENARIOS: list[tuple[Prepare, list[str], str]] = [
    (_price, ["subscription.updated"], "subscriptions.price.change_price"),
    (_other_subscriber, ["subscription.updated"], "subscriptions.move.move_subscription"),
    (
        _move,
        ["delivery_report.closed", "subscription.updated"],
        "addresses.changes.change_addresses",
    ),
    (_past_due, ["subscription.past_due"], "background.daily.run_daily_pass"),
    (_redo, ["subscription.reopened"], "background.daily.redo_daily_pass"),
    (
        _import,
        [
            *("import.started", "subscriber.created", "subscription.created"),
            *("subscription.renewed", "refund.created", "import.completed"),
        ],
        "imports.work.run_batch.begin_run imports.work.run_batch.run_batch",
    ),
    (
        _import_missing_issue,
        [
            *("import.started", "issue.created", "subscriber.created", "subscription.created"),
            "import.completed",
        ],
        "imports.work.run_batch.run_batch",
    ),
    (
        _undo_import,
        ["subscription.deleted", "subscriber.deleted", "import.undone"],
        "imports.work.undo.undo_batch",
    ),
    (_undo_renewal, ["subscription.updated", "import.undone"], "imports.work.undo.undo_batch"),
    (_fail_import, ["import.failed"], "imports.batches.fail_batch"),
    (_resume_import, ["import.started"], "imports.batches.request_run"),
    (
        _freeze_several,
        ["dispatch.created", "dispatch.created"],
        "dispatch.run_groups.freeze_several",
    ),
    (
        _freeze_replacements,
        ["claim.updated", "dispatch.created"],
        "dispatch.run_groups.freeze_replacements",
    ),
    (_delete_issue, ["issue.deleted"], "issues.numbers.delete_issue"),
    (_renumber_issue, ["issue.updated"], "issues.numbers.renumber_issue"),
    (
        _letters,
        [
            *("subscriber.unsubscribed", "subscriber.resubscribed", "subscriber.bounced"),
            "subscriber.bounce_cleared",
        ],
        "letters.subscribers.set_unsubscribed letters.subscribers.mark_bounced"
        " letters.subscribers.clear_bounce",
    ),
    (_enter_givers, ["subscriber.created"], "letters.givers.enter_givers"),
    (_enter, ["subscriber.created", "subscription.created"], "orders.enter.enter_order"),
    (
        _erase,
        ["subscription.cancelled", "subscriber.erased"],
        "privacy.erase.erase_subscriber privacy.moved_erasures._erase_again"
        " privacy.retention.apply",
    ),
    (
        _correct,
        ["subscriber.updated", "subscription.updated"],
        "subscribers.correct.correct_subscriber",
    ),
    (
        _merge,
        ["subscriber.merged", "subscriber.merged", "subscription.updated"],
        "subscribers.merge.merge_subscribers",
    ),
    (
        _undo_merge,
        ["subscriber.merge_undone", "subscriber.merge_undone", "subscription.updated"],
        "subscribers.undo_merge.undo_merge",
    ),
    (_end, ["subscription.cancelled"], "subscriptions.cancel.end_together"),
    (_reopen, ["subscription.reopened"], "subscriptions.reopen.reopen_subscription"),
    (_refund, ["refund.created", "subscription.updated"], "subscriptions.refunds.refund_order"),
    (
        _deleted_refund,
        ["subscription.updated"],
        "subscriptions.recorded_refunds.delete_refund",
    ),
    (_renew, ["subscription.renewed"], "subscriptions.renew.renew_together"),
    (_issue_waiting, ["invoice.created"], "billing.waiting.issue_waiting"),
    (_issue_for_payer, ["invoice.created"], "billing.waiting.issue_for_payer"),
    (_book_collection, ["invoice.updated", "payment.created"], "debits.book.book_collection"),
    (_confirm_debits, ["invoice.updated", "payment.created"], "billing.bank_lines.confirm_debits"),
    (_renew_due, ["subscription.renewed", "invoice.created"], "debits.renew.renew_due"),
    (_confirm_line, ["invoice.updated", "payment.created"], "billing.bank_lines.confirm_line"),
    (_confirm_safe, ["invoice.updated", "payment.created"], "billing.bank_lines.confirm_safe"),
    (_reopen_line, ["invoice.updated", "payment.undone"], "billing.bank_lines.reopen_line"),
    (_confirm_return, ["invoice.updated", "payment.created"], "billing.bank_lines.confirm_return"),
    (
        _correct_invoice,
        ["invoice.created", "invoice.updated", "invoice.created"],
        "billing.credit.correct_invoice",
    ),
    (_write_off, ["invoice.updated"], "billing.balances.write_off_all"),
    (
        _remind,
        ["invoice.created", "invoice.reminded"],
        "reminders.write.send_round",
    ),
    (_stop_reminders, ["invoice.updated"], "reminders.rounds.stop_round"),
    (_use_credit, ["invoice.updated"], "billing.balances.use_credit"),
    (_pay_back, ["payment.created"], "billing.balances.pay_back"),
    (_terms, ["subscription.updated"], "subscriptions.terms.change_terms"),
    (
        _copies,
        ["subscription.created"],
        "subscriptions.copy_counts.change_copy_count",
    ),
    (_stop, ["subscription.renewals_stopped"], "subscriptions.cancel.stop_together"),
    (_skip, ["subscription.updated"], "subscriptions.skip.skip_issues"),
    (_include_again, ["subscription.updated"], "subscriptions.skip.take_back_skip"),
]


def test_the_events_of_each_service_are_known() -> None:
    known = " ".join(
        [*(named for _, named in OPERATIONS.values()), *(each[2] for each in SCENARIOS)]
    )
    tested = {*known.split(), "imports.work.leases.end_abandoned"}
    found = writing_services()
    without = {name for name in found if name in WITHOUT_EVENTS or _module(name) in WITHOUT_EVENTS}
    assert tested & without == set()
    assert found == tested | without
    assert {
        each for each in WITHOUT_EVENTS if not any(n.startswith(each) for n in without)
    } == set()


def _module(name: str) -> str:
    return name.rpartition(".")[0]


def test_the_events_of_each_operation_are_known() -> None:
    settings = {each for each in REQUESTS if "/webhooks/" in each or "/sandbox/" in each}
    assert OPERATIONS.keys() == REQUESTS.keys() - settings


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_an_operation_gives_its_events_once(acme: Cast, operation: str) -> None:
    path, body = await REQUESTS[operation](acme)
    followers = Followers(acme)
    assert await followers.follow() == []
    before, key = len(await list_events(acme)), new_key()
    for _ in range(2):  # the second one is a retry
        response = await send(acme, operation.split()[0], path, body, key)
        assert response.is_success, response.text
    written = await list_events(acme, after=before)
    assert [each["type"] for each in written] == OPERATIONS[operation][0]
    assert [each["number"] for each in written] == [before + n + 1 for n in range(len(written))]
    assert {each["actor"]["kind"] for each in written} == {"key"}
    assert await show_all(acme) == []
    assert await followers.follow() == []


@pytest.mark.parametrize(
    "prepare, types", [each[:2] for each in SCENARIOS], ids=[each[0].__name__ for each in SCENARIOS]
)
async def test_a_service_gives_its_events(acme: Cast, prepare: Prepare, types: list[str]) -> None:
    write = await prepare(acme)
    followers = Followers(acme)
    assert await followers.follow() == []
    before = len(await list_events(acme))
    await write()
    assert [each["type"] for each in await list_events(acme, after=before)] == types
    assert await show_all(acme) == []
    assert await followers.follow() == []


async def test_an_abandoned_import_has_failed(acme: Cast) -> None:
    await begin(acme, await reading_of(acme, row("A1")), holder="dead")

    async def expire(tx: Any) -> None:
        await tx.execute("DELETE FROM lease WHERE holder = 'dead'", {})

    await acme.db.write(expire)
    await end_abandoned(acme.db, acme.account_id)
    assert [each["type"] for each in await list_events(acme)] == ["import.started", "import.failed"]
