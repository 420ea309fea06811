"""Verdicts on answers that people or rules have graded: ours, math-verify's, and a plain comparison of strings.

    python -m benchmarks.graded_math [--data ../shared/data/graded_math] [--source NAME] [--list]

For each source: how many verdicts agree with the grades, and how many wrong answers are accepted. `--list` prints our
disagreements. Every verifier is given the same two strings: the reference, and the answer that ours extracts from a
whole reply (math-verify extracts for itself from the reply, as its users have it do).
"""

import argparse
import gzip
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rlenvs import verifiers


class Graded(NamedTuple):
    """An answer with its grade."""

    id: str
    gold: str
    reply: str  # a whole reply, or an answer alone
    question: str
    is_reply: bool
    is_right: bool


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("RLENVS_DATA", "../shared/data")) / "graded_math"
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--source", choices=SOURCES, action="append")
    parser.add_argument("--list", action="store_true", help="print our disagreements")
    options = parser.parse_args()
    print("| source | rows | ours | wrong accepted | math-verify | wrong accepted | strings | wrong accepted |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for source in options.source or SOURCES:
        rows = list(SOURCES[source](options.data))
        cells = [cell for verdict in (ours, math_verify, strings) for cell in agreement(rows, verdict)]
        print(f"| {source} | {len(rows)} | " + " | ".join(cells) + " |", flush=True)
        if options.list:
            show_disagreements(rows)


def agreement(rows: list[Graded], verdict: Any) -> list[str]:
    """(share of verdicts that agree with the grades, wrong answers that are accepted), as text."""
    accepted = [bool(verdict(row)) for row in rows]
    right = sum(each == row.is_right for each, row in zip(accepted, rows, strict=True))
    wrongly = sum(each and not row.is_right for each, row in zip(accepted, rows, strict=True))
    return [f"{right / len(rows):.3f}", str(wrongly)]


def ours(row: Graded) -> bool:
    """Our verdict."""
    return verifiers.verify(row.gold, answer_of(row), row.question) == "equal"


def answer_of(row: Graded) -> str | None:
    """The answer in a reply."""
    return verifiers.extract(row.reply) if row.is_reply else row.reply


def math_verify(row: Graded) -> bool:
    """math-verify's verdict with its defaults; bare strings between dollars, where nothing marks them as formulas."""
    from math_verify import parse, verify

    gold, reply = (text if row.is_reply and text is row.reply else marked(text) for text in (row.gold, row.reply))
    return bool(verify(parse(gold, raise_on_error=False), parse(reply, raise_on_error=False), raise_on_error=False))


def marked(text: str) -> str:
    """A text as LaTeX, for a parser that looks for marks."""
    return text if any(mark in text for mark in ("$", r"\(", r"\[", r"\boxed")) else f"${text}$"


def strings(row: Graded) -> bool:
    """Whether the extracted answer is the reference, letter by letter."""
    answer = answer_of(row)
    return answer is not None and answer.strip() == row.gold.strip()


def show_disagreements(rows: list[Graded]) -> None:
    """Every row on which we and the grade differ."""
    for row in rows:
        judged = verifiers.judge(row.gold, answer_of(row), row.question)
        if (judged.verdict == "equal") != row.is_right:
            print(
                f"  {row.id}: {judged.verdict}, graded {row.is_right}: {row.gold!r} {answer_of(row)!r} {judged.reason}"
            )


def hardverify(folder: Path) -> Iterator[Graded]:
    """HardVerify-Math: graded by people."""
    for row in _lines(folder / "hardverify_math.jsonl"):
        yield Graded(row["id"], row["gold"], row["pred"], row["question"], False, bool(row["expected"]))


def math_verify_cases(folder: Path) -> Iterator[Graded]:
    """The regression tests of math-verify, as its authors expect them."""
    for row in _lines(folder / "math_verify_cases.jsonl"):
        is_solution = len(_WORD.findall(row["gold"])) >= _SENTENCES
        gold = verifiers.extract(row["gold"]) if is_solution else None  # as math-verify finds references in solutions
        yield Graded(row["id"], gold or row["gold"], row["pred"], "", _is_reply(row["pred"]), bool(row["expected"]))


def qwen(folder: Path) -> Iterator[Graded]:
    """Qwen2.5-Math on MATH, graded by its own rules."""
    for row in _lines(folder / "qwen25_math_cot_100x8.jsonl.gz"):
        yield Graded(row["id"], row["gold"], row["response"], row["question"], True, bool(row["auto_score"]))


def gsm8k(folder: Path) -> Iterator[Graded]:
    """Solutions of GSM8K by four models, graded by the number behind `A:`."""
    for row in _lines(folder / "gsm8k_model_solutions.jsonl.gz"):
        gold, answer = (row[side].rpartition("A:")[2].strip() for side in ("ground_truth", "solution"))
        yield Graded(row["id"], gold, answer, row["question"], False, bool(row["is_correct"]))


def mr_gsm8k(folder: Path) -> Iterator[Graded]:
    """Solutions of MR-GSM8K that people judged wrong; some end with the right answer all the same."""
    for row in _lines(folder / "mr_gsm8k_subset.jsonl.gz"):
        is_right = str(row["model_output_answer_correctness"]).lower() in ("correct", "true", "1", "yes")
        reply = "\n".join(row["model_output_steps"])
        yield Graded(row["uuid"], str(row["ground_truth_answer"]), reply, row["question"], True, is_right)


def bigbench(folder: Path) -> Iterator[Graded]:
    """BIG-Bench Mistake: an answer is right if it is the target."""
    for row in _lines(folder / "bigbench_mistake.jsonl.gz"):
        yield Graded(row["id"], row["target"], row["answer"], row["input"], False, row["answer"] == row["target"])


def _is_reply(text: str) -> bool:
    """Whether a text is prose with an answer in it, which is to be found first."""
    prose = _FORMULA.sub(" ", text)
    words = len(_WORD.findall(prose))
    return r"\boxed" in text or "answer" in text.lower() or words >= _SENTENCES or (prose != text and words > 0)


_SENTENCES = 20  # words of four letters and more: nobody writes an answer that long
_FORMULA = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_WORD = re.compile(r"(?<!\\)\b[A-Za-z]{4,}")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    yield from map(json.loads, text.splitlines())


SOURCES = {
    "HardVerify-Math": hardverify,
    "math-verify's tests": math_verify_cases,
    "Qwen2.5-Math": qwen,
    "GSM8K solutions": gsm8k,
    "MR-GSM8K": mr_gsm8k,
    "BIG-Bench Mistake": bigbench,
}

if __name__ == "__main__":
    main()
