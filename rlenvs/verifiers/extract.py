"""Finding the final answer in a whole reply: what is outside thinking, the last box, the last marker.

Every function is linear in the reply's length and reads text only. Whether an answer is right belongs to `verify`.
"""

import re
from typing import NamedTuple

_THINK_TAG = re.compile(r"<(/?)think>")
_BOX = r"\\(?:boxed|fbox)"
_BOX_TOKEN = re.compile(
    rf"(?P<box>{_BOX}\s*\{{)|{_BOX}(?![a-zA-Z])[ \t]*(?P<bare>[^\s${{}}\\]+)|\\.|(?P<open>\{{)|(?P<close>\}})",
    re.DOTALL,
)
_MARKER = re.compile(r"####(.*)")
_ANCHOR = re.compile(
    r"\b(?:answers?|solution|result)(?: (?:is|are|=)(?![a-z])|\**\s*[:=])\**:?"
    r"|\bfinal answer\b\**:?\**\s*\n|答案(?:是|为|等于|选|[:：])[:：]?|解得|故选",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\.(?:\s|$)|。")


def outside_thinking(reply: str) -> str:
    """The reply without its `<think>…</think>` blocks.

    Blocks nest. An unclosed block reaches to the end. A closing tag without an opening one ends a block that began
    before the reply (chat templates may open it in the prompt), so all text before it is thinking.
    """
    kept: list[str] = []
    depth = start = 0
    for tag in _THINK_TAG.finditer(reply):
        if tag[1]:
            kept = kept if depth else []
            depth = max(0, depth - 1)
        else:
            kept += [] if depth else [reply[start : tag.start()]]
            depth += 1
        start = tag.end()
    return "".join(kept) if depth else "".join([*kept, reply[start:]])


class _Box(NamedTuple):
    """A box in a text: where the command begins, where the box ends, and what it holds."""

    start: int
    end: int
    content: str


def boxes(text: str) -> list[str] | None:
    r"""What stands in each `\boxed{…}` or `\fbox{…}` that is in no other box, empty ones left out.

    A box that holds nothing but a box gives the inner one's content; `\boxed 7` counts as `\boxed{7}`.
    None if a box is never closed: then nobody can say where the answer ends.
    """
    found = _boxes(text)
    return None if found is None else [box.content for box in found]


def _boxes(text: str) -> list[_Box] | None:
    found: list[_Box] = []
    braces: list[tuple[int, int, bool]] = []  # open ones: where the command begins, where the content does, is it a box
    depth = 0  # how many of them are boxes
    inner = (-1, -1, 0, 0)  # the box closed last: from, to, and its content's from, to
    for token in _BOX_TOKEN.finditer(text):
        if token["bare"] and not depth:
            found.append(_Box(token.start(), token.end(), token["bare"].rstrip(".,;:!?")))
        elif token["box"] or token["open"]:
            braces.append((token.start(), token.end(), bool(token["box"])))
            depth += bool(token["box"])
        elif token["close"] and braces:
            begin, start, is_box = braces.pop()
            if not is_box:
                continue
            depth -= 1
            inner = (begin, token.end(), *_content(text, start, token.start(), inner))
            found += [] if depth else [_Box(begin, token.end(), text[inner[2] : inner[3]].strip())]
    return None if depth else [box for box in found if box.content]


def _content(text: str, start: int, end: int, inner: tuple[int, int, int, int]) -> tuple[int, int]:
    """The span of a box's content; the inner box's, where that is all there is in it."""
    is_wrapper = inner[0] >= start and not text[start : inner[0]].strip() and not text[inner[1] : end].strip()
    return inner[2:] if is_wrapper else (start, end)


def last_box(text: str) -> str | None:
    """The content of the last box that is not empty; of several that one sentence joins, all of them."""
    found = _boxes(text)
    if not found:
        return None
    joined = [found[-1]]
    for box in found[-2::-1]:
        between = text[box.end : joined[0].start]
        if "\n\n" in between or not _JOINS.fullmatch(_DELIMITERS.sub(" ", between)):
            break
        joined.insert(0, box)
    return ", ".join(dict.fromkeys(box.content for box in joined))


_DELIMITERS = re.compile(r"\\[()\[\]]|\\(?:text|quad|qquad)(?![a-z])|[\s${}*_~]+")
_JOINS = re.compile(r"\s*(?:[,;]\s*)?(?:(?:[a-z]+ ){0,3}(?:and|or|&)\s*)?", re.IGNORECASE)


def after_marker(text: str) -> str | None:
    """What follows the last `####` on its line: GSM8K's mark of the final answer."""
    marked = [found[1].strip() for found in _MARKER.finditer(text)]
    return marked[-1] or None if marked else None


def extract(reply: str) -> str | None:
    """The final answer of a reply in any of the usual forms; None where it states none.

    Outside thinking: the last box; else what follows the last `####`; else what the sentence after the last "answer
    is" or "answer:" states; else the last formula of the last line, or a reply that is one short line.
    """
    text = outside_thinking(reply)
    tagged = _TAGGED.findall(text)
    text = tagged[-1] if tagged else text
    if re.search(_BOX, text):
        return last_box(text)
    anchors = list(_ANCHOR.finditer(text))
    if "####" in text and not (anchors and anchors[-1].start() > text.rindex("####")):
        return after_marker(text)
    if anchors:
        last = anchors[-1]
        sentence = _SENTENCE_END.split(text[: last.start()])[-1].rpartition("\n")[2]
        return None if _DENIES.search(sentence[-_LONGEST:]) else _stated(text[last.end() :].strip())
    return _last_formula(text.strip())


_MARKS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))  # around formulas
_VERB = re.compile(r"\b(?:is|are|equals|be)\b\s*:?\s+(?=\S)")
_LONGEST_LINE, _LONGEST = 100, 2000
_TAGGED = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL)
_DENIES = re.compile(r"\b(?:not|wrong|incorrect|unclear|whether)\b|n't\b", re.IGNORECASE)
_BECAUSE = re.compile(r"[,;]?\s*\b(?:because|since)\b|,?因为")
_GOES_ON = re.compile(
    r"[^.\n]{0,30}?(?:\bor\b|/|\bcould be\b|\bno wait\b|,|\band\b)"
    r"\s*(?:maybe|possibly|perhaps)?\s*(?:\$|\\\(|\d)"
)
_JOINED_BEFORE = re.compile(r"(?:\$|\\\)|\d)\s*(?:,|,?\s*(?:and|or))\s*$")
_REFUSES = re.compile(r"\b(?:cannot|can't|could not|couldn't|unable|don't|do not|not sure|no idea)\b", re.IGNORECASE)


