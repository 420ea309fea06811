import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from rlenvs import check_env, make
from rlenvs.checks import CheckWarning
from rlenvs.envs.reasoning_gym.env import SPLIT_STRIDE, ReasoningGymEnv
from rlenvs.envs.reasoning_gym.generators import GENERATORS, WITHHELD
from rlenvs.errors import GraderError, MakingError, NoAnswerError, RlenvsError
from rlenvs.plugins import load
from rlenvs.records import Task, user

WITHOUT_ANSWERS = {"boxnet", "rush_hour"}
FOLLOWS_HASHES = ["isomorphic_strings", "polynomial_multiplication", "ransom_note"]  # and knight_swap, slowly
INDICES = (0, 7)


@pytest.fixture(scope="module")
def library():
    """By generator: question and answer of the library's own items, of seed 3 and the test split."""
    seed = SPLIT_STRIDE * 7
    ended = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("as_the_library.py")), str(seed), "50", *map(str, INDICES)],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(ended.stdout.splitlines()[-1])


def scored(env, answer, index=0):
    """Score and correct of an answer to a task."""
    env.reset(options={"index": index})
    *_, info = env.step(f"<think></think><answer>{answer}</answer>")
    return info["verdict"].parts[0].value, info["verdict"].correct


def test_every_generator_of_the_library_is_an_environment_or_said_not_to_be(library):
    assert library.keys() == GENERATORS.keys() | WITHHELD.keys() - {"composite"}
    assert not GENERATORS.keys() & WITHHELD.keys()
    with pytest.raises(ValueError, match=r"propositional_logic .* is not given .* a premise that is repeated scores"):
        ReasoningGymEnv(generator="propositional_logic")


@pytest.mark.parametrize("generator", GENERATORS)
def test_tasks_are_the_librarys_own(generator, library):
    env = ReasoningGymEnv(generator=generator, seed=3, split="test", size=50)
    tasks = [env.task_at(index) for index in INDICES]
    assert [[task.metadata["question"], task.target] for task in tasks] == library[generator]
    assert [task.id for task in tasks] == [f"{generator}/test/3/{index}" for index in INDICES]


@pytest.mark.parametrize("generator", GENERATORS)
def test_every_generator_passes_the_environment_check(generator):
    env = ReasoningGymEnv(generator=generator, size=50)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CheckWarning)
        check_env(env, num_tasks=4)
    says_no_answer = any("answer_message is not there" in str(warning.message) for warning in caught)
    assert says_no_answer == (generator in WITHOUT_ANSWERS)


@pytest.mark.parametrize("generator", FOLLOWS_HASHES)
def test_generators_that_follow_the_order_of_a_set_are_the_same_in_another_process(generator):
    load()
    with warnings.catch_warnings():
        warnings.simplefilter("error", CheckWarning)
        warnings.filterwarnings("ignore", ".*another task's answer", CheckWarning)
        warnings.filterwarnings("ignore", ".*prompts show their own target", CheckWarning)
        check_env(f"reasoning_gym/{generator}-v0", num_tasks=2)


def test_neighbouring_seeds_and_splits_share_no_draw():
    """In the library item 1 of a seed is item 0 of the next one."""
    size = 40
    questions = [
        {env.task_at(index).metadata["question"] for index in range(size)}
        for seed in (0, 1)
        for split in ("train", "test")
        for env in [ReasoningGymEnv(generator="cryptarithm", seed=seed, split=split, size=size)]
    ]
    assert len(set.union(*questions)) == sum(map(len, questions)) == 4 * size
    seeds = [ReasoningGymEnv(generator="ab", seed=s, split=p).library_seed for s in (0, 1) for p in ("train", "test")]
    assert seeds == [0, 131072, 262144, 393216]
    assert ReasoningGymEnv(generator="ab", seed=16383, split="test").library_seed + 100_000 < 2**32


def test_full_marks_alone_are_correct():
    env = ReasoningGymEnv(generator="letter_jumble", size=5, config={"min_words": 2, "max_words": 2})
    first, second = env.task_at(0).target.split()
    assert scored(env, f"{first} {second}".upper()) == (1.0, 1.0)
    assert scored(env, f"{first} {second}x") == (0.5, 0.0)
    assert scored(env, "neither nor") == (0.0, 0.0)


