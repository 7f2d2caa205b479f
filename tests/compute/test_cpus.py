"""The number of threads follows affinity, the quotas of control groups and QUERYKIN_THREADS."""

import os
import subprocess
import sys

import pytest

from querykin.compute.cpus import available_cpus, cpu_quota
from querykin.errors import InputError

NESTED = "/system.slice/querykin.service"


@pytest.fixture
def process(tmp_path):
    """Writes a process folder as in /proc and its control groups, version 2 by default."""

    def write(files, group=NESTED, root="/", controllers="", filesystem="cgroup2 cgroup2 rw"):
        mount, proc = tmp_path / "groups", tmp_path / "self"
        proc.mkdir()
        mount.mkdir()
        (proc / "cgroup").write_text(f"3:memory:/other\n0:{controllers}:{group}\n")
        (proc / "mountinfo").write_text(
            f"20 1 0:20 / / rw - ext4 /dev/vda rw\n31 23 0:28 {root} {mount} rw,relatime - {filesystem}\n"
        )
        for name, content in files.items():
            path = mount / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return proc

    return write


def test_a_quota_is_read_from_the_group_of_the_process(process):
    assert cpu_quota(process({f".{NESTED}/cpu.max": "150000 100000\n"})) == 1.5


def test_the_lowest_quota_of_the_enclosing_groups_counts(process):
    files = {f".{NESTED}/cpu.max": "max 100000\n", "system.slice/cpu.max": "200000 100000\n"}
    assert cpu_quota(process(files)) == 2


def test_groups_without_a_quota_leave_the_machine(process):
    assert cpu_quota(process({f".{NESTED}/cpu.max": "max 100000\n"})) is None


def test_quotas_of_version_1_are_read(process):
    files = {f".{NESTED}/cpu.cfs_quota_us": "50000\n", f".{NESTED}/cpu.cfs_period_us": "100000\n"}
    files |= {"system.slice/cpu.cfs_quota_us": "-1\n", "system.slice/cpu.cfs_period_us": "100000\n"}
    assert (
        cpu_quota(process(files, controllers="cpu,cpuacct", filesystem="cgroup none rw,cpu,cpuacct")) == 0.5
    )


def test_a_container_sees_its_own_group_at_the_mount(process):
    """Without a namespace of its own the path is that of the host, while the mount shows the group alone."""
    files = {"cpu.max": "300000 100000\n"}
    assert cpu_quota(process(files, group="/docker/abc", root="/docker/abc")) == 3


def test_a_path_outside_the_mount_is_read_at_the_mount(process):
    assert cpu_quota(process({"cpu.max": "100000 100000\n"}, group="/x/y", root="/docker/abc")) == 1


def test_systems_without_control_groups_have_no_quota(tmp_path):
    assert cpu_quota(tmp_path) is None


def counted(code="", **variables):
    """What a new process counts."""
    program = f"import os\n{code}\nfrom querykin.compute.cpus import *\nset_library_threads()\n"
    program += "print(available_cpus(), os.environ['OMP_NUM_THREADS'], os.environ['NUMBA_NUM_THREADS'])"
    env = {name: value for name, value in os.environ.items() if not name.endswith("_THREADS")} | variables
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    return [int(number) for number in done.stdout.split()]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_affinity_limits_the_threads_of_a_process():
    cpu = min(os.sched_getaffinity(0))
    assert counted(f"os.sched_setaffinity(0, {{{cpu}}})") == [1, 1, 1]


def test_the_variable_goes_before_everything_and_the_users_variables_stay():
    assert counted(QUERYKIN_THREADS="7") == [7, 7, 7]
    assert counted(QUERYKIN_THREADS="7", OMP_NUM_THREADS="3") == [7, 3, 7]


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_another_value_of_the_variable_is_an_error(value, monkeypatch):
    monkeypatch.setenv("QUERYKIN_THREADS", value)
    available_cpus.cache_clear()
    try:
        with pytest.raises(InputError, match="QUERYKIN_THREADS must be a number of threads, 1 or more, got"):
            available_cpus()
    finally:
        available_cpus.cache_clear()
