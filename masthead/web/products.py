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
from masthead.web.forms import PaperForm, trimmed
from masthead.web.visit import Visit

MAX_BENEFITS_TEXT = 20_000  # characters: fifty lines of 255, and empty ones


class ProductForm(PaperForm):
    """What a product is called and brings."""

    name = StringField("Name", [DataRequired("Give the product a name.")], [trimmed])
    benefits = TextAreaField("Benefits")

    def look(self) -> Sequence[Invalid]:
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


async def list_products(visit: Visit) -> Response:
    """The products of the account, oldest first."""
    products = await store.list_products(visit.db, visit.account_id)
    return visit.page("settings/products.html", products=products)


async def make_product(visit: Visit) -> Response:
    """Make a product."""

    async def save(form: ProductForm, db: Database) -> Response:
        made = await service.create_product(
            db, visit.account_id, name=form.name.data or "", benefits=form.lines, by=visit.actor
        )
        return visit.go(visit.at("settings", "products"), said=f"{made.name} is there now.")

    return await visit.answer(ProductForm, "settings/product.html", save, product=None)


async def edit_product(visit: Visit) -> Response:
    """Change a product. Raises: NotFound."""
    product = await store.get_product(visit.db, visit.account_id, visit.path["id"])
    initial = {"name": product.name, "benefits": "\n".join(product.benefits)}

    async def save(form: ProductForm, db: Database) -> Response:
        changed = await service.update_product(
            db,
            visit.account_id,
            product.id,
            name=form.name.data or "",
            benefits=form.lines,
            by=visit.actor,
        )
        said = f"{changed.name} is saved; its subscriptions show it so from now on."
        return visit.go(visit.at("settings", "products"), said=said)

    return await visit.answer(
        ProductForm, "settings/product.html", save, initial=initial, product=product
    )


async def activate_product(visit: Visit) -> Response:
    """Offer a product again. Raises: NotFound."""
    return await _set_active(visit, is_active=True)


async def deactivate_product(visit: Visit) -> Response:
    """Offer a product no more. Raises: NotFound, Invalid."""
    return await _set_active(visit, is_active=False)


async def _set_active(visit: Visit, *, is_active: bool) -> Response:
    product = await service.set_product_active(
        visit.db, visit.account_id, visit.path["id"], is_active=is_active, by=visit.actor
    )
    what = "is offered again" if is_active else "is not offered any more; who has it keeps it"
    return visit.go(visit.at("settings", "products"), said=f"{product.name} {what}.")
