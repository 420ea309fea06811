import pytest

from rlenvs.records import Part, Verdict, value_of


def test_a_part_adds_its_value_times_its_weight():
    parts = (Part(name="speed", value=-3.0, weight=0.5), Part(name="right", value=2.0))
    assert [part.weighted for part in parts] == [-1.5, 2.0]
    assert value_of(parts) == Verdict(parts=parts, correct=1.0).reward == 0.5
    assert value_of(()) == 0.0


@pytest.mark.parametrize(
    ("value", "weight"), [(float("nan"), 1.0), (float("inf"), 0.0), (1.0, -float("inf")), (1e200, 1e200)]
)
def test_what_a_part_adds_is_finite(value, weight):
    with pytest.raises(ValueError, match=r"part 'x': .* finite"):
        Part(name="x", value=value, weight=weight)
