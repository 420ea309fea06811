"""The words behind a fence: which language they name, and code that stands there by mistake."""

import re

PYTHON = "python"
UNNAMED = ""
OTHER = "other"  # a language in which no program is asked for, and blocks that are no program
MARKUP = "markup"  # a reply within the reply

_SPELLINGS = {
    PYTHON: "python py python3 py3 python2 python3.10 python3.11 python3.12 python3.13 ipython cpython pypy pypy3",
    "c": "c c99 c11 c17 h",
    "cpp": "cpp c++ cxx cc c++11 c++14 c++17 c++20 cpp17 cpp20 hpp",
    "javascript": "javascript js node nodejs mjs",
    "java": "java",
    "rust": "rust rs",
    "go": "go golang",
    "bash": "bash sh shell zsh",
    OTHER: "text txt plaintext plain output stdout stdin input console terminal log json json5 jsonl yaml yml toml ini"
    " xml html css csv tsv sql typescript ts tsx jsx csharp c# cs ruby rb php perl kotlin kt swift scala haskell hs lua"
    " r julia matlab latex tex math diff patch pycon python-repl doctest repl traceback error powershell ps1 cmd bat"
    " shell-session shellsession sh-session dockerfile makefile cmake mermaid graphql none pseudocode pseudo pascal"
    " fortran asm lisp clojure elixir erlang dart ocaml fsharp f# vb groovy objc zig nim cython",
    MARKUP: "markdown md",
}
_LANGUAGE = {spelling: language for language, spellings in _SPELLINGS.items() for spelling in spellings.split()}

_TAG = re.compile(r"[ \t]*+(?:\{[ \t]*+)?+\.?+([A-Za-z][\w+#.-]*+)(.*)", re.DOTALL)
_CODE = re.compile(
    r"(?:(?:async +)?def +\w|class +\w|import +\w|from +[\w.]+ +import\b|(?:if|for|while|with) .*:|return\b|@\w|#"
    r"|[\w.]+\(|\w+ = )"
)


def language_of(info: str) -> tuple[str, str]:
    """What the words behind a fence say: a language (`UNNAMED` if none that is known), and code on the same line."""
    tag = _TAG.match(info)
    if tag is not None and tag[1].lower().rstrip(".") in _LANGUAGE:
        rest = tag[2].lstrip()
        return _LANGUAGE[tag[1].lower().rstrip(".")], rest if begins_code(rest) else ""
    return UNNAMED, info.strip() if begins_code(info.strip()) else ""


def begins_code(line: str) -> bool:
    """Whether a line begins like code rather than like words."""
    return _CODE.match(line) is not None


def is_named(info: str) -> bool:
    """Whether the words begin with the name of a language that is known."""
    return language_of(info)[0] != UNNAMED
