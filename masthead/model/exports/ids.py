"""Move ids from the account of an export to another account.

Each id contains its account, so that the ids of two accounts differ. The rest stays as it is.
"""

import re
from collections.abc import Callable, Mapping

from masthead.model.exports.export_files import ExportFile
from masthead.model.ids import BASE32, account_prefix, first_copy_id

Cells = list[str]
Change = Callable[[str], str]


class IdChange:
    """Changes the ids in rows of an export. users: the ids of users here, by their ids there."""

    def __init__(self, number: int, account_id: int, users: Mapping[str, str]) -> None:
        self._old, self._new = account_prefix(number), account_prefix(account_id)
        self._numbers = str(number), str(account_id)
        self._offset = first_copy_id(account_id) - first_copy_id(number)
        self._users = users
        self._pattern = re.compile(rf"\b{self._old}(?=[{BASE32}]{{26}}\b)")

    def of_file(self, exported: ExportFile) -> Callable[[Cells], None]:
        """A function that changes the ids in a row of a file."""
        changes: list[tuple[int, Change]] = []
        for place, name in enumerate(exported.columns):
            if name == "copy_id" or (exported.table in ("copy", "grace_copy") and name == "id"):
                changes.append((place, self.copy))
            elif name in exported.texts_with_ids or name.endswith("_id") or name == "id":
                changes.append(
                    (place, self.text if name in exported.texts_with_ids else self.record)
                )
        subject = exported.columns.index("subject_type") if exported.table == "audit" else None

        def change(cells: Cells) -> None:
            for place, one in changes:
                if cells[place]:
                    cells[place] = one(cells[place])
            if subject is not None:
                cells[subject + 1] = self.subject(cells[subject], cells[subject + 1])

        return change

    def record(self, id: str) -> str:
        """The id of a record or a user."""
        if id.startswith(self._old) and len(id) == 31:
            return self._new + id[len(self._old) :]
        return self._users.get(id, id)

    def copy(self, id: str) -> str:
        """The id of a copy, a number."""
        return str(int(id) + self._offset)

    def text(self, text: str) -> str:
        """A text with ids, such as JSON."""
        return self._pattern.sub(self._new, text) if self._old in text else text

    def subject(self, type: str, id: str) -> str:
        """The subject of an entry of the audit trail."""
        if type == "copy":
            return self.copy(id)
        return self._numbers[1] if type == "account" and id == self._numbers[0] else id
