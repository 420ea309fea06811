"""Environments for reinforcement learning of language models, with Gymnasium's contract."""

from rlenvs.checks import check_env
from rlenvs.env import Response, TextEnv
from rlenvs.envs.plugin import register_environments
from rlenvs.errors import EpisodeOverError, GraderError, RlenvsError
from rlenvs.records import Message, Part, Task, Verdict, assistant, user
from rlenvs.registration import make, register, registered_ids
from rlenvs.rubric import RewardFunction, Rubric
from rlenvs.tasks import TaskList

__all__ = [
    "EpisodeOverError",
    "GraderError",
    "Message",
    "Part",
    "Response",
    "RewardFunction",
    "RlenvsError",
    "Rubric",
    "Task",
    "TaskList",
    "TextEnv",
    "Verdict",
    "assistant",
    "check_env",
    "make",
    "register",
    "registered_ids",
    "user",
]

register_environments(register)
