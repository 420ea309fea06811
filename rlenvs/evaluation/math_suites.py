"""The suites of mathematics, each target with its published conventions beside it."""

from rlenvs.evaluation.published import Published
from rlenvs.evaluation.suites import Suite, Target
from rlenvs.policies.base import Sampling

_BOX = (
    "Zero-shot: the problem and, on the next line, 'Please reason step by step, and put your final answer within "
    "\\boxed{}.' (Qwen2.5-Math's prompt type qwen-boxed, in one user message)."
)
_GREEDY = "Qwen2.5-Math takes one greedy sample of a problem"
_PASS_AT_K = "the comparison of base and trained models (arXiv:2504.13837) takes {} at temperature 0.6 and top-p 0.95"
_TOLERANT = (
    "Qwen2.5-Math's grader takes numbers as equal within a relative 1e-4, and a reference's hundredth and hundredfold "
    "as well"
)
_EXACT = "Values are compared exactly: no tolerance, and no factor of 100 that the question does not ask for."
_QWEN = "github.com/QwenLM/Qwen2.5-Math, evaluation/"
_FEW_SAMPLES = "Means over 30 or 40 problems are too coarse for one sample, so 32 are drawn here by default."

_GSM8K = Published(
    prompt=f"The paper trains on the solutions and asks the bare question. {_BOX}",
    sampling=(
        f"The paper takes a single solution at low temperature. {_GREEDY}; {_PASS_AT_K.format('128 samples')}, pass@k."
    ),
    scoring=(
        "The paper's grader takes the number after the first '####', drops thousands separators and compares the text. "
        f"{_TOLERANT}."
    ),
    ours=(
        "The last box decides, or with template=marked the last '####'. The answer is a number that is written out; "
        "a currency, a unit and trailing zeros do no harm, a calculation is wrong."
    ),
    source=f"arXiv:2110.14168; github.com/openai/grade-school-math, grade_school_math/dataset.py; {_QWEN}",
)
_MATH_500 = Published(
    prompt=_BOX,
    sampling=f"{_GREEDY}; {_PASS_AT_K.format('128 samples')}, pass@k; DeepSeek-R1 takes the mean of 64.",
    scoring=(
        "PRM800K's grader: equal once both are normalised, or a difference that SymPy simplifies to 0; a reduced "
        "fraction is only met by itself, an integer only by an integer. "
        f"{_TOLERANT}."
    ),
    ours=f"{_EXACT} A fraction that is not reduced is right. These are the 500 test problems of PRM800K's split.",
    source=f"arXiv:2305.20050; github.com/openai/prm800k, prm800k/grading/grader.py; {_QWEN}; arXiv:2501.12948",
)
_AIME_SAMPLING = (
    "The mean over many samples of a problem (avg@k): DeepSeek-R1 64 at temperature 0.6, top-p 0.95 and up to 32,768 "
    "tokens; DAPO 32 at temperature 1 and top-p 0.7; "
)
_AIME_SCORING = "The integer has to be the reference, from 000 to 999: that is all that the answer sheet has room for."
_AIME_OURS = (
    f"{_FEW_SAMPLES} Up to 16,384 tokens. Leading zeros do no harm (027), nor do zeros behind the point (27.0); "
    "a fraction, a calculation (54/2) or a number above 999 is wrong, whatever its value."
)
_AIME_2024 = Published(
    prompt=_BOX,
    sampling=f"{_AIME_SAMPLING}{_PASS_AT_K.format('1,024')}, pass@k.",
    scoring=_AIME_SCORING,
    ours=_AIME_OURS,
    source=f"AIME 2024 I and II (MAA); {_QWEN}; arXiv:2501.12948; arXiv:2503.14476; arXiv:2504.13837",
)
_AIME_2025 = Published(
    prompt=_BOX,
    sampling=f"{_AIME_SAMPLING}published for AIME 2024, and in use for this contest alike.",
    scoring=_AIME_SCORING,
    ours=_AIME_OURS,
    source="AIME 2025 I and II (MAA); github.com/SkyworkAI/Skywork-OR1, or1_data/eval; arXiv:2501.12948",
)
_AMC = Published(
    prompt=f"{_BOX} The five choices of the contest are left out.",
    sampling=f"{_GREEDY}; {_PASS_AT_K.format('1,024')}, pass@k.",
    scoring=f"The number has to be the reference. {_TOLERANT}.",
    ours=f"{_FEW_SAMPLES} {_EXACT} The answer is a number that is written out; a calculation is wrong.",
    source=f"AMC 12 2023 A and B (MAA), 40 problems; {_QWEN}; arXiv:2504.13837",
)
_MINERVA = Published(
    prompt=f"The paper shows four worked examples before each question. {_BOX}",
    sampling=(
        "The paper takes one greedy sample, or a majority vote at temperature 0.6 and top-p 0.95. "
        f"{_GREEDY}; {_PASS_AT_K.format('128')}, pass@k."
    ),
    scoring=(
        "The paper's rules: numbers by value, expressions where SymPy simplifies the difference to 0. "
        f"{_TOLERANT}: 6.674e-11 passes for 6.6743e-11."
    ),
    ours=(
        f"{_EXACT} A rounded number passes where the question asks to round, or is about things of everyday life and "
        "the reference is a fraction. A unit may be left out; another one has to measure the same."
    ),
    source=f"arXiv:2206.14858, OCWCourses, 272 problems; {_QWEN}",
)
_OLYMPIAD = Published(
    prompt=(
        "The paper's prompt names the kind of answer (a number, an expression, an interval) and asks for 'So the final "
        f"answer is \\boxed{{answer}}.', with the unit behind the box. {_BOX}"
    ),
    sampling=f"The paper takes one reply of a problem. {_GREEDY}.",
    scoring=(
        "The paper's judge: numbers within an absolute 1e-8, or within the problem's own error where it has one (one "
        "of these 675), the reference's hundredth and hundredfold too; expressions with variables within 1e-3 of each "
        f"other once simplified; intervals end by end; equations up to an integer factor. {_TOLERANT}."
    ),
    ours=(
        f"{_EXACT} The problem's own error is not read. Intervals are compared as sets, equations up to a constant "
        "factor. One reference (number 96, 't(0,4]') cannot be read: answers to it are errors and in no rate, unless "
        "they are the same text."
    ),
    source=(
        "arXiv:2402.14008, the 675 English problems of mathematics without images that have an answer; "
        f"github.com/OpenBMB/OlympiadBench, eval/auto_scoring_judge.py; {_QWEN}"
    ),
)
_ARITHMETIC = Published(
    prompt="This suite is our own. The R1-Zero form: reasoning in think tags, then the answer in answer tags.",
    sampling="One sample at temperature 1, up to 512 tokens, of each of 1,000 questions.",
    scoring="The family's own rule: the same value, in lowest terms, multiplied out or factored where that is asked.",
    ours=(
        "One question in ten is a test question by a hash of its text: training never draws one. Families are equally "
        "often asked, and a family's levels; results are shown for each family and each level, "
        "where there are twice as many tasks."
    ),
    source="rlenvs/Arithmetic-v0; `rlenvs envs show rlenvs/Arithmetic-v0` has the families and levels",
)
_AVERAGED = 32


