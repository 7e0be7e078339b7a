"""`orders.csv`: the import takes what the export writes."""

from pathlib import Path

from masthead.model.imports.targets import COLUMNS
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.services.exports.test_write import export, rows_of
from tests.support import order_lines as imports
from tests.support.factories import import_options, make_issues, make_subscription
from tests.support.rich_account import make_rich


def lines_of(folder: Path) -> list[imports.OrderLine]:
    rows = rows_of(folder, "orders")
    return [
        imports.OrderLine(number, {name: row.get(name, "") for name in COLUMNS})
        for number, row in enumerate(rows, 2)
    ]


async def import_orders(cast: Cast, lines: list[imports.OrderLine]) -> list[imports.Reject]:
    how = import_options(cast)
    rejects = list[imports.Reject]()
    await imports.import_lines(cast.db, lines, how, on_reject=rejects.append)
    return rejects


def orders_by_id(folder: Path) -> dict[str, dict[str, str]]:
    return {
        row["order_id"]: {name: row.get(name, "") for name in COLUMNS}
        for row in rows_of(folder, "orders")
    }


async def test_orders_come_back_as_they_were(acme: Cast, rival: Cast, tmp_path: Path) -> None:
    await make_rich(acme)
    await export(acme, tmp_path / "old")
    await make_issues(rival, 1, 5)
    rejects = await import_orders(rival, lines_of(tmp_path / "old"))
    assert [(reject.column, reject.reason) for reject in rejects] == []
    await export(rival, tmp_path / "new")
    assert orders_by_id(tmp_path / "new") == orders_by_id(tmp_path / "old")


async def test_the_unknown_country_of_a_digital_order_is_an_empty_cell(
    acme: Cast, tmp_path: Path
) -> None:
    await make_issues(acme, 1, 1)
    subscription = await make_subscription(acme, medium="Digital")

    async def forget(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE subscription SET country = 'ZZ' WHERE account_id = :account AND id = :id",
            {"account": acme.account_id, "id": subscription["id"]},
        )

    await acme.db.write(forget)
    await export(acme, tmp_path / "out")
    [line] = rows_of(tmp_path / "out", "orders")
    assert line["country"] == ""
