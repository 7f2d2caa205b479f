"""Compiled code is cached in a temporary folder where no other folder is writable."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import querykin

PACKAGE = Path(querykin.__file__).parent
READ_ONLY = 'for p in "$0" "$1"; do mount --bind "$p" "$p" && mount -o remount,ro,bind "$p" || exit; done; '
PROGRAM = """
import numpy as np
from querykin.compute.arrays import grow
print(len(grow(np.zeros(2), 3)), sum(grow.stats.cache_hits.values()))
"""


@pytest.fixture
def run(tmp_path):
    """Compiles a kernel where neither the package nor the given folder of compiled code is writable."""
    given = tmp_path / "given"
    given.mkdir()
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", READ_ONLY + 'shift; exec "$@"']
    command += [str(PACKAGE), str(given)]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("no mount namespaces: folders cannot be made read-only to every user")

    def start(program=PROGRAM, read_only=True, **variables):
        env = {**os.environ, "HOME": "/dev/null", "TMPDIR": str(tmp_path), "NUMBA_CACHE_DIR": ""}
        env |= {"XDG_CACHE_HOME": "/dev/null", "PYTHONDONTWRITEBYTECODE": "1"}
        full = [*(command if read_only else []), sys.executable, "-c", program]
        done = subprocess.run(full, env=env | variables, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done

    return start


def test_a_temporary_folder_is_used_from_one_process_to_the_next_with_one_warning(run, tmp_path):
    folder = tmp_path / "querykin-code-0"  # the namespace maps the user to root
    first, second = run(), run()
    assert (first.stdout, second.stdout) == ("4 0\n", "4 1\n")
    assert f"compiled code is cached in {folder}, since no other folder is writable" in first.stderr
    assert first.stderr.count("set NUMBA_CACHE_DIR to a writable folder") == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def test_code_compiled_for_an_image_is_used_from_a_read_only_folder(run, tmp_path):
    given = str(tmp_path / "given")
    assert run(read_only=False, NUMBA_CACHE_DIR=given).stdout == "4 0\n"
    done = run(NUMBA_CACHE_DIR=given)
    assert done.stdout == "4 1\n"
    assert f"since {given} is not writable" in done.stderr


def test_a_folder_that_others_can_write_to_is_not_used(run, tmp_path):
    shared = tmp_path / "querykin-code-0"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    assert run().stdout == "4 0\n"
    assert not list(shared.iterdir())


def test_without_any_folder_code_is_compiled_in_every_process(run, tmp_path):
    program = "import tempfile; tempfile.tempdir = '/proc/nonexistent'\n" + PROGRAM
    done = run(program)
    assert done.stdout == "4 0\n"
    assert "compiled code cannot be cached" in done.stderr
