"""The names of products."""

UNNAMED_PRODUCT = "Imported subscription"  # the first one of an account, for orders without any


def known_product(name: str) -> str:
    """The name of a product as subscribers know it; empty for orders without any."""
    return "" if name == UNNAMED_PRODUCT else name
