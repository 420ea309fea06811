"""What trees are worth: exact numbers, values at points, sets of reals."""
