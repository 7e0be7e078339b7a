"""The routes of the pages for subscribers."""

from masthead.model.self_service.settings import Action
from masthead.web.subscriber_pages import (
    address,
    claims,
    invoices,
    looks,
    overview,
    person,
    renew,
    sign_in,
)
from masthead.web.subscriber_pages.router import MyRoute, routes_of

_MY = "/my/{subdomain}"
_FORM = "GET POST"

MY_PAGES: tuple[MyRoute, ...] = (
    MyRoute(f"{_MY}/", sign_in.show_start, _FORM, is_open=True),
    MyRoute(f"{_MY}/link/{{token}}/", sign_in.open_link, _FORM, is_open=True, is_button=True),
    MyRoute(f"{_MY}/confirm/{{token}}/", person.confirm_email, _FORM, is_open=True, is_button=True),
    MyRoute(f"{_MY}/read/{{token}}/", sign_in.open_reading, is_open=True),
    MyRoute(f"{_MY}/sign-in/", sign_in.sign_in_linked, _FORM, is_open=True, is_button=True),
    MyRoute(f"{_MY}/colours/", looks.send_colours, is_open=True),
    MyRoute(f"{_MY}/logo/", looks.send_logo, is_open=True),
    MyRoute(f"{_MY}/sign-out/", sign_in.sign_out, "POST", is_open=True, is_button=True),
    MyRoute(f"{_MY}/gifts/", overview.show_gifts),
    MyRoute(f"{_MY}/paid/", overview.show_paid),
    MyRoute(f"{_MY}/address/", address.change_address, _FORM, action=Action.ADDRESS),
    MyRoute(
        f"{_MY}/address/{{group}}/cancel/",
        address.cancel_change,
        "POST",
        action=Action.ADDRESS,
        is_button=True,
    ),
    MyRoute(f"{_MY}/label/{{id}}/", claims.show_label),
    MyRoute(f"{_MY}/copies/{{id}}/", claims.report_copy, _FORM, action=Action.CLAIM),
    MyRoute(f"{_MY}/name/", person.correct_name, _FORM, action=Action.NAME),
    MyRoute(f"{_MY}/email/", person.change_email, _FORM, action=Action.EMAIL),
    MyRoute(f"{_MY}/letters/", person.set_letters, _FORM, action=Action.LETTERS),
    MyRoute(f"{_MY}/renewals/{{id}}/", person.stop_renewals, _FORM, action=Action.RENEWALS),
    MyRoute(f"{_MY}/renew/{{id}}/", renew.renew, _FORM, action=Action.RENEW_BY_INVOICE),
    MyRoute(f"{_MY}/invoices/", invoices.list_invoices, action=Action.INVOICES),
    MyRoute(f"{_MY}/invoices/{{id}}/", invoices.show_invoice, action=Action.INVOICES),
    MyRoute(f"{_MY}/invoices/{{id}}/pdf/", invoices.download_invoice, action=Action.INVOICES),
    MyRoute(f"{_MY}/data/", person.download_data, _FORM, action=Action.DATA),
    MyRoute(f"{_MY}/erasure/", person.ask_for_erasure, _FORM, action=Action.ERASURE),
)
MY_ROUTES = routes_of(MY_PAGES)
