"""Search in SQL: every term is a substring of the row's `search_text`."""

from masthead.model.values import search_patterns


def found_by(column: str, search: str | None) -> tuple[str, dict[str, str]]:
    """A condition for each term of a search, and their parameters; blank finds everything."""
    patterns = {f"term{n}": each for n, each in enumerate(search_patterns(search or ""))}
    conditions = "".join(f" AND {column} LIKE :{name} ESCAPE '\\'" for name in patterns)
    return conditions, patterns
