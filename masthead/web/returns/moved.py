"""The page on which staff type the new address of a subscriber who moved."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import SelectField, StringField
from wtforms.validators import DataRequired

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.errors import Invalid, NotFound
from masthead.model.returns.delivery_reports import PostalAddress, ReportStatus
from masthead.model.returns.report_inputs import DeliveryReportCreate
from masthead.model.translations import gettext as _
from masthead.model.types.full_names import full_name
from masthead.model.types.text import MAX_TEXT
from masthead.model.validation import decode_each
from masthead.services.returns.moves import move_subscriber
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, choices_of, trimmed
from masthead.web.returns.copy_keys import find_line


class MovedForm(BaseForm):
    """The new address."""

    address1 = StringField("Street and number", filters=[trimmed])
    address2 = StringField("Address, second line", filters=[trimmed])
    city = StringField("Town", filters=[trimmed])
    state = StringField("State or region", filters=[trimmed])
    postcode = StringField("Postcode", filters=[trimmed])
    country = SelectField("Country", [DataRequired("Choose a country.")], validate_choice=False)

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return self._decode()[1]

    def read_address(self) -> PostalAddress:
        """The address of a form without errors."""
        return PostalAddress.from_row(
            dict.fromkeys(PostalAddress.__struct_fields__) | self._decode()[0]
        )

    def _decode(self) -> tuple[dict[str, Any], list[Invalid]]:
        names = PostalAddress.__struct_fields__
        return decode_each(DeliveryReportCreate, {each: self[each].data for each in names})


async def enter_address(context: PageContext) -> Response:
    """Ask for the new address of the subscriber with the copy key, and save it. Raises: NotFound.

    It can be sent again: what is recorded already does not change.
    """
    key = context.query.get("key", "").strip()[:MAX_TEXT]
    try:
        async with context.db.read(aside=True) as db:
            line = await find_line(db, context.account_id, key)
    except Invalid:
        raise NotFound("copy key", key) from None
    old = PostalAddress.from_row(structs.asdict(line))
    form = _make(context, context.form_data, old.fields)

    async def save() -> Response:
        report = await move_subscriber(
            context.db,
            context.account_id,
            line,
            form.read_address(),
            today=context.membership.daily_date,
            by=context.actor,
        )
        message = _("This new address was recorded before.")
        if report is not None and report.status is ReportStatus.ACCEPTED:
            message = _("The subscriber has the new address.")
        elif report is not None:
            message = _(
                "The subscription already has another address than the label. It was kept. "
                "Correct it there if it is wrong."
            )
        return context.redirect(context.url("copy-key", key=key), message=message)

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            "returns/moved.html",
            status=status,
            form=form,
            key=key,
            printed=printed(key_of(context.account_id, line.id)),
            name=full_name(line.first_name, line.last_name, line.company, _("Subscriber")),
            address=old,
        )

    return await process_form(context, form, save, show)


def _make(context: PageContext, formdata: FormData | None, data: Mapping[str, Any]) -> MovedForm:
    form = MovedForm(formdata, data)
    countries = [("", _("Choose a country")), *list_countries(context.locale)]
    form.country.choices = choices_of(countries)
    return form
