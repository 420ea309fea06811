"""How a benchmark was published to be asked, sampled and scored, in sentences for people."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """The conventions of one benchmark, each in a sentence or a few.

    Raises:
        ValueError: one of them is empty.
    """

    prompt: str  # how a problem is asked
    sampling: str  # how many replies, drawn how
    scoring: str  # what counts as right
    ours: str  # what is done here, where it is something else
    source: str  # papers and code

    def __post_init__(self) -> None:
        empty = [each.name for each in fields(self) if not getattr(self, each.name).strip()]
        if empty:
            raise ValueError(f"published conventions say something of everything: {', '.join(empty)} is empty")
