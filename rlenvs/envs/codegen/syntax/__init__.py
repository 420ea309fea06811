"""A small part of Python, as values: each piece has its text and its meaning, so that the two cannot disagree.

Families compose programs of it, run them on chosen arguments and write them down; nothing here runs text.
"""
