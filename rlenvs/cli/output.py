"""What commands print: tables for people, tab-separated lines where nobody looks, JSON for programs."""

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE = 200  # columns

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def print_json(value: Any) -> None:
    """Print a value as JSON. What JSON cannot say (NaN, infinities) becomes null."""
    print(json.dumps(_finite(value), indent=2, ensure_ascii=False, default=str))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Print a table: drawn on a terminal; elsewhere tab-separated, whole, with the columns' names on top."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not sys.stdout.isatty():
        print("\t".join(columns))
        for row in cells:
            print("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, title=title or None, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for row in cells:
        table.add_row(*row)
    Console(markup=False, highlight=False).print(table)


def print_renderable(renderable: "RenderableType") -> None:
    """Print what rich can draw; where nobody looks, wide enough that nothing is cut off."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else WIDE).print(renderable)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else str(value)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
