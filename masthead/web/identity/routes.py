"""The routes of the pages about users and their sign-in, which belong to no account."""

from masthead.web.identity import (
    forgotten_password,
    landing,
    passkeys,
    password_confirmation,
    profile,
    second_step,
    sign_in,
    two_step,
)
from masthead.web.kit.router import Handler, PageAccess, PageRoute

_TWO_STEP = "/you/two-step"


def _button(path: str, handler: Handler, access: PageAccess, methods: str = "POST") -> PageRoute:
    """A page, or a change, whose form may have no fields."""
    return PageRoute(path, handler, access, methods, is_button=True)


IDENTITY_PAGES: tuple[PageRoute, ...] = (
    PageRoute("/sign-in/", sign_in.show_sign_in, PageAccess.ANYONE, "GET POST"),
    PageRoute(
        "/sign-in/forgotten-password/",
        forgotten_password.ask_for_link,
        PageAccess.ANYONE,
        "GET POST",
    ),
    PageRoute("/sign-in/second-step/", second_step.show_second_step, PageAccess.ANYONE, "GET POST"),
    _button("/sign-in/second-step/options/", passkeys.second_step_options, PageAccess.ANYONE),
    PageRoute("/sign-in/passkey/", passkeys.sign_in, PageAccess.ANYONE, "POST"),
    _button("/sign-in/passkey/options/", passkeys.sign_in_options, PageAccess.ANYONE),
    _button("/link/{token}/", sign_in.open_link, PageAccess.ANYONE, "GET POST"),
    PageRoute("/help/", landing.show_help, PageAccess.ANYONE),
    _button("/sign-out/", landing.sign_out, PageAccess.SIGNED_IN),
    PageRoute("/you/", profile.show_profile, PageAccess.SIGNED_IN, "GET POST"),
    PageRoute("/you/shortcuts/", profile.set_shortcuts, PageAccess.SIGNED_IN, "POST"),
    PageRoute("/you/name/", profile.set_name, PageAccess.SIGNED_IN, "POST"),
    PageRoute("/you/locale/", profile.set_locale, PageAccess.SIGNED_IN, "POST"),
    _button("/you/sessions/{digest}/end/", profile.end_session, PageAccess.SIGNED_IN),
    _button("/you/sign-out-everywhere/", profile.sign_out_everywhere, PageAccess.SIGNED_IN),
    PageRoute("/you/confirm/", password_confirmation.confirm, PageAccess.SIGNED_IN, "GET POST"),
    PageRoute("/you/two-step/", two_step.show_two_step, PageAccess.SIGNED_IN),
    PageRoute(f"{_TWO_STEP}/app/", two_step.add_app, PageAccess.CONFIRMED, "GET POST"),
    _button(f"{_TWO_STEP}/app/remove/", two_step.remove_app, PageAccess.CONFIRMED, "GET POST"),
    _button(f"{_TWO_STEP}/codes/", two_step.make_codes, PageAccess.CONFIRMED),
    PageRoute(f"{_TWO_STEP}/passkeys/new/", passkeys.add_passkey, PageAccess.CONFIRMED, "GET POST"),
    _button(f"{_TWO_STEP}/passkeys/options/", passkeys.creation_options, PageAccess.CONFIRMED),
    PageRoute(
        f"{_TWO_STEP}/passkeys/{{id}}/", two_step.edit_passkey, PageAccess.CONFIRMED, "GET POST"
    ),
    _button(
        f"{_TWO_STEP}/passkeys/{{id}}/remove/",
        two_step.remove_passkey,
        PageAccess.CONFIRMED,
        "GET POST",
    ),
    PageRoute("/desk/", landing.choose_desk, PageAccess.SIGNED_IN),
)
