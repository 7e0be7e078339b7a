"""The routes of the pages of the settings."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.kit.router import PageAccess
from masthead.web.settings import (
    account,
    audit_log,
    billing,
    debits,
    exchange_rates,
    export_profiles,
    keys,
    last_prices,
    product_prices,
    products,
    reminders,
    renewal_letters,
    replacements,
    sources,
    users,
    vat,
    vat_settings,
    welcome_email,
)

_SETTINGS = DeskPages("settings/", rights=(Right.SETTINGS,))
_OWNERS = DeskPages("settings/", rights=(), access=PageAccess.OWNER)
_PROFILES = DeskPages("settings/export-profiles/", rights=(Right.SETTINGS,))
_BILLING = DeskPages("settings/billing/", rights=(Right.SETTINGS,))
_WELCOME_EMAIL = DeskPages("settings/welcome-email/", rights=(Right.SETTINGS,))

SETTINGS_PAGES = (
    _SETTINGS.page("", account.show_settings),
    _OWNERS.page("keys/", keys.list_keys),
    _OWNERS.form("keys/new/", keys.create_key),
    _OWNERS.form("keys/{id}/roll/", keys.roll_key),
    _OWNERS.confirmation("keys/{id}/revoke/", keys.revoke_key),
    _SETTINGS.page("sources/", sources.list_sources),
    _SETTINGS.form("sources/new/", sources.create_source),
    _SETTINGS.form("sources/{id}/edit/", sources.rename_source),
    _SETTINGS.button("sources/{id}/activate/", sources.activate_source),
    _SETTINGS.button("sources/{id}/deactivate/", sources.deactivate_source),
    _SETTINGS.page("products/", products.list_products, Right.SEE_MONEY),
    _SETTINGS.form("products/new/", products.create_product, Right.SEE_MONEY),
    _SETTINGS.form("products/{id}/edit/", products.edit_product, Right.SEE_MONEY),
    _SETTINGS.button("products/{id}/activate/", products.activate_product, Right.SEE_MONEY),
    _SETTINGS.button("products/{id}/deactivate/", products.deactivate_product, Right.SEE_MONEY),
    _SETTINGS.button(
        "products/{id}/prices/{day}/delete/", product_prices.delete_coming_prices, Right.SEE_MONEY
    ),
    _SETTINGS.button(
        "products/{id}/rises/{day}/delete/", last_prices.delete_coming_rises, Right.SEE_MONEY
    ),
    _PROFILES.page("", export_profiles.list_profiles),
    _PROFILES.form("new/", export_profiles.create_profile),
    _PROFILES.form("{id}/edit/", export_profiles.edit_profile),
    _PROFILES.button("{id}/activate/", export_profiles.activate_profile),
    _PROFILES.button("{id}/deactivate/", export_profiles.deactivate_profile),
    _SETTINGS.form("account/", account.edit_account),
    _SETTINGS.button("account/language/", account.use_own_language),
    _BILLING.form("", billing.edit_billing),
    _BILLING.page("sample/", billing.send_sample),
    _BILLING.form("letterhead/", billing.edit_letterhead, max_file=MAX_UPLOAD),
    _BILLING.button("letterhead/delete/", billing.delete_letterhead),
    _BILLING.page("letterhead/{number}/", billing.send_letterhead),
    _SETTINGS.form("debits/", debits.edit_debits),
    _SETTINGS.form("vat/", vat.edit_rates),
    _SETTINGS.form("vat/exchange-rates/", exchange_rates.edit_exchange_rates),
    _SETTINGS.button(
        "vat/exchange-rates/{day}/{pair}/delete/", exchange_rates.remove_exchange_rate
    ),
    _SETTINGS.form("vat/settings/", vat_settings.edit_vat_settings),
    _SETTINGS.button("vat/settings/{day}/delete/", vat_settings.remove_vat_setting),
    _SETTINGS.button("vat/{day}/{place}/{product}/{medium}/delete/", vat.remove_rate),
    _WELCOME_EMAIL.form("", welcome_email.edit_welcome_email),
    _WELCOME_EMAIL.button("{id}/retry/", welcome_email.retry_email),
    _SETTINGS.page("renewal-letters/", renewal_letters.list_letters),
    _SETTINGS.form("renewal-letters/{stage}/", renewal_letters.edit_letter),
    _SETTINGS.form("reminders/", reminders.edit_reminders, Right.SEE_MONEY),
    _SETTINGS.form("reminders/{stage}/", reminders.edit_stage, Right.SEE_MONEY),
    _SETTINGS.confirmation("reminders/{stage}/delete/", reminders.delete_stage, Right.SEE_MONEY),
    _SETTINGS.form("replacements/", replacements.edit_replacements),
    _SETTINGS.page("log/", audit_log.show_log),
    _OWNERS.page("users/", users.list_users),
    _OWNERS.form("users/new/", users.invite_user),
    _OWNERS.form("users/{id}/", users.edit_user),
    _OWNERS.button("users/{id}/link/", users.create_link),
    _OWNERS.confirmation("users/{id}/remove/", users.remove_user),
)
