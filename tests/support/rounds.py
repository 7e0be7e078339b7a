"""The number of rounds of random tests: a few in CI, `MASTHEAD_TEST_ROUNDS` in a campaign."""

import os


def rounds(usually: int) -> int:
    """The number of rounds, unless a campaign asks for another."""
    return int(os.environ.get("MASTHEAD_TEST_ROUNDS", usually))
