"""An export that is imported replaces what its account was set up with, and nothing else."""

from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.model.exports.contents import SETTINGS
from masthead.model.exports.ids import IdChange
from masthead.model.reminders.stages import ReminderSettings
from masthead.services.reminders.settings import adopt_defaults, save_settings
from tests.conftest import BY, Cast
from tests.services.exports.test_round_trip import as_before, load
from tests.services.exports.test_write import export
from tests.support.bank import bank_line, import_lines
from tests.support.billing import turn_on_billing
from tests.support.rich_account import make_rich


async def test_settings_are_replaced(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    await turn_on_billing(rival, has_issue=True)
    await adopt_defaults(rival.db, rival.account_id, by=BY)
    await save_settings(rival.db, rival.account_id, ReminderSettings(least_amount=700), by=BY)
    await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
    await export(rival, tmp_path / "new")
    for exported in SETTINGS:
        ids = IdChange(acme.account_id, rival.account_id, {})
        before = as_before(tmp_path / "old", exported.name, ids)
        assert as_before(tmp_path / "new", exported.name) == before


async def test_bank_statements_are_not_mixed(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await export(acme, tmp_path / "old")
    await turn_on_billing(rival, has_issue=True)
    await import_lines(rival, bank_line())
    with pytest.raises(Invalid, match="already has rows in `bank_statement`"):
        await load(rival.db, rival.account_id, tmp_path / "old", by=BY)
