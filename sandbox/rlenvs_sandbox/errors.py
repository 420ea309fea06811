"""The one thing that can go wrong with a sandbox itself, as opposed to the program in it."""


class SandboxError(Exception):
    """The sandbox could not start or was lost. That says nothing about the program: it is not a wrong answer."""
