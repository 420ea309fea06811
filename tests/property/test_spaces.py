import pickle

from hypothesis import given
from hypothesis import strategies as st

from rlenvs.spaces import SharedTexts, TextsView, Unicode

texts = st.lists(st.text(st.characters(exclude_categories=())), min_size=1, max_size=4)


@given(texts, texts)
def test_shared_texts_are_read_as_they_were_written_last(first, second):
    shared = SharedTexts.empty(4)
    for written in (first, second):
        for index, text in enumerate(written):
            shared.write(index, text)
    expected = (second + first[len(second) :] + [""] * 4)[:4]
    assert tuple(TextsView(shared)) == tuple(expected)


@given(st.text(), st.none() | st.integers(0, 5))
def test_a_text_is_in_the_space_exactly_if_it_is_short_enough(text, max_length):
    assert (text in Unicode(max_length)) == (max_length is None or len(text) <= max_length)


@given(st.integers(0, 2**32 - 1), st.none() | st.integers(0, 40))
def test_samples_are_in_their_space_and_a_pickled_space_draws_the_same(seed, max_length):
    space = Unicode(max_length, seed=seed)
    copy = pickle.loads(pickle.dumps(space))
    drawn = [space.sample() for _ in range(3)]
    assert all(text in space for text in drawn)
    assert drawn == [copy.sample() for _ in range(3)]
