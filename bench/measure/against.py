"""Each operation compared with another version of masthead, such as the last release."""

from bench.checkouts import checked_out
from bench.compare import compare
from bench.data import SUBSCRIPTION_ISSUES
from bench.databases import Databases
from bench.options import ROOT, Options
from bench.rounds import Figures

MOST_ROWS = 4_000


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each operation; both versions have a database of their own."""
    assert options.against is not None
    rows = min(MOST_ROWS, options.copies // SUBSCRIPTION_ISSUES + 100)
    with checked_out(options.against) as folder:
        found = compare(
            {"before": folder, "after": ROOT},
            backend,
            rows=rows,
            rounds=options.rounds,
            seconds=options.seconds,
            connections=options.connections,
        )
        return {"against": options.against, "file_rows": rows, "rows": list(found)}
