"""Data sets of problems with answers, from a folder or from the Hugging Face hub.

>>> problems = load_problems("gsm8k", "test", data="shared/data", limit=2)
>>> problems[0].id, problems[0].gold
('gsm8k/test/0', '18')
"""

from rlenvs.data.catalogue import DATA_SETS, DataSet
from rlenvs.data.problems import Problem
from rlenvs.data.read import load_problems
from rlenvs.data.rows import DataError, Source

__all__ = ["DATA_SETS", "DataError", "DataSet", "Problem", "Source", "load_problems"]
