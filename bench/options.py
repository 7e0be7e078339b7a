"""The options: the parts to measure, the amount of data, and the time."""

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "memory",
    "endpoints",
    "unchanged",
    "workers",
    "peers",
    "writes",
    "bulk",
    "events",
    "beside",
    "fairness",
    "dispatch",
    "moving",
    "pages",
    "growth",
    "search",
    "engine",
    "against",
)
DATABASES = ("sqlite", "postgres")


def default_cache() -> Path:
    """The folder of built databases: `MASTHEAD_BENCH_CACHE`, or a temporary folder."""
    named = os.environ.get("MASTHEAD_BENCH_CACHE")
    return Path(named) if named else Path(tempfile.gettempdir()) / "masthead-bench"


@dataclass(frozen=True, kw_only=True)
class Options:
    """One run.

    parts, databases: what is measured, on which. rounds: of every comparison, in turn.
    seconds: of load a round. connections: of the load generator.
    copies: of the account on which endpoints are measured; sizes: of those that show growth, on
    PostgreSQL up to postgres_most.
    bulk: subscriptions under one write. dispatch: copies of a run. moving: rows of a file that is
    imported. subscribers: of the accounts searched. import_rows: of the import whose memory is
    measured. requests: one after the other, for each case and round of growth and search, within
    `seconds`. against: a commit, a tag or a folder to compare each operation with; without it, the
    part `against` is left out.
    """

    name: str
    parts: tuple[str, ...] = PARTS
    databases: tuple[str, ...] = DATABASES
    rounds: int = 5
    seconds: float = 1.0
    connections: int = 16
    copies: int = 1_000_000
    sizes: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    postgres_most: int = 1_000_000
    bulk: int = 100_000
    dispatch: int = 50_000
    moving: int = 20_000
    subscribers: tuple[int, ...] = (20_000, 100_000)
    import_rows: int = 20_000
    requests: int = 50
    against: str | None = None
    cache: Path = field(default_factory=default_cache)
    results: Path = ROOT / "bench" / "results"
    page: Path = ROOT / "docs" / "performance.md"

    def sizes_on(self, backend: str) -> tuple[int, ...]:
        """The sizes that show growth on a database."""
        most = self.postgres_most if backend == "postgres" else max(self.sizes)
        return tuple(size for size in self.sizes if size <= most)


SHORT = Options(name="short", seconds=0.5, copies=100_000, sizes=(10_000, 100_000), bulk=20_000)
FULL = Options(
    name="full",
    sizes=(10_000, 100_000, 1_000_000, 10_000_000),
    moving=100_000,
    subscribers=(20_000, 1_000_000),
    import_rows=1_000_000,
)
SMOKE = Options(
    name="smoke",
    rounds=1,
    seconds=0.05,
    connections=4,
    copies=900,
    sizes=(900,),
    bulk=60,
    dispatch=60,
    moving=60,
    subscribers=(60,),
    import_rows=60,
    requests=2,
)
PRESETS = {options.name: options for options in (SHORT, FULL, SMOKE)}
