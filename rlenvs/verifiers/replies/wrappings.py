"""What a reply wraps its answer in, and what stands around it: other turns, tags, JSON, programs, quoted lines."""

import json
import re

from rlenvs.verifiers.replies.turns import own_turn

_PARTING = re.compile(
    r"(?<=[.!?)\]$}*])\s+(?:I hope (?:this|it|that) (?:helps|is (?:correct|right|clear|helpful))\b"
    r"|(?:please )?(?:let me know|feel free to ask) if (?:you|there|anything)\b|feel free to ask\b)"
    r"[^.!?\n]{0,80}[.!]?\s*\Z",
    re.IGNORECASE,
)
_LONGEST_PARTING = 160


def unwrapped(text: str) -> str:
    """The words of a reply in which its answer is stated.

    Without somebody else's turn that it begins, "I hope it is correct", what is outside its last `<answer>`, programs,
    and lines that it quotes and goes on after; an answer in a JSON object is stated as one.
    """
    text = own_turn(text)
    text = text[:-_LONGEST_PARTING] + _PARTING.sub("", text[-_LONGEST_PARTING:])
    return _without_quotations(_stated_in_json(_tagged(text)))


_TAGGED = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL)
_FENCE = re.compile(r"```[a-zA-Z]*\n(.*?)```", re.DOTALL)
_IN_TEXT = r"(\$\$?|\\[(\[])?\\(?:text|math)(?:bf|it|rm)?\s{0,3}\{\s{0,3}"
_LABEL_IN_TEXT = re.compile(
    rf"{_IN_TEXT}((?:the )?(?:final )?answer(?: is)?)\s{{0,3}}[:=]?\s{{0,3}}\}}(?:\\ )?", re.IGNORECASE
)
_ANSWER_IN_TEXT = re.compile(
    rf"{_IN_TEXT}((?:the )?(?:final )?answer\b[^{{}}\n]{{1,60}})\}}(?:\$\$?|\\[)\]])?", re.IGNORECASE
)
_MARKUP = re.compile(r"</?(?:b|i|em|strong|code|p|center)>|^[ \t]*>[ \t]?(?=\S)", re.MULTILINE)


def _tagged(text: str) -> str:
    tagged = _TAGGED.findall(text)
    return tagged[-1] if tagged else text.rpartition("<answer>")[2]


def _stated_in_json(text: str) -> str:
    """A text that is, or ends with a fence that is, a JSON object with one answer, with the answer stated instead."""
    fences = list(_FENCE.finditer(text))
    is_fenced = bool(fences) and not text[fences[-1].end() :].strip()
    start = fences[-1].start() if is_fenced else 0
    value = _answer_in_object(fences[-1][1] if is_fenced else text)
    return text if value is None else f"{text[:start]}\nAnswer: {value}"


def _answer_in_object(text: str) -> str | None:
    text = text.strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        pairs = json.loads(text, object_pairs_hook=tuple, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    answers = [value for key, value in pairs if key.lower() in ("answer", "final_answer", "final answer")]
    return answers[0] if len(answers) == 1 and isinstance(answers[0], str) else None


def _without_quotations(text: str) -> str:
    """A text without programs, and without lines that it quotes and goes on after."""
    kept = _FENCE.sub(lambda fence: fence[1] if "\n" not in fence[1].strip() else "\n", text)
    kept = _MARKUP.sub("", _without_quoted_lines(kept) if ">" in kept else kept)
    if "{" in kept:
        kept = _ANSWER_IN_TEXT.sub(r"\2", _LABEL_IN_TEXT.sub(r"\2: \1", kept))
    return kept if kept.strip() else text


def _without_quoted_lines(text: str) -> str:
    lines = text.split("\n")
    own = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(">")]
    last = own[-1] if own else -1
    return "\n".join(line for number, line in enumerate(lines) if number > last or not line.lstrip().startswith(">"))
