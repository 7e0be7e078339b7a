"""Sample rows of an export profile: two invented subscribers, one at home and one abroad."""

from datetime import UTC, datetime

from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat, ProfileSettings
from masthead.model.dispatch.runs import (
    Dispatch,
    DispatchLine,
    DispatchSelection,
    DispatchStatus,
    Layout,
    LineStatus,
)
from masthead.model.types.enums import Medium
from masthead.services.dispatch.writers.cells import RowBuilder, build_header
from masthead.services.dispatch.writers.contents import FileContents, Problems

DEFAULT_HOME = "GB"  # if the publisher's country is not set
_ABROAD = {"DK": "SE"}  # Denmark, except for Danish publishers


def sample_columns(
    account_id: int, settings: ProfileSettings, home: str | None
) -> list[tuple[str, list[str]]]:
    """The name of each column, and its text for each of the two subscribers.

    settings: after `check_settings`. home: the publisher's country.
    """
    dispatch = _sample_run(home or DEFAULT_HOME)
    contents = FileContents(
        account_id=account_id,
        dispatch=dispatch,
        format=FileFormat.CSV,
        profile_name="",
        settings=settings,
    )
    builder = RowBuilder(contents, FileTotals(), Problems())
    rows = [builder.build(line) for line in _sample_lines(dispatch)]
    header = build_header(contents)
    return [(name, [row[place] for row in rows]) for place, name in enumerate(header)]


def sample_addresses(home: str | None) -> list[list[str]]:
    """The address of each of the two subscribers, as its country writes it."""
    dispatch = _sample_run(home or DEFAULT_HOME)
    return [address_lines(line, dispatch.layout) for line in _sample_lines(dispatch)]


def _sample_run(home: str) -> Dispatch:
    layout: Layout = build_layout({home, _abroad(home)}, home)
    return Dispatch(
        id="",
        issue_id="",
        issue_number=12,
        issue_name="",
        number=1,
        status=DispatchStatus.FROZEN,
        selection=DispatchSelection(),
        layout=layout,
        first_line=1,
        lines=2,
        copies=2,
        replacements=0,
        fingerprint="",
        date_sent=None,
        created_at=datetime.fromtimestamp(0, UTC),
        actor_kind="",
        actor_id="",
        marked_at=None,
        undone_at=None,
        discarded_at=None,
    )


def _abroad(home: str) -> str:
    return _ABROAD.get(home, "DK")


def _sample_lines(dispatch: Dispatch) -> list[DispatchLine]:
    home = dispatch.layout.home or DEFAULT_HOME
    return [
        _line(
            1,
            first_name="Ada",
            last_name="Byron",
            company=None,
            address1="12 Harbour Street",
            address2=None,
            city="Seaford",
            postcode="01234",
            country=home,
        ),
        _line(
            2,
            first_name="Søren",
            last_name="Lund",
            company="Fyrtårn & Søn",
            address1="Havnegade 5",
            address2="2. tv.",
            city="Aarhus C",
            postcode="8000",
            country=_abroad(home),
        ),
    ]


def _line(id: int, **fields: str | None) -> DispatchLine:
    return DispatchLine(
        id=id,
        dispatch_id="",
        copy_id=100 + id,
        claim_id=None,
        subscription_id=f"00001EXAMPLE{id}",
        subscriber_id=f"00001SUBSCRIBER{id}",
        issue_number=12,
        medium=Medium.PRINT,
        state=None,
        status=LineStatus.IN_RUN,
        left_reason=None,
        left_at=None,
        shipped_date=None,
        **fields,  # type: ignore[arg-type]
    )
