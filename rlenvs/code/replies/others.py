"""The program in a reply of a language other than Python, whose text is not parsed."""

import re

from rlenvs.code.replies.fences import Fenced
from rlenvs.code.replies.tags import UNNAMED

_C = r"\s*(?:#include|#define|#pragma|//|/\*|using namespace|int main|typedef|struct)"
_BEGINNING = {
    "c": _C,
    "cpp": _C,
    "java": r"\s*(?:import java|package |public (?:final )?class|class \w+ *\{|//|/\*)",
    "rust": r"\s*(?:use \w+::|fn \w+|#!?\[|extern crate|//)",
    "go": r"\s*(?:package \w+|//)",
    "javascript": r"\s*(?:const |let |var |function\b|import |'use strict'|\"use strict\"|console\.|process\.|//)",
    "bash": r"#!",
}
_MAIN = {
    "c": r"\bmain\s*\(",
    "cpp": r"\bmain\s*\(",
    "java": r"\bmain\s*\(",
    "rust": r"\bfn\s+main\b",
    "go": r"\bfunc\s+main\b",
}


def program_in(found: Fenced, language: str) -> str | None:
    """The last whole program of a language: in a block that names it, else in one that names none, else in the prose.

    A whole program has a `main` where the language wants one. A block without an end counts only if there is no other.
    In prose a program begins at the first line that begins like one and reaches to the end.
    """
    blocks = [block for block in found.blocks if block.text]
    named = [block for block in blocks if block.language == language]
    # A program in C is mostly one in C++.
    named = named or [block for block in blocks if language == "cpp" and block.language == "c"]
    named = named or [block for block in blocks if block.language == UNNAMED]
    texts = [block.text for block in named if block.is_closed] or [block.text for block in named]
    if texts:
        main = re.compile(_MAIN.get(language, ""))
        return next((text for text in reversed(texts) if main.search(text)), texts[-1])
    beginning = re.compile(_BEGINNING.get(language, r"(?!)"))
    lines = found.prose.split("\n")
    first = next((at for at, line in enumerate(lines) if beginning.match(line)), None)
    return None if first is None else "\n".join(lines[first:]).rstrip() + "\n"
