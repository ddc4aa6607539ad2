"""Linear models from mergeable statistics: scikit-learn's interface, R's answers, one pass.

The public names stand in `linework.exports`. They are imported when the first of them is asked for,
so that the command answers at once where it needs none.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linework.exports import *  # noqa: F403 - the list is in __all__ there
    from linework.exports import __all__ as __all__


def __getattr__(name: str) -> Any:
    if name == "__all__" or not name.startswith("_"):
        exports = import_module("linework.exports")
        if name == "__all__" or name in exports.__all__:
            value = globals()[name] = getattr(exports, name)
            return value
    raise AttributeError(f"module 'linework' has no attribute {name!r}")


def __dir__() -> list[str]:
    names: list[str] = __getattr__("__all__")
    return sorted({*globals(), *names})
