"""The demo on several seeds, each beside its control with shuffled rewards: the table of the README.

    python -m benchmarks.demo_seeds [--seeds 0 1 2]

The policy that is warmed up is the same for both; what differs is whether rewards say anything.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

from examples import demo

CONTROL = Path(__file__).parent / "shuffled_rewards.py"


def main() -> None:
    """Run all seeds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    rows = []
    for seed in parser.parse_args().seeds:
        started = time.monotonic()
        policy = demo.run(demo.slacken(seed, demo.run(demo.warm_up(seed))))
        warmed = time.monotonic()
        real = demo.reinforce(seed, policy)
        control = replace(real, name=f"{real.name}-control", algorithm="grpo_shuffled", plugins=(str(CONTROL),))
        for label, config in (("GRPO", real), ("control", control)):
            begun = time.monotonic()
            row = demo.figures(demo.run(config))
            rows.append((seed, label, *row, warmed - started, time.monotonic() - begun))
    print("\n| seed | | sampled before | after | greedy before | after | warm start, s | training, s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for seed, label, *row in rows:
        print(f"| {seed} | {label} | " + " | ".join(row[:4]) + f" | {row[4]:.0f} | {row[5]:.0f} |")
    for wanted in ("GRPO", "control"):
        changes = [points(after) - points(before) for _, label, before, after, *_ in rows if label == wanted]
        spread = f", standard deviation {stdev(changes):.1f}" if len(changes) > 1 else ""
        each = ", ".join(f"{change:+.1f}" for change in changes)
        print(f"{wanted}: sampled pass@1 changes by {each} points (mean {mean(changes):+.1f}{spread})")


def points(figure: str) -> float:
    """The number of "29.9 (27-33)"."""
    return float(figure.partition(" ")[0])


if __name__ == "__main__":
    main()
