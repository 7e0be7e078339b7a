"""Render templates and serve static files, from memory and from this host only."""

import asyncio
import hashlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path

import structlog
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2_fragments import BlockNotFoundError, render_block
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from masthead.model.clock import is_off, now
from masthead.model.errors import MastheadError
from masthead.model.identity.memberships import AccountMembership
from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.translations import (
    gettext,
    in_language,
    language_of,
    list_languages,
    load_catalogue,
    ngettext,
    pgettext,
)
from masthead.model.types.recipient_languages import name_language
from masthead.services.child_process import run_in_child, run_in_threads
from masthead.serving.compression import MIN_BYTES, accepted_coding, compress_file
from masthead.temporary_files import shared_folder
from masthead.web.kit.compiled_templates import CompiledTemplates
from masthead.web.kit.formatting import DEFAULT_LOCALE, get_locale
from masthead.web.kit.template_filters import FILTERS
from masthead.web.kit.template_texts import gettext_with_counts, ngettext_with_counts

log = structlog.get_logger()

NO_ACCOUNT = 0  # of a child process that works for all of them
WEB = Path(__file__).parent.parent
STATIC = WEB / "static"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FILES = {
    str(file.relative_to(STATIC)): file.read_bytes()
    for file in sorted(STATIC.rglob("*"))
    if file.suffix in TYPES
}
# Part of every URL, so that browsers cache the files until they change
VERSION = hashlib.sha256(b"".join(FILES.values())).hexdigest()[:12]
IMMUTABLE = "public, max-age=31536000, immutable"

templates = Environment(
    loader=FileSystemLoader(WEB / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
    extensions=["jinja2.ext.i18n"],
)
templates.install_gettext_callables(  # type: ignore[attr-defined]
    gettext, ngettext, newstyle=True, pgettext=pgettext
)
templates.globals.update(gettext=gettext_with_counts, ngettext=ngettext_with_counts)
templates.policies["ext.i18n.trimmed"] = True
templates.filters.update(FILTERS)


async def warm_up() -> None:
    """Let no request wait until its templates are compiled, or the default locale is read.

    They are compiled in a process of its own, which takes seconds: this one would keep 35 MB. A
    page loads those that it needs.
    """
    try:
        if missing := await asyncio.to_thread(_list_missing):
            await run_in_child(compile_templates, missing, account_id=NO_ACCOUNT)
    except (OSError, RuntimeError, MastheadError) as reason:
        log.warning("templates not compiled", reason=str(reason))  # so pages compile them
    await asyncio.to_thread(lambda: get_locale(DEFAULT_LOCALE).territories)  # reads its file


def _list_missing() -> list[str]:
    """The templates that no process of this user has compiled. Raises: OSError."""
    templates.bytecode_cache = compiled = CompiledTemplates(str(shared_folder("templates")))
    return compiled.list_missing(templates, templates.list_templates(extensions=["html"]))


def compile_templates(names: Iterable[str]) -> None:
    """Compile templates, and texts of all languages, for all processes of this user.

    Raises: OSError.
    """
    for language in list_languages():
        load_catalogue(language)
    templates.bytecode_cache = CompiledTemplates(str(shared_folder("templates")))
    for name in names:
        templates.get_template(name)


def static_url(name: str) -> str:
    """The URL of a static file."""
    assert name in FILES, name
    return f"/static/{VERSION}/{name}"


templates.globals["static"] = static_url
templates.globals["language"] = language_of
templates.globals["zip"] = zip


def language_name(locale: str) -> str:
    """What a language calls itself, such as `Deutsch`."""
    return str(get_locale(locale).language_name).capitalize()


def switch_to(locale: str) -> str:
    """The button for pages in the language of a locale, in that language: `Seiten auf Deutsch`."""
    with in_language(locale):
        return gettext("Pages in {language}").format(language=name_language(locale))


templates.globals["switch_to"] = switch_to
templates.globals["language_in_words"] = name_language


def is_off_today(membership: AccountMembership) -> bool:
    """Whether the statuses of an account are neither of today nor of yesterday."""
    return is_off(membership.daily_date, membership.zone, now())


templates.globals["is_off"] = is_off_today


# Macros that all templates have, under these names; other macros are imported where they are used
SHARED = {"parts": "macros.html", "plurals": "reports/plurals.html"}


class SharedMacros:
    """The macros of a file for one page. They are loaded when the first of them is called."""

    def __init__(self, file: str, context: dict[str, object]) -> None:
        self._file, self._context = file, context

    def __getattr__(self, name: str) -> object:
        """A macro. It then is an attribute, so that this is not called again."""
        if "_module" not in vars(self):
            self._module = templates.get_template(self._file).make_module(self._context)
        macro = getattr(self._module, name)
        setattr(self, name, macro)
        return macro


def render(template: str, block: str | None, context: dict[str, object]) -> str:
    """A page as HTML, or one block of it."""
    context.update({name: SharedMacros(file, context) for name, file in SHARED.items()})
    if block is not None:
        with suppress(BlockNotFoundError):
            return _show_erased(render_block(templates, template, block, context))
    return _show_erased(templates.get_template(template).render(context))


def _show_erased(html: str) -> str:
    """The page with the names of erased people in its language. Names are in `<bdi>` and titles.

    Not a filter, which each of the many templates with names, of subscribers, payers, givers and
    bank lines, would need, also in `trans` blocks, where Jinja's `finalize` does not see values.
    Forms keep the stored word: no value of a field matches.
    """
    word = gettext(ERASED_NAME)
    html = html.replace(f">{ERASED_NAME}</bdi>", f">{word}</bdi>")
    return html.replace(f'title="{ERASED_NAME}"', f'title="{word}"')


_threads = ThreadPoolExecutor(4, "page")  # pages wait for no other work


class TemplateResponse(Response):
    """A page that is rendered in a thread, so that API requests do not wait for it."""

    def __init__(
        self, template: str, block: str | None, context: dict[str, object], status: int
    ) -> None:
        headers = {"Vary": "HX-Request, HX-Target"}
        super().__init__(status_code=status, media_type="text/html", headers=headers)
        self._template, self._block, self._context = template, block, context

    async def render_template(self) -> None:
        """Render the HTML."""
        html = await run_in_threads(_threads, render, self._template, self._block, self._context)
        self.body = html.encode()
        self.headers["Content-Length"] = str(len(self.body))


async def send_static(request: Request) -> ASGIApp:
    """A static file."""
    name = request.path_params["name"]
    if name not in FILES:
        unknown: ASGIApp = request.app.router.default
        return unknown
    body = FILES[name]
    headers = {
        "Cache-Control": IMMUTABLE,
        "X-Content-Type-Options": "nosniff",
        "Vary": "Accept-Encoding",
    }
    coding = accepted_coding(request.headers.get("Accept-Encoding", ""))
    if coding and len(body) >= MIN_BYTES:
        body, headers["Content-Encoding"] = _compressed(name, coding), coding
    return Response(body, media_type=TYPES[Path(name).suffix], headers=headers)


@cache
def _compressed(name: str, coding: str) -> bytes:
    """A static file in a coding, which takes some milliseconds; all together are 50 kB."""
    return compress_file(FILES[name], coding)


STATIC_ROUTE = Route("/static/{version}/{name:path}", send_static)
