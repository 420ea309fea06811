"""Our own environments. They enter by the same door as anyone's: `rlenvs.envs.plugin`."""
