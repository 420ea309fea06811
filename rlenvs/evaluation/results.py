"""`Sample` and the results file: a line of JSON per sample and seat, added when its episode ends: a re-run goes on.

The first line says what the results are of: policy, settings, seed, targets. A file of something else is refused;
more tasks or more samples of the same are not something else. What failed is tried again, its later line counts.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Literal, Self

from rlenvs.errors import RlenvsError, writing
from rlenvs.locked import opened_alone
from rlenvs.records import Ending

FORMAT = 1
SampleEnding = Ending | Literal["policy_error"]  # the latter: no reply could be had from the policy

SampleKey = tuple[str, int, int]
"""(target, index of the task, number of the sample): what one episode is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one seat did in one episode. `correct` is None exactly when nothing could be judged: an error, not a 0."""

    target: str
    index: int  # of the task in its environment
    task_id: str
    fingerprint: str  # of the task: a task whose text changed is another task
    sample: int  # 0 … n-1
    seat: str
    num_seats: int  # of the episode: a sample each
    ending: SampleEnding
    correct: float | None  # accuracy in [0, 1]
    reward: float | None
    parts: Mapping[str, float] = field(default_factory=dict)  # what each name added to the reward: they sum to it
    messages: tuple[Mapping[str, str], ...] = ()  # the conversation as this seat saw it
    num_tokens: int | None = None  # that it wrote; None: the policy does not say
    num_turns: int = 0
    labels: Mapping[str, Any] = field(default_factory=dict)  # the task's short metadata: family, level, source …
    error: str = ""

    @property
    def key(self) -> SampleKey:
        """Which episode it belongs to."""
        return self.target, self.index, self.sample

    @property
    def is_scored(self) -> bool:
        """Whether it counts in any rate."""
        return self.correct is not None

    @property
    def is_failed(self) -> bool:
        """Whether something broke, so that trying again may help."""
        return not self.is_scored and self.ending != "unscored"


Episode = tuple[Sample, ...]
"""One sample per seat."""

_FIELDS = frozenset(field.name for field in fields(Sample))


class ResultsFile:
    """Reads what is there, then appends. One process at a time: the system lets go of the file when it ends.

    Without a path nothing is kept.

    Attributes:
        found: the whole episodes that were there, one sample per seat; where one was played again, the last time.
    """

    def __init__(self, path: Path | None, header: Mapping[str, Any]) -> None:
        """Open the file, or begin it.

        Raises:
            RlenvsError: it holds the results of another policy, environment or seed, is no results file, cannot be
                written, or another evaluation writes to it.
        """
        self.header = {"rlenvs_eval": FORMAT, **json.loads(json.dumps(header))}
        self._what = f"the results file {path}"
        self._file: IO[bytes] | None = None
        self.found: Mapping[SampleKey, Episode] = {}
        if path is None:
            return
        self._file = _opened(path, self._what)
        try:
            self.found = _episodes(self._read(path, self._file))
        except BaseException:
            self._file.close()
            raise
        if not os.fstat(self._file.fileno()).st_size:
            self._write([self.header])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with writing(self._what), self._file:  # closing writes what is left
                os.fsync(self._file.fileno())

    def append(self, episode: Episode) -> None:
        """Keep it. Handed to the system: after a kill, at most the episode that was being written is lost.

        Raises:
            RlenvsError: it cannot be written: the disk is full, say. The episodes before it are kept.
        """
        self._write([asdict(sample) for sample in episode])

    def _write(self, lines: Iterable[Mapping[str, Any]]) -> None:
        if self._file is None:
            return
        with writing(self._what):
            self._file.write("".join(_line(line) for line in lines).encode("utf-8", "replace"))
            self._file.flush()  # a disk's own time, milliseconds per episode, is spent once at the end

    def _read(self, path: Path, file: IO[bytes]) -> list[Sample]:
        """What is there. A last line that a kill left half-written is cut off.

        Through the file that is locked: closing another one would let go of the lock.
        """
        file.seek(0)
        data = file.read()
        first, *lines = data.split(b"\n")
        if not lines and _line(self.header).encode().startswith(data):  # not even the header was written whole
            lines = [data]
        else:
            self._check_header(path, _value(first))
        samples = [_sample(path, number, line) for number, line in enumerate(lines[:-1], start=2)]
        with writing(self._what):
            file.truncate(len(data) - len(lines[-1]))
        return samples

    def _check_header(self, path: Path, found: Any) -> None:
        if not isinstance(found, dict) or "rlenvs_eval" not in found:
            raise RlenvsError(f"{path} is not a results file of rlenvs eval: name another, it is left as it is")
        for name in self.header:
            if found.get(name) != self.header[name]:
                raise RlenvsError(
                    f"{path} holds the results of another configuration: its {name} is {found.get(name)!r}, "
                    f"now it is {self.header[name]!r}. Name another file, or delete this one."
                )


def _opened(path: Path, what: str) -> IO[bytes]:
    """The file, to read and to append to, locked."""
    with writing(what):
        is_something_else = path.exists() and not path.is_file()
    if is_something_else:
        raise RlenvsError(
            f"{what} cannot be written: it is no file but a folder or a device. Name another with --results."
        )
    busy = f"another evaluation is writing to {path}: wait for it, stop it, or name another file with --results"
    return opened_alone(path, "a+b", what=what, busy=busy)


def _episodes(samples: Iterable[Sample]) -> dict[SampleKey, Episode]:
    episodes: dict[SampleKey, list[Sample]] = {}
    for sample in samples:
        seats = episodes.setdefault(sample.key, [])
        if seats and not _goes_with(sample, seats):
            seats.clear()
        seats.append(sample)
    return {key: tuple(seats) for key, seats in episodes.items() if len(seats) == seats[0].num_seats}


def _goes_with(sample: Sample, seats: Sequence[Sample]) -> bool:
    """Whether it is of the same play as the seats before it, which is not whole yet."""
    expected = seats[0].num_seats
    return len(seats) < expected == sample.num_seats and sample.seat not in {other.seat for other in seats}


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) + "\n"


def _value(line: bytes) -> Any:
    """The JSON value in a line; None if there is none."""
    try:
        return json.loads(line)
    except ValueError:  # also of bytes that are no UTF-8
        return None


def _sample(path: Path, number: int, line: bytes) -> Sample:
    value = _value(line)
    if not isinstance(value, dict) or set(value) != _FIELDS:
        raise RlenvsError(f"{path}, line {number} is not a sample: delete the line, or use a new file")
    return Sample(**{**value, "messages": tuple(value["messages"])})
