"""Names that are harmful if a page does not escape them."""

from markupsafe import escape

NASTY = [
    "=cmd()",
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "مفتاح المتجر",
    "x" * 255,
    "{{ 7654321 * 7 }}",
]


def is_harmless(page: str, name: str) -> bool:
    """Whether a page shows a name as text and not as HTML."""
    return str(escape(name)) in page and "<script>alert" not in page and "<img" not in page
