r"""What stands in `\boxed{…}`: each box, and the boxes that are one answer together. Text only, in linear time."""

import re
from typing import NamedTuple

_COMMAND = r"(?:[bB]oxed|f(?:rame)?box)"
BOX = rf"(?=[\\bBf])(?:\\{{1,2}}{_COMMAND}(?![a-zA-Z])|(?<![a-zA-Z\\]){_COMMAND}(?=\{{))"
"""The command of a box; its backslash may be doubled or lost, as text that passed through JSON or Python has it."""
_BOX_TOKEN = re.compile(
    rf"(?=[\\{{}}bBf])(?:"  # at most places of a text one look is enough
    rf"(?P<box>{BOX}\s*\{{)|{BOX}[ \t]*(?P<bare>[^\s${{}}\\])(?=[.,;:!?]*(?:[\s$}}\\]|\Z))"
    r"|\\.|(?P<open>\{)|(?P<close>\}))",
    re.DOTALL,
)


class Box(NamedTuple):
    """A box in a text: where the command begins, where the box ends, and what it holds."""

    start: int
    end: int
    content: str


def boxes(text: str) -> list[str] | None:
    r"""What stands in each `\boxed{…}` or `\fbox{…}` that is in no other box, empty ones left out.

    A box that holds nothing but a box gives the inner one's content; `\boxed 7` counts as `\boxed{7}`, and `\boxed 10`
    as none, for TeX puts the 1 alone into it; "the answer is" in front of the answer does not count. None if a box is
    never closed: then nobody can say where the answer ends.
    """
    found = placed_boxes(text)
    return None if found is None else [box.content for box in found]


def last_box(text: str) -> str | None:
    """The content of the last box that is not empty; of several that one sentence joins, all of them."""
    found = placed_boxes(text)
    return joined(text, found).content if found else None


def placed_boxes(text: str) -> list[Box] | None:
    """`boxes` with their places."""
    found: list[Box] = []
    braces: list[tuple[int, int, bool]] = []  # open ones: where the command begins, where the content does, is it a box
    depth = 0  # how many of them are boxes
    inner = (-1, -1, 0, 0)  # the box closed last: from, to, and its content's from, to
    for token in _BOX_TOKEN.finditer(text):
        if token["bare"] and not depth:
            found.append(Box(token.start(), token.end(), token["bare"]))
        elif token["box"] or token["open"]:
            braces.append((token.start(), token.end(), bool(token["box"])))
            depth += bool(token["box"])
        elif token["close"] and braces:
            begin, start, is_box = braces.pop()
            if not is_box:
                continue
            depth -= 1
            inner = (begin, token.end(), *_content(text, start, token.start(), inner))
            found += [] if depth else [Box(begin, token.end(), _without_lead(text[inner[2] : inner[3]].strip()))]
    return None if depth else [box for box in found if box.content]


def _content(text: str, start: int, end: int, inner: tuple[int, int, int, int]) -> tuple[int, int]:
    """The span of a box's content; the inner box's, where that is all there is in it beside "the answer is"."""
    is_inside = inner[0] >= start and not text[inner[1] : end].strip()
    is_wrapper = is_inside and _LEAD.fullmatch(
        text[max(start, inner[0] - _LONGEST_LEAD) : inner[0]].strip() or "answer:"
    )
    return inner[2:] if is_wrapper else (start, end)


_LONGEST_LEAD = 80
_LEAD_WORDS = (
    r"(?:(?:so|thus|hence|therefore),?\s+)?(?:the\s+|my\s+)?(?:final\s+|correct\s+)?(?:answer|result|solution)"
    r"(?:\s+is\b|\s*[:=])\s*:?"
)
_TEXT = r"\\(?:text(?:bf|it|rm)?|mathrm|mbox)\s*\{\s*"
_LEAD = re.compile(rf"{_TEXT}{_LEAD_WORDS}\s*\}}|{_LEAD_WORDS}", re.IGNORECASE)
_LEAD_INSIDE = re.compile(rf"{_TEXT}{_LEAD_WORDS}(?P<rest>[^{{}}]+)\}}", re.IGNORECASE)


