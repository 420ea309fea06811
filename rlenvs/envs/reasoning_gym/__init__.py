"""The generators of the library reasoning_gym as environments: its tasks, its seeds, its scorers.

Which there are is in `generators`, what each process does in `env` (ours), `workers` and `worker` (theirs), and what
a text has to be before a scorer reads it in `guards`.
"""
