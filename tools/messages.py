"""Collect the texts to translate, and bring the catalogues of all languages up to date.

    python tools/messages.py         updates masthead/locale/*/LC_MESSAGES/masthead.po
    python tools/messages.py fr      creates the catalogue of French, if there is none

The catalogues contain no dates and no line numbers, so that only texts change them. A text whose
English has changed loses its translation: an outdated one may say something else.
"""

import argparse
import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from babel.messages.catalog import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parent.parent
LOCALE = ROOT / "masthead" / "locale"
WIDTH = 100

# The fields and validators of forms: their first argument is a label or a message
FORMS = """
    BooleanField DateField EmailField FileField FloatField IntegerField PasswordField RadioField
    SelectField SelectMultipleField StringField TextAreaField
    DataRequired InputRequired email_field name_field password_field
"""
# Functions whose text belongs to a context
CONTEXTS = dict.fromkeys(["file_name", "file_name_noop"], "file name")
KEYWORDS: Mapping[str, Any] = {
    **DEFAULT_KEYWORDS,
    **dict.fromkeys(["gettext_noop", *FORMS.split()]),
    **dict.fromkeys(["counted", "ngettext_noop"], (1, 2)),
}


def extract_python(
    file: IO[bytes], keywords: Collection[str], _comments: object, options: object
) -> Iterator[tuple[int, str, Any, list[str]]]:
    """The texts of a module, as Babel wants them: the line, the function, its literals, comments.

    Babel's own method does not find a call inside the arguments of another.
    """
    calls = [node for node in ast.walk(ast.parse(file.read())) if isinstance(node, ast.Call)]
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = [getattr(each, "value", None) for each in node.args]
        literals = [each if isinstance(each, str) else None for each in texts]
        if name in CONTEXTS and literals:
            name, literals = "pgettext", [CONTEXTS[name], literals[0]]
        if name == "headings_noop":
            for heading in ast.literal_eval(node.args[0]).values():
                yield node.lineno, "pgettext", ("column", heading), []
        elif name in keywords and literals:
            yield node.lineno, name, literals[0] if len(literals) == 1 else tuple(literals), []


TEMPLATES = {"extensions": "jinja2.ext.i18n", "trimmed": "true", "silent": "false"}
METHODS: Mapping[str, tuple[Any, Mapping[str, str]]] = {
    ".py": (extract_python, {}),
    ".html": ("jinja2", TEMPLATES),
}
# Their texts are for the operators of a server and for programs
ENGLISH_ONLY = ("api", "background", "cli", "demo", "store")


def list_sources() -> Iterator[Path]:
    """The files whose texts can be translated, in order."""
    package = ROOT / "masthead"
    for file in sorted(package.rglob("*")):
        if file.suffix in METHODS and file.relative_to(package).parts[0] not in ENGLISH_ONLY:
            yield file


@cache
def texts_of(file: Path) -> list[tuple[int, Any, list[str], str | None]]:
    """The texts of a file: the line, the text or its forms, comments, and the context."""
    method, options = METHODS[file.suffix]
    with file.open("rb") as source:
        return list(extract(method, source, KEYWORDS, ("Translators:",), options))


def collect() -> Catalog:
    """The texts of the code and the templates, each with the files that contain it."""
    catalog = Catalog(fuzzy=False)
    for file in list_sources():
        for _line, text, comments, context in texts_of(file):
            if text and text[0]:
                place = (file.relative_to(ROOT).as_posix(), 0)
                catalog.add(text, None, [place], auto_comments=comments, context=context)
    return catalog


def read(language: str) -> Catalog:
    """The catalogue of a language; empty if there is none."""
    file = catalogue_of(language)
    if not file.is_file():
        return Catalog(locale=language, fuzzy=False)
    with file.open("rb") as source:
        return read_po(source, locale=language)


def catalogue_of(language: str) -> Path:
    """The file of a language such as `de`."""
    return LOCALE / language / "LC_MESSAGES" / "masthead.po"


def update(language: str) -> str:
    """The catalogue of a language with the texts of now, as text.

    Texts that are new have no translation; texts that are no longer used are left out.
    """
    known, texts = read(language), collect()
    for message in texts:
        before = known.get(message.id, message.context)
        if message.id and before is not None and before.id == message.id:
            message.string = before.string
            message.flags = before.flags
            message.user_comments = before.user_comments
    return dump(texts, language)


def dump(texts: Catalog, language: str) -> str:
    """A catalogue as the text of its file."""
    plural = Catalog(locale=language).plural_forms
    header = [f"Language: {language}", "MIME-Version: 1.0"]
    header += ["Content-Type: text/plain; charset=utf-8", f"Plural-Forms: {plural}"]
    lines = ['msgid ""', 'msgstr ""', *(f'"{line}\\n"' for line in header)]
    out = BytesIO()
    write_po(out, texts, WIDTH, omit_header=True, sort_by_file=True, include_lineno=False)
    return "\n".join(lines) + "\n\n" + out.getvalue().decode()


def list_languages() -> list[str]:
    """The languages that have a catalogue."""
    return sorted(file.parent.parent.name for file in LOCALE.glob("*/LC_MESSAGES/masthead.po"))


def main() -> None:
    """Update the catalogues and say how many texts have no translation."""
    parser = argparse.ArgumentParser(description="Update the catalogues of translations.")
    parser.add_argument("languages", nargs="*", help="all that have a catalogue, if empty")
    for language in parser.parse_args().languages or list_languages():
        file = catalogue_of(language)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(update(language), encoding="utf-8")
        texts = [message for message in read(language) if message.id]
        missing = sum(not message.string or not all(message.string) for message in texts)
        sys.stdout.write(f"{language}: {len(texts)} texts, {missing} without a translation\n")


if __name__ == "__main__":
    main()
