"""Settings: the publisher on invoices, their numbers and prices, and the letterhead."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, EmailField, RadioField, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.billing.settings import (
    FIRST_SERIES,
    BillingInput,
    BillingSettings,
    document_number,
)
from masthead.model.errors import Invalid, NotFound
from masthead.model.file_names import file_name
from masthead.model.translations import gettext as _
from masthead.model.types.fields import MAX_DUE_DAYS
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.services.billing import letterhead as letterheads
from masthead.services.billing.files.deliver import write_sample
from masthead.services.billing.settings import save_settings
from masthead.services.pdf_process import expect_pdf
from masthead.store.accounts import find_account
from masthead.store.billing import letterheads as letterhead_store, settings as store
from masthead.store.engine.interface import Database
from masthead.web.kit.amounts import read_whole_number
from masthead.web.kit.attachments import PDF, attachment
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, trimmed
from masthead.web.kit.pictures import handle_picture, send_picture

GROSS, NET = "gross", "net"
_NUMBERS = {"due_days": MAX_DUE_DAYS, "digital_percent": 100}


class BillingForm(BaseForm):
    """The settings for invoices; the model validates ids and numbers."""

    name = StringField("Name of the publisher", [DataRequired("Type the name.")], [trimmed])
    street = StringField("Street and number", [DataRequired("Type the street.")], [trimmed])
    postcode = StringField("Postcode", [DataRequired("Type the postcode.")], [trimmed])
    city = StringField("Town", [DataRequired("Type the town.")], [trimmed])
    country = SelectField("Country", [DataRequired("Choose a country.")], validate_choice=False)
    vat_id = StringField("VAT ID", filters=[trimmed])
    tax_number = StringField("Tax number", filters=[trimmed])
    is_small_business = BooleanField("Small business, exempt from VAT")
    email = EmailField("Email address for questions", filters=[trimmed])
    phone = StringField("Phone for questions", filters=[trimmed])
    iban = StringField("IBAN", filters=[trimmed])
    bic = StringField("BIC", filters=[trimmed])
    bank = StringField("Name of the bank", filters=[trimmed])
    prices = RadioField("Prices of products and orders", default=GROSS)
    digital_percent = StringField("Digital part of print + digital, in percent", default="0")
    due_days = StringField(
        "Days until an invoice is due", [DataRequired("Type the days.")], default="14"
    )
    series = StringField("Numbers begin with", default=FIRST_SERIES, filters=[trimmed])
    footer = TextAreaField("Lines at the end of each page")

    def find_errors(self) -> Sequence[Invalid]:
        """Read the numbers."""
        return errors_of(*(partial(self.number, name) for name in _NUMBERS))

    def number(self, name: str) -> int:
        """The number in a field; 0 if it is empty. Raises: Invalid."""
        return read_whole_number(name, self[name].data, most=_NUMBERS[name])

    @property
    def asked(self) -> BillingInput:
        """The settings as they were typed. Raises: Invalid."""
        texts = {
            name: self[name].data or ""
            for name in BillingInput.__struct_fields__
            if name in self and name not in (*_NUMBERS, "is_small_business", "email")
        }
        return decode_input(
            BillingInput,
            {
                **texts,
                **({"email": self.email.data} if self.email.data else {}),
                **{name: self.number(name) for name in _NUMBERS if self[name].raw_data},
                "is_small_business": self.is_small_business.data or None,
                "prices_include_vat": self.prices.data != NET,
            },
        )


async def edit_billing(context: PageContext) -> Response:
    """Change the settings for invoices."""
    known = await store.find_settings(context.db, context.account_id)
    initial = structs.asdict(known) if known else await _first_values(context)
    initial |= {name: str(initial[name]) for name in _NUMBERS if name in initial}
    if known:
        initial["prices"] = GROSS if known.prices_include_vat else NET

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> BillingForm:
        form = BillingForm(formdata, data)
        form.country.choices = choices_of([("", _("Not set")), *list_countries(context.locale)])
        form.prices.choices = choices_of(
            [(GROSS, _("With VAT")), (NET, _("Without VAT; it is added on the invoice"))]
        )
        return form

    async def save(form: BillingForm, db: Database) -> Response:
        await save_settings(db, context.account_id, form.asked, by=context.actor)
        return context.redirect(
            context.url("settings", "billing"), message=_("The settings for invoices are saved.")
        )

    expect_pdf()
    return await handle_form(
        context,
        make,
        "settings/billing.html",
        save,
        initial=initial,
        known=known,
        example=_example(known, context),
    )


async def _first_values(context: PageContext) -> dict[str, Any]:
    """What is known of the publisher before there are settings."""
    account = await find_account(context.db, context.membership.subdomain)
    assert account is not None
    return {"name": account.name, "country": account.country or ""}


def _example(known: BillingSettings | None, context: PageContext) -> str:
    """The first number of the year, as it is printed."""
    today = context.membership.daily_date
    series = known.series_on(today) if known else FIRST_SERIES.replace("{year}", str(today.year))
    return document_number(series, 1)


async def edit_letterhead(context: PageContext) -> Response:
    """Show the letterhead with a form; store an uploaded picture."""
    known = await store.find_settings(context.db, context.account_id)
    if known is None:
        return context.redirect(
            context.url("settings", "billing"), message=_("Save these settings first.")
        )

    async def store_picture(picture: letterheads.NewLetterhead, db: Database) -> Response:
        await letterheads.set_letterhead(db, context.account_id, picture, by=context.actor)
        return context.redirect(
            context.url("settings", "billing", "letterhead"),
            message=_("The letterhead is saved. New invoices have it."),
        )

    read = partial(letterheads.read_letterhead, account_id=context.account_id)
    return await handle_picture(
        context, "settings/letterhead.html", read, store_picture, number=known.letterhead
    )


async def delete_letterhead(context: PageContext) -> Response:
    """Let new invoices have no picture. Raises: Invalid."""
    await letterheads.set_letterhead(context.db, context.account_id, None, by=context.actor)
    return context.redirect(
        context.url("settings", "billing", "letterhead"),
        message=_("New invoices have no letterhead."),
    )


async def send_letterhead(context: PageContext) -> Response:
    """The picture with a number. Raises: NotFound."""
    text = context.path["number"]
    number = int(text) if is_digits(text, at_most=9) else 0
    found = await letterhead_store.find_letterheads(context.db, context.account_id, [number])
    if number not in found:
        raise NotFound("letterhead", text)
    return send_picture(found[number].content, found[number].media_type)


async def send_sample(context: PageContext) -> Response:
    """The PDF of a sample invoice. Raises: Invalid, Busy."""
    content = await write_sample(context.db, context.account_id)
    return attachment(content, file_name("sample-invoice.pdf"), PDF)
