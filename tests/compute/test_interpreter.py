"""Processes that are short: what they run is run as without it, at less cost."""

import subprocess
import sys

# Loops of calls at every depth of the stack; prints the page faults of their run.
CALLS = """
import resource, sys
from querykin.compute.interpreter import run_short

def leaf(a=1, b=2, c=3):
    return a

def calls(depth):
    for _ in range(200):
        leaf()
    if depth:
        calls(depth - 1)

def main():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    calls(900)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    sys.exit(3)

"""


def _faults(start):
    done = subprocess.run([sys.executable, "-c", CALLS + start], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")
    return int(done.stdout)


def test_calls_at_the_end_of_a_chunk_of_the_stack_allocate_nothing():
    """900 frames take 140 KB, which is 35 pages."""
    assert _faults("run_short(main)") < 100
