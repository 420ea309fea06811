"""Which data sets there are, where their splits lie in a folder and on the hub, and how rows and answers are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from rlenvs.data import problems
from rlenvs.data.conventions import AIME, AMC, BOXED, GSM8K, Convention
from rlenvs.data.problems import Reader
from rlenvs.data.rows import Source


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set with its splits; the first is the default."""

    name: str
    read: Reader
    convention: Convention
    splits: Mapping[str, Source]


_ALL = (
    DataSet(
        "gsm8k",
        problems.gsm8k,
        GSM8K,
        {
            "train": Source("gsm8k/train", "openai/gsm8k", "train", "main"),
            "test": Source("gsm8k/test", "openai/gsm8k", "test", "main"),
        },
    ),
    DataSet(
        "math",
        problems.boxed,
        BOXED,
        {"train": Source("math/train", "DigitalLearningGmbH/MATH-lighteval", "train")},
    ),
    # Every fourth or fifth of the problems that MATH-500 left of MATH's test set (PRM800K's split): none is in math500.
    DataSet("math_slice", problems.boxed, BOXED, {"train": Source("math/math_train_slice_1000")}),
    DataSet("math500", problems.stated, BOXED, {"test": Source("math/math500", "HuggingFaceH4/MATH-500", "test")}),
    DataSet(
        "aime24",
        problems.numeric,
        AIME,
        {"test": Source("competition_math/aime24", "HuggingFaceH4/aime_2024", "train")},
    ),
    DataSet("aime25", problems.numeric, AIME, {"test": Source("competition_math/aime25", "math-ai/aime25", "test")}),
    DataSet("amc23", problems.numeric, AMC, {"test": Source("competition_math/amc23", "math-ai/amc23", "test")}),
    DataSet(
        "aimo_aime",
        problems.numeric,
        AIME,
        {"test": Source("competition_math/aimo-validation-aime", "AI-MO/aimo-validation-aime", "train")},
    ),
    DataSet(
        "aimo_amc",
        problems.numeric,
        AMC,
        {"test": Source("competition_math/aimo-validation-amc", "AI-MO/aimo-validation-amc", "train")},
    ),
    DataSet(
        "minerva",
        problems.boxed,
        BOXED,
        {"test": Source("competition_math/minerva_math", "math-ai/minervamath", "test")},
    ),
    DataSet(
        "olympiadbench",
        problems.olympiadbench,
        BOXED,
        {"test": Source("competition_math/olympiadbench", "Hothan/OlympiadBench", "train", "OE_TO_maths_en_COMP")},
    ),
)

DATA_SETS: Mapping[str, DataSet] = {data_set.name: data_set for data_set in _ALL}
"""The data sets of problems by name."""
