"""Stop texts are found at the token that completes them, whatever the tokens."""

from hypothesis import given
from hypothesis import strategies as st

from rlenvs_trainers.render import Renderer
from rlenvs_trainers.samplers.stops import StopTexts
from rlenvs_trainers.tiny import tiny_tokenizer

RENDERER = Renderer(tiny_tokenizer())
PIECES = ["<answer>", "</answer>", "é", "€", "\n", "> ", "</", "answer", ">", "😀", "a", " "]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12), st.lists(st.sampled_from(PIECES), min_size=1))
def test_the_first_token_after_which_the_text_has_a_stop_text_is_the_one(pieces: list[str], stops: list[str]) -> None:
    ids = [token for piece in pieces for token in RENDERER.encode(piece)]
    texts = StopTexts(RENDERER.decode)
    lengths = range(1, len(ids) + 1)
    found = next((n for n in lengths if texts.has_ended(ids[:n], tuple(stops))), None)
    assert found == next((n for n in lengths if any(stop in RENDERER.decode(ids[:n]) for stop in stops)), None)


def test_most_tokens_are_ruled_out_without_decoding_what_came_before() -> None:
    asked: list[int] = []

    def decode(ids: tuple[int, ...]) -> str:
        asked.append(len(ids))
        return "".join(chr(number) for number in ids)

    texts, ids = StopTexts(decode), tuple(map(ord, "a>" * 50 + "b" * 50))  # type: ignore[arg-type]
    assert not any(texts.has_ended(ids[:n], ("</x>",)) for n in range(1, len(ids) + 1))
    assert len(asked) == 3 + 50  # every token's own text once, and what is before a ">"
    assert max(asked) == 24
