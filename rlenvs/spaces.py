"""The space of all text, where Gymnasium's `Text` allows ASCII letters and digits alone; and its vector use.

Batches of texts are tuples. `AsyncVectorEnv` with shared memory reads its buffer once and keeps the result, so what
reading gives here is a live view, and a deep copy of the view is the texts of that moment.

`iterate` and `batch_space` are not registered: Gymnasium's own for custom spaces are right (a registered `iterate`
would make it run over the characters of each text).
"""

from __future__ import annotations

import os
import struct
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_differing_spaces, create_empty_array
from gymnasium.vector.utils.shared_memory import create_shared_memory, read_from_shared_memory, write_to_shared_memory

SAMPLE_LENGTH = 32  # characters at most in a sample of an unbounded space
ALPHABET = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,;:!?'\"-+*/=<>()[]{}\\$%\n\täßéñαβЖ≤∑中文한字😀"
)
"""What samples are made of: enough to find an environment that cannot stand blanks, newlines or non-ASCII signs."""


class Unicode(spaces.Space[str]):
    """Any text, of at most `max_length` characters if that is given.

    A text is a string that UTF-8 can encode: lone surrogates are not text.
    """

    def __init__(self, max_length: int | None = None, *, seed: int | np.random.Generator | None = None) -> None:
        if max_length is not None and max_length < 0:
            raise ValueError(f"max_length is at least 0, or None for any length: got {max_length}")
        self.max_length = max_length
        super().__init__(dtype=str, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """Text has no array of fixed size."""
        return False

    def sample(self, mask: tuple[int | None, str | None] | None = None, probability: None = None) -> str:
        """A random text.

        Args:
            mask: (length, the characters to draw from); None for either leaves it free.
            probability: not offered, since a table of all characters has a million entries.
        """
        if probability is not None:
            raise ValueError(
                "Unicode has no table of characters to give probabilities to: use mask=(length, characters)"
            )
        length, characters = mask or (None, None)
        if length is None:
            limit = SAMPLE_LENGTH if self.max_length is None else min(SAMPLE_LENGTH, self.max_length)
            length = int(self.np_random.integers(limit + 1))
        if length < 0 or (self.max_length is not None and length > self.max_length):
            raise ValueError(f"a sample of {self} cannot have {length} characters")
        alphabet = ALPHABET if characters is None else characters
        if length and not alphabet:
            raise ValueError(f"no characters to draw {length} of: mask is (length, characters)")
        return "".join(alphabet[i] for i in self.np_random.integers(max(1, len(alphabet)), size=length))

    def contains(self, x: Any) -> bool:
        """Whether `x` is text, and not too long."""
        if not isinstance(x, str) or (self.max_length is not None and len(x) > self.max_length):
            return False
        try:
            x.encode()
        except UnicodeEncodeError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and self.max_length == other.max_length

    def __repr__(self) -> str:
        return f"Unicode({'' if self.max_length is None else self.max_length})"

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Texts are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        """Texts are JSON already."""
        return [str(text) for text in sample_n]


class SharedTexts:
    """One text per environment, shared between processes: any length fits, nothing is ever cut.

    Each text is an unnamed temporary file that grows as needed (it stays in memory where there is enough), so no bound
    has to be guessed beforehand and nothing is left behind when a process is killed. POSIX alone, like our sandbox.
    """

    _header = struct.Struct("<Q")  # the text's bytes

    def __init__(self, files: Sequence[Any]) -> None:
        self._files = files
        weakref.finalize(self, _close_all, files)  # Gymnasium never says that it is done

    @classmethod
    def empty(cls, n: int) -> SharedTexts:
        """For `n` environments, each with the empty text."""
        return cls([tempfile.TemporaryFile(buffering=0) for _ in range(n)])

    def __len__(self) -> int:
        return len(self._files)

    def write(self, index: int, text: str) -> None:
        """Replace one text. Whole, or an OSError (a full disk)."""
        data = text.encode("utf-8", "surrogatepass")
        data = self._header.pack(len(data)) + data
        written = os.pwrite(self._files[index].fileno(), data, 0)
        if written != len(data):
            raise OSError(f"observation of environment {index}: only {written} of {len(data)} bytes could be shared")

    def read(self, index: int) -> str:
        """The text written last."""
        descriptor = self._files[index].fileno()
        header = os.pread(descriptor, self._header.size, 0)
        if not header:
            return ""
        (size,) = self._header.unpack(header)
        return os.pread(descriptor, size, self._header.size).decode("utf-8", "surrogatepass")

    def __reduce__(self) -> tuple[Callable[[list[Any]], SharedTexts], tuple[list[Any]]]:
        from multiprocessing.reduction import DupFd  # works only while a process is being started, like every lock

        return _reopened, ([DupFd(file.fileno()) for file in self._files],)


def _close_all(files: Sequence[Any]) -> None:
    for file in files:
        file.close()


def _reopened(descriptors: list[Any]) -> SharedTexts:
    return SharedTexts([open(descriptor.detach(), "r+b", buffering=0) for descriptor in descriptors])


class TextsView(Sequence[str]):
    """The texts as they are whenever one looks; a deep copy is the tuple of what they are now."""

    def __init__(self, texts: SharedTexts) -> None:
        self._texts = texts

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        return self._texts.read(range(len(self))[index])

    def __deepcopy__(self, memo: dict[int, Any]) -> tuple[str, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"TextsView{tuple(self)}"


@create_empty_array.register(Unicode)
def _empty_texts(space: Unicode, n: int = 1, fn: Any = None) -> tuple[str, ...]:  # noqa: ARG001
    return ("",) * n


@batch_differing_spaces.register(Unicode)
def _batch_differing(batch: Sequence[Unicode]) -> spaces.Tuple[Any]:  # type: ignore[misc]  # by the first space
    return spaces.Tuple([Unicode(space.max_length) for space in batch])


@create_shared_memory.register(Unicode)
def _create_shared(space: Unicode, n: int = 1, ctx: Any = None) -> SharedTexts:  # noqa: ARG001
    return SharedTexts.empty(n)


@write_to_shared_memory.register(Unicode)
def _write_shared(space: Unicode, index: int, value: str, shared_memory: SharedTexts) -> None:  # noqa: ARG001
    shared_memory.write(index, value)


@read_from_shared_memory.register(Unicode)
def _read_shared(space: Unicode, shared_memory: SharedTexts, n: int = 1) -> TextsView:  # noqa: ARG001
    return TextsView(shared_memory)
