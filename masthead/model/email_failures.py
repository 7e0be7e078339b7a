"""Why an email could not be sent, in the words of the page, for what mail servers answer often."""

import re

from masthead.model.translations import gettext as _, gettext_noop

# The first that matches. RFC 3463 has the codes with two dots
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (
            r"smtputf8|non-ascii|internationali[sz]ed|\b5\.6\.7\b",
            gettext_noop(
                "The mail server cannot send to an address with letters such as ß or ü before the @"
            ),
        ),
        (
            r"\b5\.1\.[16]\b|user unknown|unknown user|no such (?:user|recipient|mailbox)"
            r"|(?:mailbox|recipient|user|account|address)(?: \S+){0,7} (?:does not|doesn't) exist"
            r"|mailbox not found|recipient not found",
            gettext_noop("The mailbox does not exist"),
        ),
        (
            r"\b[45]\.1\.2\b|domain (?:not found|does not exist)|host (?:unknown|not found)",
            gettext_noop("The part of the address behind the @ does not exist"),
        ),
        (r"\b[45]\.2\.2\b|quota|mailbox (?:is )?full", gettext_noop("The mailbox is full")),
        (r"\b[45]\.2\.1\b|mailbox disabled|inactive", gettext_noop("The mailbox is closed")),
        (
            r"\b[45]\.7\.\d+\b|spam|blocked|blacklist|blocklist|policy",
            gettext_noop("The recipient’s mail server does not accept emails from you"),
        ),
        (
            r"\b[45]\.1\.3\b|syntax|\b(?:501|553)\b|recipient (?:address )?re(?:jected|fused)"
            r"|\b550\b",
            gettext_noop("The mail server refused the address"),
        ),
        (
            r"time(?:d )?-?out|connect|network|\b4\d\d\b",
            gettext_noop("The mail server could not be reached, or asked to try later"),
        ),
    )
)


def failure_in_words(error: str) -> str:
    """Why an email could not be sent; empty for an answer that is not known."""
    return next((_(words) for pattern, words in _KINDS if pattern.search(error)), "")
