"""The struct of a file of an export: what its rows are, and where its columns come from."""

from collections.abc import Mapping

from msgspec import Struct

# Columns whose texts masthead made itself: no spreadsheet takes them for formulas
_SAFE = frozenset(
    "status medium country currency type kind stage channel number issue_number first_issue "
    "last_issue start_issue length interval_months total_length price discount_amount refunded "
    "net vat total open_amount unused_amount series_number rate due_days "
    "amount ltv rows bytes sha256 subscription_count latest_country locale role scope".split()
)
_OF_OTHERS = frozenset({"order_id", "transaction_id", "vat_id"})  # ids that others made


class ExportFile(Struct, frozen=True, kw_only=True, eq=False):
    """A file of an export.

    name: of the file, without its ending.
    table: the table whose rows it has.
    about: what a row is, for the documentation.
    columns: in their order; the names are stable.
    key: the columns that the rows are sorted by, which are in the file.
    source: FROM clause in which the table is `t`, if it is not the table alone.
    expressions: the SQL of columns that are not columns of the table.
    amounts: the column with the currency, by the name of an amount in minor units.
    left_out: why a column of the table is not in the file, by its name.
    texts_with_ids: columns with JSON that names other records.
    stays: why an import of the export leaves the rows out; empty if it makes them again.
    """

    name: str
    table: str
    about: str
    columns: tuple[str, ...]
    key: tuple[str, ...] = ("id",)
    source: str = ""
    account: str = "t.account_id"
    expressions: Mapping[str, str] = {}
    amounts: Mapping[str, str] = {}
    left_out: Mapping[str, str] = {}
    texts_with_ids: tuple[str, ...] = ()
    stays: str = ""

    @property
    def path(self) -> str:
        """The path of its file in the folder of an export."""
        return f"csv/{self.name}.csv"

    @property
    def texts(self) -> list[int]:
        """The positions of the columns that may hold any text."""
        return [place for place, name in enumerate(self.columns) if not _is_safe(name)]


def _is_safe(column: str) -> bool:
    return column not in _OF_OTHERS and (
        column in _SAFE
        or column == "id"
        or column.endswith(("_id", "_at", "_date"))
        or column.startswith(("is_", "has_", "date_"))
    )


def columns(text: str) -> tuple[str, ...]:
    """The names of columns, separated by blanks."""
    return tuple(text.split())
