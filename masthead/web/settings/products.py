"""Settings: products, what subscribers buy."""

from collections.abc import Sequence

from starlette.responses import Response
from wtforms import TextAreaField

from masthead.model.errors import Invalid
from masthead.model.types.text import short_text
from masthead.services import products as service
from masthead.store import products as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, name_field

MAX_BENEFITS_TEXT = 20_000  # characters: 50 lines of 255, and empty lines


class ProductForm(BaseForm):
    """The name and the benefits of a product."""

    name = name_field("Give the product a name.")
    benefits = TextAreaField("Benefits")

    def find_errors(self) -> Sequence[Invalid]:
        """Limit the length of the benefits; the service checks each line."""
        try:
            short_text("benefits", self.benefits.data or "", MAX_BENEFITS_TEXT)
        except Invalid as reason:
            return [reason]
        return ()

    @property
    def lines(self) -> list[str]:
        """The benefits, one on each line."""
        return (self.benefits.data or "").splitlines()


async def list_products(context: PageContext) -> Response:
    """List the products of the account, oldest first."""
    products = await store.list_products(context.db, context.account_id)
    return context.render("settings/products.html", products=products)


async def create_product(context: PageContext) -> Response:
    """Add a product."""

    async def save(form: ProductForm, db: Database) -> Response:
        made = await service.create_product(
            db, context.account_id, name=form.name.data or "", benefits=form.lines, by=context.actor
        )
        return context.redirect(
            context.url("settings", "products"), message=f"{made.name} is added."
        )

    return await context.handle_form(ProductForm, "settings/product.html", save, product=None)


async def edit_product(context: PageContext) -> Response:
    """Change a product. Raises: NotFound."""
    product = await store.get_product(context.db, context.account_id, context.path["id"])
    initial = {"name": product.name, "benefits": "\n".join(product.benefits)}

    async def save(form: ProductForm, db: Database) -> Response:
        changed = await service.update_product(
            db,
            context.account_id,
            product.id,
            name=form.name.data or "",
            benefits=form.lines,
            by=context.actor,
        )
        message = f"{changed.name} is saved. Its subscriptions show the change."
        return context.redirect(context.url("settings", "products"), message=message)

    return await context.handle_form(
        ProductForm, "settings/product.html", save, initial=initial, product=product
    )


async def activate_product(context: PageContext) -> Response:
    """Make a product available for new orders. Raises: NotFound."""
    return await _set_active(context, is_active=True)


async def deactivate_product(context: PageContext) -> Response:
    """Make a product unavailable for new orders. Raises: NotFound, Invalid."""
    return await _set_active(context, is_active=False)


async def _set_active(context: PageContext, *, is_active: bool) -> Response:
    product = await service.set_product_active(
        context.db, context.account_id, context.path["id"], is_active=is_active, by=context.actor
    )
    change = "is active" if is_active else "is inactive. Existing subscriptions keep it"
    return context.redirect(
        context.url("settings", "products"), message=f"{product.name} {change}."
    )
