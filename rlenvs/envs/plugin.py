"""Registers our own environments and sandboxes. Nothing of an environment is imported until one is made."""

from rlenvs.hooks import RegisterEnvironment, RegisterNamed, hookimpl


@hookimpl
def register_environments(register: RegisterEnvironment) -> None:
    """Mathematics and programs, from data sets and without end, and a toy with two seats."""
    register("rlenvs/Arithmetic-v0", "rlenvs.envs.arithmetic:ArithmeticEnv")
    register("rlenvs/Math-v0", "rlenvs.envs.math:MathEnv")
    register("rlenvs/Code-v0", "rlenvs.envs.code:CodeEnv")
    register("rlenvs/CodeGen-v0", "rlenvs.envs.codegen:CodeGenEnv")
    register("rlenvs/PythonTool-v0", "rlenvs.envs.python_tool:PythonToolEnv")
    register("rlenvs/EchoPair-v0", "rlenvs.envs.echo_pair:echo_pair")


@hookimpl
def register_sandboxes(register: RegisterNamed) -> None:
    """Namespaces (bubblewrap), containers (docker), and limits alone (process)."""
    from rlenvs_sandbox import BACKENDS

    for name, open_runner in BACKENDS.items():
        register(name, open_runner)
