import copy
import gc
import os
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.vector.utils import batch_differing_spaces, batch_space, concatenate, create_empty_array, iterate

from rlenvs import Response, RewardFunction, Rubric, Task, TextEnv, user
from rlenvs.spaces import SharedTexts, TextsView, Unicode

LONG = "zeile\n≤∑ 😀 é" * 40_000  # more than any bound that somebody would guess


class Parrot(TextEnv):
    """Says what it heard, three times; the episodes of even tasks are a turn shorter."""

    rubric = Rubric((RewardFunction("accuracy", lambda task, transcript: 0.0),))
    max_turns = 3

    def task_at(self, index):
        return Task(id=str(index), prompt=(user(f"Speak, {index}!"),))

    def respond(self, action):
        is_over = int(self.task.id) % 2 == 0 and self.num_turns == 1
        return Response(messages=(user(action),), ending="completed" if is_over else None)


class AsciiParrot(gymnasium.Env):
    """The same with Gymnasium's own Text."""

    def __init__(self):
        self.observation_space = self.action_space = gymnasium.spaces.Text(8)

    def reset(self, *, seed=None, options=None):
        return "speak", {}

    def step(self, action):
        return action, 0.0, False, False, {}


def test_any_text_is_in_the_space_and_nothing_else_is():
    space = Unicode()
    for text in ("", " ", "a\nb\x00", "Ж≤∑中😀", np.str_("x"), "x" * 100_000):
        assert text in space
    for other in (None, b"x", 1, ["x"], "\ud800"):
        assert other not in space


def test_a_maximal_length_counts_characters_and_is_inclusive():
    assert "😀😀😀" in Unicode(3)
    assert "😀😀😀😀" not in Unicode(3)
    assert all(len(Unicode(2, seed=seed).sample()) <= 2 for seed in range(50))
    with pytest.raises(ValueError, match="at least 0"):
        Unicode(-1)


def test_samples_follow_the_seed_and_vary():
    first, second = Unicode(seed=7), Unicode()
    second.seed(7)
    texts = [first.sample() for _ in range(100)]
    assert texts == [second.sample() for _ in range(100)]
    assert len(set(texts)) > 90
    assert all(text in first for text in texts)
    assert any(not text.isascii() for text in texts)


def test_a_mask_fixes_length_and_characters():
    space = Unicode(5, seed=0)
    assert space.sample(mask=(4, "a")) == "aaaa"
    assert len(space.sample(mask=(5, None))) == 5
    assert set(space.sample(mask=(5, "xy"))) <= {"x", "y"}
    assert space.sample(mask=(0, "")) == ""
    with pytest.raises(ValueError, match="cannot have 6"):
        space.sample(mask=(6, None))
    with pytest.raises(ValueError, match="no characters"):
        space.sample(mask=(1, ""))
    with pytest.raises(ValueError, match="use mask"):
        space.sample(probability=(2, np.ones(3) / 3))


def test_spaces_with_the_same_bound_are_equal_and_show_it():
    assert Unicode(3) == Unicode(3, seed=1)
    assert Unicode(3) != Unicode()
    assert Unicode() != gymnasium.spaces.Text(3)
    assert (repr(Unicode(3)), repr(Unicode())) == ("Unicode(3)", "Unicode()")
    assert pickle.loads(pickle.dumps(Unicode(3))) == Unicode(3)
    assert Unicode().from_jsonable(Unicode().to_jsonable(["ä", ""])) == ["ä", ""]
    assert not Unicode().is_np_flattenable


def test_a_batch_is_a_tuple_and_iterating_it_gives_whole_texts():
    space = Unicode(seed=0)
    batch = batch_space(space, 3)
    assert isinstance(batch, gymnasium.spaces.Tuple)
    assert ("ab", "", "c") in batch
    assert list(iterate(batch, ("ab", "", "cd"))) == ["ab", "", "cd"]
    assert create_empty_array(space, 2) == ("", "")
    assert concatenate(space, ["ab", "cd"], create_empty_array(space, 2)) == ("ab", "cd")
    assert len(set(batch.sample())) == 3, "the texts of a batch are drawn apart"
    assert batch_differing_spaces([Unicode(1), Unicode(2)]).spaces == (Unicode(1), Unicode(2))


