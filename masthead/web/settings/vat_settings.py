"""Settings: the exemption of small businesses, and the digital part of bundles, from a day on."""

from collections.abc import Sequence
from datetime import date, timedelta

from starlette.responses import Response
from wtforms import BooleanField, StringField
from wtforms.validators import DataRequired
from wtforms.widgets import DateInput

from masthead.model.billing.vat import VatSetting
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.services.billing.settings import delete_vat_setting, save_vat_setting
from masthead.store.billing.settings import find_settings
from masthead.store.engine.interface import Database
from masthead.web.kit.amounts import read_whole_number
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, errors_of, read_date


class VatSettingForm(BaseForm):
    """What decides about VAT beside the rates, and from which day."""

    first_day = StringField(
        "Holds from", [DataRequired("Choose the first day.")], widget=DateInput()
    )
    is_small_business = BooleanField("Small business, exempt from VAT")
    digital_percent = StringField("Digital part of print + digital, in percent")

    def find_errors(self) -> Sequence[Invalid]:
        """Read the day and the part."""
        return errors_of(lambda: self.first, lambda: self.percent)

    @property
    def first(self) -> date:
        """The first day. Raises: Invalid."""
        return read_date("first_day", self.first_day.data)

    @property
    def percent(self) -> int:
        """The digital part. Raises: Invalid."""
        return read_whole_number("digital_percent", self.digital_percent.data, most=100)


async def edit_vat_settings(context: PageContext) -> Response:
    """List what holds from which day; change it from a day on."""
    known = await find_settings(context.db, context.account_id)
    address = context.url("settings", "vat", "settings")
    if known is None:
        return context.redirect(
            context.url("settings", "billing"), message=_("Save these settings first.")
        )
    today = context.membership.daily_date

    async def save(form: VatSettingForm, db: Database) -> Response:
        setting = VatSetting(
            first_day=form.first,
            is_small_business=bool(form.is_small_business.data),
            digital_percent=form.percent,
        )
        await save_vat_setting(db, context.account_id, setting, by=context.actor)
        message = _("This is saved. It holds from {day} on.").format(
            day=day_in(setting.first_day, get_locale(context.locale))
        )
        return context.redirect(address, message=message)

    now = known.vat_on(today)
    listed = [known.vat_on(date.min), *known.vat_settings]
    ends = [*(each.first_day - timedelta(days=1) for each in listed[1:]), None]
    return await handle_form(
        context,
        VatSettingForm,
        "settings/vat_settings.html",
        save,
        initial={
            "first_day": today.isoformat(),
            "is_small_business": now.is_small_business,
            "digital_percent": str(now.digital_percent),
        },
        listed=list(reversed(list(zip(listed, ends, strict=True)))),
        now=now,
    )


async def remove_vat_setting(context: PageContext) -> Response:
    """Let what held before a day go on. Raises: NotFound, Invalid."""
    try:
        day = date.fromisoformat(context.path["day"])
    except ValueError:
        raise NotFound("setting", context.path["day"]) from None
    await delete_vat_setting(context.db, context.account_id, day, by=context.actor)
    return context.redirect(
        context.url("settings", "vat", "settings"), message=_("The change is deleted.")
    )
