"""Options of functions and constructors, checked against their annotations as a configuration is."""

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any, TypeVar

from rlenvs.conversion import converted

F = TypeVar("F", bound=Callable[..., Any])


def typed_options(function: F) -> F:
    """Refuse what does not fit a parameter's annotation, when it is called: see `rlenvs.conversion.converted`.

    For what a person sets: every annotated parameter has to be one that a configuration can hold.

    Raises:
        ConfigError: from the function, where an option does not fit; it names the option.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        hints = typing.get_type_hints(function)
        given = signature.bind(*args, **kwargs)
        for name, value in given.arguments.items():
            if name in hints:
                given.arguments[name] = converted(hints[name], value, name)
        return function(*given.args, **given.kwargs)

    return typing.cast(F, checked)
