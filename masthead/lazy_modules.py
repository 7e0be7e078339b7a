"""Libraries that few requests need: a worker loads them when the first one does."""

from importlib import import_module
from typing import Any


class LazyModule:
    """A module of a library, which is loaded when one of its names is first used.

    Write the import that it replaces below `if TYPE_CHECKING`, and this one below `else`.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
