"""Machine code that is loaded, and kernels that are compiled with it."""

import os
import subprocess
import sys

import pytest

# In the second process, kth_largest is loaded. The kernel that calls it is new, so it is compiled.
IMPORTS = """
import numpy as np
from querykin.compute.sorting import kth_largest
"""
FIRST = f"""{IMPORTS}
assert kth_largest(np.array([3.0, 1.0, 2.0]), 2) == 2.0
"""
CALLER = """
from querykin.compute.jit import njit

@njit
def second(values):
    return kth_largest(values, 2)

assert second(np.array([5.0, 7.0, 6.0])) == 6.0
"""


@pytest.mark.parametrize("first", [FIRST, IMPORTS])
def test_a_new_kernel_calls_one_that_was_loaded(tmp_path, first):
    """The bitcode of the latter is parsed, whether or not its machine code was used before."""
    script = tmp_path / "script.py"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    for program in (FIRST, first + CALLER):
        script.write_text(program)
        done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
