"""`masthead revenue`."""

from typing import Annotated

import msgspec
from cyclopts import Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    on_account,
    parse_date,
)
from masthead.cli.output import print_data, print_json
from masthead.model.revenue.statement_figures import CurrencyFigures, Sums
from masthead.model.types.money import money_text
from masthead.services.revenue.statements import make_statement, request_statement
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.revenue.statements import Statement

EXAMPLES = {
    "revenue": format_examples("masthead revenue --account acme --day 2026-12-31"),
}


@on_account
async def revenue(
    db: Database,
    account: Account,
    *,
    day: Annotated[str, Parameter(name="--day")],
    json: Json = False,
) -> None:
    """Make a statement of deferred revenue: what was sold for issues not sent by a day.

    The statement is stored, and the pages show it.

    Parameters
    ----------
    day
        the statement is of the end of this day
    """
    id = await request_statement(
        db, account.id, parse_date(day), today=account.daily_date, by=command_actor("revenue")
    )
    statement = await make_statement(db, account.id, id)
    if statement.figures is None:
        raise CommandError("The statement failed at the same time in another process.")
    if json:
        print_json(_describe(statement))
        return
    for each in statement.figures.currencies:
        total = each.total
        vat = ""
        if statement.figures.is_net:
            vat = f"without VAT; VAT {money_text(total.vat, each.currency)}, "
        print_data(
            f"{each.currency}: deferred {money_text(total.deferred, each.currency)}, "
            f"earned {money_text(total.earned, each.currency)}, "
            f"kept after cancellation {money_text(total.kept, each.currency)}, {vat}"
            f"refunded {money_text(total.refunds, each.currency)}"
        )
    if not statement.figures.currencies:
        print_data("There were no orders on that day.")


def _describe(statement: Statement) -> dict[str, object]:
    """The statement with amounts as decimal texts."""
    assert statement.figures is not None
    return {
        "id": statement.id,
        "day": statement.statement_date.isoformat(),
        "sha256": statement.sha256,
        "orders_sha256": statement.orders_sha256,
        "is_net": statement.figures.is_net,
        "currencies": [_describe_currency(each) for each in statement.figures.currencies],
    }


def _describe_currency(figures: CurrencyFigures) -> dict[str, object]:
    code = figures.currency
    return {
        "currency": code,
        "total": _describe_sums(figures.total, code),
        "subscriptions": _describe_sums(figures.subscriptions, code),
        "memberships": _describe_sums(figures.memberships, code),
        "issues": [
            {
                "number": issue.number,
                "name": issue.name,
                "copies_sent": issue.copies,
                "earned": money_text(issue.earned, code),
                "copies_not_sent": issue.unsent,
                "deferred": money_text(issue.deferred, code),
            }
            for issue in figures.issues
        ],
        "not_yet_announced": money_text(figures.later, code),
    }


def _describe_sums(sums: Sums, currency: str) -> dict[str, object]:
    amounts = msgspec.structs.asdict(sums)
    orders = amounts.pop("orders")
    texts = {name: money_text(amount, currency) for name, amount in amounts.items()}
    return {"orders": orders, **texts}


COMMANDS = {"revenue": revenue}
