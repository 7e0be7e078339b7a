"""Every page: where it is, what answers, who may see it. The whole web area on one screen."""

from starlette.routing import Route

from masthead.web import (
    account,
    confirmation,
    editing,
    entrance,
    forecasts,
    home,
    issue_forms,
    issues,
    keys,
    letter,
    log,
    ordering,
    passkeys,
    person,
    products,
    renewals,
    second_step,
    sending,
    signing_in,
    sources,
    subscribers,
    subscriptions,
    two_step,
    users,
)
from masthead.web.door import Access, Page, routes_of
from masthead.web.rendering import STATIC_PATH

_DESK, _ISSUES = "/desk/{subdomain}", "/desk/{subdomain}/issues"
_SUBSCRIBERS, _SUBSCRIPTIONS = "/desk/{subdomain}/subscribers", "/desk/{subdomain}/subscriptions"
_TWO_STEP = "/you/two-step"
_SETTINGS = "/desk/{subdomain}/settings"

PAGES: tuple[Page, ...] = (
    Page("/sign-in/", signing_in.open_door, Access.ANYONE, "GET POST"),
    Page("/sign-in/second-step/", second_step.open_second_step, Access.ANYONE, "GET POST"),
    Page("/sign-in/second-step/options/", passkeys.second_step_options, Access.ANYONE, "POST"),
    Page("/sign-in/passkey/", passkeys.sign_in, Access.ANYONE, "POST"),
    Page("/sign-in/passkey/options/", passkeys.sign_in_options, Access.ANYONE, "POST"),
    Page("/link/{token}/", signing_in.open_link, Access.ANYONE, "GET POST"),
    Page("/help/", entrance.show_help, Access.ANYONE),
    Page("/sign-out/", entrance.sign_out, Access.PERSON, "POST"),
    Page("/you/", person.show_person, Access.PERSON, "GET POST"),
    Page("/you/shortcuts/", person.set_shortcuts, Access.PERSON, "POST"),
    Page("/you/sessions/{digest}/end/", person.end_session, Access.PERSON, "POST"),
    Page("/you/sign-out-everywhere/", person.sign_out_everywhere, Access.PERSON, "POST"),
    Page("/you/confirm/", confirmation.confirm, Access.PERSON, "GET POST"),
    Page("/you/two-step/", two_step.show_two_step, Access.PERSON),
    Page(f"{_TWO_STEP}/app/", two_step.add_app, Access.CONFIRMED, "GET POST"),
    Page(f"{_TWO_STEP}/app/remove/", two_step.remove_app, Access.CONFIRMED, "GET POST"),
    Page(f"{_TWO_STEP}/codes/", two_step.make_codes, Access.CONFIRMED, "POST"),
    Page(f"{_TWO_STEP}/passkeys/new/", passkeys.add_passkey, Access.CONFIRMED, "GET POST"),
    Page(f"{_TWO_STEP}/passkeys/options/", passkeys.creation_options, Access.CONFIRMED, "POST"),
    Page(f"{_TWO_STEP}/passkeys/{{id}}/", two_step.edit_passkey, Access.CONFIRMED, "GET POST"),
    Page(
        f"{_TWO_STEP}/passkeys/{{id}}/remove/",
        two_step.remove_passkey,
        Access.CONFIRMED,
        "GET POST",
    ),
    Page("/desk/", entrance.choose_desk, Access.PERSON),
    Page("/desk/{subdomain}/", home.show_home, Access.MEMBER),
    Page(f"{_SUBSCRIBERS}/", subscribers.list_subscribers, Access.MEMBER),
    Page(f"{_SUBSCRIBERS}/{{id}}/", subscribers.show_subscriber, Access.MEMBER),
    Page(f"{_SUBSCRIPTIONS}/", subscriptions.list_subscriptions, Access.MEMBER),
    Page(f"{_SUBSCRIPTIONS}/new/", ordering.add_subscription, Access.MEMBER, "GET POST"),
    Page(f"{_SUBSCRIPTIONS}/new/source/", ordering.add_source, Access.MEMBER, "POST"),
    Page(f"{_SUBSCRIPTIONS}/{{id}}/", subscriptions.show_subscription, Access.MEMBER),
    Page(f"{_SUBSCRIPTIONS}/{{id}}/edit/", editing.edit_subscription, Access.MEMBER, "GET POST"),
    Page(f"{_SUBSCRIPTIONS}/{{id}}/cancel/", editing.end_subscription, Access.MEMBER, "GET POST"),
    Page(f"{_SUBSCRIPTIONS}/{{id}}/sent/", subscriptions.mark_sent, Access.MEMBER, "POST"),
    Page(f"{_SETTINGS}/", account.show_settings, Access.OWNER),
    Page(f"{_SETTINGS}/keys/", keys.list_keys, Access.OWNER),
    Page(f"{_SETTINGS}/keys/new/", keys.make_key, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/keys/{{id}}/roll/", keys.roll_key, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/keys/{{id}}/revoke/", keys.revoke_key, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/sources/", sources.list_sources, Access.OWNER),
    Page(f"{_SETTINGS}/sources/new/", sources.make_source, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/sources/{{id}}/edit/", sources.rename_source, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/sources/{{id}}/activate/", sources.activate_source, Access.OWNER, "POST"),
    Page(
        f"{_SETTINGS}/sources/{{id}}/deactivate/", sources.deactivate_source, Access.OWNER, "POST"
    ),
    Page(f"{_SETTINGS}/products/", products.list_products, Access.OWNER),
    Page(f"{_SETTINGS}/products/new/", products.make_product, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/products/{{id}}/edit/", products.edit_product, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/products/{{id}}/activate/", products.activate_product, Access.OWNER, "POST"),
    Page(
        f"{_SETTINGS}/products/{{id}}/deactivate/",
        products.deactivate_product,
        Access.OWNER,
        "POST",
    ),
    Page(f"{_SETTINGS}/account/", account.edit_account, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/letter/", letter.edit_letter, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/letter/{{id}}/retry/", letter.retry_letter, Access.OWNER, "POST"),
    Page(f"{_SETTINGS}/log/", log.show_log, Access.OWNER),
    Page(f"{_SETTINGS}/users/", users.list_users, Access.OWNER),
    Page(f"{_SETTINGS}/users/new/", users.invite_user, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/users/{{id}}/", users.edit_user, Access.OWNER, "GET POST"),
    Page(f"{_SETTINGS}/users/{{id}}/link/", users.make_link, Access.OWNER, "POST"),
    Page(f"{_SETTINGS}/users/{{id}}/remove/", users.remove_user, Access.OWNER, "GET POST"),
    Page(f"{_DESK}/ending/", renewals.list_ending, Access.MEMBER),
    Page(f"{_DESK}/ending/csv/", renewals.download_ending, Access.MEMBER),
    Page(f"{_DESK}/ending/over/", renewals.list_over, Access.MEMBER),
    Page(f"{_DESK}/ending/memberships/", renewals.list_ending_memberships, Access.MEMBER),
    Page(f"{_DESK}/forecast/", forecasts.show_forecast, Access.MEMBER),
    Page(f"{_ISSUES}/", issues.list_issues, Access.MEMBER),
    Page(f"{_ISSUES}/new/", issue_forms.create_issue, Access.MEMBER, "GET POST"),
    Page(f"{_ISSUES}/{{id}}/", issues.show_issue, Access.MEMBER),
    Page(f"{_ISSUES}/{{id}}/edit/", issue_forms.edit_issue, Access.MEMBER, "GET POST"),
    Page(f"{_ISSUES}/{{id}}/send/", sending.send_issue, Access.MEMBER, "GET POST"),
    Page(f"{_ISSUES}/{{id}}/addresses/", sending.download_addresses, Access.MEMBER),
)

# Whatever else stands below the desk; no page, so it is none of those above
ASTRAY = Page("/desk/{rest:path}", entrance.lead_back, Access.ANYONE)

ROUTES = [Route("/", entrance.enter), *routes_of((*PAGES, ASTRAY)), STATIC_PATH]
