"""`Code-v0`: programming problems from data sets; and what every environment of programs has in common."""

from rlenvs.envs.code.env import CodeEnv

__all__ = ["CodeEnv"]
