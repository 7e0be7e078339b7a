"""A restored database is erased again."""

import msgspec
import pytest

from masthead.model.errors import Invalid
from masthead.model.privacy.erasures import ErasuresFile
from masthead.services.check.accounts import check_account
from masthead.services.privacy.data_subjects import find_subscriber
from masthead.services.privacy.erase import preview_erasure
from masthead.services.privacy.finish import finish_erasures
from masthead.services.privacy.moved_erasures import export_erasures, reapply_erasures
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row, make_issue, make_subscription
from tests.support.letters import execute
from tests.support.privacy import erase, find_traces, make_batch
from tests.support.subscribers import make_subscriber, merge, require_sound, set_columns

EMAIL = "zebedee@secretword.test"


async def erasures_of(cast: Cast) -> bytes:
    """The erasures of one account alone; the database of the tests has others."""
    file = msgspec.json.decode(await export_erasures(cast.db), type=ErasuresFile)
    mine = [each for each in file.accounts if each.account_id == cast.account_id]
    return msgspec.json.encode(ErasuresFile(accounts=mine))


async def reapply(db: Database, content: bytes) -> int:
    """Apply erasures again."""
    return await reapply_erasures(db, content, placeholder_domain=PLACEHOLDER_DOMAIN, by=BY)


async def forget_erasures(cast: Cast) -> None:
    """Let the database be as if a backup from before the erasures had been restored."""
    for table in ("erasure_digest", "erasure"):
        await execute(cast, f"DELETE FROM {table} WHERE account_id = :account_id")  # noqa: S608 - the names above
    name = f"erasures-{cast.account_id}"
    await execute(cast, "DELETE FROM secret WHERE name = :name AND :account_id > 0", name=name)


async def returned(cast: Cast) -> set[str]:
    """The subscribers of whom `check` says that they came back."""
    found = [fault async for fault in check_account(cast.db, cast.subdomain)]
    return {fault.id for fault in found if "come back" in fault.invariant}


@pytest.mark.slow
async def test_a_restored_backup_is_erased_again(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1, first_name="Zebedee")
    street = {"address1": "Xylophonweg 7", "postcode": "99999", "last_name": "Quuxley"}
    unnamed = (await import_row(acme, start_issue="1", length="1", **street))["subscriber"]["id"]
    await erase(acme, id)
    await erase(acme, unnamed)
    content = await erasures_of(acme)
    assert b"zebedee" not in content.lower()
    await forget_erasures(acme)
    back = {"email": EMAIL, "email_key": EMAIL, "is_placeholder": False, "first_name": "Zebedee"}
    await set_columns(acme, "subscriber", id, **back)
    (again,) = await acme.db.fetch_all(
        "SELECT id FROM subscription WHERE account_id = :id AND subscriber_id = :unnamed",
        {"id": acme.account_id, "unnamed": unnamed},
    )
    await set_columns(acme, "subscription", again["id"], first_name="Ada", **street)
    await set_columns(acme, "subscriber", unnamed, first_name="Ada")
    other = await make_subscriber(acme, "other@example.test", length=1, first_name="Bert")
    assert await reapply(acme.db, content) == 2
    assert await find_traces(acme, ["zebedee", "quuxley", "xylophon"]) == []
    assert await reapply(acme.db, content) == 0
    assert await finish_erasures(acme.db)
    async with acme.db.read() as db:
        domain = PLACEHOLDER_DOMAIN
        seen = await preview_erasure(db, acme.account_id, other, placeholder_domain=domain)
        assert seen.name == "Bert"
        seen = await preview_erasure(db, acme.account_id, id, placeholder_domain=domain)
        assert seen.erased is not None
    await require_sound(acme)


async def test_who_was_merged_or_came_by_another_id_is_erased_again(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, EMAIL, length=1)
    await erase(acme, id)
    content = await erasures_of(acme)
    kept = await make_subscriber(acme, "kept@example.test", length=1, first_name="Zebedee")
    await make_subscription(acme, email=EMAIL, length=1)
    new = await find_subscriber(acme.db, acme.account_id, EMAIL)
    await merge(acme, kept, new)
    assert await reapply(acme.db, content) == 0  # they came after the erasure
    assert await returned(acme) == set()
    row = {"line": 1, "part": 1, "outcome": "imported", "made": '{"subscriber":true}'}
    await execute(
        acme,
        "INSERT INTO import_row (account_id, batch_id, subscriber_id, line, part, outcome, made)"
        " VALUES (:account_id, :batch, :id, :line, :part, :outcome, :made)",
        **row,
        batch=await make_batch(acme),
        id=new,
    )
    assert await returned(acme) == {new}
    later = content.replace(b'"created_at":"20', b'"created_at":"21')
    assert await reapply(acme.db, later) == 1
    assert await find_traces(acme, ["zebedee", "secretword"]) == []


async def test_only_files_of_erasures_of_the_same_account_are_applied(
    acme: Cast, rival: Cast
) -> None:
    await make_issue(acme)
    await erase(acme, await make_subscriber(acme, EMAIL, length=1))
    content = await erasures_of(acme)
    with pytest.raises(Invalid, match="not a file of erasures"):
        await reapply(acme.db, b"email\na@example.test\n")
    foreign = content.replace(acme.subdomain.encode(), rival.subdomain.encode())
    assert await reapply(acme.db, foreign) == 0
    unknown = content.replace(acme.subdomain.encode(), b"nobody")
    assert await reapply(acme.db, unknown) == 0


@pytest.mark.slow
async def test_erasures_with_another_secret_are_applied_too(acme: Cast) -> None:
    await make_issue(acme)
    await erase(acme, await make_subscriber(acme, EMAIL, length=1))
    street = {"address1": "Xylophonweg 7", "postcode": "99999", "last_name": "Quuxley"}
    made = await import_row(acme, start_issue="1", length="1", **street)
    await erase(acme, made["subscriber"]["id"])
    content = await erasures_of(acme)
    await forget_erasures(acme)
    await erase(acme, await make_subscriber(acme, "other@example.test", length=1))
    back = await make_subscriber(acme, EMAIL, length=1)
    await import_row(acme, start_issue="1", length="1", **street)
    await import_row(acme, start_issue="1", length="1", last_name="Without address")
    later = content.replace(b'"created_at":"20', b'"created_at":"21')
    assert await reapply(acme.db, later) == 2
    assert await find_traces(acme, ["xylophon"]) == []
    assert await find_subscriber(acme.db, acme.account_id, EMAIL) == back
