"""Finding the final answer in a whole reply; `extract` is the way in."""
