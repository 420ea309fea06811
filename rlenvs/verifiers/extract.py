"""Finding the final answer in a whole reply: what is outside thinking, the last box, the last marker.

Every function is linear in the reply's length and reads text only. Whether an answer is right belongs to `verify`.
"""

import re

_THINK_TAG = re.compile(r"<(/?)think>")
_BOX = r"\\(?:boxed|fbox)"
_BOX_TOKEN = re.compile(
    rf"(?P<box>{_BOX}\s*\{{)|{_BOX}(?![a-zA-Z])[ \t]*(?P<bare>[^\s${{}}\\]+)|\\.|(?P<open>\{{)|(?P<close>\}})",
    re.DOTALL,
)
_MARKER = re.compile(r"####(.*)")
_ANCHOR = re.compile(r"\banswer(?: is\b|\**\s*:)\**:?", re.IGNORECASE)
_SENTENCE_END = re.compile(r"\.(?:\s|$)")


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


def boxes(text: str) -> list[str] | None:
    r"""What stands in each `\boxed{…}` or `\fbox{…}` that is in no other box, empty ones left out.

    A box that holds nothing but a box gives the inner one's content; `\boxed 7` counts as `\boxed{7}`.
    None if a box is never closed: then nobody can say where the answer ends.
    """
    found: list[str] = []
    braces: list[tuple[int, int, bool]] = []  # open ones: where the command begins, where the content does, is it a box
    depth = 0  # how many of them are boxes
    inner = (-1, -1, 0, 0)  # the box closed last: from, to, and its content's from, to
    for token in _BOX_TOKEN.finditer(text):
        if token["bare"] and not depth:
            found.append(token["bare"].rstrip(".,;:!?"))
        elif token["box"] or token["open"]:
            braces.append((token.start(), token.end(), bool(token["box"])))
            depth += bool(token["box"])
        elif token["close"] and braces:
            begin, start, is_box = braces.pop()
            if not is_box:
                continue
            depth -= 1
            inner = (begin, token.end(), *_content(text, start, token.start(), inner))
            found += [] if depth else [text[inner[2] : inner[3]].strip()]
    return None if depth else [content for content in found if content]


def _content(text: str, start: int, end: int, inner: tuple[int, int, int, int]) -> tuple[int, int]:
    """The span of a box's content; the inner box's, where that is all there is in it."""
    is_wrapper = inner[0] >= start and not text[start : inner[0]].strip() and not text[inner[1] : end].strip()
    return inner[2:] if is_wrapper else (start, end)


def last_box(text: str) -> str | None:
    """The content of the last box that is not empty."""
    found = boxes(text)
    return found[-1] if found else None


def after_marker(text: str) -> str | None:
    """What follows the last `####` on its line: GSM8K's mark of the final answer."""
    marked = [found[1].strip() for found in _MARKER.finditer(text)]
    return marked[-1] or None if marked else None


def extract(reply: str) -> str | None:
    """The final answer of a reply in any of the usual forms; None where it states none.

    Outside thinking: the last box; else what follows the last `####`; else the sentence that follows the last
    "answer is" or "answer:"; else a reply that is one line of at most 100 characters counts as an answer itself.
    """
    text = outside_thinking(reply)
    if re.search(_BOX, text):
        return last_box(text)
    if "####" in text:
        return after_marker(text)
    anchors = list(_ANCHOR.finditer(text))
    if anchors:
        line = text[anchors[-1].end() :].strip().partition("\n")[0]
        return _SENTENCE_END.split(line, maxsplit=1)[0].strip(" *") or None
    line = text.strip()
    return line if 0 < len(line) <= 100 and "\n" not in line else None
