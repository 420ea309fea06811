"""`run.sqlite`: everything a run leaves for people to look at, keyed by step so that nothing is there twice.

Written by the trainer (one process), read by reports and by anyone with sqlite3. WAL mode: readers never block it.
"""
