"""What masthead is compared with: the bare server, the queries of peers, another version."""

import subprocess
from pathlib import Path

import pytest

from bench.checkouts import NoSuchCheckout, checked_out
from bench.clients.pgbench import Pgbench, statements_of
from bench.options import ROOT
from bench.peers.queries import scans_of
from bench.report.compared_tables import against_table, endpoint_table, peer_table
from bench.report.targets import LIST, targets
from bench.results import Result

LOG = """\
2026-01-01 10:00:00 UTC LOG:  execute __a__: BEGIN
2026-01-01 10:00:00 UTC LOG:  execute __b__: SELECT document
    FROM subscription_document
    WHERE account_id = $1 AND id < $2
2026-01-01 10:00:00 UTC DETAIL:  parameters: $1 = '32', $2 = 'it''s'
"""


def result(part: str, row: object, **more: object) -> Result:
    data = {"rows": [row], "worker_bytes": 0, **more}
    return Result(part, "sqlite", "", "", "short", 1, 1.0, {}, {}, data)


def one(value: float) -> dict[str, float]:
    return {"median": value, "least": value, "most": value}


def test_the_statements_of_a_request_are_read_from_the_log_of_the_server() -> None:
    sql = "SELECT document FROM subscription_document WHERE account_id = $1 AND id < $2"
    assert statements_of(LOG) == [(sql, ["32", "it's"])]
    pgbench = Pgbench("", statements_of(LOG), "pgbench")
    assert pgbench.script.endswith("account_id = :p0_1 AND id < :p0_2;\n")
    assert pgbench.values == {"p0_1": "32", "p0_2": "it's"}


def test_a_plan_names_the_tables_that_it_scans_as_a_whole() -> None:
    lines = ["SEARCH subscription USING INDEX a (id<?)", "SCAN period", "SCAN 2-ROW VALUES CLAUSE"]
    lines += [
        "SCAN period_1",
        "SCAN issue USING COVERING INDEX b",
        "  ->  Seq Scan on source  (cost=0.00..1.03)",
    ]
    assert scans_of(lines) == ["period", "source"]


def test_reads_are_judged_by_the_bare_server_and_show_our_own_overhead() -> None:
    own = {name: one(1.0) for name in ("rate", "p50", "p99", "cpu")}
    row = {"name": LIST, "bytes": 5, "masthead": own, "of_bare": one(0.3), "of_limit": one(0.9)}
    measured = result("endpoints", {**row, "overhead": one(42.5)})
    [target] = targets({("endpoints", "sqlite"): measured})
    assert (target.what, target.bound, target.value) == (
        "relative to the bare server: list subscriptions, 50",
        0.35,
        0.3,
    )
    assert not target.is_met
    assert "own overhead, µs | vs. bare server" in endpoint_table(measured)
    assert "| 42.5 | 0.3 |" in endpoint_table(measured)


def test_the_queries_of_peers_are_printed_beside_their_rates() -> None:
    rates = {name: {"rate": one(10)} for name in ("masthead", "fastapi", "django")}
    ratios = {"of_fastapi": one(1), "of_django": one(1)}
    costs = {"fastapi": {"queries": 3, "rows": 150, "scans": []}}
    costs["django"] = {"queries": 4, "rows": 160, "scans": ["period"]}
    table = peer_table(result("peers", {"name": LIST, **rates, **ratios, "costs": costs}))
    assert "3 queries, 150 rows, scanned: nothing" in table
    assert "4 queries, 160 rows, scanned: period" in table


def test_a_slower_operation_is_a_finding() -> None:
    row = {"name": "me", "before": one(100), "after": one(80), "speed": one(0.8)}
    measured = result("against", row, against="v0.2.0", file_rows=100)
    assert "0.8× | **slower** |" in against_table(measured)
    [target] = targets({("against", "sqlite"): measured})
    assert not target.is_met
    assert "v0.2.0; the slowest of 1, 1 slower: me" in target.about


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no checkout of git, so no commits")
def test_a_commit_is_checked_out_until_the_end_of_the_block() -> None:
    with checked_out("HEAD") as folder:
        assert (folder / "masthead" / "__init__.py").exists()
        assert folder != ROOT
    assert not folder.exists()
    listed = subprocess.run(
        ["git", "worktree", "list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert str(folder) not in listed.stdout


def test_what_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(NoSuchCheckout, match=r"use a folder, a tag such as `v0\.2\.0`, or a commit"),
        checked_out(str(tmp_path / "nothing")),
    ):
        pass
