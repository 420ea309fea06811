"""Tests that hold a program's objects, iterators, exceptions and coroutines behave as beside the program."""

import sys

import pytest

from rlenvs_sandbox import Assertions, Program, WarmRunner

VECTOR = """
class V:
    def __init__(self, *xs): self.xs = xs
    def __add__(self, other): return V(*(a + b for a, b in zip(self.xs, other.xs)))
    def __eq__(self, other): return self.xs == other.xs
    def __lt__(self, other): return self.xs < other.xs
    def __hash__(self): return hash(self.xs)
    def __getitem__(self, key): return self.xs[key]
    def __delitem__(self, key): self.xs = self.xs[:key] + self.xs[key + 1:]
    def __int__(self): return len(self.xs)
    def __repr__(self): return f'V{self.xs}'
class W(V): pass
def pair(): return {V(1, 2), V(3, 4)}
"""
COUNTING = """
asked = []
def count(n=10):
    for i in range(n):
        asked.append(i)
        yield i
def broken():
    yield from range(5)
    raise ValueError('five')
"""
RAISING = """
class Broke(ValueError):
    def __init__(self, by):
        super().__init__(f'broke by {by}')
        self.by = by
class Badly(Broke): pass
def spend(x):
    if x > 10: raise Badly(x - 10)
    if x > 5: raise Broke(x - 5)
    return x
def find(d, k): return d[k]
def read(): return open('nowhere.txt')
def text(b): return b.decode()
def leave(): raise SystemExit(3)
"""
CLASSES = """
import enum
class Colour(enum.Enum):
    RED = 1
def red():
    'Always red.'
    return Colour.RED
class Managed:
    log = []
    def __enter__(self): self.log.append('in'); return self
    def __exit__(self, *error): self.log.append('out'); return True
async def later(x):
    import asyncio
    await asyncio.sleep(0)
    return x + 1
"""
ARGUMENTS = """
from collections import defaultdict, deque
def turn(d): d.rotate(1)
def grow(n, a): a.append(n); return a
def most(c): return c.most_common(1)[0][0]
def total(xs): return sum(xs)
def first(xs): return next(xs)
def keyed(xs, key): return sorted(xs, key=key)
class Item:
    def __init__(self, w): self.w = w
def groups(xs):
    d = defaultdict(list)
    for x in xs: d[x % 2].append(x)
    return d
def parts(d): return d.keys(), d.values(), d.items()
def twin(): return chr(0xD83D) + chr(0xDE00)
"""
SPEAKING = """
def greet(name): print('hello', name); return len(name)
def double(): return 2 * int(input())
"""
HELD = {
    SPEAKING: """
        import contextlib, io, sys
        with contextlib.redirect_stdout(io.StringIO()) as said: assert greet('you') == 3
        assert said.getvalue() == 'hello you' + chr(10)
        sys.stdin = io.StringIO('21' + chr(10) + '4')
        assert double() == 42 and double() == 8
    """,
    VECTOR: """
        assert V(1, 2) + V(3, 4) == V(4, 6)
        assert sorted([V(2), V(1)]) == [V(1), V(2)] and max(V(1), V(3)) == V(3)
        assert pair() == {V(3, 4), V(1, 2)} and V(1, 2) in pair() and V(9) not in pair()
        assert V(1, 2, 3, 4)[1:3] == (2, 3) and int(V(1, 2)) == 2 and hash(V(1)) == hash(V(1))
        assert issubclass(W, V) and not issubclass(V, W) and isinstance(W(1), V) and type(W(1)).__name__ == 'W'
        v = V(1, 2, 3)
        del v[1]
        assert v == V(1, 3) and repr(v) == 'V(1, 3)'
    """,
    COUNTING: """
        it = count(3)
        assert next(it) == 0 and asked == [0]
        assert next(it) == 1 and list(it) == [2] and next(it, None) is None
        assert list(count(250)) == list(range(250))
        assert [a + b for a, b in zip(count(), count())] == list(range(0, 20, 2))
        for i in count():
            if i == 2: break
        assert i == 2
        seen = []
        try:
            for i in broken(): seen.append(i)
        except ValueError as e: seen.append(str(e))
        assert seen == [0, 1, 2, 3, 4, 'five']
    """,
    RAISING: """
        try: spend(7)
        except Broke as e: assert e.by == 2 and str(e) == 'broke by 2' and not isinstance(e, Badly)
        else: assert False
        try: spend(17)
        except ValueError as e: assert isinstance(e, Badly) and isinstance(e, Broke) and e.by == 7
        else: assert False
        try: find({}, 'k')
        except KeyError as e: assert e.args == ('k',) and str(e) == repr('k')
        else: assert False
        try: read()
        except FileNotFoundError as e: assert e.errno == 2
        else: assert False
        try: text(bytes([255]))
        except UnicodeDecodeError as e: assert e.start == 0
        else: assert False
        try: leave()
        except SystemExit as e: assert e.code == 3
        else: assert False
    """,
    CLASSES: """
        assert red() is Colour.RED and red().value == 1
        assert red.__name__ == 'red' and red.__doc__ == 'Always red.'
        with Managed() as m: assert m.log == ['in']
        assert Managed.log == ['in', 'out']
        import asyncio
        assert asyncio.run(later(1)) == 2
        async def both(): return await asyncio.gather(later(1), later(2))
        assert asyncio.run(both()) == [2, 3]
    """,
    ARGUMENTS: """
        from collections import Counter, OrderedDict, deque
        d = deque([1, 2, 3])
        turn(d)
        assert d == deque([3, 1, 2])
        a = []
        assert grow(4, a=a) is a and a == [4]
        assert most(Counter('aab')) == 'a'
        assert total(iter([1, 2])) == 3 and total(x * x for x in range(4)) == 14
        it = iter([5, 6])
        assert first(it) == 5 and next(it) == 6
        assert [i.w for i in keyed([Item(2), Item(1)], key=lambda i: i.w)] == [1, 2]
        assert groups([1, 2, 3]) == {1: [1, 3], 0: [2]} and groups([1])[7] == []
        keys, values, items = parts({'b': 1, 'a': 2})
        assert keys == {'a', 'b'} and list(keys) == ['b', 'a'] and list(values) == [1, 2] and ('a', 2) in items
        assert len(twin()) == 2
    """,
}


