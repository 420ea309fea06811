from rlenvs.code.replies.fences import fenced
from rlenvs.code.replies.others import program_in
from rlenvs.code.replies.pieces import MAX_PIECES, pieces_of, with_needed
from rlenvs.code.replies.syntax import Module, module_of


def modules(*texts: str) -> list[Module]:
    found = [module_of(text) for text in texts]
    return [module for module in found if module is not None]


def test_transcripts_other_languages_and_empty_blocks_are_no_pieces() -> None:
    found = fenced(
        "```python\n>>> 1\n```\n```\n$ ls\n```\n```c\nx\n```\n```python\n```\n```python\na = 1\n```\n```\nb\n```"
    )
    assert [(piece.text, piece.is_named) for piece in pieces_of(found)] == [("a = 1\n", True), ("b\n", False)]


def test_a_cut_off_block_loses_what_is_unfinished_a_closed_one_nothing() -> None:
    text = "```python\na = 1\n\ndef f():\n    return (\n"
    assert [piece.text for piece in pieces_of(fenced(text))] == ["a = 1\n"]
    closed = pieces_of(fenced(f"{text}```"))[0]
    assert (closed.text, closed.module) == ("a = 1\n\ndef f():\n    return (\n", None)
    assert closed.seems_to_define("f")
    assert not closed.seems_to_define("a.")


def test_the_last_pieces_are_kept() -> None:
    pieces = pieces_of(fenced("".join(f"```python\na = {number}\n```\n" for number in range(200))))
    assert len(pieces) == MAX_PIECES
    assert pieces[-1].text == "a = 199\n"


def test_an_indented_block_is_moved_unless_it_may_be_a_body() -> None:
    found = fenced("```python\n    a = 1\n```\n```python\n    def f():\n        return 1\n```")
    assert [piece.text for piece in pieces_of(found)] == ["a = 1\n", "def f():\n    return 1\n"]
    kept = pieces_of(found, continued="f")
    assert [piece.text for piece in kept] == ["    a = 1\n", "def f():\n    return 1\n"]


def test_needs_come_from_the_first_source_that_has_them_with_their_own_needs() -> None:
    sources = modules("a = b\nprint(a)\n", "a = 0\nb = c\n", "c = 3\n")
    assert with_needed("print(a)\n", sources) == "c = 3\nb = c\na = b\n\nprint(a)\n"
    assert with_needed("print(1)\n", sources) == "print(1)\n"
    assert with_needed("print(d)\n", sources) == "print(d)\n"


def test_within_a_source_the_last_definition_counts() -> None:
    assert with_needed("print(a)\n", modules("a = 1\na = 2\n")) == "a = 2\n\nprint(a)\n"


def test_all_names_of_a_module_come_along_only_where_a_name_is_missing() -> None:
    sources = modules("from math import *\nb = 1\n")
    assert with_needed("print(b)\n", sources) == "b = 1\n\nprint(b)\n"
    assert with_needed("print(floor(b))\n", sources) == "from math import *\nb = 1\n\nprint(floor(b))\n"


def test_a_use_of_the_entry_point_does_not_come_along_a_helper_does() -> None:
    sources = modules("a = f(1)\ndef g(): return f(2)\n")
    assert with_needed("def f(x): return a + g()\n", sources, entry_point="f") == (
        "def g(): return f(2)\n\ndef f(x): return a + g()\n"
    )


def test_a_main_guard_is_not_put_in_front() -> None:
    sources = modules("if __name__ == '__main__':\n    a = 1\n")
    assert with_needed("print(a)\n", sources) == "print(a)\n"


def test_another_language_is_found_by_its_name_and_its_main() -> None:
    whole, part = "int main() { return 0; }\n", "int x;\n"
    assert program_in(fenced(f"```cpp\n{whole}```\n```cpp\n{part}```"), "cpp") == whole
    assert program_in(fenced(f"```c\n{whole}```"), "cpp") == whole
    assert program_in(fenced(f"```cpp\n{whole}```"), "c") is None
    assert program_in(fenced(f"```cpp\n{whole}```\n```cpp\n{part}main("), "cpp") == whole
    assert program_in(fenced(f"Words.\n#include <a>\n{whole}"), "c") == f"#include <a>\n{whole}"
    assert program_in(fenced("Words."), "go") is None
