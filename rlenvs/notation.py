"""A described value on one line, as TOML writes it: for what a person reads, and may write back with `--set`."""

import json
from collections.abc import Mapping
from typing import Any


def inline(value: Any) -> str:
    """The value, JSON's kinds of which are known, as TOML's inline notation has it; what is None is left out."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key} = {inline(item)}" for key, item in value.items() if item is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
