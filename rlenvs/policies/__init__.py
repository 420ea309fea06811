"""Policies in words: who takes the seat when an environment is evaluated."""
