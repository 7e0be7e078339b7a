"""The tables of the `list` commands, for people and for scripts."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from masthead.cli.output import print_record, print_records


async def test_a_record_is_one_line_of_any_length(capsys: pytest.CaptureFixture[str]) -> None:
    id, name = "0000101M7Y3PK891J3X0KFGRP1XW52T", "A very long name of a source" * 8
    print_records([{"id": id, "name": name, "is_active": True}], json=False)
    assert capsys.readouterr().out.splitlines() == [
        f"{'id':<31}  {'name':<224}  is_active",
        f"{id}  {name}  true",
    ]


@pytest.mark.parametrize(
    "print_it", [print_record, lambda each, json: print_records([each], json=json)]
)
async def test_what_others_sent_can_neither_break_a_line_nor_command_a_terminal(
    capsys: pytest.CaptureFixture[str], print_it: Callable[..., None]
) -> None:
    print_it({"answer": "no\r\n\x1b[2J\x9b31m gone\u202e\n"}, json=False)
    assert capsys.readouterr().out.split() == ["answer", "no", "[2J", "31m", "gone"]


async def test_columns_are_aligned_with_wide_characters(capsys: pytest.CaptureFixture[str]) -> None:
    print_records([{"name": "大野", "n": 1}, {"name": "Ann", "n": None}], json=False)
    assert capsys.readouterr().out == "name  n\n大野  1\nAnn\n"


async def test_a_name_in_brackets_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_records([{"name": "[red]Acme[/red]"}], json=False)
    assert "[red]Acme[/red]" in capsys.readouterr().out


async def test_times_are_printed_to_the_second(capsys: pytest.CaptureFixture[str]) -> None:
    moment = datetime(2026, 11, 21, 3, 51, 47, 209973, tzinfo=UTC)
    print_records([{"created_at": moment}], json=False)
    assert capsys.readouterr().out.splitlines()[1] == "2026-11-21T03:51:47+00:00"
