"""Tests the list of presets, and how a file is recognized by its columns."""

import csv
from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import Rule
from masthead.model.imports.presets.registry import (
    get_preset,
    list_presets,
    mapping_of,
    propose,
    rank_presets,
    recognize,
    require_marks,
)
from masthead.model.imports.targets import TARGETS
from tests.support.cases import for_each

FILES = Path(__file__).parents[2] / "files" / "imports"
NAMES = (
    *("woocommerce-subscriptions", "woocommerce-orders", "shopify-orders", "squarespace-orders"),
    *("stripe-subscriptions", "patreon-members", "paypal-activity", "substack"),
    *("ghost-members", "subsail", "masthead"),
)


def columns_of(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file))


def test_the_presets_have_their_names_in_order() -> None:
    assert tuple(each.name for each in list_presets()) == NAMES


@for_each("path", sorted(FILES.glob("*.csv")), ids=lambda path: path.stem)
def test_a_file_is_recognized_by_its_columns(path: Path) -> None:
    preset = recognize(columns_of(path))
    assert preset is not None
    assert path.stem.startswith(preset.name)


@for_each("name", NAMES)
def test_a_preset_knows_the_columns_of_its_files(name: str) -> None:
    paths = sorted(FILES.glob(f"{name}*.csv"))
    assert paths
    for path in paths:
        best = rank_presets(columns_of(path))[0]
        assert best.preset.name == name
        assert best.score > 0.8, [
            column for column in columns_of(path) if column.casefold() not in best.preset.known()
        ]


@for_each("name", NAMES)
def test_a_preset_maps_to_fields_that_exist(name: str) -> None:
    assert get_preset(name).mapping.columns.keys() <= TARGETS.keys()


def test_columns_are_recognized_without_regard_to_case_and_spaces() -> None:
    columns = ["ID", " email ", "Name", "Subscribed_To_Emails", "complimentary_plan", "Products"]
    preset = recognize(columns)
    assert preset is not None
    assert preset.name == "ghost-members"


def test_a_file_with_unknown_columns_has_no_preset() -> None:
    assert recognize(["Vorname", "Nachname", "Straße"]) is None


def test_a_file_that_fits_two_presets_equally_has_none() -> None:
    columns = ["order_id", "order_date", "start_issue", "Length"]
    columns += ["Start issue", "Sent issues", "Order number"]
    first, second = rank_presets(columns)
    assert first.score == second.score
    assert recognize(columns) is None


def test_a_preset_is_fitted_to_a_file() -> None:
    mapping = mapping_of("ghost-members", ["id", "email", "products"])
    assert mapping.columns["product"] == Rule(columns=("products",))
    assert mapping.only == {}


def test_an_unknown_preset_is_refused_with_the_next_best() -> None:
    with pytest.raises(Invalid, match=r"no preset `shopify`.*shopify-orders"):
        get_preset("shopify")


def test_a_preset_is_proposed_or_what_the_names_of_columns_say() -> None:
    name, mapping = propose(columns_of(FILES / "ghost-members.csv"))
    assert name == "ghost-members"
    assert mapping.columns["product"] == Rule(columns=("tiers",))
    name, mapping = propose(["Vorname", "Nachname", "Straße"])
    assert name is None
    assert mapping.columns["address1"] == Rule(columns=("Straße",))


def test_a_file_of_another_system_is_refused_with_the_missing_columns() -> None:
    preset = get_preset("shopify-orders")
    require_marks(preset, ["Name", "Financial Status", "Total"])
    with pytest.raises(Invalid, match=r"not an export of Shopify orders: .*`Financial Status`"):
        require_marks(preset, ["Name", "Email"])
