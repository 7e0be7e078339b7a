"""Imports the file of each preset into a database, twice."""

import pytest
from msgspec import structs

from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.presets.registry import get_preset
from masthead.model.imports.tabular_data import FileLayout
from masthead.model.orders.order import OrderDefaults
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import read_table
from masthead.services.imports.work.run_batch import begin_run, run_batch
from tests.conftest import BY, Cast
from tests.services.imports.presets.preset_files import FILES, PRODUCTS, RELEASES
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue


async def run(cast: Cast, preset: str, sha256: str) -> dict[str, int]:
    """Import the file of a preset; returns the numbers of rows that are not zero."""
    async with cast.db.read() as db:
        facts = await load_facts(
            db, cast.account_id, OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN)
        )
    products = {
        name: structs.replace(offer, product="") for name, offer in PRODUCTS.get(preset, {}).items()
    }
    mapping = structs.replace(get_preset(preset).mapping, products=products)
    reading = read_table(
        FILES / f"{preset}.csv",
        name=f"{preset}.csv",
        layout=FileLayout(),
        plan=ImportPlan(mapping=mapping, preset=preset, create_issues=True),
        facts=facts,
    )
    batch = await begin_run(
        cast.db,
        cast.account_id,
        reading,
        sha256=sha256,
        size=1,
        source_id=cast.imported,
        holder=sha256,
        by=BY,
    )
    done = await run_batch(cast.db, cast.account_id, batch, reading, holder=sha256)
    names = ("imported", "skipped", "rejected", "left_out")
    return {name: count for name in names if (count := getattr(done.counts, name))}


@pytest.mark.parametrize(
    "preset, imported, others",
    [
        ("woocommerce-subscriptions", 10, {"left_out": 2}),
        ("woocommerce-orders", 9, {"left_out": 3}),
        ("shopify-orders", 10, {"left_out": 3}),
        ("squarespace-orders", 8, {"left_out": 2}),
        ("stripe-subscriptions", 8, {"left_out": 1, "rejected": 1}),
        ("patreon-members", 7, {"left_out": 2}),
        ("paypal-activity", 3, {"left_out": 7, "rejected": 1}),
        ("substack", 6, {"left_out": 3}),
        ("ghost-members", 5, {"left_out": 3}),
        ("subsail", 7, {"rejected": 1}),
        ("masthead", 8, {}),
    ],
)
async def test_the_file_of_a_preset_is_imported_once(
    acme: Cast, preset: str, imported: int, others: dict[str, int]
) -> None:
    for number, day in RELEASES.items():
        await make_issue(acme, number=number, release_date_actual=day.isoformat())
    assert await run(acme, preset, "first") == {"imported": imported, **others}
    assert await run(acme, preset, "again") == {"skipped": imported, **others}
