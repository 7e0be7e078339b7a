"""An export that is imported does not bring erased people back."""

from functools import partial
from pathlib import Path

import msgspec
import pytest

from masthead.model.errors import Invalid
from masthead.model.exports.ids import IdChange
from masthead.model.imports.batches import RowOutcome
from masthead.model.privacy.erasures import ErasuresFile
from masthead.services.exports.erased import erasures_here
from masthead.services.exports.load import load_export
from masthead.services.privacy.moved_erasures import export_erasures
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.exports.test_write import export
from tests.services.imports.support import imported, row
from tests.services.imports.test_runs import rows_of
from tests.support.checks import faults
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.support.privacy import erase
from tests.support.walk import walk

load = partial(load_export, placeholder_domain=PLACEHOLDER_DOMAIN, by=BY)


async def emails(cast: Cast) -> list[str]:
    """The emails of all subscribers, without placeholders."""
    found = await walk(cast, "/v1/subscribers/")
    return sorted(each["email"] for each in found if PLACEHOLDER_DOMAIN not in each["email"])


async def subscribers_of(cast: Cast, *addresses: str) -> list[str]:
    """New subscribers; their ids."""
    await make_issue(cast)
    await imported(
        cast, *(row(f"A{n}", email=each, length="1") for n, each in enumerate(addresses))
    )
    found = {each["email"]: each["id"] for each in await walk(cast, "/v1/subscribers/")}
    return [found[each] for each in addresses]


async def test_who_was_erased_before_the_export_is_not_imported_again(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    ada, _bob = await subscribers_of(acme, "ada@example.test", "bob@example.test")
    await erase(acme, ada)
    await export(acme, tmp_path / "old")
    done = await load(rival.db, rival.account_id, tmp_path / "old")
    assert (done.erased, await emails(rival)) == (0, ["bob@example.test"])
    again = await imported(rival, row("A0", email="ada@example.test"), row("A9"), sha256="9")
    assert (again.counts.left_out, again.counts.imported) == (1, 1)
    [left_out] = await rows_of(rival, again, RowOutcome.LEFT_OUT)
    assert "was erased" in left_out.reasons[0].text
    assert await faults(rival) == []


async def test_an_account_without_erasures_is_imported_as_it_is(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    await subscribers_of(acme, "ada@example.test")
    await export(acme, tmp_path / "old")
    assert not (tmp_path / "old" / "erasures.json").exists()
    done = await load(rival.db, rival.account_id, tmp_path / "old")
    assert (done.erased, await emails(rival)) == (0, ["ada@example.test"])


async def test_who_was_erased_since_the_export_is_erased_again(
    acme: Cast, rival: Cast, tmp_path: Path
) -> None:
    ada, bob = await subscribers_of(acme, "ada@example.test", "bob@example.test")
    await erase(acme, bob)
    await export(acme, tmp_path / "old")
    await erase(acme, ada)
    done = await load(rival.db, rival.account_id, tmp_path / "old")
    assert (done.erased, await emails(rival)) == (1, [])
    again = await imported(rival, row("A0", email="ada@example.test"), sha256="9")
    assert again.counts.left_out == 1
    assert await faults(rival) == []


@pytest.mark.parametrize("is_known", [True, False])
async def test_erasures_of_another_server_are_given_in_a_file(
    acme: Cast, rival: Cast, tmp_path: Path, is_known: bool
) -> None:
    ada, _bob = await subscribers_of(acme, "ada@example.test", "bob@example.test")
    await export(acme, tmp_path / "old")
    await erase(acme, ada)
    file = msgspec.json.decode(await export_erasures(acme.db), type=ErasuresFile)
    content = msgspec.json.encode(file)

    async def forget(tx: object) -> None:
        for statement in (
            "DELETE FROM erasure_digest WHERE account_id = :id",
            "DELETE FROM erasure WHERE account_id = :id",
        ):
            await tx.execute(statement, {"id": acme.account_id})  # type: ignore[attr-defined]

    await acme.db.write(forget)  # the account that exported is on another server
    with pytest.raises(Invalid, match="not a file of erasures"):
        await load(rival.db, rival.account_id, tmp_path / "old", erasures=b"[]")
    given = content if is_known else msgspec.json.encode(ErasuresFile(accounts=[]))
    done = await load(rival.db, rival.account_id, tmp_path / "old", erasures=given)
    expected = ["bob@example.test"] if is_known else ["ada@example.test", "bob@example.test"]
    assert (done.erased, await emails(rival)) == (int(is_known), expected)
    assert await faults(rival) == []


async def test_accounts_of_other_servers_and_the_new_account_have_no_erasures_here(
    acme: Cast, rival: Cast
) -> None:
    [ada] = await subscribers_of(acme, "ada@example.test")
    await erase(acme, ada)
    number, change = acme.account_id, IdChange(acme.account_id, rival.account_id, {})

    async def work(tx: Transaction) -> None:
        for name, of in [("nobody", number), (acme.subdomain, number + 1)]:
            assert await erasures_here(tx, rival.account_id, name, of, change) == []
        assert await erasures_here(tx, number, acme.subdomain, number, change) == []
        [here] = await erasures_here(tx, rival.account_id, acme.subdomain, number, change)
        assert here.account == acme.subdomain

    await acme.db.write(work)
