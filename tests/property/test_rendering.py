"""Laws of rendering: what the policy read and wrote is never encoded again, whatever it wrote."""

from hypothesis import given
from hypothesis import strategies as st

from rlenvs.records import Message, user
from rlenvs_trainers.render import Renderer
from rlenvs_trainers.tiny import ALPHABET, tiny_tokenizer

RENDERER = Renderer(tiny_tokenizer())
SIZE = len(RENDERER.tokenizer)
END = RENDERER.tokenizer.eos_token_id
ids = st.lists(st.integers(0, SIZE - 1).filter(lambda index: index != END), max_size=12)
words = st.text(alphabet=ALPHABET + "é", max_size=8).filter(lambda text: "<|" not in text)  # no role marks
replies = st.lists(
    st.one_of(words.map(user), words.map(lambda text: Message(role="tool", content=text))), min_size=1, max_size=3
)


@given(question=words, turns=st.lists(st.tuples(ids, st.booleans(), replies), min_size=1, max_size=4))
def test_every_prompt_starts_with_all_that_was_read_and_sampled_before(question, turns):
    context = RENDERER.start((user(question),))
    for body, is_ended, reply in turns:
        sampled = (*body, END) if is_ended else tuple(body)
        written = RENDERER.write(context, sampled)
        assert written.ids == context.ids + sampled
        context = RENDERER.read(written, reply)
        assert context.ids[: len(written.ids)] == written.ids
        bridge = "" if is_ended else "<|end|>"
        bridge += "".join(f"<|{message.role}|>{message.content}<|end|>" for message in reply) + "<|assistant|>"
        assert context.ids[len(written.ids) :] == RENDERER.encode(bridge)


@given(body=ids, consumed=st.integers(0, 40))
def test_a_cut_has_the_consumed_characters_and_one_id_fewer_has_not(body, consumed):
    text = RENDERER.decode(body)
    kept = RENDERER.cut(body, consumed)
    if consumed >= len(text):
        assert kept == len(body)
    else:
        assert RENDERER.decode(body[:kept]).startswith(text[:consumed])
        assert kept == 0 or not RENDERER.decode(body[: kept - 1]).startswith(text[:consumed])


@given(text=st.text(alphabet=ALPHABET, max_size=30).filter(lambda text: "<|" not in text))
def test_text_that_was_encoded_decodes_to_itself(text):
    assert RENDERER.decode(RENDERER.encode(text)) == text
