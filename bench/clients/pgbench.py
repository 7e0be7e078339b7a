"""Run pgbench with the statements of our list, to measure PostgreSQL without a service."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from bench.clients.client import Client
from bench.databases import Built
from bench.options import Options
from bench.servers.processes import SERVERS, masthead, pin
from tests.support.postgres import OwnCluster

PATH = "/v1/subscriptions/?limit=50"
PARAMETER = re.compile(r"\$(\d+) = (?:'((?:[^']|'')*)'|NULL)")
NOISE = ("BEGIN", "COMMIT", "ROLLBACK", "SET ", "SELECT pg_", "DISCARD")


class Pgbench:
    """A script of statements with their parameters."""

    def __init__(self, url: str, script: str, values: dict[str, str], program: str) -> None:
        self.url, self.script, self.values, self.program = url, script, values, program

    @classmethod
    def of_list(cls, cluster: OwnCluster, built: Built) -> "Pgbench | None":
        """The statements of the list, from the server's log; None if there is no pgbench."""
        program = shutil.which("pgbench") or shutil.which("pgbench", path=str(cluster.bindir))
        if program is None:
            return None
        name = built.url.rpartition("/")[2]
        cluster.execute(f"ALTER DATABASE \"{name}\" SET log_statement = 'all'")
        try:
            with masthead(built.url) as server:
                client = Client(server.address, built.key)
                client.ask("GET", PATH)  # authenticates and prepares
                before = cluster.log.stat().st_size
                client.ask("GET", PATH)
                with cluster.log.open() as log:
                    log.seek(before)
                    overheard = log.read()
        finally:
            cluster.execute(f'ALTER DATABASE "{name}" RESET log_statement')
        return cls(built.url, *_script(overheard), program)

    def rate(self, options: Options) -> float:
        """Runs of the script per second, with the same connections, on the cores of our servers."""
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            file.write(self.script)
            file.flush()
            output = subprocess.run(
                [
                    *(self.program, "-n", "-M", "prepared", "-j", "1"),
                    *("-c", str(options.connections), "-T", str(max(1, round(options.seconds)))),
                    *("-f", file.name),
                    *(word for name, value in self.values.items() for word in _option(name, value)),
                    self.url,
                ],
                check=True,
                capture_output=True,
                text=True,
                preexec_fn=pin(SERVERS),
            ).stdout
        found = re.search(r"tps = ([\d.]+)", output)
        assert found, output
        return float(found[1])


def _option(name: str, value: str) -> Sequence[str]:
    return "-D", f"{name}={value}"


def _script(overheard: str) -> tuple[str, dict[str, str]]:
    """The statements of a part of the log, for pgbench, and the values of its variables."""
    statements: list[str] = []
    values: dict[str, str] = {}
    # An entry begins with its time and ends at the next one
    entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", overheard, flags=re.M)
    for entry, after in zip(entries, [*entries[1:], ""], strict=True):
        found = re.search(r"LOG:  execute [^:]+: (.*)", entry, re.S)
        if not found or found[1].startswith(NOISE) or "FROM" not in found[1]:
            continue
        sql = found[1].strip()
        number = len(statements)
        told = after.partition("DETAIL:  ")[2]
        for place, value in PARAMETER.findall(told):
            values[f"p{number}_{place}"] = value.replace("''", "'")
        sql = re.sub(r"\$(\d+)", rf":p{number}_\1", sql)
        statements.append(" ".join(sql.split()) + ";")
    if not statements:
        raise RuntimeError(f"no statement was overheard: {overheard[:2000]}")
    return "\n".join(statements) + "\n", values
