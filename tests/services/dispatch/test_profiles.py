"""Export profiles of an account: create, change, deactivate, find."""

import pytest
from msgspec.structs import replace

from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.profiles import ExportProfile, FileFormat, FormulaRule
from masthead.model.errors import Invalid, NotFound
from masthead.services.dispatch import profiles as service
from tests.conftest import BY, Cast

CSV = FileFormat.CSV
SETTINGS = BUILT_IN["mailing-house"].settings


async def create(cast: Cast, name: str = "Ours") -> ExportProfile:
    return await service.create_profile(
        cast.db, cast.account_id, name=name, settings=SETTINGS, by=BY
    )


async def events(cast: Cast) -> list[str]:
    rows = await cast.db.fetch_all(
        "SELECT action FROM audit WHERE account_id = :a AND action LIKE 'export_profile%'"
        " ORDER BY id",
        {"a": cast.account_id},
    )
    return [row["action"].partition(".")[2] for row in rows]


async def test_a_profile_is_listed_after_the_built_in_ones(acme: Cast, rival: Cast) -> None:
    made = await create(acme)
    listed = await service.list_profiles(acme.db, acme.account_id)
    assert listed == [*BUILT_IN.values(), made]
    assert made.settings == SETTINGS
    assert await service.list_profiles(rival.db, rival.account_id) == [*BUILT_IN.values()]
    assert await service.get_profile(acme.db, acme.account_id, made.id) == made
    assert (
        await service.get_profile(acme.db, acme.account_id, "spreadsheet")
        == BUILT_IN["spreadsheet"]
    )
    with pytest.raises(NotFound):
        await service.get_profile(rival.db, rival.account_id, made.id)


async def test_only_active_profiles_of_a_format_can_be_chosen(acme: Cast) -> None:
    made = await create(acme)
    chosen = await service.list_active(acme.db, acme.account_id)
    assert made.id in {each.id for each in chosen if CSV in each.settings.formats}
    labels = [each.id for each in chosen if FileFormat.PDF in each.settings.formats]
    assert labels == [id for id in BUILT_IN if id.startswith("labels-")]
    await service.set_profile_active(acme.db, acme.account_id, made.id, is_active=False, by=BY)
    assert made.id not in {each.id for each in await service.list_active(acme.db, acme.account_id)}
    with pytest.raises(Invalid, match="There is no export profile `Ours`"):
        await service.find_profile(acme.db, acme.account_id, "Ours", CSV, home=None)


async def test_a_profile_is_found_by_id_by_name_or_by_default(acme: Cast) -> None:
    made = await create(acme)
    for text in (made.id, "ours", "OURS"):
        found = await service.find_profile(acme.db, acme.account_id, text, CSV, home=None)
        assert found == made
    default = await service.find_profile(acme.db, acme.account_id, None, CSV, home="US")
    assert default.id == "mailing-house"
    with pytest.raises(NotFound):
        await service.find_profile(acme.db, acme.account_id, "x" * 81, CSV, home=None)
    with pytest.raises(Invalid, match="is for `csv`, `xlsx`, `zip`, not for `pdf`"):
        await service.find_profile(acme.db, acme.account_id, "ours", FileFormat.PDF, home=None)


async def test_changes_are_in_the_audit_trail_and_nothing_is_recorded_without_one(
    acme: Cast,
) -> None:
    made = await create(acme)
    changed = replace(SETTINGS, formulas=FormulaRule.KEEP)
    for _ in range(2):
        updated = await service.update_profile(
            acme.db, acme.account_id, made.id, name="Ours", settings=changed, by=BY
        )
        assert updated.settings == changed
    for is_active in (False, False, True):
        await service.set_profile_active(
            acme.db, acme.account_id, made.id, is_active=is_active, by=BY
        )
    assert await events(acme) == ["create", "update", "deactivate", "activate"]


@pytest.mark.parametrize("name", ["Ours", "ours", "Mailing house (csv)", "spreadsheet"])
async def test_a_name_is_used_once(acme: Cast, name: str) -> None:
    await create(acme)
    other = await create(acme, "Theirs")
    with pytest.raises(Invalid, match="already has this name"):
        await create(acme, name)
    with pytest.raises(Invalid, match="already has this name"):
        await service.update_profile(
            acme.db, acme.account_id, other.id, name=name, settings=SETTINGS, by=BY
        )


async def test_the_name_of_an_inactive_profile_is_free(acme: Cast) -> None:
    old = await create(acme)
    await service.set_profile_active(acme.db, acme.account_id, old.id, is_active=False, by=BY)
    await create(acme)
    with pytest.raises(Invalid, match="already has this name"):
        await service.set_profile_active(acme.db, acme.account_id, old.id, is_active=True, by=BY)


@pytest.mark.parametrize("name, message", [(" ", "`name` is empty"), ("x" * 81, "at most 80")])
async def test_an_invalid_name_is_refused(acme: Cast, name: str, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        await create(acme, name)


async def test_a_built_in_profile_cannot_be_changed(acme: Cast) -> None:
    with pytest.raises(Invalid, match="is built in"):
        await service.update_profile(
            acme.db, acme.account_id, "mailing-house", name="X", settings=SETTINGS, by=BY
        )
    with pytest.raises(Invalid, match="is built in"):
        await service.set_profile_active(
            acme.db, acme.account_id, "mailing-house", is_active=False, by=BY
        )
