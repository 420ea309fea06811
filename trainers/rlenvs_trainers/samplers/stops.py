"""Whether a message being written has come to one of the texts that end it (`Sampling.stop`).

Asked after every token of every row, so the text of the last token alone rules most of them out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

PARTIAL = "\ufffd"  # what tokenizers decode a part of a character to


class StopTexts:
    """Finds stop texts in ids, one token at a time.

    Args:
        decode: from ids to text, as `Renderer.decode`.
    """

    def __init__(self, decode: Callable[[Sequence[int]], str]) -> None:
        self._decode = decode
        self._text_of: dict[int, str] = {}  # single tokens

    def has_ended(self, ids: Sequence[int], stops: tuple[str, ...]) -> bool:
        """Whether the last of the ids completes a stop text. A token that also has what follows it counts."""
        text = self._text_of.get(ids[-1])
        if text is None:
            text = self._text_of[ids[-1]] = self._decode(ids[-1:])
        near = [stop for stop in stops if stop[-1] in text or PARTIAL in text or stop[-1].isspace()]
        if not near:  # single tokens may lose their white space, so that alone says nothing
            return False
        window = 4 * max(map(len, near)) + 8  # a character is at most four tokens; the rest is room for role marks
        tail = self._decode(ids[-window:])
        return any(stop in tail for stop in near)
