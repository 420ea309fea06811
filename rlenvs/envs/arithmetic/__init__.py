"""Procedural arithmetic: families of questions in their own modules, and the environment that asks them."""

from rlenvs.envs.arithmetic.env import ArithmeticEnv

__all__ = ["ArithmeticEnv"]
