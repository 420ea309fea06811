"""Registers our own environments. Entry points are strings: nothing of them is imported until one is made."""

from rlenvs.hooks import RegisterEnvironment, hookimpl


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    """Arithmetic without end, mathematics from data sets, and a toy with two seats."""
    register("rlenvs/Arithmetic-v0", "rlenvs.envs.arithmetic:ArithmeticEnv")
    register("rlenvs/Math-v0", "rlenvs.envs.math:MathEnv")
    register("rlenvs/EchoPair-v0", "rlenvs.envs.echo_pair:echo_pair")
