"""What a program prints, cut to what a policy can read: the beginning and the end, and how much is missing between."""


def clipped(text: str, max_chars: int) -> str:
    """The text, or its head and tail with a line between them that says how many characters were left out.

    Args:
        max_chars: of head and tail together, at least 2.

    Raises:
        ValueError: `max_chars` is too small.
    """
    if max_chars < 2:
        raise ValueError(f"max_chars has room for a head and a tail, at least 2: got {max_chars}")
    if len(text) <= max_chars:
        return text
    tail = max_chars // 2
    head = max_chars - tail
    return f"{text[:head]}\n[… {len(text) - max_chars} characters left out …]\n{text[-tail:]}"
