"""A page that says why a write was refused is never answered with 200, whatever its route."""

import re

import pytest

from masthead.web.kit.context import has_problem
from masthead.web.kit.forms import BaseForm
from masthead.web.routes import PAGES
from tests.conftest import Cast
from tests.web.conftest import Person
from tests.web.test_any_request import filled, known

__all__ = ["known"]
REFUSED = re.compile(r'class="refused"|role="alert"|aria-invalid="true"')
WRITES = [it.path for it in PAGES if "POST" in it.methods.split() and it.path.startswith("/desk/")]


@pytest.mark.parametrize("typed", ["", "?"])
async def test_a_refused_write_is_never_answered_with_200(
    acme: Cast, owner: Person, known: dict[str, str], typed: str
) -> None:
    refused = 0
    for path in WRITES:
        address = filled(path, acme.subdomain, "{known}", known)
        names = ("idempotency_key", "reason", "number", "when", "day", "amount", "name", "email")
        response = await owner.post(address, dict.fromkeys(names, typed) | {"do": typed})
        if REFUSED.search(response.text):
            refused += 1
            assert response.status_code >= 400, path
    assert refused > 20


def test_errors_of_any_form_of_a_page_are_a_problem() -> None:
    form = BaseForm()
    assert not has_problem({"form": form, "problem": ""})
    form.form_errors.append("No")
    assert has_problem({"upload": form})
    assert has_problem({"problem": "No"})