def test_score_and_format_add_up():
    env = ReasoningGymEnv(generator="leg_counting", size=5, format_weight=0.5)
    target = env.task_at(0).target
    for reply, reward in ((f"<answer>{target}</answer>", 1.0), (env.answer_message(env.task_at(0)), 1.5), ("", 0.0)):
        env.reset(options={"index": 0})
        assert env.step(reply)[1] == reward, reply


@pytest.mark.parametrize("template", ["boxed", "plain"])
def test_every_template_passes_the_environment_check(template):
    check_env(ReasoningGymEnv(generator="chain_sum", size=20, template=template), num_tasks=10)


def test_an_empty_answer_is_written_as_two_quotes():
    env = ReasoningGymEnv(generator="ab", size=200)
    index = next(index for index in range(200) if env.task_at(index).target == "")
    assert env.answer_message(env.task_at(index)) == '<think></think>\n<answer>""</answer>'
    assert scored(env, '""', index) == (1.0, 1.0)
    assert scored(env, "", index) == scored(env, "A#", index) == (0.0, 0.0)


def test_options_of_the_generator_change_its_tasks():
    load()
    env = make("reasoning_gym/leg_counting-v0", config={"min_animals": 1, "max_animals": 1}, size=10)
    questions = [env.task_at(index).metadata["question"].partition("you have ")[2] for index in range(10)]
    assert not any("," in question for question in questions)
    env = make("reasoning_gym/time_intervals-v0", config={"task_types": ["date"], "max_date": "2000-01-01"}, size=10)
    assert {env.task_at(index).target.partition(" ")[2] for index in range(10)} == {"days"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"config": {"min_animal": 2}}, "config.min_animal: no option 'min_animal'. Did you mean 'min_animals'?"),
        ({"config": {"min_animals": "two"}}, "config.min_animals: expected a whole number, got 'two'"),
        ({"config": {"min_animals": 0}}, "leg_counting cannot be used so: min_animals must be positive"),
        ({"config": {"seed": 5}}, "config.seed: that is the environment's own option 'seed'"),
        ({"seed": 20_000}, "seed is 0 to 16383 and size 1 to 100000: got 20000"),
        ({"generator": "leg_count"}, "no generator of reasoning_gym 'leg_count'. Did you mean 'leg_counting'?"),
    ],
)
def test_options_that_do_not_fit_are_refused_with_a_sentence(options, sentence):
    load()
    with pytest.raises(MakingError, match=sentence.replace(".", r"\.").replace("?", r"\?")):
        make("reasoning_gym/leg_counting-v0", **options)


def test_a_generator_without_an_answer_says_so():
    env = ReasoningGymEnv(generator="rush_hour", size=5)
    assert env.task_at(0).target is None
    with pytest.raises(NoAnswerError, match="reasoning_gym's rush_hour does not say how its answers look"):
        env.answer_message(env.task_at(0))
    assert scored(env, "no moves") == (0.01, 0.0)


def test_a_text_that_its_scorer_raises_at_is_wrong():
    env = ReasoningGymEnv(generator="prime_factorization", size=5)
    right = env.task_at(0).target
    assert (scored(env, right), scored(env, "three times five")) == ((1.0, 1.0), (0.0, 0.0))


def test_a_task_that_cannot_be_made_again_is_an_error_of_the_grader():
    env = ReasoningGymEnv(generator="chain_sum", size=5)
    place = env.task_at(0).metadata["place"] | {"config": '{"min_digits": 9, "max_digits": 2}'}
    env.reset(options={"task": Task(id="broken", prompt=(user("?"),), metadata={"place": place})})
    with pytest.raises(GraderError, match=r"task broken: reward function 'score' raised RaisedInWorkerError"):
        env.step("<answer>1</answer>")


def test_an_index_past_the_end_is_refused():
    with pytest.raises((ValueError, RlenvsError), match="a task's index is 0 to 4: got 5"):
        ReasoningGymEnv(generator="gcd", size=5).task_at(5)
