"""Runs untrusted programs. Imports nothing of ours, so that it can be used alone."""

from rlenvs_sandbox.errors import SandboxError

__all__ = ["SandboxError"]
