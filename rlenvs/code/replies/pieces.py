"""The pieces of Python in a reply, and one of them made whole with what it needs of the others."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rlenvs.code.replies.bare import chunks, without_margins
from rlenvs.code.replies.fences import Block, Fenced
from rlenvs.code.replies.lines import trimmed
from rlenvs.code.replies.syntax import MAX_CHARS, Module, module_of, needed_names
from rlenvs.code.replies.tags import PYTHON, UNNAMED

MAX_PIECES = 64  # the last ones
_TRANSCRIPT = re.compile(r"\s*(?:>>> |>>>$|\.\.\. |In \[\d+\]:|\$ )")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some Python of a reply."""

    text: str
    module: Module | None  # None where it does not parse
    is_named: bool  # whether its fence says that it is Python
    is_closed: bool  # whether it has an end

    def binds(self, name: str) -> bool:
        """Whether it defines this name."""
        return self.module is not None and self.module.binds(name)

    def seems_to_define(self, name: str) -> bool:
        """Whether it does not parse, and looks as if it would define the name if it did."""
        return self.module is None and seems_to_define(self.text, name)


def seems_to_define(text: str, name: str) -> bool:
    """Whether a line of a text begins like a definition of the name."""
    pattern = rf"^[ \t]*+(?:(?:async +)?def|class) +{re.escape(name)}\b|^{re.escape(name)} *+="
    return re.search(pattern, text, re.MULTILINE) is not None


def pieces_of(found: Fenced, *, continued: str = "") -> list[Piece]:
    """The blocks that are Python or may be, in order; a reply's beginning if its first fence may be the end of it.

    Transcripts of a session are none. Of a cut-off block that does not parse the last, unfinished statement is left
    out. Indentation that a block has as a whole is taken away, unless it may be a body. No more text than twice
    `MAX_CHARS` is parsed: the last blocks.

    Args:
        continued: the function whose body a block may be; empty if there is no stub.
    """
    blocks = [block for block in found.blocks if block.language in (PYTHON, UNNAMED) and block.text]
    if found.leading:
        blocks.insert(0, Block(UNNAMED, found.leading, True, False))
    pieces: list[Piece] = []
    chars = 0
    for block in reversed(blocks[-MAX_PIECES:]):
        if _TRANSCRIPT.match(block.text):
            continue
        chars += len(block.text)
        pieces.append(_piece(block, continued=continued, is_parsed=chars <= 2 * MAX_CHARS))
    return pieces[::-1]


def _piece(block: Block, *, continued: str, is_parsed: bool) -> Piece:
    module = _module(block, continued=continued) if is_parsed else None
    return Piece(block.text if module is None else module.text, module, block.language == PYTHON, block.is_closed)


def _module(block: Block, *, continued: str) -> Module | None:
    module = module_of(block.text)
    if module is None and block.text[0].isspace():
        moved = module_of(without_margins(block.text))
        if moved is not None and (not continued or moved.defines(continued)):
            return moved
    if module is None and not block.is_closed and len(block.text) <= MAX_CHARS:
        whole = trimmed("\n".join(chunks(block.text.rstrip("\n"))[:-1]).split("\n"))
        return module_of(whole) if whole else None
    return module


def with_needed(program: str, sources: Sequence[Module], *, entry_point: str = "") -> str:
    """A program, and in front of it what it needs: imports, definitions and assignments of other pieces.

    Args:
        sources: where to look for a name, the first choice first. Within one the last definition counts.
        entry_point: a name that no assignment in front may need; there it would be a use of the program.
    """
    places = _places(sources)
    taken: set[tuple[int, int]] = set()
    wanted = list(needed_names(program)) if places else []
    seen = set(wanted)
    while wanted:
        place = places.get(wanted.pop())
        if place is None or place in taken:
            continue
        statement = sources[place[0]].statements[place[1]]
        needs = needed_names(statement.text)
        if entry_point in needs and not statement.is_definition:
            continue
        taken.add(place)
        wanted += needs - seen
        seen |= needs
    for number, place in enumerate(_stars(sources)):
        if number == 0 and not seen - set(places):
            break
        taken.add(place)
    front = [sources[source].statements[at].text for source, at in sorted(taken, key=lambda each: (-each[0], each[1]))]
    return _in_front(front, program)


def _places(sources: Sequence[Module]) -> dict[str, tuple[int, int]]:
    places: dict[str, tuple[int, int]] = {}
    for source in reversed(range(len(sources))):
        for at, statement in enumerate(sources[source].statements):
            if statement.is_movable:
                places.update(dict.fromkeys(statement.binds, (source, at)))
    return places


def _stars(sources: Iterable[Module]) -> list[tuple[int, int]]:
    return [
        (source, at)
        for source, module in enumerate(sources)
        for at, statement in enumerate(module.statements)
        if "*" in statement.binds and statement.is_movable
    ]


def _in_front(statements: list[str], program: str) -> str:
    if not statements:
        return program
    module = module_of(program)
    staying = module.future_lines() if module else 0
    lines = program.split("\n")
    return "\n".join([*lines[:staying], *dict.fromkeys(statements), "", *lines[staying:]])