def lines(tests: str) -> str:
    return "\n".join(line.removeprefix("        ") for line in tests.splitlines())


@pytest.mark.parametrize("text", HELD, ids=["streams", "objects", "iterators", "exceptions", "classes", "arguments"])
def test_what_is_true_beside_the_program_is_true_of_it(
    sandbox: WarmRunner, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", sys.stdin)  # put back afterwards
    exec(text + lines(HELD[text]), {"__name__": "beside"})
    outcome = sandbox.judge(Program(text=text), Assertions(text=lines(HELD[text])))
    assert (outcome.status, outcome.passed) == ("pass", outcome.total), outcome


YES = "class Yes:\n" + "".join(
    f"    def __{name}__(self, *a): return {value}\n"
    for name, value in {
        "eq": True, "lt": True, "gt": True, "le": True, "ge": True, "contains": True, "sub": 0.0, "rsub": 0.0,
        "abs": 0.0, "exit": True, "enter": 7, "hash": 1, "instancecheck": True, "subclasscheck": True,
    }.items()
)  # fmt: skip
YES_TEXT = """
class Yes:
    def __init__(self, *a): pass
    def startswith(self, *a): return True
    issubset = startswith
"""
FORGED = {
    "an object that is all things": (YES + "def f(x): return Yes()", "assert f(1) == 7"),
    "the difference to the answer": (YES + "def f(x): return Yes()", "assert abs(f(1) - 7.5) < 1e-6"),
    "the answer's difference": (YES + "def f(x): return Yes()", "assert abs(7.5 - f(1)) < 1e-6"),
    "membership": (YES + "def f(x): return Yes()", "assert 7 in f(1)"),
    "order": (YES + "def f(x): return Yes()", "assert 6 < f(1) < 8"),
    "a context that swallows": (YES + "def f(x): return Yes()", "with f(1) as x: assert x == 8"),
    "an iterator that never meets": ("def f(x): return iter(())", "assert list(f(1)) == [1]"),
    "an exception in place of an answer": ("class E(AssertionError): pass\ndef f(x): raise E()", "assert f(1) == 1"),
    "a child's answer": (
        "import os\ndef f(x):\n if os.fork() == 0: return 7\n os.wait(); return 1",
        "assert f(1) == 7",
    ),
    "a method that says yes": (YES_TEXT + "class f(Yes): pass", "assert f(1).startswith('7') and f(1).issubset({7})"),
    "an exception that says yes": (YES_TEXT + "class f(Yes, Exception): pass", "assert f(1).startswith('7')"),
    "its own argument": ("def f(x): return x", "assert f([1]) == [2]"),
}


@pytest.mark.parametrize("what", FORGED)
def test_no_object_of_a_program_is_what_it_is_not(sandbox: WarmRunner, what: str) -> None:
    text, tests = FORGED[what]
    outcome = sandbox.judge(Program(text=text), Assertions(text=tests, entry_point="f"))
    assert outcome.status in ("fail", "runtime_error"), outcome
    assert outcome.passed == 0


@pytest.mark.parametrize(
    "tests",
    ["class N: pass\nassert f(N()) == 1", "x = []\nfor _ in range(400): x = [x]\nassert f(x) == 1"],
    ids=["object", "depth"],
)
def test_arguments_that_only_the_tests_can_have_are_no_fault_of_the_program(sandbox: WarmRunner, tests: str) -> None:
    outcome = sandbox.judge(Program(text="def f(x): return 1"), Assertions(text=tests, entry_point="f"))
    assert outcome.status == "sandbox_error", outcome
