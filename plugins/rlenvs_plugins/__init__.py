"""One page per algorithm, and the built-in observers. All of them enter by the entry point that anyone may use."""
