"""Runs untrusted programs. Imports nothing of ours, so that it can be used alone."""
