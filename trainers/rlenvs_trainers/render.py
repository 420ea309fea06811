"""Messages to token ids and back: chat templates, one BOS, bridges between turns, EOS, cuts.

Ids that were sampled are never encoded again: the prompt of the next turn is everything so far, exactly as it was
sampled, plus a bridge: the tokens that the template puts between the end of an action and the start of the next. Role
marks and ends of sequence are the template's alone: one that is spelled in a message stays the text that it is. Who
samples is the samplers' business, who plays `play.py`'s.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from rlenvs.errors import RlenvsError
from rlenvs.records import Message, assistant, user

PLAIN_TEMPLATE = (
    "{% for message in messages %}"
    "{{ {'system': '', 'user': 'Question: ', 'assistant': 'Answer: ', 'tool': 'Result: '}[message['role']] }}"
    "{{ message['content'] }}{{ '\\n\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Answer:' }}{% endif %}"
)
"""For a base model whose tokenizer has no chat template: plain paragraphs, no special tokens."""

TAGS = frozenset(
    f"<{slash}{name}>"
    for name in ("think", "answer", "tool_call", "tool_response", "search", "information", "action")
    for slash in ("", "/")
)
"""Tokens that are part of the text even where a tokenizer registers them as special."""

SEAM = "\ufdd0"
"""Stands inside a mark that is spelled in a message: what is on either side is encoded for itself, and makes no mark.
Unicode keeps this code point for such uses: it is no character, and not for interchange. A tokenizer that puts a space
before every text puts one there as well."""


class TemplateError(RlenvsError):
    """A chat template that cannot render the conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What one seat has read and written so far."""

    messages: tuple[Message, ...]
    text: str  # the conversation as the template renders it, seams included, up to where the policy writes next
    ids: tuple[int, ...]  # what the policy reads next, or has read and written


class Renderer:
    """Renders conversations for one tokenizer.

    Args:
        tokenizer: a transformers tokenizer. Without a chat template, `PLAIN_TEMPLATE` stands in.
        eos_ids: more ids that end a message, such as those of the model's generation config. Always there: the
            tokenizer's own EOS, and the special token with which its template closes a message of the assistant.
    """

    def __init__(self, tokenizer: Any, *, eos_ids: Iterable[int] = ()) -> None:
        self.tokenizer = tokenizer
        self.template: str = tokenizer.chat_template or PLAIN_TEMPLATE
        added = tokenizer.added_tokens_decoder
        special = set(tokenizer.all_special_ids) | {index for index, token in added.items() if token.special}
        text_ids = {index for index, token in added.items() if token.content in TAGS} | {tokenizer.unk_token_id}
        given = frozenset(eos_ids)
        self._mark = _first_of(())  # conversations of our own have none
        marks = special | given | self._written() | {i for i, token in added.items() if token.content in self.template}
        self._mark = _first_of(added[index].content for index in marks & added.keys())
        self.eos_ids = self._ends(given, special - text_ids)
        self._end = min(self._closer() & self.eos_ids or self.eos_ids)
        self._adds_bos = list(tokenizer("a").input_ids[:1]) == [tokenizer.bos_token_id]
        self._hidden = frozenset((special - text_ids) | self.eos_ids)

    def _ends(self, given: frozenset[int], special: set[int]) -> frozenset[int]:
        own = self.tokenizer.eos_token_id
        ends = given | (frozenset() if own is None else {own}) | (self._closer() & special)
        if not ends:
            raise TemplateError("the tokenizer has no end-of-sequence token: set its eos_token, or pass eos_ids")
        return ends

    def _written(self) -> set[int]:
        """The ids that the template writes around messages of every role that it knows."""
        plain = {role: Message(role=role, content="a") for role in ("system", "user", "assistant", "tool")}
        orders = ("user",), ("user", "assistant"), ("system", "user"), ("user", "assistant", "tool")
        written: set[int] = set()
        for order in orders:
            with suppress(TemplateError):  # a role that it does not take
                written |= {*self.encode(self._render(tuple(plain[role] for role in order), order == ("user",)))}
        return written

    def _closer(self) -> frozenset[int]:
        """The first id after a message of the assistant."""
        probe = "rlenvs probe"
        text = self._render((user("a"), assistant(probe)), False)
        return frozenset(self.encode(text.rpartition(probe)[2])[:1]) if probe in text else frozenset()

    # From messages to ids.

    def start(self, messages: Sequence[Message]) -> Context:
        """The first prompt: BOS exactly once, whether the template writes it or the tokenizer would."""
        text = self._render(messages, True)
        ids = self._prompt_ids(text)
        return Context(messages=tuple(messages), text=text, ids=ids)

    def write(self, context: Context, completion_ids: Sequence[int]) -> Context:
        """The same conversation after the policy wrote these ids."""
        ids = (*context.ids, *completion_ids)
        messages = (*context.messages, assistant(self.decode(completion_ids)))
        return replace(context, messages=messages, ids=ids)

    def read(self, context: Context, messages: Sequence[Message]) -> Context:
        """The next prompt, after an action was written and the world answered with `messages`.

        Where the template renders everything so far as it did before, the new ids continue the old ones. Where it
        rewrites history (drops earlier thinking, say), the conversation is rendered afresh and the ids do not continue:
        what was sampled before stays in a sample of its own. White space that the template trims around the
        action counts as unchanged: the ids keep what was sampled.
        """
        everything = (*context.messages, *messages)
        text = self._render(everything, True)
        bridge = self._bridge(context, text)
        if bridge is None:
            return self.start(everything)
        ids = (*context.ids, *self._after_end(context.ids, bridge))
        return Context(messages=everything, text=text, ids=ids)

    def _bridge(self, context: Context, text: str) -> str | None:
        """What the template wrote after the last action; None if it changed anything before that."""
        if not text.startswith(context.text):
            return None
        rest, action = text[len(context.text) :], self._seamed(context.messages[-1].content)
        if rest.startswith(action):
            return rest[len(action) :]
        rest, action = rest.lstrip(), action.strip()
        return rest[len(action) :] if rest.startswith(action) else None

    def _after_end(self, ids: tuple[int, ...], bridge: str) -> tuple[int, ...]:
        """The bridge's ids, without the end-of-sequence token that the policy has written itself."""
        bridge_ids = self.encode(bridge)
        is_closed = bool(ids and bridge_ids) and ids[-1] in self.eos_ids and bridge_ids[0] == ids[-1]
        return bridge_ids[1:] if is_closed else bridge_ids

    def _render(self, messages: Sequence[Message], add_generation_prompt: bool) -> str:
        from jinja2.exceptions import TemplateError as JinjaError

        chat = [
            {"role": message.role, "content": self._seamed(message.content)}
            | ({"name": self._seamed(message.name)} if message.name else {})
            for message in messages
        ]
        try:
            text = self.tokenizer.apply_chat_template(
                chat, chat_template=self.template, tokenize=False, add_generation_prompt=add_generation_prompt
            )
        except (JinjaError, KeyError) as error:
            roles = ", ".join(message.role for message in messages)
            raise TemplateError(f"the chat template does not take a conversation of {roles}: {error}") from error
        return str(text)

    def _prompt_ids(self, text: str) -> tuple[int, ...]:
        ids = self.encode(text)
        bos = self.tokenizer.bos_token_id
        return (bos, *ids) if self._adds_bos and ids[:1] != (bos,) else ids

    def encode(self, text: str) -> tuple[int, ...]:
        """The ids of text that nobody sampled, marks included: prompts, bridges. No BOS is added."""
        parts = (self.tokenizer(part, add_special_tokens=False).input_ids for part in text.split(SEAM) if part)
        return tuple(index for part in parts for index in part)

    def message_ids(self, text: str) -> tuple[int, ...]:
        """The ids of a whole message that the policy might have written: its text, and an end of sequence."""
        return (*self.encode(self._seamed(text)), self._end)

    def _seamed(self, text: str) -> str:
        """A message's text, a seam in whatever would be read as a mark."""
        return self._mark.sub(lambda start: start[0] + SEAM, text.replace(SEAM, "\N{REPLACEMENT CHARACTER}"))

    # From ids to text.

    def decode(self, ids: Sequence[int]) -> str:
        """The text that the environment reads: without role marks and ends of sequence, with the tags in `TAGS`."""
        visible = [index for index in ids if index not in self._hidden]
        return str(self.tokenizer.decode(visible, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    def cut(self, ids: Sequence[int], consumed: int) -> int:
        """How many of the ids to keep when the environment used `consumed` characters of their text.

        The smallest number whose text has all of those characters: a token that straddles the cut is kept whole.
        All of them, ends of sequence included, where the environment used everything.
        """
        text = self.decode(ids)
        if consumed >= len(text):
            return len(ids)
        low, high = 0, len(ids)  # the text of `high` ids has the characters; the text of fewer than `low` has not
        while low < high:
            middle = (low + high) // 2
            if self.decode(ids[:middle]).startswith(text[:consumed]):
                high = middle
            else:
                low = middle + 1
        return low


def _first_of(marks: Iterable[str]) -> re.Pattern[str]:
    """Finds the first character of every mark in a text, also where marks overlap.

    Not of tags, which are text, and not of white space and lone characters, which a seam cannot part.
    """
    rests: dict[str, list[str]] = {}  # by first character: some tokenizers have thousands
    for mark in sorted(set(marks) - TAGS):
        if len(mark.strip()) > 1:
            rests.setdefault(re.escape(mark[0]), []).append(re.escape(mark[1:]))
    return re.compile("|".join(f"{first}(?={'|'.join(rest)})" for first, rest in rests.items()) or "(?!)")
