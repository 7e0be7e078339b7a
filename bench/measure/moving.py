"""Moving in and out: tables are read, imported and rehearsed, and an account is exported."""

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import xlsxwriter

from bench import data, shop_file
from bench.data import Kind
from bench.databases import Built, Databases
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from bench.within import command
from masthead.services.imports.table import open_table

SHOP = Kind("shop", issues=shop_file.ISSUES, length=1, has_history=False)
OWN = Kind("own", issues=shop_file.ISSUES, length=5, has_history=False)
SOME = 60  # rows of the account before the import
SOURCE = "Web shop"
COMPARED = {  # each step with the one that it is compared with
    "read CSV": "read CSV with Python's csv module",
    "read XLSX": "read CSV",
    "import with a preset": "import in our own format",
    "rehearse with a preset": "import with a preset",
}
Timed = tuple[float, int]  # seconds and rows
Job = Callable[[], Timed]


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each step: its seconds, rows per second, and its time relative to another one."""
    empty = databases.get(backend, SHOP, SOME)
    full = databases.get(backend, data.BULK, options.bulk)
    with TemporaryDirectory() as folder:
        jobs = jobs_of(options, databases, backend, empty, full, Path(folder))
        contenders = {name: partial(_timed, job) for name, job in jobs.items()}
        found = alternate(options.rounds, contenders)
    rows: list[Figures] = []
    for name, rounds in found.items():
        row: Figures = {"name": name, **spreads(rounds)}
        if other := COMPARED.get(name):
            own, its = ([each["rate"] for each in found[who]] for who in (name, other))
            row["compared"], row["of"] = ratio(own, its), other
        rows.append(row)
    return {"file_rows": options.moving, "rows": rows}


def _timed(job: Job) -> dict[str, float]:
    seconds, rows = job()
    return {"seconds": seconds, "rate": rows / seconds}


def jobs_of(
    options: Options, databases: Databases, backend: str, empty: Built, full: Built, folder: Path
) -> dict[str, Job]:
    """The steps by name. empty: a database with few orders. full: the one that is exported."""
    count = options.moving
    shop, own, book = folder / "shop.csv", folder / "own.csv", folder / "shop.xlsx"
    shop_file.write_shop_file(shop, count)
    data.write_file(own, data.rows(OWN, count))
    _write_workbook(book, shop)
    words = ["--account", "bench", "--source", empty.sources[SOURCE]]
    preset = ["--preset", shop_file.PRESET]

    def importing(*more: str | Path) -> Job:
        def run() -> Timed:
            with databases.copy(backend, empty) as copy:
                return command(copy.url, "import", *map(str, more), *words), count

        return run

    def export() -> Timed:
        with TemporaryDirectory(dir=folder) as target:
            seconds = command(full.url, "export", target, "--account", "bench")
            return seconds, _count_rows(Path(target))

    return {
        "read CSV with Python's csv module": partial(_read_plain, shop),
        "read CSV": partial(_read_table, shop),
        "read XLSX": partial(_read_table, book),
        "import in our own format": importing(own),
        "import with a preset": importing(shop, *preset),
        "rehearse with a preset": importing(shop, *preset, "--dry-run"),
        "export": export,
    }


def _read_plain(path: Path) -> Timed:
    began = perf_counter()
    with path.open(encoding="utf-8", newline="") as file:
        rows = sum(1 for _cells in csv.reader(file)) - 1
    return perf_counter() - began, rows


def _read_table(path: Path) -> Timed:
    began = perf_counter()
    rows = sum(1 for _line in open_table(path, name=path.name).lines())
    return perf_counter() - began, rows


def _write_workbook(target: Path, source: Path) -> None:
    with (
        xlsxwriter.Workbook(target, {"constant_memory": True}) as book,
        source.open(encoding="utf-8", newline="") as file,
    ):
        sheet = book.add_worksheet()
        for number, cells in enumerate(csv.reader(file)):
            sheet.write_row(number, 0, cells)


def _count_rows(folder: Path) -> int:
    """The rows of an export, once for each file."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    return sum(file["rows"] for file in manifest["files"] if file["name"].startswith("csv/"))
