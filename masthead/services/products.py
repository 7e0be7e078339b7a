"""Products: what subscriptions are of."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.model.errors import Invalid
from masthead.model.types.fields import required_text
from masthead.model.types.text import short_text
from masthead.store import accounts
from masthead.store import products as store
from masthead.store.audit import trail
from masthead.store.audit.trail import AuditEvent
from masthead.store.engine.interface import Database, Transaction
from masthead.store.products import AccountProduct
from masthead.store.read_model import subscription_json

MAX_BENEFITS = 50


async def create_product(
    db: Database, account_id: int, *, name: str, benefits: Sequence[str] = (), by: Actor
) -> AccountProduct:
    """Make a product that subscriptions can be of. benefits: blank ones are left out."""
    name, benefits = required_text("name", name.strip()), _benefits(benefits)

    async def work(tx: Transaction) -> AccountProduct:
        await accounts.lock_account(tx, account_id)
        product = await store.insert_product(tx, account_id, name=name, benefits=benefits)
        after = {"name": name, "benefits": benefits}
        event = AuditEvent(EventType.PRODUCT_CREATE, product.id, None, after)
        await trail.record(tx, account_id, by, [event])
        return product

    return await db.write(work, account_id=account_id)


async def update_product(
    db: Database, account_id: int, id: str, *, name: str, benefits: Sequence[str], by: Actor
) -> AccountProduct:
    """Change what a product is called and brings; its subscriptions show it.

    Raises: NotFound, Invalid.
    """
    given = {"name": required_text("name", name.strip()), "benefits": _benefits(benefits)}

    async def work(tx: Transaction) -> AccountProduct:
        await accounts.lock_account(tx, account_id)
        product = await store.get_product(tx, account_id, id)
        if product.is_imported and given["benefits"]:
            raise Invalid(
                f"`benefits` of `{product.name}` stay empty: it is the product of subscriptions "
                "that were bought elsewhere. Make another product for the benefits.",
                field="benefits",
            )
        before = {field: getattr(product, field) for field in given}
        changed = {field: to for field, to in given.items() if before[field] != to}
        if changed:
            await store.update_product(tx, account_id, id, changed)
            await subscription_json.mark_outdated_by_product(tx, account_id, id)
            old = {field: before[field] for field in changed}
            event = AuditEvent(EventType.PRODUCT_UPDATE, id, old, changed)
            await trail.record(tx, account_id, by, [event])
        return await store.get_product(tx, account_id, id)

    return await db.write(work, account_id=account_id)


async def set_product_active(
    db: Database, account_id: int, id: str, *, is_active: bool, by: Actor
) -> AccountProduct:
    """Let new subscriptions have a product, or no more; those that have it keep it.

    Raises: NotFound; Invalid for that of subscriptions that were bought elsewhere.
    """

    async def work(tx: Transaction) -> AccountProduct:
        await accounts.lock_account(tx, account_id)
        product = await store.get_product(tx, account_id, id)
        if product.is_imported and not is_active:
            raise Invalid(
                f"`{product.name}` cannot be deactivated: every subscription for which no other "
                "product is named gets it."
            )
        if product.is_active != is_active:
            await store.update_product(tx, account_id, id, {"is_active": is_active})
            action = EventType.PRODUCT_ACTIVATE if is_active else EventType.PRODUCT_DEACTIVATE
            states = {"is_active": not is_active}, {"is_active": is_active}
            await trail.record(tx, account_id, by, [AuditEvent(action, id, *states)])
        return await store.get_product(tx, account_id, id)

    return await db.write(work, account_id=account_id)


def _benefits(given: Sequence[str]) -> list[str]:
    """The texts without blank ones. Raises: Invalid."""
    benefits = [short_text("benefits", text.strip()) for text in given if text.strip()]
    if len(benefits) > MAX_BENEFITS:
        raise Invalid(
            f"`benefits` has {len(benefits)} lines; at most {MAX_BENEFITS} are allowed.",
            field="benefits",
        )
    return benefits
