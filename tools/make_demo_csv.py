"""Write the demo publication's CSV files, the same bytes on every run.

    python -m tools.make_demo_csv                 writes issues.csv and subscriptions.csv
    python -m tools.make_demo_csv --into FOLDER   writes them elsewhere, to compare

Words come from demo_csv/vocabulary.toml, hand-written people from demo_csv/stories.toml; KINDS
in demo_csv/kinds.py says how many of what. Chance has one fixed seed, so a change here changes many
rows: judge the result by tests/test_demo_data.py, not by its diff. Standard library only.
"""

import argparse
import csv
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

from tools.demo_csv import issues, orders
from tools.demo_csv.kinds import KINDS, Publication
from tools.demo_csv.orders import Row
from tools.demo_csv.people import People

SEED = 20211111
WORDS = Path(__file__).parent / "demo_csv"
DEMO = Path(__file__).parent.parent / "masthead" / "demo"
OLD_SHOP = date(2023, 4, 1)  # until then orders were numbered by another shop


def main() -> None:
    """Draw everything and write both files."""
    parser = argparse.ArgumentParser(description="Write the CSV files of the demo publication.")
    parser.add_argument(
        "--into",
        type=Path,
        default=DEMO,
        metavar="FOLDER",
        help="where to write (default: %(default)s)",
    )
    into = parser.parse_args().into
    vocabulary = tomllib.loads((WORDS / "vocabulary.toml").read_text(encoding="utf-8"))
    stories = tomllib.loads((WORDS / "stories.toml").read_text(encoding="utf-8"))
    write(into / "issues.csv", issues.COLUMNS, issues.issue_rows(vocabulary["magazine"]["issues"]))
    rows = in_order(draw(vocabulary)) + [story(told) for told in stories["row"]]
    rows.sort(key=lambda row: row["order_date"])  # stable: a renewal stays behind what it renews
    write(into / "subscriptions.csv", orders.COLUMNS, rows)


def draw(vocabulary: Mapping[str, Any]) -> list[Row]:
    """Every order but those of the stories."""
    random = Random(SEED)  # noqa: S311  the same data on every run; nothing here is secret
    publication = Publication(random, People(random, vocabulary), vocabulary["words"])
    plan = [kind for kind, count in KINDS.items() for _ in range(count)]
    random.shuffle(plan)
    for kind in plan:
        kind(publication)
    return publication.rows


def in_order(rows: Iterable[Row]) -> list[dict[str, str]]:
    """The rows as cells, oldest first, with their order ids."""
    ids: dict[Row, str] = {}
    cells = []
    for number, row in enumerate(sorted(rows, key=lambda row: row.ordered), start=1):
        series = "FRIEND" if row.is_membership else "OLD" if row.ordered < OLD_SHOP else "LT"
        ids[row] = f"{series}-{10000 + number}"
        renews = ids[row.renews] if row.renews else ""
        cells.append(
            row.cells
            | {"order_id": ids[row], "order_date": row.ordered.isoformat(), "renews": renews}
        )
    return cells


def story(told: Mapping[str, str]) -> dict[str, str]:
    """A row of stories.toml; copies without dates were sent on the day of release."""
    row = {column: told.get(column, "") for column in orders.COLUMNS}
    unknown = told.keys() - row.keys()
    if unknown:
        raise KeyError(f"{told['order_id']}: no such columns: {', '.join(unknown)}")
    if row["sent_issues"] and "sent_dates" not in told:
        released = (issues.release(int(number)) for number in row["sent_issues"].split("|"))
        ordered = date.fromisoformat(row["order_date"])
        row["sent_dates"] = "|".join(str(max(day, ordered)) for day in released)
    return row


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """UTF-8, commas, one line feed after each row; quotes only where they are needed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
