"""How a script ends: what it has written comes out, and finalizers run, as at the end of an interpreter."""

import subprocess
import sys

import pytest

from rlenvs_sandbox import Program, WarmRunner

SCRIPTS = {
    "a finalizer": "class A:\n    def __del__(self): print('bye', name)\na = A()\nname = 'A'\nprint(5)",
    "a cycle": "class A:\n    def __del__(self): print('bye')\na = A()\na.a = a\ndel a\nprint(5)",
    "a file": "import os\nfile = os.fdopen(1, 'w')\nfile.write('5')",
    "a file and an error": "import os\ndef f(): return file\nfile = os.fdopen(1, 'w')\nfile.write('5')\n1 / 0",
    "opened anew": "file = open('/dev/stdout', 'w')\nfile.write('5')",
    "an exit handler": "import atexit\natexit.register(print, 'last')\nprint(5)\nraise SystemExit(3)",
    "another stream": "import sys\nclass S:\n    def write(self, text): sys.__stdout__.write(text.upper())\n"
    "    def flush(self): pass\nsys.stdout = S()\nprint('abc')",
    "a thread": "import threading, time\ndef late(): time.sleep(0.1); print(2)\n"
    "threading.Thread(target=late).start()\nprint(1)",
    "names in order": "class A:\n  def __init__(self, n): self.n = n\n  def __del__(self): print(self.n, z, bool(b))\n"
    "z = 3\na, b, _c = A(1), A(2), A(3)",
    "a sentence": "import sys\nprint(5)\nsys.exit('wrong')",
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_a_script_ends_as_in_an_interpreter_of_its_own(sandbox: WarmRunner, what: str) -> None:
    beside = subprocess.run([sys.executable, "-c", SCRIPTS[what]], capture_output=True, check=False)
    outcome = sandbox.run(Program(text=SCRIPTS[what]))
    assert (outcome.stdout, outcome.exit_code) == (beside.stdout, beside.returncode), outcome