def test_gymnasiums_own_text_stays_stale_in_shared_memory():
    """The trap that `TextsView` is there for. Should this fail one day, Gymnasium has mended it."""
    envs = AsyncVectorEnv([AsciiParrot] * 2, shared_memory=True)
    envs.reset()
    observations, *_ = envs.step(("hello", "world"))
    envs.close()
    assert tuple(observations) != ("hello", "world")


@pytest.mark.parametrize("kwargs", [{"shared_memory": True}, {"shared_memory": False}, {"copy": False}])
def test_an_async_vector_environment_hands_on_what_is_said_now(kwargs):
    envs = AsyncVectorEnv([Parrot] * 2, **kwargs)
    try:
        observations, _ = envs.reset(options={"index": 1})
        assert tuple(observations) == ("Speak, 1!", "Speak, 1!")
        for spoken in (("hello", "world"), (LONG, ""), ("after a long one", "é\ud800")):
            observations, *_ = envs.step(spoken)
            assert tuple(observations) == spoken
    finally:
        envs.close()


def test_a_copied_observation_does_not_change_with_the_next_step():
    envs = AsyncVectorEnv([Parrot] * 2)
    first, _ = envs.reset(options={"index": 1})
    second, *_ = envs.step(("a", "b"))
    envs.close()
    assert (first, second) == (("Speak, 1!", "Speak, 1!"), ("a", "b"))
    assert second in envs.observation_space


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_of_different_lengths_live_side_by_side(vector, mode):
    envs = vector([Parrot] * 4, autoreset_mode=gymnasium.vector.AutoresetMode(mode))
    try:
        _, infos = envs.reset(seed=3)
        lengths = [2 if int(task) % 2 == 0 else 3 for task in infos["task_id"]]
        assert set(lengths) == {2, 3}, "the seed gives both kinds"
        over_at = [0] * 4
        for turn in range(1, 4):
            _, _, terminated, truncated, infos = envs.step(("x",) * 4)
            assert infos["consumed"].dtype.kind == "i"
            for i in np.flatnonzero(terminated | truncated):
                over_at[i] = over_at[i] or turn
        assert over_at == lengths
    finally:
        envs.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_make_vec_works_for_registered_environments(mode):
    envs = gymnasium.make_vec("rlenvs:rlenvs/EchoPair-v0", num_envs=2, vectorization_mode=mode, rounds=2)
    try:
        first, _ = envs.reset(seed=5)
        assert all(text.startswith("Two players") for text in first)
        said = ("x" * 70_000, "été")
        observations, *_ = envs.step(said)
        assert [text.partition("\n")[0] for text in observations] == [f"The echoer said: {text[::-1]}" for text in said]
    finally:
        envs.close()


def test_a_spawned_worker_shares_texts_too():
    envs = gymnasium.make_vec(
        "rlenvs:rlenvs/EchoPair-v0", num_envs=1, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    try:
        envs.reset(seed=0)
        observations, *_ = envs.step(("y" * 50_000,))
        assert observations[0].startswith("The echoer said: " + "y" * 50_000 + "\n")
    finally:
        envs.close()


def test_the_view_is_live_and_its_copy_is_not():
    texts = SharedTexts.empty(2)
    view = TextsView(texts)
    assert tuple(view) == ("", "")
    texts.write(1, LONG)
    copied = copy.deepcopy([view])[0]
    texts.write(1, "short")
    assert copied == ("", LONG)
    assert view[1] == view[-1] == "short"
    assert view[:] == ("", "short")
    with pytest.raises(IndexError):
        view[2]


def test_shared_texts_leave_no_file_open():
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    texts = SharedTexts.empty(20)
    assert len(os.listdir("/proc/self/fd")) == before + 20
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        del texts
        gc.collect()
    assert [str(each.message) for each in warned if each.category is ResourceWarning] == []
    assert len(os.listdir("/proc/self/fd")) == before
