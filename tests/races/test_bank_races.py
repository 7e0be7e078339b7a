"""Two people at one bank line, and one statement in two uploads."""

import asyncio

import pytest

from masthead.model.errors import Invalid
from masthead.services.billing.bank_lines import confirm_line
from tests.conftest import BY, Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, repeat, run
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import bill, read_invoice, turn_on_billing
from tests.support.protections import REFUSED_OR_BROKEN

pytestmark = pytest.mark.races


async def confirm_twice(one: Cast, two: Cast, number: int) -> None:
    """A line is confirmed once, whoever is first; the other is told."""
    if number == 10:
        await turn_on_billing(one)
    placed = await bill(one, order_id=f"O{number}", price=f"{number}.00")
    [invoice_id] = placed.invoices
    await import_lines(one, bank_line(100 * number))
    [line] = await list_lines(one, status="open")
    done = await asyncio.gather(
        *(
            confirm_line(cast.db, cast.account_id, line.id, [invoice_id], by=BY)
            for cast in (one, two, one, two)
        ),
        return_exceptions=True,
    )
    refused = [each for each in done if isinstance(each, BaseException)]
    assert len(refused) == 3, done
    for each in refused:
        assert isinstance(each, Invalid), each
        assert each.code == "changed_meanwhile"
    assert (await read_invoice(one, invoice_id)).open_amount == 0
    assert await count(one, "payment", 100 * number) == 1


async def count(cast: Cast, table: str, amount: int) -> int:
    """The number of rows of an amount."""
    [row] = await cast.db.fetch_all(
        f"SELECT count(*) AS n FROM {table} WHERE account_id = :account_id AND amount = :amount",  # noqa: S608
        {"account_id": cast.account_id, "amount": amount},
    )
    return int(row["n"])


async def import_twice(one: Cast, two: Cast, number: int) -> None:
    """A statement is stored once; the other upload finds it."""
    amounts = (1_000_000 + number, 2_000_000 + number)
    lines = [bank_line(amount) for amount in amounts]
    done = await asyncio.gather(
        *(import_lines(cast, *lines, file=f"F{number}") for cast in (one, two, one, two))
    )
    assert sorted(each.is_known for each in done) == [False, True, True, True]
    assert len({tuple(each.statements) for each in done}) == 1
    assert [await count(one, "bank_line", amount) for amount in amounts] == [1, 1]


@pytest.mark.parametrize("race", [confirm_twice, import_twice])
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
async def test_without_its_protection_a_race_fails(unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(confirm_twice, unlocked_url, CONTROL_ROUNDS)