def _without_lead(content: str) -> str:
    """What a box holds without "the answer is"."""
    if inside := _LEAD_INSIDE.fullmatch(content):
        return inside["rest"].strip(" .")
    lead = _LEAD.match(content)
    return content[lead.end() :].strip() or content if lead else content


def joined(text: str, found: list[Box]) -> Box:
    r"""The last of some boxes of a text, together with those before it that belong to the same answer.

    `x = \boxed{3}, y = \boxed{5}` is one answer of two parts, and neither of them alone.
    """
    first = len(found) - 1
    while first > 0 and are_one_answer(text, found[first - 1], found[first]):
        first -= 1
    parts = found[first:]
    labels = [_label(text, box.start) for box in parts]
    is_labelled = len(parts) > 1 and None not in labels and len(set(labels)) == len(labels)
    contents = [
        f"{label} = {box.content}" if is_labelled else box.content for label, box in zip(labels, parts, strict=True)
    ]
    start, end, content = parts[0].start, parts[-1].end, ", ".join(dict.fromkeys(contents))
    is_tuple = len(parts) > 1 and text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    return Box(start, end, f"({content})" if is_tuple else content)


_DELIMITERS = re.compile(r"\\[()\[\],;:! ]|\\(?:text|quad|qquad)(?![a-z])|[\s${}*_~]+")
_ITEM = r"(?:\(?(?:[a-h1-9]|i{1,3}|iv)[.)]\s*)"  # (b), 2.
_NAME = r"(?:[a-zA-Z]\s?\d?\s*[=:]\s*)"  # x_1 =, without its delimiters
_WORDS = r"(?:[a-z]+ ){0,3}"
_JOINER = rf"(?:[,;]\s*(?:{_WORDS}(?:and|or|&)\s*)?|{_WORDS}(?:and|or|&)\s*|[,、，;；/]|和|或|以及)"
_HEDGE = r"(?:(?:maybe|possibly|perhaps)\s*)?"
_JOINS = re.compile(
    rf"[\s(]*(?:{_JOINER}\s*{_HEDGE}(?:{_ITEM}|{_NAME}|(?:the )?(?:[a-z]+ ){{1,3}}(?:is|are|=|:)\s*)?)?", re.IGNORECASE
)
_LABELS = re.compile(rf"\s*[.,;]?\s*(?:(?P<item>{_ITEM}){_NAME}?|{_NAME})")
_DERIVES = re.compile(
    r"\b(?:but|so|then|thus|hence|therefore|gives?|giving|gets?|got|yields?|after|again|instead|not|wait|actually|which|"
    r"means|finally|first|now|answer|result|total|sum|altogether|final)\b",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:alternatively|maybe|perhaps|possibly|if (?:not|that|this|it)|(?:second|other|another) (?:choice|guess))\b"
    r"[^.!?\n]{0,25}$",
    re.IGNORECASE,
)
_LONGEST_BETWEEN = 120


def are_one_answer(text: str, one: Box, other: Box) -> bool:
    """Whether a box and the next one are parts of one answer."""
    between = text[one.end : other.start]
    if len(between) > _LONGEST_BETWEEN:
        return False
    if _ELSE.search(between):
        return True
    if _DERIVES.search(between):
        return False
    plain = _DELIMITERS.sub(" ", between)
    labels = _LABELS.fullmatch(plain)
    if labels and (labels["item"] or _label(text, one.start) != _label(text, other.start)):
        return True
    return "\n\n" not in between and _JOINS.fullmatch(plain) is not None


_LABEL = re.compile(r"(?<![a-zA-Z\\])(?P<name>[a-zA-Z](?:_?\d|_\{\w+\})?)\s*[=:]\s*(?:\\[(\[]|[\s$])*$")


def _label(text: str, start: int) -> str | None:
    """The name that a box's content is given."""
    label = _LABEL.search(text, max(0, start - 20), start)
    return label["name"] if label else None
