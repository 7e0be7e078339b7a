"""How often chance is tried: a few times in CI, `MASTHEAD_TEST_ROUNDS` times in a campaign."""

import os


def rounds(usually: int) -> int:
    """The number of rounds, unless a campaign asks for another."""
    return int(os.environ.get("MASTHEAD_TEST_ROUNDS", usually))
