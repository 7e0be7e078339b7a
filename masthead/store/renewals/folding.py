"""Names without case and accents, to sort and to search them.

SQLite cannot do that by the rules of a language, so letters count like their base letters.
"""

_BASE_LETTERS = {"a": "ÄäÅå", "c": "Ç", "e": "ÉéÈè", "o": "ÖöØø", "s": "Š", "u": "Üü"}


def folded(text: str) -> str:
    """SQL for a text in lower case without accents."""
    for base, letters in _BASE_LETTERS.items():
        for letter in letters:
            text = f"replace({text}, '{letter}', '{base}')"
    return f"lower({text})"


def fold_text(text: str) -> str:
    """A text as `folded` of the database writes it."""
    table = {ord(letter): base for base, letters in _BASE_LETTERS.items() for letter in letters}
    return text.translate(table).lower()
