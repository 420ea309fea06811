"""The suites of programs, each target with its published conventions beside it."""

from rlenvs.evaluation.published import Published
from rlenvs.evaluation.suites import Suite, Target
from rlenvs.policies.base import Sampling

_CHAT = (
    "EvalPlus asks chat models for a self-contained script in a markdown code block, with the problem in a block of "
    "its own; base models are given the problem's text to continue (template=plain)."
)
_OURS = (
    "The program runs in a sandbox that never holds the tests; what its functions give is compared outside. The last "
    "block that defines the function is the program; imports and helpers of the prompt are put before it."
)
_PASS_AT_K = (
    "Codex takes 200 samples of each problem at temperatures 0.2 to 0.8 for pass@1 to pass@100; EvalPlus and chat "
    "models' reports take one greedy sample."
)

_HUMANEVAL = Published(
    prompt=f"The function's head and docstring, to be continued. {_CHAT}",
    sampling=_PASS_AT_K,
    scoring=(
        "human-eval runs the prompt, the completion and the tests in one process with 3 s for all of it: right is what "
        "ends without an exception, so that a program which ends the process, or changes what tests call, is right too."
    ),
    ours=f"{_OURS} Eight seconds of processor time.",
    source="arXiv:2107.03374; github.com/openai/human-eval, human_eval/execution.py",
)
_HUMANEVAL_PLUS = Published(
    prompt=_CHAT,
    sampling="One greedy sample.",
    scoring=(
        "About 764 inputs a problem, the published solution's outputs: equal, or within 1e-6 where floats are expected "
        "(or the problem's own tolerance). Each input has the longer of a tenth of a second and twice the solution's "
        "time, in the same process as the comparison."
    ),
    ours=f"{_OURS} Thirty seconds of processor time for all inputs together.",
    source="arXiv:2305.01210; github.com/evalplus/evalplus, evalplus/eval/__init__.py",
)
_MBPP = Published(
    prompt=(
        "The paper's prompt has three worked examples, the sentence and the three assertions. Here it is the sentence "
        "and the assertions, zero-shot."
    ),
    sampling="The paper takes 80 samples at temperature 0.5 and counts problems that one passes; others take one.",
    scoring="The three assertions in the program's own process.",
    ours=f"{_OURS} Test problems are numbers 11 to 510, as in the paper; all three assertions are in the prompt.",
    source="arXiv:2108.07732; github.com/google-research/google-research, mbpp/",
)
_MBPP_PLUS = Published(
    prompt=f"The sentence with one assertion. {_CHAT}",
    sampling="One greedy sample.",
    scoring=(
        "About 108 inputs a problem, the published solution's outputs; eight problems are compared as sets, three by "
        "whether something was found, and two accept the constant that the first published tests would."
    ),
    ours=(
        f"{_OURS} Thirty seconds of processor time for all inputs together; two minutes for Mbpp/599, whose solution "
        "takes half a minute. Of Mbpp/255, five inputs are left out: their results have 6 to 128 million items."
    ),
    source="arXiv:2305.01210; github.com/evalplus/evalplus, evalplus/data/mbpp.py and evalplus/eval/",
)
_KATTIS = Published(
    prompt="The statement in LaTeX, with the sample inputs and outputs.",
    sampling="Contests take the first accepted program; one sample of each problem here.",
    scoring=(
        "Kattis' default validator: tokens, whatever their case and the white space between them, numbers within the "
        "problem's own tolerance. A program is accepted if every test is right within the problem's time limit."
    ),
    ours=(
        "58 problems of the KTH Challenge 2012 to 2022 and HiQ Challenge 2018 whose statements need no picture and "
        "whose outputs need no checker; about 40 tests of each at most, ten seconds of processor time for a test."
    ),
    source="github.com/Kodsport, kth-challenge-*; icpc.io/problem-package-format",
)
_CODEGEN = Published(
    prompt="This suite is our own. A problem in words with examples, and a program asked for in one block.",
    sampling="One sample at temperature 1, up to 512 tokens, of each of 500 problems.",
    scoring="All generated tests have to pass.",
    ours=(
        "One problem in ten is a test problem by a hash of its text: training never draws one. Families are equally "
        "often asked, and a family's levels; results are shown for each family and each level, "
        "where there are twice as many tasks."
    ),
    source="rlenvs/CodeGen-v0; `rlenvs envs show rlenvs/CodeGen-v0` has the families and levels",
)


def _target(name: str, published: Published, template: str = "evalplus") -> Target:
    kwargs = {"dataset": name, "split": "test", "template": template, "rewards": "all_pass"}
    return Target(env="rlenvs/Code-v0", kwargs=kwargs, name=name, published=published)


CODE = Suite(
    name="code",
    description="HumanEval and MBPP, both also with EvalPlus' tests, and Kattis contests; zero-shot, in a sandbox",
    targets=(
        _target("humaneval", _HUMANEVAL),
        _target("humaneval_plus", _HUMANEVAL_PLUS),
        _target("mbpp", _MBPP, "fenced"),
        _target("mbpp_plus", _MBPP_PLUS),
        _target("kattis", _KATTIS, "fenced"),
    ),
    sampling=Sampling(temperature=0.0, max_tokens=2048),
)

PROCEDURAL = Suite(
    name="code-procedural",
    description="every family of CodeGen-v0 at every level, problems that training never draws",
    targets=(
        Target(
            env="rlenvs/CodeGen-v0",
            kwargs={"split": "test", "template": "fenced", "rewards": "all_pass"},
            name="codegen",
            num_tasks=500,
            published=_CODEGEN,
        ),
    ),
    sampling=Sampling(temperature=1.0, max_tokens=512),
)
