"""`masthead distribute`: it says what it will do, and does it only with `--yes`."""

import asyncio

import pytest

from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.engine.interface import is_postgres
from tests.cli.conftest import CommandLine
from tests.store.engine.citus.fake_citus import FAKE_CITUS
from tests.store.engine.citus.test_distribute import execute
from tests.support import citus

# What Citus has, for statements with the time of a long job; others are canceled
SLOW_CATALOG = """
    ALTER VIEW pg_dist_partition RENAME TO fake_partition;
    CREATE FUNCTION has_time() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        IF CAST(current_setting('statement_timeout') AS interval) < interval '1 minute' THEN
            RAISE query_canceled;
        END IF;
        RETURN true;
    END $$;
    CREATE VIEW pg_dist_partition AS SELECT * FROM fake_partition WHERE has_time();
"""


def test_a_database_without_citus_is_refused_with_a_way_out(
    masthead: CommandLine, cli_url: str
) -> None:
    if citus.has(cli_url):
        pytest.skip("this one has Citus")
    refused = masthead("distribute --yes", code=1)
    assert "masthead copy-database" in refused.err or "CREATE EXTENSION citus" in refused.err
    assert refused.out == ""


def test_the_plan_is_printed_before_anything_is_done(
    bare: CommandLine, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_postgres(scratch_url):
        pytest.skip("Citus is an extension of PostgreSQL")
    if citus.has(scratch_url):
        pytest.skip("a fake of Citus cannot be where Citus is")
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", scratch_url)
    asyncio.run(execute(scratch_url, FAKE_CITUS))
    plan = bare("distribute --dry-run")
    assert [line.split()[:2] for line in plan.out.splitlines()] == [
        ["1.", "Remove"],
        ["2.", "Copy"],
        ["3.", "Distribute"],
        ["4.", "Delete"],
        ["5.", "Add"],
    ]
    assert "masthead distribute --yes" in plan.err
    assert bare("distribute", code=1).out == plan.out
    assert "are not distributed" in bare("check").err
    done = bare("distribute --yes")
    assert done.out == plan.out
    assert "The database is distributed" in done.err
    tables = len(DISTRIBUTED)
    assert f"\n  copy ({DISTRIBUTED.index('copy') + 1} of {tables})\n" in done.err
    assert f"\n  account (1 of {tables + 1})\n" in done.err  # whose local rows are deleted
    assert "nothing to do" in bare("distribute --yes").err
    assert f"{len(DISTRIBUTED)} distributed tables" in bare("check").err
    asyncio.run(execute(scratch_url, "DELETE FROM fake_citus WHERE name = 'copy'"))
    assert (
        "Citus has each table where it belongs: `copy` is a local table"
        in bare("check", code=1).out
    )
    asyncio.run(execute(scratch_url, SLOW_CATALOG))
    assert "`copy` is a local table" in bare("check", code=1).out
