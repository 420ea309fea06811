"""The built-in suites and the policies without weights, through the same door as anyone's."""

from rlenvs.hooks import Register, RegisterPolicy, hookimpl


@hookimpl
def register_suites(register: Register) -> None:
    """Mathematics and programs, from data sets and without end."""
    from rlenvs.evaluation import code_suites, math_suites

    register(math_suites.MATH)
    register(math_suites.PROCEDURAL)
    register(code_suites.CODE)
    register(code_suites.PROCEDURAL)


@hookimpl
def register_policies(register: RegisterPolicy) -> None:
    """Baselines, and models behind endpoints."""
    from rlenvs.policies import resolve

    register("oracle", resolve.oracle)
    register("random", resolve.random)
    register("openai", resolve.openai)
