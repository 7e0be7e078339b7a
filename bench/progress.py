"""What the benchmark is doing."""

import sys


def say(text: str) -> None:
    """Print the current step to stderr."""
    print(text, file=sys.stderr, flush=True)
