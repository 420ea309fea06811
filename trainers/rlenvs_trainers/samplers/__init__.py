"""Who turns token ids into completions: the protocol in `base`, one module per implementation."""
