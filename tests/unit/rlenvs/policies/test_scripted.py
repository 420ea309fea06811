import asyncio
import re
from collections.abc import Callable, Sequence

from rlenvs.policies.base import Policy, Reply, ReplyRequest
from rlenvs.policies.scripted import Oracle, Random
from rlenvs.records import user


def ask(policy: Policy, *requests: ReplyRequest) -> Sequence[Reply]:
    async def replies() -> list[tuple[int, Reply]]:
        return [each async for each in policy.replies(requests)]

    places, given = zip(*asyncio.run(replies()), strict=True)
    assert places == tuple(range(len(requests)))
    return given


def request(
    seed: int = 0, answer: Callable[[], str] | None = lambda: r"<answer>\frac{12}{305}</answer>"
) -> ReplyRequest:
    async def awaited() -> str:
        assert answer is not None
        return answer()

    return ReplyRequest(key="k", messages=(user("?"),), seed=seed, answer=awaited if answer else None)


def test_the_oracle_gives_the_answer() -> None:
    assert ask(Oracle(), request())[0].text == r"<answer>\frac{12}{305}</answer>"


def test_an_oracle_without_an_answer_is_an_error_and_not_a_wrong_answer() -> None:
    [reply] = ask(Oracle(), request(answer=None))
    assert "answer_message" in reply.error


def test_an_environment_that_cannot_answer_is_an_error_for_the_oracle_and_a_number_for_random() -> None:
    def broken() -> str:
        raise NotImplementedError("no answers here")

    assert "no answers here" in ask(Oracle(), request(answer=broken))[0].error
    assert ask(Random(), request(answer=broken))[0].text.isdigit()


def test_random_replies_have_the_form_of_an_answer_and_no_leading_zero() -> None:
    for seed in range(50):
        assert re.fullmatch(r"<answer>\\frac{[1-9][0-9]}{[1-9][0-9]{2}}</answer>", ask(Random(), request(seed))[0].text)


def test_random_replies_depend_on_the_seed_alone() -> None:
    first, second, again = (ask(Random(), *[request(seed), request(9)])[0].text for seed in (1, 2, 1))
    assert first == again != second
    assert ask(Random(), request(1))[0].text == first


def test_single_digits_are_guessed_uniformly() -> None:
    texts = [reply.text for reply in ask(Random(), *(request(seed, lambda: "7") for seed in range(500)))]
    assert {texts.count(str(digit)) > 25 for digit in range(10)} == {True}


def test_without_digits_in_the_answer_a_random_reply_is_a_number() -> None:
    for answer in (None, lambda: "<answer>x + y</answer>"):
        assert re.fullmatch(r"[0-9]{1,3}", ask(Random(), request(3, answer))[0].text)
