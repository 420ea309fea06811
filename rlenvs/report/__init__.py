"""A run as one page that opens offline: curves, before and after, rollouts one can read. All of it from run.sqlite."""

from rlenvs.report.page import write_report

__all__ = ["write_report"]
