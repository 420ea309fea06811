"""Which attributes of a program's objects tests may ask for."""

_TELLING = frozenset(
    name for kind in (str, bytes, set, float) for name in dir(kind) if name.startswith(("is", "startswith", "endswith"))
)
"""Methods of plain values that say yes or no: an object of the program's could say yes whatever it is given."""

_TOLD = ("__name__", "__qualname__", "__annotations__", "__wrapped__")


def is_hidden(name: str) -> bool:
    """Whether an attribute of the program's is not asked for: it would speak for the object, or say yes to anything."""
    return (name.startswith("__") and name.endswith("__") and name not in _TOLD) or name in _TELLING
