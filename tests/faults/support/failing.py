"""A disk that fails at a given call; see `tests.faults.support.disk`."""

from collections.abc import Collection

import apsw

from tests.faults.support.disk import Call

IO_ERRORS = {
    "open": apsw.SQLITE_CANTOPEN,
    "read": apsw.SQLITE_IOERR_READ,
    "write": apsw.SQLITE_IOERR_WRITE,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "delete": apsw.SQLITE_IOERR_DELETE,
}
FULL = {"write": apsw.SQLITE_FULL}


class Failing:
    """Watches a disk, and makes one call fail, or that call and all later ones."""

    def __init__(self) -> None:
        self._errors: dict[str, int] = {}
        self._left = 0
        self._is_lasting = False
        self.failed: list[Call] = []

    def fail(
        self, number: int, errors: dict[str, int], kinds: Collection[str], *, is_lasting: bool
    ) -> None:
        """Make the n-th call of some kinds fail, counted from now.

        errors: SQLite's code for each kind. is_lasting: all calls after it fail too.
        """
        self._errors = {kind: code for kind, code in errors.items() if kind in kinds}
        self._left, self._is_lasting = number, is_lasting
        self.failed = []

    def repair(self) -> list[Call]:
        """Stop failing; returns the calls that failed."""
        self._errors = {}
        return self.failed

    def before(self, call: Call) -> None:
        """Count a call; raise if it is its turn."""
        code = self._errors.get(call.kind)
        if code is None:
            return
        self._left -= 1
        if self._left == 0 or (self._left < 0 and self._is_lasting):
            self.failed.append(call)
            error = apsw.exception_for(code)
            error.args = ("database or disk is full" if code in FULL.values() else "I/O error",)
            raise error

    def after(self, call: Call) -> None:
        """Do nothing."""
