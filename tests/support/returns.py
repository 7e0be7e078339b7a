"""Runs whose copies were sent, and the files of carriers about them."""

from collections.abc import Mapping
from typing import Any

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.runs import Dispatch, DispatchLine, DispatchSelection
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import DateOrder
from masthead.services.dispatch import runs as service
from masthead.services.returns.carrier_files import CarrierFile, inspect_file
from masthead.store.dispatch import lines
from masthead.temporary_files import TemporaryFile
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription

_FILES: list[TemporaryFile] = []  # each is read after it was inspected
ADDRESS = {"address1": "Weg 1", "city": "Berlin", "postcode": "10115"}


def carrier_file(
    content: bytes | str,
    chosen: Mapping[CarrierField, str] | None = None,
    *,
    dates: DateOrder | None = None,
    needs_dates: bool = True,
) -> CarrierFile:
    """A file with this content, as an import sees it."""
    file = TemporaryFile()
    _FILES.append(file)
    file.path.write_bytes(content.encode() if isinstance(content, str) else content)
    return inspect_file(file.path, chosen=chosen or {}, date_order=dates, needs_dates=needs_dates)


class Sending:
    """A frozen run of issue 1, with a line for each of some new subscriptions."""

    def __init__(
        self, cast: Cast, subscriptions: list[dict[str, Any]], issue: dict[str, Any], run: Dispatch
    ) -> None:
        self.cast, self.subscriptions, self.issue, self.run = cast, subscriptions, issue, run

    @classmethod
    async def freeze(cls, cast: Cast, count: int, **fields: Any) -> "Sending":
        """Freeze a run of the first issue for new subscriptions."""
        issue = await make_issue(cast)
        made = [
            await make_subscription(
                cast, **{**ADDRESS, "last_name": f"Reader {number:03}", **fields}
            )
            for number in range(count)
        ]
        run = await service.freeze_dispatch(
            cast.db, cast.account_id, issue["id"], DispatchSelection(), by=BY
        )
        return cls(cast, made, issue, run)

    async def lines(self) -> list[DispatchLine]:
        """The lines of the run, in the order of the subscriptions."""
        found = await lines.list_lines(
            self.cast.db, self.cast.account_id, self.run.id, after=0, limit=10_000
        )
        by_subscription = {line.subscription_id: line for line in found}
        return [by_subscription[made["id"]] for made in self.subscriptions]

    async def keys(self) -> list[str]:
        """The keys on the labels, in the order of the subscriptions."""
        return [printed(key_of(self.cast.account_id, line.id)) for line in await self.lines()]

    async def copies(self) -> list[tuple[str, str | None]]:
        """Status and date of the copies, in the order of the subscriptions."""
        found = [(await copies_of(self.cast, made["id"]))[0] for made in self.subscriptions]
        return [(copy["status"], copy["date_sent"]) for copy in found]
