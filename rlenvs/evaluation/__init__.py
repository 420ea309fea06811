"""How good a policy is: tasks, samples, unbiased pass@k with intervals, errors apart from wrong answers."""
