"""Which rollouts are on the page, and how much of a long run's."""

from pathlib import Path

from rlenvs.report.rollouts import MOST_CHARACTERS, MOST_ON_PAGE, MOST_PER_SOURCE, MOST_STEPS, spread
from rlenvs.store import RunStore

from .pages import Page, row, whole_run, write_run


def test_rollouts_are_there_to_be_read_latest_step_first(tmp_path: Path) -> None:
    sources = Page(write_run(tmp_path, whole_run)).json["rollouts"]
    assert sources[0]["title"] == "step 30"
    assert [source["title"] for source in sources[-2:]] == [
        "evaluation at step 0: held out",
        "evaluation at step 30: held out",
    ]
    first = sources[0]["rows"][0]
    assert (first["task"], first["correct"], first["ending"], first["tokens"]) == ("t30", 1.0, "completed", 5)
    assert first["messages"][1] == {"role": "assistant", "content": "42"}


def long_run(store: RunStore) -> None:
    for step in range(1, 41):
        rows = [row(index, reply="x" * 30_000) for index in range(MOST_PER_SOURCE + 10)]
        store.write_step(step, {"reward/mean": 1.0}, rows)


def test_the_page_of_a_long_run_stays_small_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    path = write_run(tmp_path, long_run)
    page = Page(path)
    sources = page.json["rollouts"]
    assert len(sources) == MOST_STEPS
    assert [sources[0]["title"], sources[-1]["title"]] == ["step 40", "step 1"]
    assert path.stat().st_size < MOST_ON_PAGE * 1.2
    assert {len(source["rows"]) for source in sources} == {MOST_PER_SOURCE}
    assert len(sources[0]["rows"][0]["messages"][1]["content"]) < MOST_CHARACTERS + 100
    assert "[… 26,000 characters left out …]" in sources[0]["rows"][0]["messages"][1]["content"]
    assert "rollouts of 12 of 40 steps, 576 of these 696; all of them are in run.sqlite" in page.text


def test_rollouts_that_do_not_fit_the_page_leave_room_for_those_of_every_step(tmp_path: Path) -> None:
    def write(store: RunStore) -> None:
        messages = tuple({"role": "assistant", "content": "y" * 4000} for _ in range(100))
        for step in range(1, 13):
            store.write_step(step, {"reward/mean": 1.0}, [row(i, messages=messages) for i in range(20)])

    path = write_run(tmp_path, write)
    assert path.stat().st_size < MOST_ON_PAGE * 1.2
    assert len(Page(path).json["rollouts"]) == 12


def test_steps_are_spread_with_both_ends() -> None:
    assert spread([3, 4, 5], 12) == [3, 4, 5]
    assert spread(list(range(1, 101)), 4) == [1, 34, 67, 100]
