"""How a job works on all accounts: one that fails does not keep it from the others."""

from collections.abc import Callable
from contextlib import AbstractContextManager

Guard = Callable[[int], AbstractContextManager[object]]  # of one account, by its id
