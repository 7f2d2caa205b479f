"""Compilation of many kernels at once: in processes side by side, with one message and progress."""

import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from querykin.compute.code_cache import code_cache_works
from querykin.compute.cpus import available_cpus
from querykin.compute.interpreter import rare_garbage_collection, run_short
from querykin.compute.kernel_cache import Function, listen
from querykin.compute.kernel_table import PACKAGE, Kernel, kernels, used_by
from querykin.counted_nouns import counted
from querykin.progress import Advance, Progress

_MIN_SHARE = 8  # kernels that are worth the start of a process
_MAX_PROCESSES = 4  # each takes a second and 200 MB to start
_HELPER = "from querykin.compute.compilation import help_compile; help_compile()"


def compile_when_missing(command: str, progress: Progress) -> None:
    """When a kernel is not compiled yet, compile all that the command needs, and say so first."""

    def missing(function: Function) -> None:
        compile_kernels(used_by(command), progress)
        listen(lambda function: _announce(function, progress))
        if command not in _commands_of(function):
            _announce(function, progress)

    listen(missing)


def compile_kernels(wanted: Iterable[Kernel], progress: Progress) -> int:
    """Compile those that are not compiled yet; returns their number."""
    waiting = deque(kernel for kernel in wanted if not kernel.is_compiled())
    if count := len(waiting):
        listen(None)
        once = "once on this machine" if code_cache_works() else "in every process, since there is no cache"
        progress.message(f"compiling {counted(count, 'loop')}, {once}")
        with progress.task("compiling", count) as advance, rare_garbage_collection():
            _compile(waiting, advance)
    return count


def _commands_of(function: Function) -> frozenset[str]:
    name = f"{function.__module__.removeprefix(f'{PACKAGE}.')}.{function.__name__}"
    return frozenset().union(*(kernel.commands for kernel in kernels() if kernel.name == name))


def _announce(function: Function, progress: Progress) -> None:
    if _commands_of(function):  # else other kernels call it, and are announced themselves
        progress.message(f"compiling {function.__name__.strip('_')}, once on this machine")


def _compile(waiting: "deque[Kernel]", advance: Advance) -> None:
    """Compile kernels in this process and in others, each taking the next one that waits."""
    processes = min(available_cpus(), _MAX_PROCESSES, 1 + len(waiting) // _MIN_SHARE)
    helpers = processes - 1 if code_cache_works() else 0
    with ThreadPoolExecutor(max(1, helpers)) as threads:
        helping = [threads.submit(_compile_in_process, waiting, advance) for _ in range(helpers)]
        _compile_here(waiting, advance)
    for each in helping:
        each.result()
    _compile_here(waiting, advance)  # what a process gave back


def _compile_here(waiting: "deque[Kernel]", advance: Advance) -> None:
    for kernel in _taken(waiting):
        kernel.compile()
        advance(1)


def _taken(waiting: "deque[Kernel]") -> Iterator[Kernel]:
    while True:
        try:
            kernel = waiting.popleft()
        except IndexError:  # another thread took the last one
            return
        yield kernel


def _compile_in_process(waiting: "deque[Kernel]", advance: Callable[[int], None]) -> None:
    """Have kernels compiled by another process; when it fails, its kernel waits again."""
    command = [sys.executable, "-c", _HELPER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, text=True, **pipes)  # type: ignore[call-overload]
    with suppress(BrokenPipeError), process:  # raised again when the pipe is closed
        for kernel in _taken(waiting):
            if not _is_compiled_by(process, kernel):
                waiting.append(kernel)
                return
            advance(1)


def _is_compiled_by(process: "subprocess.Popen[str]", kernel: Kernel) -> bool:
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(f"{kernels().index(kernel)}\n")
        process.stdin.flush()
    except BrokenPipeError:
        return False
    return bool(process.stdout.readline())


def help_compile() -> None:
    """Compile the kernels whose numbers are read from standard input, and answer each with a line."""
    run_short(_compile_numbers)


def _compile_numbers() -> None:
    with rare_garbage_collection():
        for line in sys.stdin:
            kernels()[int(line)].compile()
            sys.stdout.write("compiled\n")
            sys.stdout.flush()
