"""The checks of conduct: what clones share, and that neither text nor luck does harm.

Each gives a sentence per failure, and plays the environment through its public methods alone.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from rlenvs.checks.subject import LONG_TEXT, NONSENSE, Subject, Trace, difference, played, saying, short, stepped
from rlenvs.env import complete_characters
from rlenvs.errors import EpisodeOverError, foreign_code

ODD_TEXTS = ("", " \n\t", "\x00", "{}[]()", "\\boxed{", "<answer>", "</answer><answer>", "1e999", "NaN", "😀é中" * 9)


def demonstrations_end(subject: Subject) -> Iterator[str]:
    """What the environment shows plays an episode to its end."""
    if not subject.has_answers:
        return
    for task in subject.tasks:
        subject.reset(task)
        played(subject.env, subject.good_action())
        if subject.env.ending != "completed":
            yield f"task {task.id}: a demonstration does not complete the episode, it ends as {subject.env.ending!r}"
            break


def clones_are_independent(subject: Subject) -> Iterator[str]:
    """A clone goes on like the original, neither changes the other, and closing the clone is harmless."""
    if not subject.is_deterministic:
        return
    subject.reset(subject.tasks[0])
    clone = subject.env.clone()
    if type(clone) is not type(subject.env) or clone is subject.env:
        yield f"clone() gives a {type(subject.env).__name__} of its own: got {clone!r}"
        return
    clone.close()
    actions, reference = played(subject.env, subject.good_action())
    for turn in sorted({0, len(actions) // 2}):
        for who in ("original", "clone"):
            trace = _trace_beside_a_clone(subject, actions, turn, who)
            if trace is None:
                yield f"after {turn} actions, playing the other one ended the {who}"
            elif trace != reference[turn:]:
                why = difference(reference[turn:], trace)
                yield f"after {turn} actions, the {who} goes on differently once the other one was played: {why}"


def _trace_beside_a_clone(subject: Subject, actions: list[str], turn: int, who: str) -> Trace | None:
    """Take `turn` actions, clone, play the other one to pieces, then go on; None where that is over already.

    The clone is closed: before the original goes on, or else after it has gone on itself.
    """
    subject.reset(subject.tasks[0])
    for action in actions[:turn]:
        subject.env.step(action)
    clone = subject.env.clone()
    going_on, other = (subject.env, clone) if who == "original" else (clone, subject.env)
    played(other, saying(NONSENSE))
    other.reset(seed=subject.seed + 1, options={"task": subject.tasks[-1]})
    played(other, saying(NONSENSE))
    if other is clone:
        clone.close()
        clone.close()
    try:
        return [stepped(going_on, action) for action in actions[turn:]]
    except EpisodeOverError:
        return None
    finally:
        clone.close()


def any_text_is_an_action(subject: Subject) -> Iterator[str]:
    """No text makes the environment or its grader raise, and an episode can be stopped before the first action."""
    env, task = subject.env, subject.tasks[0]
    for text in (*ODD_TEXTS, LONG_TEXT):
        subject.reset(task)
        try:
            with foreign_code():
                played(env, saying(text))
        except Exception as error:  # that is what is being looked for
            yield f"the action {short(text)} made it raise {type(error).__name__}: {error}"
    subject.reset(task)
    try:
        env.stop("max_tokens")
    except Exception as error:  # that is what is being looked for
        yield f"an episode stopped before its first action cannot be judged: {type(error).__name__}: {error}"


def a_whole_action_is_whole(subject: Subject) -> Iterator[str]:
    """The characters that `complete` counts do what the whole text does."""
    if not subject.is_deterministic:
        return
    for task in subject.tasks[:3]:
        subject.reset(task)
        text = f"{subject.good_action()(subject.env)}\n{NONSENSE}"
        said = subject.env.complete(text)
        try:
            count = complete_characters(said, text)
        except ValueError as error:
            yield str(error)
            return
        if count is None:
            continue
        whole = [stepped(subject.env, text)]
        subject.reset(task)
        alone = [stepped(subject.env, text[:count])]
        if alone != whole:
            why = difference(alone, whole)
            yield f"task {task.id}: complete({short(text)}) is {count}, and what comes after changes the step: {why}"


def global_randomness_is_left_alone(subject: Subject) -> Iterator[str]:
    """Neither Python's nor NumPy's (nor torch's, if it is there) global random state changes."""
    with _other_global_states():
        before = _global_states()
        for seed in (None, subject.seed):
            subject.env.reset(seed=seed)
            with closing(subject.env.clone()) as clone:
                played(clone, subject.good_action())
            played(subject.env, saying(NONSENSE))
        after = _global_states()
    for name, state in after.items():
        if not _is_same(state, before.get(name, state)):
            yield f"it changes the global random state of {name}: draw from self.np_random"


@contextmanager
def _other_global_states() -> Iterator[None]:
    """States that no environment sets: one that seeds globally would find its own seed there from the checks before."""
    before = _global_states()
    try:
        random.seed("a state of check_env")
        np.random.seed(1_804_289_383)  # noqa: NPY002  # to see that nobody else does
        if "torch" in before:
            sys.modules["torch"].manual_seed(1_804_289_383)
        yield
    finally:
        random.setstate(before["random"])
        np.random.set_state(before["numpy"])  # noqa: NPY002
        if "torch" in before:
            sys.modules["torch"].set_rng_state(before["torch"])


def _is_same(state: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(state, other, strict=True))


def _global_states() -> dict[str, Any]:
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002  # to see that nobody else uses it
    states: dict[str, Any] = {"random": random.getstate(), "numpy": (kind, np.asarray(keys), *rest)}
    torch = sys.modules.get("torch")  # an environment that uses it has imported it
    if torch is not None:
        states["torch"] = torch.get_rng_state()
    return states


def targets_are_hidden(subject: Subject) -> Iterator[str]:
    """A prompt that holds its own target is suspicious, but may be meant: only a note."""
    shown = 0
    for task in subject.tasks:
        observation, _ = subject.env.reset(seed=subject.seed, options={"task": task})
        shown += isinstance(task.target, str | int | float) and f" {task.target} " in f" {observation} "
    if shown > len(subject.tasks) / 2:
        subject.notes.append(f"{shown} of {len(subject.tasks)} prompts show their own target")
    yield from ()


CHECKS = (
    demonstrations_end,
    clones_are_independent,
    any_text_is_an_action,
    a_whole_action_is_whole,
    global_randomness_is_left_alone,
    targets_are_hidden,
)
