"""Our sampler against `transformers.generate`: the same model, prompts, limits, temperature, and float32.

    python -m benchmarks.sampler [--model tiny] [--prompts 16] [--group 8] [--max-tokens 128] [--rounds 3]

Prompts are of Arithmetic-v0 and differ in length. Rows end where the model ends them; so that rows end at different
lengths with any model, a share of the vocabulary counts as end of sequence, the same for both sides.
"""

import argparse
import asyncio
import time
from typing import Any

from benchmarks.side_by_side import compare, measured, show

OURS, THEIRS = "rlenvs", "transformers"


def main() -> None:
    """Measure both sides, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny:hidden=256,layers=6")
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--group", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--side", choices=(OURS, THEIRS))
    options = parser.parse_args()
    if options.side:
        side(options)
        return
    names = ("model", "prompts", "group", "max_tokens")
    arguments = [word for name in names for word in (f"--{name.replace('_', '-')}", str(getattr(options, name)))]
    medians = compare("benchmarks.sampler", (OURS, THEIRS), arguments, options.rounds)
    title = f"{options.prompts} prompts × {options.group} samples, up to {options.max_tokens} tokens, {options.model}"
    show(title, medians, OURS, THEIRS)


def side(options: argparse.Namespace) -> None:
    """Load the model, write once to warm up, then measure."""
    import rlenvs
    from rlenvs_trainers.policy import load_policy
    from rlenvs_trainers.render import Renderer

    policy = load_policy(options.model)
    vocabulary = policy.model.config.vocab_size  # type: ignore[union-attr]
    renderer = Renderer(policy.tokenizer, eos_ids=range(vocabulary // 2, vocabulary // 2 + max(1, vocabulary // 100)))
    env = rlenvs.make("rlenvs/Arithmetic-v0")
    prompts = [renderer.start(env.task_at(index).prompt).ids for index in range(options.prompts)]
    write = _ours(policy, renderer, options) if options.side == OURS else _theirs(policy, renderer, options)
    write(prompts[:1], 4)

    def work() -> float:
        started = time.perf_counter()
        num_tokens = write(prompts, options.max_tokens)
        seconds = time.perf_counter() - started
        print(f'{{"tokens": {num_tokens}, "tokens_per_s": {num_tokens / seconds:.0f}}}')
        return seconds

    measured(work)


def _ours(policy: Any, renderer: Any, options: argparse.Namespace) -> Any:
    from rlenvs.policies.base import Sampling
    from rlenvs_trainers.samplers.base import SampleRequest
    from rlenvs_trainers.samplers.transformers import TransformersSampler

    sampler = TransformersSampler(policy.model, renderer)

    def write(prompts: Any, max_tokens: int) -> int:
        requests = [
            SampleRequest(
                key=f"{place}/{attempt}",
                prompt_ids=ids,
                params=Sampling(max_tokens=max_tokens),
                seed=1000 * place + attempt,
            )
            for place, ids in enumerate(prompts)
            for attempt in range(options.group)
        ]
        return sum(len(completion.token_ids) for completion in asyncio.run(sampler.sample(requests)))

    return write


def _theirs(policy: Any, renderer: Any, options: argparse.Namespace) -> Any:
    import torch

    pad, eos = policy.tokenizer.pad_token_id, sorted(renderer.eos_ids)

    def write(prompts: Any, max_tokens: int) -> int:
        rows = [ids for ids in prompts for _ in range(options.group)]
        width = max(map(len, rows))
        ids_BT = torch.tensor([[pad] * (width - len(row)) + list(row) for row in rows])
        mask_BT = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        torch.manual_seed(0)
        with torch.inference_mode():
            out_BT = policy.model.generate(
                ids_BT,
                attention_mask=mask_BT,
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=max_tokens,
                eos_token_id=eos,
                pad_token_id=pad,
            )
        is_end_BT = torch.isin(out_BT[:, width:], torch.tensor(eos))
        ends = [int(row.nonzero()[0]) + 1 if row.any() else len(row) for row in is_end_BT]
        return sum(ends)

    return write


if __name__ == "__main__":
    main()