def _stated(text: str) -> str | None:
    """What a statement says the answer is: the formula that it begins with, or the rest of its first sentence."""
    for opening, closing in _MARKS:
        end = text.find(closing, len(opening)) if text.startswith(opening) else -1
        goes_on = _GOES_ON.match(text, end + len(closing)) if end >= 0 else None
        if end >= 0 and not goes_on and _is_formula(text, opening, len(opening), end):
            return text[len(opening) : end].strip()
    sentence = _SENTENCE_END.split(text.partition("\n")[0], maxsplit=1)[0]
    sentence = _BECAUSE.split(sentence, maxsplit=1)[0].strip(" *!")
    verbs = list(_VERB.finditer(sentence))
    return (sentence[verbs[-1].end() :] if verbs else sentence).strip(" *") or None


def _last_formula(text: str) -> str | None:
    """The last formula, where it stands on the last line; else the line, if it is short and all that there is."""
    ends = {text.rfind(closing): (opening, closing) for opening, closing in reversed(_MARKS)}
    if text.endswith("$$", 0, text.rfind("$") + 1):
        ends[text.rfind("$") - 1] = ("$$", "$$")
        ends.pop(text.rfind("$"), None)
    end = max(ends)
    if end > 0:
        opening, closing = ends[end]
        start = text.rfind(opening, 0, end)
        line = text[text.rfind("\n", 0, max(start, 0)) + 1 :]
        is_last = start >= 0 and "\n" not in text[end + len(closing) :] and not _REFUSES.search(line[:_LONGEST])
        if is_last and _JOINED_BEFORE.search(text[max(0, start - 20) : start]):
            return line.strip()
        if is_last and _is_formula(text, opening, start + len(opening), end):
            return text[start + len(opening) : end].strip()
    return text if 0 < len(text) <= _LONGEST_LINE and "\n" not in text else None


def _is_formula(text: str, opening: str, start: int, end: int) -> bool:
    """Whether a formula stands between two marks, and not what two amounts of dollars have between them."""
    content = text[start:end]
    if opening != "$":
        return bool(content.strip())
    return (
        bool(content) and content == content.strip() and "\n" not in content and not text[end + 1 : end + 2].isdigit()
    )
