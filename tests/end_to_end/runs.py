"""What several modules ask of runs and read of them."""

from pathlib import Path

WORLD, SABOTAGE = Path(__file__).with_name("world.py"), Path(__file__).with_name("sabotage.py")
EVALUATION = ["eval.num_tasks=4", 'eval.env.0.id="test/Digit-v0"', "eval.every=2", "eval.samples=2"]


def sets(*changes: str) -> list[str]:
    """Changes of a configuration as words of a command line."""
    return [word for change in changes for word in ("--set", change)]


def weights(policy: Path) -> bytes:
    """Every byte of a saved policy's weights."""
    return (policy / "model.safetensors").read_bytes()
