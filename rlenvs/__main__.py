"""`python -m rlenvs` is `rlenvs`."""

from rlenvs.cli.main import run

run()
