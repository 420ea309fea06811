"""Procedural programming problems: families in their own modules, and the environment that asks them."""

from rlenvs.envs.codegen.env import CodeGenEnv

__all__ = ["CodeGenEnv"]
