"""The command line: one module per command, each importing what it needs when it is called."""
