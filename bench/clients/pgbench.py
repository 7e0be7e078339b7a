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


Statement = tuple[str, list[str]]  # with `$1`; its values as text


class Pgbench:
    """A script of statements with their parameters."""

    def __init__(self, url: str, statements: Sequence[Statement], program: str) -> None:
        self.url, self.statements, self.program = url, statements, program
        self.script, self.values = _script(statements)

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
        return cls(built.url, statements_of(overheard), program)

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


def statements_of(overheard: str) -> list[Statement]:
    """The statements of a part of the log. Raises: RuntimeError if there is none."""
    found: list[Statement] = []
    # An entry begins with its time and ends at the next one
    entries = re.split(r"^(?=\d{4}-\d\d-\d\d )", overheard, flags=re.M)
    for entry, after in zip(entries, [*entries[1:], ""], strict=True):
        match = re.search(r"LOG:  execute [^:]+: (.*)", entry, re.S)
        if not match or match[1].startswith(NOISE) or "FROM" not in match[1]:
            continue
        told = after.partition("DETAIL:  ")[2]
        values = {int(n): value.replace("''", "'") for n, value in PARAMETER.findall(told)}
        found.append((" ".join(match[1].split()), [values[n] for n in sorted(values)]))
    if not found:
        raise RuntimeError(f"no statement was overheard: {overheard[:2000]}")
    return found


def _script(statements: Sequence[Statement]) -> tuple[str, dict[str, str]]:
    """The statements for pgbench, and the values of its variables."""
    lines = [
        re.sub(r"\$(\d+)", rf":p{number}_\1", sql) + ";\n"
        for number, (sql, _values) in enumerate(statements)
    ]
    values = {
        f"p{number}_{place}": value
        for number, (_sql, given) in enumerate(statements)
        for place, value in enumerate(given, 1)
    }
    return "".join(lines), values
