"""Memory: of a worker on the largest data, and of an import."""

from contextlib import ExitStack

from bench import data
from bench.clients.client import Client
from bench.databases import Databases
from bench.measure.growth import cases_of, path_of
from bench.options import Options
from bench.rounds import Figures
from bench.servers.processes import masthead

REQUESTS = 20  # of each list


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Bytes. The import was measured when `prepare` made it."""
    imported = databases.get(backend, data.PEOPLE, options.import_rows)
    size = max(options.sizes_on(backend))
    built = databases.get(backend, data.COPIES, data.COPIES.rows_for(size))
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
        }
