"""Which words behind a number count something, `5 apples`, and which say something else of it, `5 dozen`, `5 wrong`."""

import re

_NOT_COUNTED = frozenset((
    # how many there are of it
    "hundred", "thousand", "million", "billion", "trillion", "dozen", "half", "halves", "third", "quarter", "fourth",
    "fifth", "tenth", "score", "pair", "couple", "gross", "lakh", "crore", "myriad", "googol", "grand", "thou", "mil",
    "mio", "kilo", "mega", "giga",
    "tera", "peta", "milli", "micro", "nano", "squareroot",
    "googolplex", "twice", "thrice", "double", "triple", "quadruple",
    "percent", "percentage", "percentile", "permille", "pct", "ppm", "bps", "fold", "nought", "naught",
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twenty",
    "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "zero",
    # what is done with it
    "factorial", "over", "plus", "minus", "mod", "modulo", "modded", "base", "point", "root", "power", "choose", "add",
    "subtract", "remainder", "rem", "halved", "doubled", "negative", "opposite", "inverse", "inverted", "conjugate",
    "complement", "reciprocal", "imaginary", "imaginaries", "radical", "log", "repeating", "repeated", "recurring",
    "periodic", "rounded", "squared", "cubed", "hex", "octal", "binary", "ternary", "decimal", "duodecimal",
    "hexadecimal",
    "per", "cent", "out", "below", "above", "fewer", "lower", "less", "more", "than",
    # doubt, and another answer
    "not", "no", "nope", "nah", "none", "neither", "yes", "wrong", "only", "does", "do", "is", "are", "was", "or",
    "and",
    "except", "if", "when", "where", "with", "without", "to", "from", "by", "about", "but", "maybe", "either", "else",
    "possibly", "perhaps", "versus", "unless", "instead", "otherwise", "incorrect", "impossible", "fails", "never",
    "false", "falsified", "rejected", "untrue", "unsure", "unknown", "undefined", "excluded", "exclusive", "guess",
    "guessed", "ish",
))  # fmt: skip
_NUMBER_LIKE = re.compile(
    r".*(?:[a-z]ths?|rds|[a-z]illions?|ousands?|undreds?|tens|ly|fold|[a-z]teen|(?:four|six|seven|nine)ty)|digit"
)
_LETTERS = frozenset(("abc", "abd", "acd", "bcd", "def", "pqr", "xyz"))  # variables that are multiplied


def is_counted(word: str) -> bool:
    """Whether a word that is no unit can be what is counted, or says more of it: `stuffed goats`."""
    lower = word.lower()
    if {lower, lower.removesuffix("s"), lower.removesuffix("es")} & _NOT_COUNTED or _NUMBER_LIKE.fullmatch(lower):
        return False
    return lower not in _LETTERS


def stem(word: str) -> str:
    """What a word and its plural have in common."""
    lower = word.lower()
    return lower[:-3] if lower.endswith("ies") else lower.removesuffix("s").removesuffix("e").removesuffix("y")
