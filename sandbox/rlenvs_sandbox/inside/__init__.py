"""What runs on the far side of the boundary: the agent of a worker, and what it does before and for a program.

Standard library alone, and no import of the rest of the package: the folder is mounted where a program runs.
"""
