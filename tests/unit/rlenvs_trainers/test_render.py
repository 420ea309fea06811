"""Rendering by hand-made tokenizers and templates: one BOS, bridges, rewritten history, ends, cuts."""

from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

from rlenvs.records import Message, assistant, user
from rlenvs_trainers.render import Renderer, TemplateError
from rlenvs_trainers.tiny import tiny_tokenizer

STRIPS_THINKING = (
    "{% set last = namespace(user=0) %}"
    "{% for m in messages %}{% if m.role == 'user' %}{% set last.user = loop.index0 %}{% endif %}{% endfor %}"
    "{{ bos_token }}{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.role == 'assistant' and loop.index0 < last.user and '</think>' in m.content %}"
    "{{ m.content.split('</think>')[-1] }}{% else %}{{ m.content }}{% endif %}{{ eos_token }}"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
COUNTS = (  # says before everything else how many messages there are
    "{{ bos_token }}<|system|>message {{ messages | length }}{{ eos_token }}"
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
TRIMS = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content | trim }}{{ eos_token }}{{ '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
REFUSES_TOOLS = (
    "{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}"
    "{{ m.content }}{{ eos_token }}{% endfor %}"
)


def tool(content: str) -> Message:
    return Message(role="tool", content=content)


def renderer_of(template: str | None = None, **changes: Any) -> Renderer:
    tokenizer = tiny_tokenizer()
    if template is not None:
        tokenizer.chat_template = template
    for name, value in changes.items():
        setattr(tokenizer, name, value)
    return Renderer(tokenizer)


def ids_of(renderer: Renderer, text: str) -> tuple[int, ...]:
    return renderer.encode(text)


def test_a_first_prompt_is_the_template_in_ids() -> None:
    renderer = renderer_of()
    expected = ids_of(renderer, "<|begin|><|system|>be kind<|end|><|user|>hi<|end|><|assistant|>")
    context = renderer.start((Message(role="system", content="be kind"), user("hi")))
    assert context.ids == expected


def adds_bos(tokenizer: Any) -> Any:
    begin = (tokenizer.bos_token, tokenizer.bos_token_id)
    tokenizer._tokenizer.post_processor = processors.TemplateProcessing(single=f"{begin[0]} $A", special_tokens=[begin])
    return tokenizer


def test_r18_a_template_that_emits_bos_and_a_tokenizer_that_adds_it_give_one_bos() -> None:
    tokenizer = adds_bos(tiny_tokenizer())
    assert tokenizer("a").input_ids[0] == tokenizer.bos_token_id
    ids = Renderer(tokenizer).start((user("hi"),)).ids
    assert ids.count(tokenizer.bos_token_id) == 1
    assert ids[0] == tokenizer.bos_token_id


def test_r18_a_template_without_bos_gets_the_one_that_the_tokenizer_adds() -> None:
    tokenizer = adds_bos(tiny_tokenizer())
    tokenizer.chat_template = TRIMS
    renderer = Renderer(tokenizer)
    first = renderer.start((user("hi"),))
    assert first.ids.count(tokenizer.bos_token_id) == 1
    second = renderer.read(renderer.write(first, renderer.encode("yo<|end|>")), (user("so"),))
    assert second.ids.count(tokenizer.bos_token_id) == 1


def test_r17_three_turns_are_what_was_sampled_plus_bridges() -> None:
    renderer = renderer_of()
    sampled = [renderer.encode(text) for text in ("<think>x</think>1<|end|>", "2<|end|>", "3<|end|>")]
    context = renderer.start((user("a"),))
    stream = list(context.ids)
    for ids, question in zip(sampled, ("b", "c", "d"), strict=True):
        context = renderer.read(renderer.write(context, ids), (user(question),))
        stream += [*ids, *renderer.encode(f"<|user|>{question}<|end|><|assistant|>")]
        assert list(context.ids) == stream


def test_r17_two_consecutive_tool_messages_make_one_bridge() -> None:
    renderer = renderer_of()
    written = renderer.write(renderer.start((user("a"),)), renderer.encode("look<|end|>"))
    context = renderer.read(written, (tool("x"), tool("y")))
    bridge = renderer.encode("<|tool|>x<|end|><|tool|>y<|end|><|assistant|>")
    assert context.ids == (*written.ids, *bridge)


def test_r17_a_template_that_rewrites_history_starts_a_new_sample() -> None:
    renderer = renderer_of(STRIPS_THINKING)
    written = renderer.write(renderer.start((user("a"),)), renderer.encode("<think>hm</think>1<|end|>"))
    context = renderer.read(written, (user("b"),))
    assert context.ids[: len(written.ids)] != written.ids
    expected = "<|begin|><|user|>a<|end|><|assistant|>1<|end|><|user|>b<|end|><|assistant|>"
    assert context.ids == renderer.encode(expected)


def test_r17_a_history_that_is_rewritten_at_equal_length_starts_a_new_sample() -> None:
    renderer = renderer_of(COUNTS)
    first = renderer.start((user("a"),))
    context = renderer.read(renderer.write(first, renderer.encode("yo<|end|>")), (user("b"),))
    assert context.ids[: len(first.ids)] != first.ids
    expected = "<|begin|><|system|>message 3<|end|><|user|>a<|end|><|assistant|>yo<|end|><|user|>b<|end|><|assistant|>"
    assert context.ids == renderer.encode(expected)


def test_r17_the_same_template_keeps_thinking_while_tools_answer() -> None:
    renderer = renderer_of(STRIPS_THINKING)
    written = renderer.write(renderer.start((user("a"),)), renderer.encode("<think>hm</think>look<|end|>"))
    context = renderer.read(written, (tool("x"),))
    assert context.ids[: len(written.ids)] == written.ids


def test_white_space_that_a_template_trims_stays_as_it_was_sampled() -> None:
    renderer = renderer_of(TRIMS)
    written = renderer.write(renderer.start((user("a"),)), renderer.encode(" yes \n<|end|>"))
    context = renderer.read(written, (user("b"),))
    assert context.ids == (*written.ids, *renderer.encode("\n<|user|>b<|end|>\n<|assistant|>"))


def test_an_action_that_did_not_end_is_closed_by_the_bridge() -> None:
    renderer = renderer_of()
    written = renderer.write(renderer.start((user("a"),)), renderer.encode("cut"))
    context = renderer.read(written, (user("b"),))
    assert context.ids == (*written.ids, *renderer.encode("<|end|><|user|>b<|end|><|assistant|>"))


def test_a_template_that_refuses_a_role_gets_a_sentence() -> None:
    renderer = renderer_of(REFUSES_TOOLS)
    with pytest.raises(TemplateError, match=r"user, tool: no tools here"):
        renderer.start((user("a"), tool("x")))


def test_r10_where_padding_is_the_end_of_sequence_there_is_one_end() -> None:
    renderer = renderer_of(pad_token="<|end|>")
    assert renderer.tokenizer.pad_token_id == renderer.tokenizer.eos_token_id
    assert renderer.eos_ids == {renderer.tokenizer.eos_token_id}
    assert renderer.decode(renderer.encode("a<|end|>")) == "a"


def test_r10_ends_come_from_tokenizer_generation_config_and_template() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = tokenizer.chat_template.replace("eos_token", "'<|tool|>'")
    tool_id, given = tokenizer.convert_tokens_to_ids("<|tool|>"), 77
    assert Renderer(tokenizer, eos_ids=[given]).eos_ids == {tokenizer.eos_token_id, tool_id, given}


def test_a_tokenizer_without_any_end_is_refused() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.eos_token = None
    tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    with pytest.raises(TemplateError, match="set its eos_token"):
        Renderer(tokenizer)


def test_a_base_model_without_template_reads_plain_paragraphs() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.chat_template = None
    renderer = Renderer(tokenizer)
    context = renderer.start((user("1 + 1?"),))
    assert context.text == "Question: 1 + 1?\n\nAnswer:"
    written = renderer.write(context, renderer.encode(" 2<|end|>"))
    following = renderer.read(written, (user("2 + 2?"),))
    assert following.ids == (*written.ids, *renderer.encode("\n\nQuestion: 2 + 2?\n\nAnswer:"))


def test_decoding_keeps_tags_and_drops_role_marks_and_ends() -> None:
    renderer = renderer_of()
    ids = renderer.encode("<|assistant|><think>a</think>�<answer>\\boxed{1}</answer><|end|>")
    assert renderer.decode(ids) == "<think>a</think>�<answer>\\boxed{1}</answer>"


def test_decoding_keeps_tags_that_a_tokenizer_calls_special() -> None:
    tokenizer = tiny_tokenizer()
    tokenizer.add_special_tokens({"extra_special_tokens": ["<think>", "</think>", "<|odd|>"]})
    renderer = Renderer(tokenizer)
    assert renderer.decode(renderer.encode("<think>a</think><|odd|>")) == "<think>a</think>"


@pytest.mark.parametrize(("consumed", "kept"), [(0, 0), (1, 1), (4, 4), (5, 6), (7, 8), (8, 10), (9, 10)])
def test_a_cut_keeps_the_fewest_ids_with_all_consumed_characters(consumed: int, kept: int) -> None:
    renderer = renderer_of()
    ids = [
        *renderer.encode("abcd"),
        renderer.tokenizer.convert_tokens_to_ids("<|tool|>"),
        *renderer.encode("efgh<|end|>"),
    ]
    assert len(renderer.decode(ids)) == 8
    assert len(ids) == 10
    assert renderer.cut(ids, consumed) == kept


def test_a_token_of_several_characters_that_straddles_the_cut_is_kept_whole() -> None:
    renderer = renderer_of()
    ids = renderer.encode("a<think>b")
    assert renderer.cut(ids, 4) == 2


def test_a_character_of_several_tokens_is_never_cut_in_two() -> None:
    bytes_ = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={sign: index for index, sign in enumerate((*bytes_, "<e>"))}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.decoder = decoders.ByteLevel()
    renderer = Renderer(PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<e>"))
    ids = renderer.encode("a🙂b")  # 1 + 4 + 1 tokens
    assert len(ids) == 6
    assert [renderer.cut(ids, consumed) for consumed in (1, 2, 3)] == [1, 5, 6]


def test_a_written_action_joins_the_conversation_in_words() -> None:
    renderer = renderer_of()
    context = renderer.write(renderer.start((user("a"),)), renderer.encode("b<|end|>"))
    assert context.messages == (user("a"), assistant("b"))


def test_a_message_that_the_policy_might_have_written_ends_once() -> None:
    renderer = renderer_of()
    *text, end = renderer.message_ids("42")
    assert tuple(text) == renderer.encode("42")
    assert end in renderer.eos_ids
    assert renderer.decode(renderer.message_ids("42")) == "42"
