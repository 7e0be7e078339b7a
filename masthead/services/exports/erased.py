"""Erase again the people in an imported export who were erased, then or since."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.exports.ids import IdChange
from masthead.model.privacy.erasures import AccountErasures
from masthead.services.privacy.moved_erasures import (
    decode_erasures,
    erase_found,
    get_account_erasures,
)
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.store.exports import loading

ERASURES = "erasures.json"  # in the folder of an export, if the account has any


def read_erasures(content: bytes, account: str, number: int) -> list[AccountErasures]:
    """The erasures of an account in a file of erasures. Raises: Invalid."""
    found = decode_erasures(content)
    return [each for each in found if (each.account, each.account_id) == (account, number)]


def erasures_of_folder(folder: Path, account: str, number: int) -> list[AccountErasures]:
    """The erasures until the moment of an export. Raises: Invalid."""
    path = folder / ERASURES
    return read_erasures(path.read_bytes(), account, number) if path.is_file() else []


async def erase_loaded(
    tx: Transaction,
    account_id: int,
    moved: Sequence[AccountErasures],
    change: IdChange,
    *,
    placeholder_domain: str,
    by: Actor,
) -> int:
    """Erase the subscribers of an imported export again if erasures name them; returns how many.

    moved: erasures of the exported account. Later imports leave out these people, too.
    """
    erased = 0
    for each in moved:
        here = structs.replace(
            each,
            account_id=account_id,
            erasures=[
                structs.replace(
                    erasure,
                    id=change.record(erasure.id),
                    subscriber_id=change.record(erasure.subscriber_id),
                    actor_id=change.record(erasure.actor_id),
                )
                for erasure in each.erasures
            ],
        )
        erased += await erase_found(tx, here, placeholder_domain=placeholder_domain, by=by)
    return erased


async def erasures_here(
    tx: Transaction, account_id: int, account: str, number: int, change: IdChange
) -> list[AccountErasures]:
    """The erasures of the exported account, if it is in this database: also those since."""
    found = await accounts.find_account(tx, account)
    if found is None or found.id != number or found.id == account_id:
        return []
    live = await get_account_erasures(tx, found)
    if live is None:
        return []
    # another server may have an account with this name and number, so the subscribers must match
    ids = {change.record(each.subscriber_id) for each in live.erasures}
    known = await loading.find_subscribers(tx, account_id, ids)
    erasures = [each for each in live.erasures if change.record(each.subscriber_id) in known]
    return [structs.replace(live, erasures=erasures)]
