"""The space of all text, where Gymnasium's `Text` allows ASCII letters and digits alone."""
