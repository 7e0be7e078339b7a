"""The routes of the pages of the settings."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.settings import (
    account,
    audit_log,
    billing,
    debits,
    export_profiles,
    keys,
    product_prices,
    products,
    reminders,
    renewal_letters,
    replacements,
    sources,
    users,
    vat,
    welcome_email,
)

_SETTINGS = "/desk/{subdomain}/settings"
_PROFILES = "/desk/{subdomain}/settings/export-profiles"
_BILLING = "/desk/{subdomain}/settings/billing"
_WELCOME_EMAIL = "/desk/{subdomain}/settings/welcome-email"

SETTINGS_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SETTINGS}/", account.show_settings, PageAccess.MEMBER, rights=(Right.SETTINGS,)),
    PageRoute(f"{_SETTINGS}/keys/", keys.list_keys, PageAccess.OWNER, rights=()),
    PageRoute(f"{_SETTINGS}/keys/new/", keys.create_key, PageAccess.OWNER, "GET POST", rights=()),
    PageRoute(
        f"{_SETTINGS}/keys/{{id}}/roll/", keys.roll_key, PageAccess.OWNER, "GET POST", rights=()
    ),
    PageRoute(
        f"{_SETTINGS}/keys/{{id}}/revoke/", keys.revoke_key, PageAccess.OWNER, "GET POST", rights=()
    ),
    PageRoute(
        f"{_SETTINGS}/sources/", sources.list_sources, PageAccess.MEMBER, rights=(Right.SETTINGS,)
    ),
    PageRoute(
        f"{_SETTINGS}/sources/new/",
        sources.create_source,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/edit/",
        sources.rename_source,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/activate/",
        sources.activate_source,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/sources/{{id}}/deactivate/",
        sources.deactivate_source,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/products/",
        products.list_products,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/products/new/",
        products.create_product,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/edit/",
        products.edit_product,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/activate/",
        products.activate_product,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/deactivate/",
        products.deactivate_product,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/products/{{id}}/prices/{{day}}/delete/",
        product_prices.delete_coming_prices,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_PROFILES}/", export_profiles.list_profiles, PageAccess.MEMBER, rights=(Right.SETTINGS,)
    ),
    PageRoute(
        f"{_PROFILES}/new/",
        export_profiles.create_profile,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_PROFILES}/{{id}}/edit/",
        export_profiles.edit_profile,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_PROFILES}/{{id}}/activate/",
        export_profiles.activate_profile,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_PROFILES}/{{id}}/deactivate/",
        export_profiles.deactivate_profile,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/account/",
        account.edit_account,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_BILLING}/",
        billing.edit_billing,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_BILLING}/sample/", billing.send_sample, PageAccess.MEMBER, rights=(Right.SETTINGS,)
    ),
    PageRoute(
        f"{_BILLING}/letterhead/",
        billing.edit_letterhead,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_UPLOAD,
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_BILLING}/letterhead/delete/",
        billing.delete_letterhead,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_BILLING}/letterhead/{{number}}/",
        billing.send_letterhead,
        PageAccess.MEMBER,
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/debits/",
        debits.edit_debits,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/vat/",
        vat.edit_rates,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/vat/{{day}}/{{place}}/{{product}}/{{medium}}/delete/",
        vat.remove_rate,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_WELCOME_EMAIL}/",
        welcome_email.edit_welcome_email,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_WELCOME_EMAIL}/{{id}}/retry/",
        welcome_email.retry_email,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/renewal-letters/",
        renewal_letters.list_letters,
        PageAccess.MEMBER,
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/renewal-letters/{{stage}}/",
        renewal_letters.edit_letter,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/reminders/",
        reminders.edit_reminders,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/reminders/{{stage}}/",
        reminders.edit_stage,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/reminders/{{stage}}/delete/",
        reminders.delete_stage,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/replacements/",
        replacements.edit_replacements,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(f"{_SETTINGS}/log/", audit_log.show_log, PageAccess.MEMBER, rights=(Right.SETTINGS,)),
    PageRoute(f"{_SETTINGS}/users/", users.list_users, PageAccess.OWNER, rights=()),
    PageRoute(
        f"{_SETTINGS}/users/new/", users.invite_user, PageAccess.OWNER, "GET POST", rights=()
    ),
    PageRoute(
        f"{_SETTINGS}/users/{{id}}/", users.edit_user, PageAccess.OWNER, "GET POST", rights=()
    ),
    PageRoute(
        f"{_SETTINGS}/users/{{id}}/link/", users.create_link, PageAccess.OWNER, "POST", rights=()
    ),
    PageRoute(
        f"{_SETTINGS}/users/{{id}}/remove/",
        users.remove_user,
        PageAccess.OWNER,
        "GET POST",
        rights=(),
    ),
)
