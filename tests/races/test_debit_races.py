"""Two people who make a collection at once."""

import asyncio
from datetime import date

import pytest

from masthead.model.debits.rules import Collection, DebitStatus
from masthead.model.errors import Invalid
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mark import mark_invoice
from tests.conftest import BY, Cast
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, ROUNDS, repeat, run
from tests.support.billing import bill_one
from tests.support.days import pass_on
from tests.support.debits import DUE, debit_one, list_debits, make_debtor, turn_on_debits
from tests.support.protections import REFUSED_OR_BROKEN

pytestmark = pytest.mark.races
DAY = date.fromisoformat(DUE)
_payers: dict[str, str] = {}


async def payer_of(cast: Cast, number: int) -> str:
    """The payer of all rounds, whom the first one adds."""
    if number == 10:
        await turn_on_debits(cast)
        _payers[cast.subdomain] = await make_debtor(cast)
        await pass_on(cast, "2026-02-27")
    return _payers[cast.subdomain]


async def collect_at_once(one: Cast, two: Cast, number: int) -> None:
    """Each debit is in one collection, whoever is first; the other is told."""
    invoice = await debit_one(one, await payer_of(one, number), order_id=f"D{number}", due_days=0)
    done = await asyncio.gather(
        *(
            create_collection(cast.db, cast.account_id, day=date(2026, 3, 9), by=BY)
            for cast in (one, two, one, two)
        ),
        return_exceptions=True,
    )
    made = [each for each in done if isinstance(each, Collection)]
    refused = [each for each in done if not isinstance(each, Collection)]
    assert len(made) == 1, done
    assert all(isinstance(each, Invalid) for each in refused), refused
    [debit] = await list_debits(one, invoice.id)
    assert (debit.status, debit.collection_id) == (DebitStatus.COLLECTED, made[0].id)
    assert made[0].debits == 1


async def mark_at_once(one: Cast, two: Cast, number: int) -> None:
    """An invoice is marked once."""
    payer = await payer_of(one, number)
    invoice = await bill_one(one, subscriber_id=payer, order_id=f"M{number}")
    done = await asyncio.gather(
        *(
            mark_invoice(cast.db, cast.account_id, invoice.id, notified=DAY, by=BY)
            for cast in (one, two, one, two)
        ),
        return_exceptions=True,
    )
    assert sum(isinstance(each, Invalid) for each in done) == 3, done
    assert len(await list_debits(one, invoice.id)) == 1


@pytest.mark.parametrize("race", [collect_at_once, mark_at_once])
async def test_the_data_is_correct_after_every_race(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
async def test_without_its_protection_a_race_fails(unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(collect_at_once, unlocked_url, CONTROL_ROUNDS)
