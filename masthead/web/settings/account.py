"""Settings: the overview, and the name, currency, country and locale of the account."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.audit_entries import EntryType
from masthead.model.errors import Invalid
from masthead.model.imports.values.country_names import read_country
from masthead.model.pagination import PageRequest
from masthead.model.translations import (
    gettext as _,
    is_translated,
    language_of,
    list_languages,
    set_language,
)
from masthead.model.types.countries import country_in_words
from masthead.model.types.money import CURRENCIES
from masthead.model.types.recipient_languages import ELSEWHERE, read_rule
from masthead.model.types.regional_formats import LOCALES
from masthead.model.types.text import is_digits, without_accents
from masthead.model.types.time_zones import time_zones
from masthead.services import accounts as service
from masthead.store.accounts import find_account, get_grace_copies, get_spare
from masthead.store.audit.log import AuditFilter, list_log
from masthead.store.engine.interface import Database
from masthead.store.subscriptions.periods import count_currencies
from masthead.web.kit.choices import list_countries, list_currencies, list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, name_field
from masthead.web.kit.idempotency import NotSaved
from masthead.web.kit.language_notes import note_of_account
from masthead.web.kit.rendering import language_name
from masthead.web.kit.spare_copies import read_spare_percent

TEMPLATE = "settings/account.html"


class AccountForm(BaseForm):
    """The settings of the account; the service validates the choices."""

    name = name_field("Give the account a name.")
    currency = SelectField("Currency", [DataRequired("Choose a currency.")], validate_choice=False)
    country = SelectField("Country", validate_choice=False)
    postal_address = TextAreaField("Postal address")
    time_zone = SelectField("Time zone", validate_choice=False)
    confirm_currency = BooleanField("Yes, recalculate the lifetime values in the new currency")
    requires_second_factor = BooleanField("Require two-step sign-in for all users of this account")
    spare_percent = StringField("Spare copies, in percent")
    grace_copies = SelectField("Grace copies after the last paid issue", validate_choice=False)
    elsewhere = SelectField("All other countries", validate_choice=False)
    locale = SelectField(
        "Language, and format of dates and numbers",
        [DataRequired("Choose a format.")],
        validate_choice=False,
    )


# The same with a field for the countries of each language, whose label is what it calls itself
_AccountForm: type[AccountForm] = type(
    "AccountFormOfLanguages",
    (AccountForm,),
    {f"countries_{each}": TextAreaField(language_name(each)) for each in sorted(list_languages())},
)
_LANGUAGES = [f"countries_{each}" for each in sorted(list_languages())]


def _list_locales(names: Mapping[str, str]) -> list[Any]:
    """The locales in two groups: those in whose language there are texts, and the others."""
    with_texts = [(code, name) for code, name in names.items() if is_translated(code)]
    others = [(code, name) for code, name in names.items() if not is_translated(code)]
    return [
        *choices_of(with_texts, group=_("Texts, dates and amounts")),
        *choices_of(others, group=_("Dates and amounts only; the texts are in English")),
    ]


async def show_settings(context: PageContext) -> Response:
    """Show the overview of the settings."""
    return context.render("settings/overview.html")


async def edit_account(context: PageContext) -> Response:
    """Change the account; a new currency must be confirmed."""
    own = context.membership
    account = await find_account(context.db, own.subdomain)
    assert account is not None
    initial = {
        "name": own.name,
        "currency": own.currency,
        "country": account.country or "",
        "postal_address": account.postal_address,
        "time_zone": account.time_zone,
        "locale": account.locale,
        **_shown_languages(account.country_languages),
        "requires_second_factor": own.requires_second_factor,
        "spare_percent": str((await get_spare(context.db, context.account_id)).percent),
        "grace_copies": str(await get_grace_copies(context.db, context.account_id)),
    }

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> AccountForm:
        form = _AccountForm(formdata, data)
        form.elsewhere.choices = choices_of(
            [("", _("The language above")), *list_languages_of_texts()]
        )
        form.currency.choices = choices_of(list_currencies(own.locale))
        form.country.choices = choices_of([("", _("Not set")), *list_countries(own.locale)])
        form.time_zone.choices = choices_of((name, name) for name in time_zones())
        form.locale.choices = _list_locales({account.locale: account.locale} | LOCALES)
        form.grace_copies.choices = choices_of([("0", _("None")), ("1", "1"), ("2", "2")])
        return form

    async def save(form: AccountForm, db: Database) -> Response:
        currency = form.currency.data or ""
        if currency in CURRENCIES and currency != own.currency and not form.confirm_currency.data:
            raise NotSaved(await _ask_to_confirm(context, form, db, currency))
        await service.update_account(
            db,
            context.account_id,
            name=form.name.data or "",
            currency=currency,
            locale=form.locale.data or "",
            country_languages=_read_languages(form),
            country=form.country.data or None,
            postal_address=form.postal_address.data or "",
            time_zone=form.time_zone.data or account.time_zone,
            spare_percent=read_spare_percent(form.spare_percent.data or ""),
            grace_copies=_read_grace_copies(form.grace_copies.data or str(initial["grace_copies"])),
            requires_second_factor=bool(form.requires_second_factor.data),
            by=context.actor,
        )
        locale = form.locale.data or account.locale
        set_language(context.user.locale or locale)
        url, message = context.url("settings", "account"), _("The account is saved.")
        if language_of(locale) == language_of(account.locale):
            return context.redirect(url, message=message)
        note = note_of_account(context, locale)
        note["message"] = f"{message} {note['message']}"
        return context.redirect(url, **note)

    return await handle_form(
        context,
        make,
        TEMPLATE,
        save,
        is_long=True,
        initial=initial,
        orders=None,
        currency="",
        languages=_LANGUAGES,
    )


async def use_own_language(context: PageContext) -> Response:
    """Give letters, emails, invoices and the words on labels the language of the pages of the user.

    If the account had this language before, it gets its formats of then.
    """
    filter = AuditFilter(action=EntryType.ACCOUNT_UPDATE)
    log = await list_log(context.db, context.account_id, filter, PageRequest(100, None, b""))
    before = [str((each.before or {}).get("locale", "")) for each in log.items]
    language = language_of(context.locale)
    locale = next(
        (each for each in before if each and language_of(each) == language), context.locale
    )
    await service.update_account(context.db, context.account_id, locale=locale, by=context.actor)
    return context.redirect(context.url("settings", "account"), **note_of_account(context, locale))


def _shown_languages(rule: str) -> dict[str, str]:
    """The languages by country as the form shows them: names of countries, by language."""
    found: dict[str, list[str]] = {}
    by_country = dict(read_rule(rule))
    elsewhere = by_country.pop(ELSEWHERE, "")
    for country, language in by_country.items():
        found.setdefault(language, []).append(country_in_words(country))
    shown = {
        f"countries_{language}": ", ".join(sorted(names, key=without_accents))
        for language, names in found.items()
    }
    return {**shown, "elsewhere": elsewhere}


def _read_languages(form: AccountForm) -> dict[str, str]:
    """The languages by country that were typed. Raises: Invalid."""
    found = {ELSEWHERE: form.elsewhere.data} if form.elsewhere.data else {}
    for language in sorted(list_languages()):
        field = f"countries_{language}"
        for typed in re.split(r"[,;\n]", form[field].data or ""):
            if not typed.strip():
                continue
            country = read_country(field, typed.strip())
            if found.setdefault(country, language) != language:
                text = _("{country} has two languages. Leave it in one of the fields.")
                raise Invalid(text.format(country=country_in_words(country)), field=field)
    return found


def _read_grace_copies(text: str) -> int:
    """The number of grace copies. Raises: Invalid."""
    if not is_digits(text, at_most=1):
        raise Invalid(
            _("Choose 0, 1 or 2 grace copies, not {count}.").format(count=text[:10]),
            field="grace_copies",
            value=text,
        )
    return int(text)


async def _ask_to_confirm(
    context: PageContext, form: AccountForm, db: Database, currency: str
) -> Response:
    """Show the form again, with the effect of the new currency on lifetime values."""
    orders = await count_currencies(db, context.account_id)
    return context.render(
        TEMPLATE, form=form, orders=orders, currency=currency, languages=_LANGUAGES
    )