def _target(name: str, published: Published, samples: int | None = None) -> Target:
    kwargs = {"dataset": name, "split": "test", "template": "qwen_boxed", "rewards": "accuracy"}
    return Target(env="rlenvs/Math-v0", kwargs=kwargs, name=name, samples=samples, published=published)


MATH = Suite(
    name="math",
    description="GSM8K, MATH-500, AIME 2024 and 2025, AMC 2023, Minerva, OlympiadBench; zero-shot, answer in a box",
    targets=(
        _target("gsm8k", _GSM8K),
        _target("math500", _MATH_500),
        _target("aime24", _AIME_2024, _AVERAGED),
        _target("aime25", _AIME_2025, _AVERAGED),
        _target("amc23", _AMC, _AVERAGED),
        _target("minerva", _MINERVA),
        _target("olympiadbench", _OLYMPIAD),
    ),
    # As in the comparison of base and trained models, arXiv:2504.13837, sec. 2.
    sampling=Sampling(temperature=0.6, top_p=0.95, max_tokens=16_384),
)

PROCEDURAL = Suite(
    name="math-procedural",
    description="every family of Arithmetic-v0 at every level, questions that training never draws",
    targets=(
        Target(
            env="rlenvs/Arithmetic-v0",
            kwargs={"split": "test", "template": "r1_zero", "rewards": "accuracy"},
            name="arithmetic",
            num_tasks=1000,
            published=_ARITHMETIC,
        ),
    ),
    sampling=Sampling(temperature=1.0, max_tokens=512),
)
