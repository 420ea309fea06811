"""Short programs that run on a laptop, each one file that reads top to bottom."""
