"""Where a reply ends, though its text goes on: an end token, the mark of another turn, the next problem."""

import re

from rlenvs.verifiers.replies.anchors import ANCHOR
from rlenvs.verifiers.replies.boxes import BOX

_ROLE = r"(?:user|system|assistant|model|tool|human)"
_END = (
    r"</s>|<eos>|<end_of_turn>|<[|｜](?:im_end|end|endoftext|end_of_text|end_of_turn|eot_id|eom_id|eos|return"
    r"|end[▁_]of[▁_]sentence)[|｜]>"
)
_OPENING = (
    rf"<start_of_turn>\s{{0,3}}{_ROLE}|<\|im_start\|>(?:\s{{0,3}}{_ROLE}\b)?"
    rf"|<\|start_header_id\|>(?:\s{{0,3}}{_ROLE}\s{{0,3}}<\|end_header_id\|>)?"
    r"|<[|｜](?:im_)?(?:user|assistant|system|human|observation)[|｜]>|\[INST\]|<start_of_turn>"
)
_MARK = re.compile(rf"{_END}|{_OPENING}", re.IGNORECASE)
_OWN_HEADER = re.compile(rf"(?:\s|<s>|<bos>|<\|begin_of_text\|>|<\|endoftext\|>|{_OPENING})*", re.IGNORECASE)
_ENDS = re.compile(rf"(?:\s|{_END})*", re.IGNORECASE)
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_EMPHASIS = r"[*_ ]{0,4}"
_NEXT_TURN = re.compile(
    rf"\n[ \t]*\n{_EMPHASIS}(?:Human|User){_EMPHASIS}:|\n#{{2,4}} {_EMPHASIS}(?:Human|User|Instruction){_EMPHASIS}:?"
)
_NEXT_PROBLEM = re.compile(
    rf"\n{_EMPHASIS}(?:#{{1,4}} {_EMPHASIS})?(?:Question|Problem|Exercise|Q|Human|User|Assistant){_EMPHASIS}:"
    r"(?![ \t*_]*(?:this|that|it|i|we|but|the answer)\b)",
    re.IGNORECASE,
)
_STATED = re.compile(rf"</answer>|{BOX}")


def before_end_tokens(text: str) -> str:
    """The text up to its first end token or mark of another turn; its own header, with which it may begin, is none."""
    text = text.partition(_FINAL_CHANNEL)[2] or text
    text = _OWN_HEADER.sub("", text, count=1)
    ends = _ENDS.match(text)
    mark = _MARK.search(text, ends.end() if ends else 0)
    return text[: mark.start() if mark else len(text)].rstrip()


def own_turn(text: str) -> str:
    """A text without the turn of somebody else, or the next problem behind the answer, that it goes on with."""
    if turn := _NEXT_TURN.search(text, len(text) - len(text.lstrip())):
        text = text[: turn.start()]
    if _NEXT_PROBLEM.search(text) is None:
        return text
    stated = [found.end() for pattern in (ANCHOR, _STATED) if (found := pattern.search(text))]
    problem = _NEXT_PROBLEM.search(text, min(stated)) if stated else None
    return text[: problem.start()] if problem else text
