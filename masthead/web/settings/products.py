"""Settings: products, what subscribers buy."""

from collections.abc import Sequence

from starlette.responses import Response
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.types.text import short_text
from masthead.services import products as service
from masthead.store import products as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, trimmed

MAX_BENEFITS_TEXT = 20_000  # characters: fifty lines of 255, and empty ones


class ProductForm(BaseForm):
    """What a product is called and brings."""

    name = StringField("Name", [DataRequired("Give the product a name.")], [trimmed])
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
        """The benefits, one a line."""
        return (self.benefits.data or "").splitlines()


async def list_products(context: PageContext) -> Response:
    """The products of the account, oldest first."""
    products = await store.list_products(context.db, context.account_id)
    return context.render("settings/products.html", products=products)


async def make_product(context: PageContext) -> Response:
    """Make a product."""

    async def save(form: ProductForm, db: Database) -> Response:
        made = await service.create_product(
            db, context.account_id, name=form.name.data or "", benefits=form.lines, by=context.actor
        )
        return context.redirect(
            context.url("settings", "products"), message=f"{made.name} is there now."
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
        said = f"{changed.name} is saved; its subscriptions show it so from now on."
        return context.redirect(context.url("settings", "products"), message=said)

    return await context.handle_form(
        ProductForm, "settings/product.html", save, initial=initial, product=product
    )


async def activate_product(context: PageContext) -> Response:
    """Offer a product again. Raises: NotFound."""
    return await _set_active(context, is_active=True)


async def deactivate_product(context: PageContext) -> Response:
    """Offer a product no more. Raises: NotFound, Invalid."""
    return await _set_active(context, is_active=False)


async def _set_active(context: PageContext, *, is_active: bool) -> Response:
    product = await service.set_product_active(
        context.db, context.account_id, context.path["id"], is_active=is_active, by=context.actor
    )
    what = "is offered again" if is_active else "is not offered any more; who has it keeps it"
    return context.redirect(context.url("settings", "products"), message=f"{product.name} {what}.")
