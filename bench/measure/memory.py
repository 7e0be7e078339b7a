"""Memory: of a worker on the largest data, of an export of them, and of an import."""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from bench import data
from bench.clients.client import Client
from bench.databases import Built, Databases
from bench.measure.growth import cases_of, path_of
from bench.options import Options
from bench.progress import say
from bench.rounds import Figures
from bench.servers.processes import masthead
from bench.within import measured

REQUESTS = 20  # of each list


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Bytes. The import was measured when `prepare` made it."""
    imported = databases.get(backend, data.PEOPLE, options.import_rows)
    size = max(options.sizes_on(backend))
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(size))
    exported = _export(built, options.cache)
    with ExitStack() as stack:
        server = stack.enter_context(masthead(built.url))
        client = Client(server.address, built.key)
        idle = server.worker_bytes
        for case in cases_of(client, built):
            if case.group != "other":
                path = path_of(case, built)
                for _ in range(REQUESTS):
                    client.ask("GET", path)
        return {
            "copies": size,
            "worker_idle_bytes": idle,
            "worker_bytes": server.worker_bytes,
            "import_rows": imported.rows,
            "import_bytes": imported.peak_bytes,
            "import_rate": imported.rows / imported.seconds,
            **exported,
        }


def _export(built: Built, folder: Path) -> Figures:
    """The peak memory and the speed of an export of everything. It needs space in the folder."""
    with TemporaryDirectory(dir=folder) as target:
        began = perf_counter()
        words = ["export", "--account", "bench", str(Path(target) / "export"), "--json"]
        told, peak = measured(built.url, *words)
        seconds = perf_counter() - began
    say(f"exported {told['rows']:,} rows in {seconds:.0f} s, peak memory {peak / 1e6:.0f} MB")
    return {
        "export_rows": told["rows"],
        "export_bytes": peak,
        "export_rate": told["rows"] / seconds,
    }
